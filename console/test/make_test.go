package test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// countStarts counts the workflows that a page starts, holds its clock, and lets a test answer
// requests in place of the service.
const countStarts = `(() => {
	window.starts = [];
	window.answers = {};
	window.clock = 0;
	performance.now = () => clock;
	const load = window.fetch;
	window.fetch = async (address, options) => {
		const path = new URL(address, location).pathname;
		const isStart = options?.method === "POST" && path === "/v1/creative-agent/workflows";
		if (isStart) starts.push(options.headers["Idempotency-Key"]);
		const found = Object.entries(answers).find(([start]) => (options?.method ?? "GET") + " " + path === start || start.endsWith("*") && ((options?.method ?? "GET") + " " + path).startsWith(start.slice(0, -1)));
		if (found?.[1] === "lost") throw new TypeError("no connection");
		if (found) return new Response(JSON.stringify(found[1]), {status: found[1].code});
		return load(address, options);
	};
})()`

// inView is the expression of whether an element is in the window, with nothing over its middle.
func inView(element string) string {
	return fmt.Sprintf(`((e) => {
		const r = e?.getBoundingClientRect();
		if (!r?.height || r.top < 0 || r.left < 0 || r.right > innerWidth) return false;
		const bottom = Math.min(r.bottom, innerHeight);
		return bottom - r.top > Math.min(40, r.height - 1) && e.contains(document.elementFromPoint((r.left + r.right) / 2, (r.top + bottom) / 2));
	})(%s)`, element)
}

const makeButton = `document.querySelector(".create-make .primary")`

// alert is the message beside the button that starts the work.
const alert = `document.querySelector(".create-make [role=alert]")`

func (p *page) answer(request, with string) {
	p.t.Helper()
	evaluate[bool](p, fmt.Sprintf("(answers[%s] = %s, true)", quote(request), with))
}

// A double click starts one workflow also when the service answers in between; a later click
// starts another one.
func TestStartOnce(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows/templates", poster("Small poster"))
	p := openPage(t, s.URL, desktop)
	p.prepare(countStarts)
	p.signIn(s.Key)
	p.open("/?tool=generate_image&model=z-turbo")
	p.fill("Prompt", "a red fox")
	p.seeText("Covered by your plan")
	p.click("button", "Make")
	p.wait("an answer", `location.search.includes("workflow=") && !`+makeButton+`.disabled`)
	if n := evaluate[int](p, fmt.Sprintf("(clock += 300, %s.click(), starts.length)", makeButton)); n != 1 {
		t.Errorf("a double click has started %d workflows", n)
	}
	p.wait("the button", "!"+makeButton+".disabled")
	if n := evaluate[int](p, fmt.Sprintf("(clock += 1000, %s.click(), new Set(starts).size)", makeButton)); n != 2 {
		t.Errorf("two intentions have started %d workflows", n)
	}

	p.open("/templates")
	p.click("link", "Small poster")
	p.click("button", "Start")
	p.wait("the focus on what is missing", find("textbox", "Subject")+" === document.activeElement")
	p.fill("Subject", "a green bird")
	p.seeText("Covered by your plan")
	evaluate[bool](p, `(starts.length = 0, (async () => {
		for (let button; (button = document.querySelector(".run-foot .primary")); await new Promise(requestAnimationFrame)) if (!button.disabled) button.click();
	})(), true)`)
	p.see("heading", "Approve the cost")
	if n := evaluate[int](p, "starts.length"); n != 1 {
		t.Errorf("clicks on Start have started %d workflows", n)
	}
}

