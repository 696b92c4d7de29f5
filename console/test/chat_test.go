package test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// watchRuns is a script for page.prepare: it offers two language models, and keeps the requests
// that start runs in startedRuns. While hold is true, requests that start or cancel a run wait for release.
const watchRuns = `((send) => {
	window.startedRuns = [];
	let free;
	window.release = () => free?.();
	window.fetch = async (address, options) => {
		const starts = options?.method === "POST" && String(address).endsWith("/v1/chat/runs");
		if (starts) startedRuns.push(JSON.parse(options.body));
		if (window.hold && (starts || String(address).endsWith("/cancel"))) {
			window.held = true;
			await new Promise((go) => (free = go));
			window.held = false;
		}
		if (String(address) === "/v1/models") return new Response(JSON.stringify({object: "list", data: [{id: "another", svc: {default: true}}, {id: "atelier-builtin", svc: {default: false}}]}));
		const response = await send(address, options);
		if (String(address).endsWith("/cancel")) window.cancelStatus = response.status;
		return response;
	};
})(fetch)`

// paste pastes a file into the message.
func (p *page) paste(name, kind string, content []byte) {
	p.t.Helper()
	p.see("textbox", "Write a message")
	evaluate[bool](p, fmt.Sprintf(`((text) => {
		const clipboardData = new DataTransfer();
		clipboardData.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], %s, {type: %s}));
		return document.querySelector(".composer textarea").dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true})) || true;
	})(%s)`, quote(name), quote(kind), quote(base64.StdEncoding.EncodeToString(content))))
	p.see("button", "Remove "+name)
}

// choose chooses a value of a list.
func (p *page) choose(label, value string) {
	p.t.Helper()
	p.wait("the choice "+value, fmt.Sprintf(`[...%s.options].some((option) => option.value === %s)`, find("combobox", label), quote(value)))
	evaluate[bool](p, fmt.Sprintf(`((list) => { list.value = %s; return list.dispatchEvent(new Event("input", {bubbles: true})) })(%s)`, quote(value), find("combobox", label)))
}

// say sends a message.
func (p *page) say(message string) {
	p.t.Helper()
	p.fill("Write a message", message)
	p.click("button", "Send")
}

// seeWhole waits until an element is in view, below the bar and above the composer, and a
// click on a button of it reaches the button.
func (p *page) seeWhole(selector string) {
	p.t.Helper()
	p.wait(selector+" in view", fmt.Sprintf(`(() => {
		const card = [...document.querySelectorAll(%s)].at(-1), button = card?.querySelector("button");
		if (!button) return false;
		const box = card.getBoundingClientRect(), at = button.getBoundingClientRect();
		return box.top >= document.querySelector(".bar").getBoundingClientRect().bottom && box.bottom <= document.querySelector(".composer").getBoundingClientRect().top &&
			button.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2));
	})()`, quote(selector)))
}

