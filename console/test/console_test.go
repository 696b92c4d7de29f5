package test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Signing in with a key, and what does not sign in.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("401")
	p.open("/")
	p.see("heading", "Sign in")
	p.seeText(s.program + " key create local --data " + s.dir)
	p.see("button", "Copy")
	p.seeText("make another one, in a terminal")
	p.wait("whole words in the command", `[...document.querySelectorAll(".key-command .whole")].filter((e) => e.innerText.startsWith("--")).every((e) => e.getClientRects().length === 1 && e.getBoundingClientRect().height < 30)`)
	p.seeText("Open the link that the service printed")
	p.checkAccess("signed out")
	p.fill("API key", "00000000-0000-0000-0000-000000000000")
	p.click("button", "Sign in")
	p.see("alert", "")
	p.checkAccess("refused")
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.see("button", "Sign out")

	// No script can read a credential: the key is nowhere, and the cookie is hidden.
	if got := evaluate[string](p, "JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])"); strings.Contains(got, s.Key) || evaluate[string](p, "document.cookie") != "" {
		t.Errorf("a script reads %s", got)
	}
	p.open("/usage") // a new load of the page is still signed in
	p.see("heading", "Usage")
	p.click("button", "Sign out")
	p.see("heading", "Sign in")
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.see("heading", "Usage") // and not the first page
	p.open("/?from=//elsewhere.example/")
	p.click("button", "Sign out")
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.see("textbox", "Prompt")

	// What a person wrote stays when the session expires, and not for another account.
	p.allow("403") // ann has no plan
	var ann struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run("account", "create", "--username", "ann", "--json")), &ann); err != nil {
		t.Fatal(err)
	}
	prompt := find("textbox", "Prompt") + ".value"
	p.fill("Prompt", "a secret garden")
	for _, tc := range []struct{ key, want string }{{s.Key, "a secret garden"}, {ann.APIKey, ""}} {
		p.wait("the draft", `sessionStorage.getItem("atelier.create").includes("a secret garden")`)
		evaluate[bool](p, expire)
		p.fill("API key", tc.key)
		p.click("button", "Sign in")
		p.see("textbox", "Prompt")
		if got := evaluate[string](p, prompt); got != tc.want {
			t.Errorf("the prompt is %q, want %q", got, tc.want)
		}
	}
	p.fill("Prompt", "a secret orchard")
	p.wait("the draft", `sessionStorage.getItem("atelier.create").includes("a secret orchard")`)
	p.click("link", "Usage")
	p.see("heading", "Usage")
	p.click("button", "Sign out")
	p.see("heading", "Sign in")
	if got := evaluate[string](p, "JSON.stringify({...sessionStorage})"); strings.Contains(got, "secret") {
		t.Errorf("the tab keeps %s", got)
	}
	p.open("/usage")
	p.see("heading", "Sign in")

	// A late refusal of an earlier session does not end the next one.
	p.signIn(s.Key)
	evaluate[bool](p, `((load) => {
		window.refuse = [];
		window.fetch = (address, options) => String(address).startsWith("/v1/account/ledger") ? new Promise((answer) => refuse.push(() => answer(new Response("{}", {status: 401})))) : load(address, options);
		return true;
	})(fetch)`)
	p.click("link", "Usage")
	p.wait("a request", "refuse.length > 0")
	p.click("button", "Sign out")
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.see("button", "Sign out")
	if !evaluate[bool](p, `(refuse[0](), new Promise((done) => setTimeout(() => done(localStorage.getItem("atelier.console") !== null))))`) {
		t.Error("the next session has ended")
	}

	// When the service does not answer, the console shows that and does not pretend that the person is
	// signed out; it tries again when the browser is online.
	p.prepare(`((load) => {
		window.fetch = (address, options) => address === "/v1/console/session" && sessionStorage.getItem("away")
			? Promise.resolve(new Response('{"message": "The database is away."}', {status: 503})) : load(address, options);
	})(fetch)`)
	evaluate[bool](p, `(sessionStorage.setItem("away", "1"), true)`)
	p.open("/usage")
	p.see("heading", "The console cannot be opened now")
	p.seeText("The database is away.")
	p.gone("textbox", "API key")
	p.checkAccess("no answer")
	p.click("button", "Try again")
	p.see("button", "Try again")
	evaluate[bool](p, `(sessionStorage.removeItem("away"), dispatchEvent(new Event("online")))`)
	p.see("heading", "Usage")

	// Who cannot be signed out learns why, and stays signed in.
	evaluate[bool](p, `(sessionStorage.setItem("away", "1"), true)`)
	p.click("button", "Sign out")
	p.seeText("The database is away.")
	p.see("button", "Sign out")
	p.checkAccess("not signed out")
	evaluate[bool](p, `(sessionStorage.removeItem("away"), true)`)

	// A session that ends closes what lies over the page.
	p.open("/account")
	p.click("button", "Revoke")
	p.see("dialog", "Revoke")
	evaluate[bool](p, expire)
	p.gone("dialog", "Revoke")
	p.see("heading", "Sign in")

	// Another tab signs in with another account: it does not find the lists of the one before.
	s.call("POST", "/v1/creative-agent/workflows", picture("a secret fox"))
	p.signIn(s.Key)
	p.open("/workflows")
	p.seeText("a secret fox")
	open := func(key, event string) {
		t.Helper()
		evaluate[bool](p, fmt.Sprintf(`(async () => {
			const answer = await fetch("/v1/console/sessions", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({apiKey: %s})});
			const {token} = (await answer.json()).data.session;
			localStorage.setItem("atelier.console", token);
			const load = fetch;
			window.fetch = (address, options) => String(address).includes("/workflows/summaries") ? new Promise(() => {}) : load(address, options);
			return dispatchEvent(%s);
		})()`, quote(key), event))
	}
	open(ann.APIKey, `new StorageEvent("storage", {key: "atelier.console", newValue: token})`)
	p.see("link", "ann")
	p.click("link", "Usage")
	p.see("heading", "Usage")
	p.do(chromedp.NavigateBack())
	p.see("heading", "Workflows")
	p.wait("the list of ann", `document.querySelector(".workflows [aria-busy=true]") !== null`)

	// A page that the browser has kept meanwhile shows the account that is signed in.
	open(s.Key, `new PageTransitionEvent("pageshow", {persisted: true})`)
	p.gone("link", "ann")
	p.see("button", "Sign out")
}