// What keeps the form from starting is said beside the button and at its field, in view.
func TestMakeErrors(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.allow("400", "ERR_")
		p.prepare(countStarts)
		p.signIn(s.Key)
		p.open("/?tool=generate_image&model=z-turbo")
		state := map[look]string{desktop: "", phone: " on a phone"}[l]
		p.click("button", "Make")
		p.seeText("Fill this in.")
		p.wait("the focus on the prompt", find("textbox", "Prompt")+" === document.activeElement")
		p.fill("Prompt", "a red fox")

		p.fill("How many", "99")
		p.seeText("Correct the marked fields to see the price.")
		evaluate[bool](p, `(scrollTo(0, 0), true)`)
		p.click("button", "Make")
		p.wait("an alert", inView(alert))
		p.seeText("This must be between 1 and ")
		p.wait("the focus on the number", find("textbox", "How many")+" === document.activeElement")
		p.checkAccess("a wrong number" + state)
		p.fill("How many", "1")
		p.wait("no alert", alert+" === null")

		// A wrong field in a part that is closed is opened.
		evaluate[bool](p, `(document.querySelector(".create-settings").open = true)`)
		p.fill("Width", "100")
		evaluate[bool](p, `(document.querySelector(".create-settings").open = false, true)`)
		p.seeText("Width: This must be between 256 and 2048.")
		p.click("button", "Show the field")
		p.wait("the focus on the width", find("textbox", "Width")+" === document.activeElement")
		evaluate[bool](p, `(document.querySelector(".create-settings").open = false, true)`)
		p.click("button", "Make")
		p.wait("the focus on the width again", find("textbox", "Width")+" === document.activeElement")
		p.fill("Width", "512")

		p.answer("POST /storage*", `{code: 400, message: "The file is no picture."}`)
		p.dropPicture("fake.png")
		p.seeText("fake.png could not be stored: The file is no picture.")
		p.click("button", "Make")
		p.wait("an alert", inView(alert))
		p.wait("the focus on the upload", `document.activeElement?.matches(".held-failed")`)
		p.checkAccess("a failed upload" + state)
		p.click("button", "Remove fake.png")

		// What the service says of a request replaces the price that it does not have.
		p.answer("POST /v1/creative-agent/workflows/estimate", `{code: 400, message: "The prompt is too long."}`)
		p.answer("POST /v1/creative-agent/workflows", `{code: 400, message: "The prompt is too long."}`)
		p.fill("Prompt", "a red fox, again")
		p.wait("the reason", `document.querySelector(".price").innerText === "The prompt is too long."`)
		p.click("button", "Make")
		p.wait("an alert", inView(alert)+` && `+alert+`.innerText === "The prompt is too long."`)
		p.checkAccess("a refusal" + state)
		p.answer("POST /v1/creative-agent/workflows/estimate", `"lost"`)
		p.answer("POST /v1/creative-agent/workflows", `"lost"`)
		p.fill("Prompt", "a red fox, once more")
		p.seeText("The price cannot be read now.")
		p.click("button", "Make")
		p.wait("an alert", inView(alert)+` && `+alert+`.innerText.startsWith("The service cannot be reached.")`)

		// The result is in view when its work starts and when it is done.
		evaluate[bool](p, `(answers = {}, scrollTo(0, document.documentElement.scrollHeight), true)`)
		p.fill("Prompt", "a blue fox")
		evaluate[bool](p, `(document.querySelector(".create-settings").open = true, scrollTo(0, document.documentElement.scrollHeight), true)`)
		p.wait("a price", `document.body.innerText.includes("Covered by your plan")`)
		evaluate[bool](p, "("+makeButton+".click(), true)")
		p.wait("the result in view", inView(`document.querySelector(".result-open")`))
		p.wait("what can be done with it", `document.querySelector(".result-actions").getBoundingClientRect().bottom < innerHeight`)
		p.saveScreenshot("a result in view" + state)
		if l == phone {
			p.click("button", "Change the prompt")
			p.wait("the cursor in the prompt", inView(find("textbox", "Prompt"))+" && "+find("textbox", "Prompt")+" === document.activeElement")
			p.wait("the button in view", inView(makeButton))
		} else {
			p.gone("button", "Change the prompt")
		}
	}
}

// An account without a plan and balance is told so before it starts something, and asks for
// nothing that it may not have.
func TestWithoutPlan(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var ann struct{ APIKey, WalletAddress string }
	if err := json.Unmarshal([]byte(s.run("account", "create", "--json")), &ann); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, s.URL, desktop) // which fails when a request was refused
	p.signIn(ann.APIKey)
	p.open("/?tool=generate_image&model=z-turbo")
	p.fill("Prompt", "a red fox")
	p.seeText("Your balance does not cover this.")
	p.seeText("atelier account credit")
	p.wait("a button that does nothing", makeButton+".disabled")
	p.checkAccess("no balance")

	p.open("/library?tab=loras")
	p.seeText("Personal LoRAs need an active plan")
	p.wait("no import", find("button", "Import by link")+".disabled")
	p.wait("no upload", find("button", "Upload a file")+".disabled")
	if got := evaluate[string](p, "document.body.innerText"); strings.Contains(got, "You can add") {
		t.Error("an account without a plan is shown places for LoRAs")
	}
	p.checkAccess("LoRAs without a plan")

	p.open("/templates/wf_character_sheet")
	p.click("button", "Start")
	p.see("heading", "Approve the cost")
	p.seeText("Your balance does not cover this.")
	p.wait("what is missing", `/\d\sSpark are missing\./.test(document.body.innerText)`)
	p.seeText("Ask an operator of this service to add credits to the account ")
	p.wait("no approval", find("button", "Approve")+".disabled")
	p.checkAccess("an approval without balance")
	p.click("button", "Cancel")
	p.see("button", "Keep running")
	p.checkAccess("cancelling")
	p.click("button", "Keep running")

	small := openPage(t, s.URL, phone)
	small.signIn(ann.APIKey)
	small.open("/?tool=generate_image&model=z-turbo")
	small.fill("Prompt", "a red fox")
	small.seeText("Your balance does not cover this.")
	small.checkAccess("no balance on a phone")

	s.call("POST", "/v1/operator/accounts/"+ann.WalletAddress+"/credit", map[string]any{"spark": "100"})
	p.wait("an approval", "!"+find("button", "Approve")+".disabled")
	small.seeText("left after")
	small.wait("a button", "!"+makeButton+".disabled")
}