// Pictures, clips and sounds are sent along, are used, stay in their turn, and are sent again
// with an edited message, as are the language model and the setting.
func TestChatAttachments(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(watchRuns)
	p.signIn(s.Key)
	p.click("link", "Chat")
	p.paste("hill.png", "image/png", square(t, 64, 90))
	p.checkAccess("an attached picture")
	p.choose("When to ask", "making")
	p.say("Upscale this picture")
	p.see("group", "Approve the cost?")
	pictures := `document.querySelectorAll(".said .attached img").length === 1 && document.querySelector(".said .attached img").naturalWidth === 64`
	p.wait("the picture in the turn", pictures)
	p.checkAccess("a picture in a turn")
	p.open(evaluate[string](p, "location.pathname"))
	p.wait("the picture after a reload", pictures)
	p.click("button", "Approve")
	p.see("button", "Open large:")
	p.see("button", "Send")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open(evaluate[string](p, "location.pathname"))
	small.wait("the picture on a phone", pictures)
	small.checkAccess("a picture in a turn on a phone")

	// Files that the browser can play: it shows a note in place of others.
	p.paste("rain.wav", "audio/wav", s.generate("rain.wav", "speech", "Rain."))
	p.paste("walk.mp4", "video/mp4", s.generate("walk.mp4", "video", "a walk", "--duration", "2", "--width", "256", "--height", "256"))
	p.choose("When to ask", "never")
	p.choose("Language model", "atelier-builtin")
	p.say("What can you do?")
	byKind := `(() => { const all = document.querySelectorAll(".turn"), last = all[all.length - 1]; return all.length === 2 && last.querySelectorAll(".said audio").length === 1 && last.querySelectorAll(".said video").length === 1 && !last.querySelector(".said img") })()`
	p.wait("a sound and a clip", byKind)
	p.see("button", "Send")
	p.open(evaluate[string](p, "location.pathname"))
	p.wait("a sound and a clip after a reload", byKind)
	p.checkAccess("a sound and a clip")

	for i, again := range []func(){
		func() {
			evaluate[bool](p, `[...document.querySelectorAll(".turn")].at(-1).querySelector(".answer-foot button:last-of-type").click() ?? true`)
		}, // Try again
		func() {
			p.fill("Write a message", "")
			p.press(kb.ArrowUp)
			p.wait("the focus in the edit", `document.activeElement.getAttribute("aria-label") === "Edit"`)
			p.fill("Edit", "What can you make?")
			p.click("button", "Send again")
		},
	} {
		evaluate[bool](p, `(startedRuns = [], true)`)
		again()
		p.wait("a run", `startedRuns.length === 1`)
		p.wait("the media and the setting of the turn", `startedRuns[0].media_references.map((m) => m.kind + " " + m.filename).join() === "audio rain.wav,video walk.mp4" && !startedRuns[0].runtime_config.requireJobConfirmation && startedRuns[0].model === "atelier-builtin"`)
		p.seeText(fmt.Sprintf("%d / %[1]d", i+2)) // the new version is shown
		p.wait("a sound and a clip", byKind)
		p.see("button", "Send")
	}
}

// createAccount creates an account and returns its key.
func createAccount(s *service, flags ...string) string {
	s.t.Helper()
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run(append([]string{"account", "create", "--json"}, flags...)...)), &made); err != nil {
		s.t.Fatal(err)
	}
	return made.APIKey
}

// The card that asks for an approval is seen whole, however long the conversation is and
// wherever it is scrolled to, with the price in Spark and what is left.
func TestChatApproval(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(createAccount(s, "--spark=100"))
		p.open("/chat")
		p.say("What can you make, and what does it cost?")
		p.seeText("The assistant has answered.")
		p.say("Make a picture of a red fox, 512 by 512")
		p.see("group", "Approve the cost?")
		p.seeWhole(".approval")
		p.wait("what is said of it", `document.querySelector(".talk > [role=status]").innerText === "Approve the cost? Generate image, 1.6\u00a0Spark"`)
		p.wait("whose the words are", `[...document.querySelectorAll(".turn h2")].map((e) => e.innerText).join() === "You,Assistant,You,Assistant"`)
		p.click("button", "Approve")
		p.see("button", "Open large:")
		p.see("button", "Send")
		// The person scrolls down and up again, once the answer is drawn.
		p.wait("the conversation scrolled up", find("button", "To the newest message")+` !== null || (scrollTo(0, scrollY > 0 ? 0 : document.documentElement.scrollHeight), false)`)
		p.say("Now a picture of a blue whale")
		p.see("group", "Approve the cost?")
		p.seeWhole(".approval")
		p.wait("what will be made", `/Generate image[^]*Z-Image Turbo[^]*Spark[^]*blue whale/.test(document.querySelector(".approval-calls").innerText)`)
		p.wait("the price and what is left", `/Estimated cost: 1\.6\u00a0Spark[^]*Balance: 98\.4\u00a0Spark, 96\.8 after/.test(document.querySelector(".approval").innerText)`)
		p.seeWhole(".approval")
		p.checkAccess(fmt.Sprint("the card, ", l.width))
		p.open(evaluate[string](p, "location.pathname"))
		p.see("group", "Approve the cost?")
		p.wait("the price after a reload", `document.querySelector(".approval").innerText.includes("1.6\u00a0Spark")`)
		p.seeWhole(".approval")
		p.click("button", "Decline")
		p.seeText("You declined the cost, so this was not made.")
		p.wait("no code", `!document.body.innerText.includes("USER_CANCELLED")`)
		p.open(evaluate[string](p, "location.pathname"))
		p.seeText("You declined the cost, so this was not made.")
		// What was declined is not proposed with the next message, and the size is that which will be made.
		p.say("A picture of a house, wide")
		p.see("group", "Approve the cost?")
		p.wait("one picture, with its size", `document.querySelectorAll(".approval-calls li").length === 1 && /\d+ × \d+[^]*house/.test(document.querySelector(".approval-calls").innerText)`)
		p.seeWhole(".approval")
	}
}