// atOnce is a script for page.prepare: it runs a statement as soon as an element is drawn.
func atOnce(selector, statement string) string {
	return fmt.Sprintf(`new MutationObserver((_, observer) => {
		const element = document.querySelector(%s);
		if (!element) return;
		observer.disconnect();
		%s;
	}).observe(document, {childList: true, subtree: true})`, quote(selector), statement)
}

// Keys and clicks that come as soon as a page is drawn are not lost: the focus is where it
// belongs by then, and stays where the person puts it.
func TestFocusAtOnce(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(atOnce("#key", "window.hadFocus = document.activeElement === element"))
	p.open("/")
	p.wait("the form", "window.hadFocus !== undefined")
	if !evaluate[bool](p, "hadFocus") {
		t.Error("the field does not have the focus when it is drawn")
	}
	p.signIn(s.Key)
	p.click("link", "Library")
	p.see("textbox", "Search prompts")
	p.click("link", "Create")
	p.see("textbox", "Prompt")
	evaluate[bool](p, "("+atOnce(".library-search", "element.focus()")+", true)")
	p.click("link", "Library")
	p.wait("the address", `location.pathname === "/library"`)
	p.see("textbox", "Search prompts")
	evaluate[bool](p, `new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(() => done(true))))))`)
	if got := evaluate[string](p, "document.activeElement.className"); got != "library-search" {
		t.Errorf("the focus is on %q, want the field that the person chose", got)
	}
}

// The link that the service prints opens the console signed in, once.
func TestOneTimeLink(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, "", desktop)
	p.prepare(`((load) => {
		let isAway = true;
		window.fetch = (address, options) => isAway ? (isAway = false, Promise.reject(new TypeError("no network"))) : load(address, options);
	})(fetch)`)
	p.open(s.link)
	p.seeText("The service cannot be reached.")
	p.click("button", "Try again") // the code is still good
	p.see("button", "Sign out")
	if got := evaluate[string](p, "location.hash"); got != "" {
		t.Errorf("the code stays in the address: %s", got)
	}
	again := openPage(t, "", desktop)
	again.allow("401", "400", "403", "404")
	again.open(s.link)
	again.see("heading", "Sign in")
}