// What a tool does not take is kept for one that does, and formats have their names.
func TestChangeTool(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(openSettings)
	p.signIn(s.Key)
	p.dropPictureAtOnce("/?tool=generate_image&model=z-turbo", "square.png")
	p.see("button", "Remove square.png")
	p.wait("an upload", `!document.querySelector(".held progress")`)
	p.fill("Prompt", "a red fox")
	p.wait("formats", `JSON.stringify([...`+find("combobox", "Output format")+`.options].slice(1).map((o) => o.label)) === '["PNG","JPEG","WebP"]'`)
	p.click("button", "Audio")
	p.gone("button", "Remove square.png")
	p.click("button", "3D")
	p.wait("the tool", find("combobox", "Tool")+`.selectedOptions[0].label === "Image to 3D"`)
	p.click("button", "Image")
	p.see("button", "Remove square.png")
	p.wait("the prompt", find("textbox", "Prompt")+`.value === "a red fox"`)
	p.wait("the model", find("combobox", "Model")+`.value === "z-turbo"`)
}

// Back closes what is shown large; the whole list is counted and read; what a workflow has made
// can be chosen, and several items are one archive.
func TestLibraryLarge(t *testing.T) {
	t.Parallel()
	s := startService(t)
	makeCastles(s)
	s.call("POST", "/v1/creative-agent/workflows", picture("a green bird"))
	p := openPage(t, s.URL, desktop)
	p.prepare(`((load) => { window.fetch = (address, options) => load(String(address).replace("limit=100", "limit=2"), options) })(fetch)`)
	p.signIn(s.Key)
	p.open("/library")
	p.seeText("4 items")
	p.wait("thumbnails", `document.querySelectorAll("[role=gridcell] img").length === 4`)
	p.open("/library")
	p.wait("an item", `(() => { const e = document.querySelector("[role=gridcell]:has(img)"); e?.focus(); return e !== null && document.activeElement === e })()`)
	p.press(" ")
	for i := range 4 {
		p.seeText(fmt.Sprintf("%d / 4", i+1))
		if i < 3 {
			p.wait("a next one", "!"+find("button", "Next")+".disabled")
			p.press(kb.ArrowRight)
		}
	}
	evaluate[bool](p, "(history.back(), true)")
	p.wait("the library", `document.querySelector("dialog[open]") === null`)
	p.see("heading", "Library")
	p.press(" ")
	p.see("button", "Next")
	p.press(kb.Escape)
	p.wait("closed", `document.querySelector("dialog[open]") === null`)
	p.openCell("image")
	p.click("button", "More")
	p.click("button", "All of this workflow")
	p.see("button", "Of one workflow: Show everything")
	p.wait("the items of the workflow", `[1, 3].includes(document.querySelectorAll("[role=gridcell] img").length)`)
	p.checkAccess("one workflow")
	evaluate[bool](p, "(history.back(), true)")
	p.wait("everything", `location.search === "" && document.querySelectorAll("[role=gridcell] img").length === 4`)
	p.openCell("image")
	p.click("button", "More")
	p.click("button", "All of this workflow")
	p.click("button", "Of one workflow: Show everything")
	p.wait("everything again", `document.querySelectorAll("[role=gridcell] img").length === 4`)

	evaluate[bool](p, `((make) => {
		window.saved = [];
		HTMLAnchorElement.prototype.click = function () { saved.push(this.download) };
		URL.createObjectURL = (blob) => (window.archive = blob, make(blob));
		return true;
	})(URL.createObjectURL)`)
	evaluate[bool](p, `(document.querySelector("[role=gridcell]").focus(), true)`)
	p.press(kb.Enter)
	p.press(kb.ArrowRight)
	p.press(kb.Enter)
	p.seeText("2 selected")
	p.checkAccess("two items")
	p.click("button", "Download as ZIP")
	p.wait("a file", "saved.length > 0")
	if got := evaluate[[]string](p, "saved"); len(got) != 1 || !strings.HasSuffix(got[0], ".zip") {
		t.Fatalf("saved: %q", got)
	}
	data, err := base64.StdEncoding.DecodeString(evaluate[string](p, `new Promise((done) => { const r = new FileReader(); r.onload = () => done(r.result.split(",")[1]); r.readAsDataURL(archive) })`))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != 2 {
		t.Errorf("%d files in the archive", len(archive.File))
	}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r) // and its checksum
		if err != nil || !bytes.HasPrefix(content, []byte("\x89PNG")) || !strings.HasSuffix(f.Name, ".png") {
			t.Errorf("%s: %v, %d bytes", f.Name, err, len(content))
		}
	}

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/library")
	small.openCell("image")
	small.seeText("1 / 4")
	small.checkAccess("an item on a phone")
}