// A result is attached to the next message, and leads to Create and to the library. What was read in a picture is in
// the row of its tool. On a phone the list is a drawer, and the actions are in one menu.
func TestChatResults(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)
	p.open("/chat")
	p.choose("When to ask", "never")
	p.say("Make a picture of a red fox, 512 by 512")
	p.see("link", "Show in library")
	p.see("link", "Open in Create")
	p.see("button", "Send")
	p.click("button", "Use as reference")
	p.wait("the picture attached", `document.querySelectorAll(".composer .attachment img").length === 1`)
	p.say("What is in this picture?")
	p.wait("the analysis", `(() => { const last = [...document.querySelectorAll(".turn")].at(-1); return /Analyze image/.test(last.innerText) && last.querySelector(".answer-foot") !== null })()`)
	p.wait("no tile", `[...document.querySelectorAll(".turn")].at(-1).querySelector(".made") === null`)
	p.wait("the head in view", `document.querySelector(".talk-head").getBoundingClientRect().top >= document.querySelector(".bar").getBoundingClientRect().bottom - 1`)
	evaluate[bool](p, `([...document.querySelectorAll(".call summary")].at(-1).click(), true)`)
	p.wait("the analysis in the row", `/A square PNG picture/.test([...document.querySelectorAll(".call")].at(-1).querySelector(".media.text")?.innerText ?? "")`)
	p.checkAccess("results on a phone")
	p.gone("button", "Rename")
	evaluate[bool](p, `(document.querySelector(".talk-head summary").click(), true)`)
	p.click("button", "Rename")
	p.see("dialog", "Rename the conversation")
	p.press(kb.Escape)
	p.click("button", "Show conversations")
	p.see("dialog", "Conversations")
	p.checkAccess("the drawer")
	p.saveScreenshot("chat-drawer")
	p.click("button", "New conversation")
	p.gone("dialog", "Conversations")
	p.seeText("What shall we make?")
}

// A conversation whose model is gone says which one answers.
func TestChatModelGone(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(`((send) => {
		window.fetch = (address, options) => String(address) === "/v1/models"
			? Promise.resolve(new Response(JSON.stringify({object: "list", data: [{id: sessionStorage.gone ? "another" : "atelier-builtin", svc: {default: true}}]})))
			: send(address, options);
	})(fetch)`)
	p.signIn(s.Key)
	p.open("/chat")
	p.say("What can you make?")
	p.seeText("The assistant has answered.")
	evaluate[bool](p, `(sessionStorage.gone = "yes", true)`)
	p.open(evaluate[string](p, "location.pathname"))
	p.seeText("atelier-builtin is no longer connected. another answers from now on.")
	p.checkAccess("a model that is gone")
}