// The link signs in as well when it is opened in a tab that shows the sign-in page, which only changes the fragment.
func TestOneTimeLinkInAnOpenTab(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.open("/")
	p.see("heading", "Sign in")
	evaluate[string](p, fmt.Sprintf("location.href = %s", quote(s.link)))
	p.see("button", "Sign out")
	p.wait("no code in the address", `location.hash === ""`)
}

// Keys: create, use, limit, rename, revoke; revoking the key of a console ends its session.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, phone)
	p.allow("401")
	p.allow("400") // a wrong address of clients
	p.signIn(s.Key)
	p.open("/account")
	p.see("heading", "API keys")
	p.see("heading", "Account") // as in the menu and the address
	p.open("/keys")             // its earlier address
	p.see("heading", "API keys")
	p.checkAccess("keys")
	p.click("button", "Create a key")
	p.fill("Name", "render farm")
	p.checkAccess("creating")
	p.click("button", "Create a key")
	p.see("dialog", "Your new key")
	p.checkAccess("created")
	key := evaluate[string](p, `document.querySelector(".secret code").textContent`)
	p.click("button", "I have saved it")
	p.seeText("render farm")

	other := openPage(t, s.URL, desktop)
	other.allow("401")
	other.signIn(key)
	p.open("/account")
	p.click("button", "Limits render farm")
	p.see("dialog", "Limits of render farm")
	const budget = `((all) => JSON.stringify(all.map((r) => [Math.round(r.bottom - all[0].bottom), Math.round(r.width)])))([...document.querySelectorAll(".budget :is(input, select)")].map((e) => e.getBoundingClientRect()))`
	before := evaluate[string](p, budget)
	p.wait("the amounts and their currency in two rows", `(([day, month, total, unit]) => Math.abs(day - month) < 6 && Math.abs(total - unit) < 6 && day < total)(JSON.parse(`+budget+`).map(([bottom]) => bottom))`) // a select is a little lower
	p.fill("Per day", "abc")
	p.click("button", "Save")
	p.seeText("The budget per day must be an amount above 0")
	p.wait("the mistake at its field", find("textbox", "Per day")+`.getAttribute("aria-invalid") === "true" && `+find("textbox", "Per month")+`.getAttribute("aria-invalid") === null`)
	if after := evaluate[string](p, budget); after != before {
		t.Errorf("a mistake moves the fields from %s to %s", before, after)
	}
	p.checkAccess("a limit that is refused")
	p.fill("Per day", "")
	p.fill("Per month", "20")
	p.fill("Addresses of clients", "home")
	p.checkAccess("limits")
	p.click("button", "Save")
	p.seeText("is not an address")
	p.fill("Addresses of clients", "127.0.0.1, ::1")
	p.click("button", "Save")
	p.seeText("0 of 20 Spark used this month")
	p.click("button", "Rename render farm")
	p.fill("Name", "old farm")
	p.click("button", "Save")
	p.wait("another colour for what cannot be undone", `getComputedStyle(`+find("button", "Revoke old farm")+`).color !== getComputedStyle(`+find("button", "Rename old farm")+`).color`)
	p.click("button", "Revoke old farm")
	p.see("dialog", "Revoke old farm?")
	p.click("button", "Revoke")
	p.gone("button", "Revoke old farm")
	p.seeText("old farm is revoked.")
	for _, done := range []string{"Revoke key old farm", "Change key old farm", "Limit key render farm", "Sign in", "Create key render farm"} {
		p.seeText(done)
	}
	p.wait("the focus at the list, where the key was", `document.activeElement.innerText === "API keys"`)
	other.open("/account")
	other.see("heading", "Sign in")
}