// A clip shows its first frame in its own shape before it is played, and the conversation is called what was asked.
func TestChatClip(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/chat")
	const wish = "Make a picture of a lighthouse at dusk and animate it for 1 second"
	p.say(wish)
	p.see("heading", wish)
	p.see("button", "Open large:")
	p.wait("a frame of the clip", `(() => { const clip = document.querySelector(".made video"); return clip.paused && clip.readyState >= 2 && clip.videoWidth > 0 })()`)
	p.wait("its shape", `(() => { const clip = document.querySelector(".made video"), r = clip.getBoundingClientRect(); return Math.abs(r.width / r.height - clip.videoWidth / clip.videoHeight) < 0.05 })()`)
	p.gone("button", "To the newest message")
	p.checkAccess("a clip in a conversation")
	// The browser moves a page that gets shorter, which is not the person who scrolls up.
	evaluate[bool](p, `(window.rest = document.querySelector(".turns").appendChild(document.createElement("div")), rest.style.height = "900px", true)`)
	end := `document.querySelector(".turns").getBoundingClientRect().bottom <= document.querySelector(".composer").getBoundingClientRect().top + 1`
	p.wait("its end", end)
	evaluate[bool](p, `(() => {
		rest.style.height = "0";
		const moved = scrollY; // it is laid out
		rest.style.height = "600px";
		dispatchEvent(new Event("scroll"));
		return moved > 0;
	})()`)
	p.wait("the end again", end)
}

// What is written stays until it is sent, for each conversation, and so do attachments.
func TestChatDrafts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("405")
	p.prepare(watchRuns)
	p.signIn(s.Key)
	p.click("link", "Chat")
	written := func(text string) {
		t.Helper()
		p.see("textbox", "Write a message")
		p.wait("the draft "+text, fmt.Sprintf(`document.querySelector(".composer textarea").value === %s`, quote(text)))
	}
	// Text of a document comes with a picture of it, and stays text.
	p.see("textbox", "Write a message")
	if !evaluate[bool](p, `(() => {
		const clipboardData = new DataTransfer();
		clipboardData.setData("text/plain", "a table");
		clipboardData.setData("text/html", "<table></table>");
		clipboardData.items.add(new File(["x"], "table.png", {type: "image/png"}));
		return document.querySelector(".composer textarea").dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
	})()`) {
		t.Error("a text that is pasted with its picture is taken as a file")
	}

	// Leaving the page, and going back.
	p.paste("hill.png", "image/png", square(t, 64, 90))
	p.fill("Write a message", "What can you make?")
	p.click("link", "Library")
	p.see("heading", "Library")
	p.click("link", "Chat")
	written("What can you make?")
	p.click("button", "Remove hill.png")
	p.click("link", "Library")
	p.see("heading", "Library")
	evaluate[bool](p, `(history.back(), true)`)
	written("What can you make?")
	p.gone("button", "Remove hill.png")

	// Writing on while a message is sent.
	evaluate[bool](p, `(window.hold = true)`)
	p.click("button", "Send")
	p.wait("the request", `window.held === true`)
	p.fill("Write a message", "and then")
	evaluate[bool](p, `(window.hold = false, release(), true)`)
	p.wait("the address of the conversation", `location.pathname.startsWith("/chat/")`)
	p.seeText("The assistant has answered.")
	written("and then")
	p.wait("the focus in the message", `document.activeElement.closest(".composer") !== null`)
	first := evaluate[string](p, "location.pathname")

	// Another conversation has another draft.
	p.click("button", "New conversation")
	written("")
	p.seeText("What shall we make?")
	p.fill("Write a message", "something else")
	p.click("link", "What can you make?")
	written("and then")
	p.open(first) // and after a reload
	written("and then")
	p.open("/chat")
	written("something else")

	// A message that is refused is written again.
	evaluate[bool](p, `((send) => { window.fetch = (address, options) => send(String(address).endsWith("/v1/chat/runs") ? "/v1/chat/runs/nope" : address, options); return true })(fetch)`)
	p.click("button", "Send")
	p.wait("an error", `document.querySelector(".toast.bad") !== null`)
	written("something else")

	// The next account does not see it.
	p.click("button", "Sign out")
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.see("button", "Sign out")
	written("")
}

// The arrow key edits the last message, Escape goes back; Escape in the message stops the run, without
// an error when it has just ended; a conversation that does not exist shows that it was not found.
func TestChatKeys(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("409", "404")
	p.prepare(watchRuns)
	p.signIn(s.Key)
	p.click("link", "Chat")
	p.choose("When to ask", "making")
	p.say("Make a picture of a red fox, 512 by 512")
	p.see("group", "Approve the cost?")
	run := s.call("GET", "/v1/chat/conversations", nil)["conversations"].([]any)[0].(map[string]any)["lastRunId"].(string)
	evaluate[bool](p, `(window.hold = true)`)
	p.fill("Write a message", "")
	p.press(kb.Escape)
	p.wait("the request", `window.held === true`)
	waiting := s.call("GET", "/v1/chat/runs/"+run, nil)["run"].(map[string]any)["waiting"].(map[string]any)["details"].(map[string]any)
	s.call("POST", "/v1/chat/runs/"+run+"/confirm-cost", map[string]any{"tool_call_id": waiting["toolCallId"], "decision": "cancel"})
	p.seeText("You declined the cost, so this was not made.")
	evaluate[bool](p, `(window.hold = false, release(), true)`)
	p.wait("the answer", `window.cancelStatus === 409`)

	p.press(kb.ArrowUp)
	p.wait("the focus in the edit", `document.activeElement.getAttribute("aria-label") === "Edit"`)
	p.press(kb.Escape)
	p.gone("textbox", "Edit")
	p.wait("the focus in the message", `document.activeElement.closest(".composer") !== null`)
	p.click("button", "Edit")
	p.wait("the focus in the edit", `document.activeElement.getAttribute("aria-label") === "Edit"`)
	p.press(kb.Escape)
	p.wait("the focus on the button", `document.activeElement.matches("[data-edit]")`)
	p.wait("no error", `document.querySelector(".toast.bad") === null`)

	p.open("/chat/nope")
	p.seeText("This conversation does not exist")
	p.gone("button", "Send")
	p.checkAccess("no such conversation")

	p.open("/chat")
	p.say("Write me a program that sorts names")
	p.seeText("ask the operator of this service")
}

// The card says what an account with another way to pay, or too little, can know.
func TestChatCost(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, c := range []struct{ name, flag, want string }{
		{"too little balance", "--spark=1", `Estimated cost: 1\.6\sSpark[^]*Balance: 1\sSpark\n[^]*The balance is too low for this\.`},
		{"a plan", "--plan=unlimited", `Your plan covers this\.[^]*Balance: 0\sSpark\n`},
	} {
		p := openPage(t, s.URL, phone)
		p.signIn(createAccount(s, c.flag))
		p.open("/chat")
		p.choose("When to ask", "making")
		p.say("Make a picture of a red fox, 512 by 512")
		p.see("group", "Approve the cost?")
		p.wait(c.name, fmt.Sprintf(`/%s/.test(document.querySelector(".approval").innerText)`, c.want))
		p.seeWhole(".approval")
		p.checkAccess(c.name)
	}
}

// holdReads is a script for page.prepare: once holdRead is true, what is read next of a conversation
// comes after releaseRead.
const holdReads = `((send) => {
	window.fetch = async (address, options) => {
		const response = await send(address, options);
		if (!window.holdRead || !String(address).startsWith("/v1/chat/conversations/")) return response;
		window.holdRead = false;
		const text = await response.text();
		await new Promise((go) => {
			addEventListener("releaseRead", go);
			window.heldRead = true;
		});
		return new Response(text);
	};
})(fetch)`

// What was read of a conversation before a message was sent does not remove its answer.
func TestChatReadLate(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(holdReads)
	p.signIn(s.Key)
	p.open("/chat")
	p.choose("When to ask", "making")
	p.say("What can you make?")
	p.seeText("The assistant has answered.")
	evaluate[bool](p, `(window.holdRead = true)`)
	p.say("What does a clip cost?")
	p.wait("the conversation read", `window.heldRead === true`)
	p.say("Make a picture of a red fox, 512 by 512")
	p.see("group", "Approve the cost?")
	if !evaluate[bool](p, `new Promise((done) => {
		dispatchEvent(new Event("releaseRead"));
		requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector(".approval") !== null)))); // it is drawn
	})`) {
		t.Error("the message and its approval are gone")
	}
}