// Ending all sessions signs out every console of the account and ends its tokens; keys stay
// valid.
func TestEndAllSessions(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p, other := openPage(t, s.URL, phone), openPage(t, s.URL, desktop)
	p.allow("401")
	other.allow("401")
	p.signIn(s.Key)
	other.signIn(s.Key)
	p.open("/account")
	p.click("button", "Create a token")
	p.seeText("valid until")
	token := evaluate[string](p, `document.querySelector(".secret code").textContent`)
	asked := fmt.Sprintf(`fetch("/v2/account/me", {headers: {Authorization: "Bearer " + %q}}).then((r) => r.status)`, token)
	if got := evaluate[int](p, asked); got != 200 {
		t.Fatalf("a new token: got %d, want 200", got)
	}
	p.click("button", "End all sessions")
	p.see("dialog", "End all sessions?")
	p.checkAccess("ending all sessions")
	p.click("button", "Cancel")
	p.gone("dialog", "End all sessions?")
	p.see("heading", "API keys")
	p.click("button", "End all sessions")
	p.click("button", "End all sessions")
	p.see("heading", "Sign in")
	p.seeText("You are signed out.")
	if got := evaluate[int](p, asked); got != 401 {
		t.Errorf("a token: got %d, want 401", got)
	}
	other.open("/account")
	other.see("heading", "Sign in")
	p.signIn(s.Key)
	p.open("/account")
	p.see("heading", "API keys")
}

// A conversation with an approval: the assistant asks before it spends, makes the picture,
// and the conversation is there again after a reload and a restart of the service.
func TestChat(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE")
	p.signIn(s.Key)
	p.click("link", "Chat")
	p.seeText("What shall we make?")
	p.checkAccess("a new conversation")
	p.choose("When to ask", "making")
	p.fill("Write a message", "Make a picture of a red fox, 512 by 512")
	p.click("button", "Send")
	p.see("group", "Approve the cost?")
	p.checkAccess("an approval")
	address := evaluate[string](p, "location.pathname")
	s.restart()
	p.open(address) // a run that waits survives both
	p.see("group", "Approve the cost?")
	p.click("button", "Approve")
	p.see("button", "Open large:")
	p.see("button", "Send")
	p.checkAccess("an answer")

	// What the assistant called is listed again after a reload, with its result.
	p.open(address)
	p.click("button", "Generate image done")
	p.wait("the arguments and the result", `[...document.querySelectorAll(".call[open] pre")].filter((e) => e.innerText.length > 2).length === 2`)
	p.checkAccess("a tool call")
	p.click("button", "Open large:")
	p.see("dialog", "")
	p.checkAccess("a picture, large")
	p.click("button", "Close")

	// Editing a message makes a second version of the turn; both can be read.
	p.click("button", "Edit")
	p.fill("Edit", "What can you make?")
	p.click("button", "Send again")
	p.seeText("2 / 2")
	p.click("button", "Earlier version")
	p.see("button", "Open large:")
	p.open(address)
	p.seeText("2 / 2")

	// Declining costs nothing.
	p.fill("Write a message", "Now a picture of a blue whale")
	p.click("button", "Send")
	p.see("group", "Approve the cost?")
	p.click("button", "Decline")
	p.gone("group", "Approve the cost?")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open(address)
	small.seeText("What can you make?")
	small.checkAccess("on a phone")
}

// Charts of what was used, and of the network.
func TestCharts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for i, l := range []look{desktop, night, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.click("link", "20,000") // the balance leads to the usage
		p.see("heading", "Usage")
		if i == 0 {
			p.seeText("Nothing was used in this time")
			s.call("POST", "/v1/creative-agent/workflows", picture("a red fox")) // the plan pays for it
		}
		p.see("heading", "Cost by model")
		p.see("button", "Z-Image Turbo")
		p.checkAccess("usage")
		p.click("button", "As a table")
		p.seeText("Day (UTC)")
		p.open("/network")
		p.see("heading", "Workers")
		p.see("heading", "Jobs of the network by day")
		p.checkAccess("network")
	}
}

// picture is the request for a workflow that makes one small picture.
func picture(prompt string) map[string]any {
	return map[string]any{"input": map[string]any{"steps": []any{map[string]any{
		"id": "draw", "toolName": "generate_image", "arguments": map[string]any{"prompt": prompt, "width": 512, "height": 512},
	}}}}
}