// While a tool renders, what its worker shows of the result is seen in the conversation.
func TestChatPreview(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	c := client.New(s.URL, s.Key)
	worker, err := c.Connect(t.Context(), apitype.WorkerSpec{Name: "painter", Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.click("link", "Chat")
	p.say("Make a picture of a red fox, 512 by 512") // nothing is asked where the plan pays
	job := claim(t, worker)
	if err := c.UploadPreview(t.Context(), job.ProjectID, job.Artifacts[0].ID, "image/png", bytes.NewReader(square(t, 32, 200))); err != nil {
		t.Fatal(err)
	}
	if _, err := worker.Progress(t.Context(), job.JobID, apitype.JobProgress{Progress: 0.4, Message: "step 12/30"}); err != nil {
		t.Fatal(err)
	}
	p.see("img", "Preview of the result")
	p.wait("the picture", `document.querySelector(".call-preview").naturalWidth === 32`)
	p.wait("how far it is, below the picture", `((img, bar) => bar.getBoundingClientRect().top >= img.getBoundingClientRect().bottom)(document.querySelector(".call-preview"), document.querySelector(".call-previewed progress"))`)
	p.wait("the preview where the result will be", `document.querySelector(".call").compareDocumentPosition(document.querySelector(".call-preview")) === Node.DOCUMENT_POSITION_FOLLOWING && document.querySelectorAll(".answer progress").length === 1`)
	p.checkAccess("a preview")
	p.open(evaluate[string](p, "location.pathname")) // and after a reload
	p.see("img", "Preview of the result")
	if _, err := worker.Complete(t.Context(), job.JobID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: job.Artifacts[0].ID, ContentType: "image/png", Width: 512, Height: 512, Data: square(t, 512, 0)}}}); err != nil {
		t.Fatal(err)
	}
	p.see("button", "Open large:")
	p.gone("img", "Preview of the result")
}