// The operator's area: an account is created, credited, suspended and reinstated, and each
// action is listed with its reason.
func TestOperator(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("404", "409")
	p.signIn(s.Key)
	p.click("link", "Operator")
	p.seeText("All systems work")
	p.checkAccess("health")
	p.click("link", "Accounts")
	p.click("button", "Create an account")
	p.fill("Username", "local")
	p.click("button", "Create an account")
	p.wait("the refusal at the name", `document.querySelector("dialog[open] [aria-invalid]")?.closest(".field").innerText.includes('Another account has the username "local"')`)
	p.fill("Username", "ann")
	p.checkAccess("creating an account")
	p.click("button", "Create an account")
	p.click("button", "I have saved it")
	p.click("link", "ann")
	p.see("heading", "ann")
	p.click("button", "Make operator")
	p.see("dialog", "Make ann an operator?")
	p.seeText("add credit, suspend accounts, and connect servers")
	p.wait("a button that names what it does", `document.querySelector("dialog[open] .primary").innerText === "Make operator"`)
	p.click("button", "Cancel")
	p.click("button", "Add credit")
	const fields = `[...document.querySelectorAll("dialog[open] .three input")].map((e) => e.getBoundingClientRect())`
	p.wait("the button of the dialog", `document.querySelector("dialog[open] .primary") !== null`)
	evaluate[bool](p, `(document.querySelector("dialog[open] .primary").click(), true)`)
	p.seeText("Enter an amount in at least one of the fields.")
	p.wait("the fields in a row", fields+`.every((r, _, [first]) => r.top === first.top && r.height === first.height)`)
	p.checkAccess("no credit")
	p.fill("Spark", "12.5")
	p.fill("Reason", "a present")
	p.click("button", "Add credit")
	p.seeText("ann has the credit.")
	p.seeText("12.5")
	p.seeText("Credit Spark 12.5") // and no zeros of the others
	p.seeText("a present")         // in what operators did here
	p.click("button", "Suspend")
	p.see("dialog", "Suspend ann?")
	p.click("button", "Suspend")
	p.see("button", "Reinstate")
	p.checkAccess("a suspended account")
	p.click("button", "Reinstate")
	p.see("dialog", "Reinstate ann?")
	p.fill("Reason", "a mistake")
	p.click("button", "Reinstate")
	p.seeText("a mistake")
	p.see("button", "Suspend")
	p.wait("the notices are gone", `document.querySelector(".toast") === null`) // they cover the areas
	for _, area := range []string{"Workers", "Jobs", "Failures", "Review", "Claims", "LoRAs", "Content filter", "Spot checks", "Actions"} {
		p.click("link", area)
		p.wait("the area "+area, `document.querySelector(".waiting") === null`)
		p.checkAccess(area)
	}
	p.seeText("a present")

	// What a search finds is announced, and reached with the arrows.
	const search = "Search wallet, username, job, workflow, chat run or key hint"
	focused := func(role, name string) {
		t.Helper()
		p.wait("the focus on "+name, find(role, name)+" === document.activeElement")
	}
	p.fill(search, "ann")
	p.see("status", "1 result.")
	p.checkAccess("a search")
	p.press(kb.ArrowDown)
	focused("link", "Account ann")
	p.press(kb.ArrowUp)
	focused("textbox", search)
	p.press(kb.ArrowUp)
	focused("link", "Account ann")
	p.press(kb.Escape)
	focused("textbox", search)
	p.gone("link", "Account ann")
	p.fill(search, "ann")
	p.see("link", "Account ann")
	p.press(kb.ArrowDown)
	p.press(kb.Enter)
	p.see("heading", "ann")

	// While another filter is read, the list before it does not go on.
	evaluate[bool](p, `((load) => {
		window.fetch = async (address, options) => {
			const url = new URL(address, location.href);
			if (url.pathname !== "/v1/operator/accounts") return load(address, options);
			if (url.searchParams.get("q")) await new Promise((go) => (window.goOn = go));
			const answer = await (await load(address, options)).json();
			answer.data.nextCursor ??= "other";
			return new Response(JSON.stringify(answer));
		};
		return true;
	})(fetch)`)
	p.click("link", "Accounts")
	p.see("button", "Show more")
	p.fill("Wallet or username begins with", "an")
	p.wait("a request", "!!window.goOn")
	p.gone("button", "Show more")
	evaluate[bool](p, "(goOn(), true)")
	p.see("button", "Show more")

	// An id is one part of an address, whatever its characters are.
	p.open("/operator/jobs/no%2Fsuch%3Fjob")
	p.wait("the request", `performance.getEntriesByType("resource").some((e) => e.name.endsWith("/v1/operator/jobs/no%2Fsuch%3Fjob"))`)
	p.seeText("Job not found")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/operator/accounts")
	small.see("link", "ann")
	small.checkAccess("accounts on a phone")
}