// The words of a model are shown while it writes them, to a page that is opened late too, and after a reload.
func TestChatStreams(t *testing.T) {
	t.Parallel()
	words := make(chan string)
	s := startWithModel(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for word := range words {
			fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"wise\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", quote(word))
			_ = http.NewResponseController(w).Flush()
		}
		fmt.Fprint(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"wise\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.click("link", "Chat")
	p.say("Good morning")
	words <- "### A list\n\n- one"
	p.see("heading", "A list")
	p.wait("its level", `document.querySelector(".markdown h3") !== null`)
	p.seeText("one")
	p.checkAccess("an answer that grows")
	words <- "\n- two"
	p.seeText("two")
	p.do(chromedp.Reload())
	p.seeText("two")
	words <- "\n- three"
	p.seeText("three")
	close(words)
	p.see("button", "Try again")
	p.wait("three entries", `document.querySelectorAll(".answer li").length === 3`)
	p.wait("what the answer took", `/^wise · .* tokens in, .* out · .* sec(, .* tokens\/s)? · free$/.test(document.querySelector(".answer-foot span").innerText)`)
	p.checkAccess("an answer with what it took")
	p.saveScreenshot("chat-answer")
}

// A conversation keeps its model, its instructions and its temperature, is found by its words, and its answers can be
// copied and asked for again.
func TestConversationSettings(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(watchRuns)
	p.signIn(s.Key)
	p.click("link", "Chat")
	p.choose("When to ask", "never")
	p.click("button", "Settings")
	p.see("dialog", "Settings of this conversation")
	p.choose("Language model", "atelier-builtin")
	p.fill("Instructions", "Be brief.")
	p.fill("Temperature", "0.3")
	p.checkAccess("the settings of a conversation")
	p.click("button", "Save")
	p.say("What can you make?")
	p.seeText("The assistant has answered.")
	asked := `((r) => r.model === "atelier-builtin" && r.sampling.temperature === 0.3 && r.messages[0].role === "system" && r.messages[0].content === "Be brief.")`
	p.wait("the settings sent", asked+`(startedRuns[0])`)
	address := evaluate[string](p, "location.pathname")
	p.prepare(`navigator.clipboard.writeText = async (text) => { window.copied = text }`)
	p.open(address)
	p.click("button", "Copy")
	p.wait("the answer copied", `window.copied.length > 20 && document.querySelector(".markdown").innerText.length > 20`)
	p.click("button", "Try again")
	p.seeText("2 / 2")
	p.wait("the settings kept", asked+`(startedRuns[0])`)
	p.see("button", "Send")

	// A conversation of another subject has its own settings.
	p.click("button", "New conversation")
	p.say("How does the price of a clip come about?")
	p.seeText("The assistant has answered.")
	p.wait("no settings", `startedRuns.at(-1).messages[0].role === "user" && !startedRuns.at(-1).sampling`)
	p.fill("Search conversations", "CLIP price")
	p.wait("one conversation found", `document.querySelectorAll(".talks li").length === 1 && document.querySelector(".talks li").innerText.startsWith("How does the price")`)
	p.checkAccess("a search")
	p.fill("Search conversations", "xyzzy")
	p.seeText("No conversation has these words")
}

// startWithModel starts a service whose language model is answered by a function, which writes what comes after the
// headers of a stream.
func startWithModel(t *testing.T, answer http.HandlerFunc) *service {
	t.Helper()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"wise"}]}`)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(model.Close)
	config := filepath.Join(t.TempDir(), "atelier.yaml")
	text := fmt.Sprintf("llm:\n  default_model: wise\n  upstreams:\n    - {name: mock, base_url: %s/v1, api_key: none, models: [{id: wise, context_length: 65536}]}\n", model.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return startService(t, "ATELIER_CONFIG="+config)
}

// An answer has task lists and tables as they were meant: words of a table stay whole on a phone, where it scrolls.
// What the model server says of its failure is shown, and a conversation is found by its words, which are marked.
func TestChatMarkdown(t *testing.T) {
	t.Parallel()
	const table = "- [x] the weights\n- [ ] the picture\n\n| Model | Price | What it makes | Identifier |\n|:--|--:|:-:|---|\n" +
		"| Qwen Image | 12.25 | pictures with Lettering | qwen_image_2512_fp8_lightning_eight_steps |\n"
	s := startWithModel(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []struct{ Content any } }
		_ = json.NewDecoder(r.Body).Decode(&body)
		if fmt.Sprint(body.Messages[len(body.Messages)-1].Content) == "fail" {
			http.Error(w, `{"error":{"message":"CUDA out of memory"}}`, http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"choices": [{"message": {"role": "assistant", "content": %s}, "finish_reason": "stop"}]}`, quote(table))
	})
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)
	p.open("/chat")
	p.say("What is there?")
	p.wait("the tasks", `[...document.querySelectorAll(".markdown li.task input")].map((e) => e.checked).join() === "true,false" && !document.querySelector(".markdown").innerText.includes("[x]")`)
	p.wait("the boxes before their words", `[...document.querySelectorAll(".markdown li.task")].every((li) => {
		const range = document.createRange();
		range.selectNodeContents(li);
		range.setStartAfter(li.querySelector("input"));
		const box = li.querySelector("input").getBoundingClientRect(), [words] = range.getClientRects();
		return box.right <= words.left && box.top < words.bottom && box.bottom > words.top;
	})`)
	p.wait("the alignment", `[...document.querySelectorAll(".markdown td")].map((e) => getComputedStyle(e).textAlign).join() === "left,right,center,left"`)
	p.wait("a table that scrolls", `((e) => e.scrollWidth > e.clientWidth)(document.querySelector(".markdown .table-scroll"))`)
	p.wait("whole words", `((cell) => { const range = document.createRange(); range.selectNodeContents(cell); return range.getClientRects().length === 1 })([...document.querySelectorAll(".markdown td")].at(-1))`)
	p.checkAccess("a table on a phone")
	p.say("fail")
	p.seeText("(500): CUDA out of memory.")

	wide := openPage(t, s.URL, desktop)
	wide.signIn(s.Key)
	wide.open("/chat")
	wide.see("link", "What is there?")
	at := `JSON.stringify(document.querySelector(".talks input").getBoundingClientRect())`
	before := evaluate[string](wide, at)
	wide.fill("Search conversations", "lettering")
	wide.wait("the hit", `document.querySelector(".talk-excerpt mark")?.innerText === "Lettering"`)
	if after := evaluate[string](wide, at); after != before {
		t.Errorf("the box is at %s, was at %s", after, before)
	}
	wide.fill("Search conversations", "there")
	wide.wait("the hit in a title, which is not cut off", `(({ parentElement: title }) => title.matches(".cut") && title.scrollWidth <= title.clientWidth)(document.querySelector(".talks mark"))`)
	wide.wait("room for the bar", `getComputedStyle(document.querySelector(".talks")).scrollbarGutter === "stable"`)
	wide.checkAccess("what a search found")
}

// Escape stops an answer that was asked for again. A message that is edited while an answer is written is sent with
// Enter, and the answer that it replaces is stopped.
func TestChatReplaced(t *testing.T) {
	t.Parallel()
	var ended atomic.Int32
	s := startWithModel(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if strings.Contains(string(text), "zebra") {
			fmt.Fprint(w, `{"choices": [{"message": {"role": "assistant", "content": "In short."}, "finish_reason": "stop"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"wise\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"slowly\"}}]}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		ended.Add(1)
	})
	p := openPage(t, s.URL, desktop)
	p.allow("409")
	p.signIn(s.Key)
	p.open("/chat")
	p.say("Tell me")
	p.seeText("slowly")
	p.press(kb.Escape)
	p.seeText("Stopped.")
	p.click("button", "Try again")
	p.see("button", "Stop")
	p.seeText("slowly")
	p.press(kb.Escape)
	p.seeText("Stopped.")
	p.click("button", "Try again")
	p.seeText("slowly")
	p.click("button", "Edit")
	p.press(kb.Escape) // closes the edit, and the answer continues
	p.gone("textbox", "Edit")
	p.see("button", "Stop")
	p.click("button", "Edit")
	p.fill("Edit", "Tell me of a zebra")
	p.press(kb.Enter)
	p.seeText("In short.")
	p.see("button", "Send")
	for deadline := time.Now().Add(patience); ended.Load() < 3; {
		if time.Now().After(deadline) {
			t.Fatalf("%d answers were stopped, want 3", ended.Load())
		}
		_ = evaluate[bool](p, `new Promise((done) => requestAnimationFrame(() => done(true)))`)
	}
	for _, c := range s.call("GET", "/v1/chat/conversations", nil)["conversations"].([]any) {
		if c.(map[string]any)["lastStatus"] != "completed" {
			t.Errorf("got %v", c)
		}
	}
}

// When to ask is the choice of the account: another tab does not begin with less. Another account has its own.
func TestAskingIsKept(t *testing.T) {
	t.Parallel()
	s := startService(t)
	other := createAccount(s)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.click("link", "Chat")
	p.choose("When to ask", "making")
	chosen := find("combobox", "When to ask") + ".value"
	tab := p.openTab()
	tab.open("/chat")
	tab.wait("the choice in another tab", chosen+` === "making"`)
	tab.click("button", "Sign out")
	tab.fill("API key", other)
	tab.click("button", "Sign in")
	tab.click("link", "Chat")
	tab.wait("the choice of another account", chosen+` === "spending"`)
	tab.choose("When to ask", "never")
	tab.click("button", "Sign out")
	tab.fill("API key", s.Key)
	tab.click("button", "Sign in")
	tab.click("link", "Chat")
	tab.wait("the choice of the first", chosen+` === "making"`)
}
