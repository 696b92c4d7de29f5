package test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The list of workflows keeps its filters in the address, and one workflow shows its graph,
// timeline and log and can be run again.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.click("link", "Workflows")
	p.seeText("No workflows yet")
	p.see("link", "New template")
	p.checkAccess("no workflows")
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	s.call("POST", "/v1/creative-agent/workflows", picture("a blue whale"))
	p.see("link", "a red fox") // the list is live
	p.see("button", "Completed 2")
	p.checkAccess("workflows")
	p.click("button", "Completed")
	p.fill("Search titles and prompts", "whale")
	p.gone("link", "a red fox")
	p.wait("the filters in the address", `location.search === "?status=completed&q=whale"`)
	p.click("link", "a blue whale")
	p.see("heading", "a blue whale")
	p.seeText("Workflow completed")
	p.see("heading", "Results")
	p.wait("the result before the graph, large", `(() => {
		const picture = document.querySelector(".workflow-results img")?.getBoundingClientRect(), graph = document.querySelector(".graph").getBoundingClientRect();
		return picture?.width > 400 && picture.bottom < graph.top;
	})()`)
	p.wait("its model and its seed", `/^Z-Image Turbo · Seed \d+$/.test(document.querySelector(".result-about .muted").innerText)`)
	for _, action := range []string{"Download", "In the library"} {
		p.see("link", action)
	}
	p.click("button", "More")
	for _, action := range []string{"Use as reference", "Open in Create"} {
		p.see("button", action)
	}
	p.checkAccess("a workflow")
	p.do(chromedp.NavigateBack())
	p.see("link", "a blue whale")
	p.gone("link", "a red fox")
	p.click("link", "a blue whale")
	p.click("button", "New seeds")
	p.fill("Seed of draw", "42")
	p.checkAccess("new seeds")
	before := evaluate[string](p, "location.pathname")
	p.click("button", "Start")
	p.wait("another workflow", "location.pathname !== "+quote(before))
	p.seeText("42")
	p.seeText("Workflow completed")

	// Many results are a row, beneath which the graph begins on the first screen.
	four := picture("a green frog")
	four["input"].(map[string]any)["steps"].([]any)[0].(map[string]any)["arguments"] = map[string]any{"prompt": "a green frog", "numberOfVariations": 4, "width": 256, "height": 512}
	many := "/workflows/" + s.call("POST", "/v1/creative-agent/workflows", four)["workflow"].(map[string]any)["workflowId"].(string)
	p.open(many)
	p.see("button", "Show all 4")
	const inRow = `(([first, ...rest]) => rest.length === 3 && rest.every((e) => e.getBoundingClientRect().top === first.getBoundingClientRect().top))([...document.querySelectorAll(".results-list > li")])`
	p.wait("the results in a row", inRow)
	p.wait("the graph in sight", `document.querySelector(".graph").getBoundingClientRect().top < innerHeight`)
	p.checkAccess("results in a row")
	p.click("button", "More")
	p.wait("the menu within the row", `((menu, row) => menu.height > 40 && menu.top >= row.top && menu.bottom <= row.bottom)(document.querySelector(".menu[open] .menu-items").getBoundingClientRect(), document.querySelector(".results-list").getBoundingClientRect())`)
	p.click("button", "Show all 4")
	p.wait("all of them", "!"+inRow)
	p.click("button", "Show in a row")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/workflows")
	small.see("link", "a red fox")
	small.open(many)
	small.see("button", "Show all 4")
	small.wait("the results in a row", inRow)
	small.wait("the steps near", `document.querySelector(".step-list").getBoundingClientRect().top < innerHeight * 1.3`)
	small.checkAccess("results in a row on a phone")
	small.open("/workflows")
	small.see("link", "a red fox")
	small.checkAccess("workflows on a phone")
	small.click("link", "a red fox")
	small.wait("the result before the steps", `document.querySelector(".workflow-results").getBoundingClientRect().bottom <= document.querySelector(".step-list").getBoundingClientRect().top`)
	small.click("button", "draw")
	small.seeText("Z-Image Turbo")
	small.checkAccess("a workflow on a phone")
	for _, view := range []string{"Timeline", "Log"} {
		small.click("button", view)
		small.see("heading", view)
		small.checkAccess(view + " on a phone")
	}
}

// A workflow that is paused because the money ran out is resumed from its page.
func TestResume(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var ann struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run("account", "create", "--username", "ann", "--json")), &ann); err != nil {
		t.Fatal(err)
	}
	s.Key = ann.APIKey
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/workflows")
	p.click("link", "a red fox")
	p.see("link", "See the balance")
	p.checkAccess("a paused workflow")
	p.click("button", "Resume") // still without money
	p.see("button", "Resume")
	s.run("account", "credit", "ann", "--spark", "10")
	p.click("button", "Resume")
	p.seeText("Workflow completed")
	p.gone("button", "Resume")
	p.checkAccess("a resumed workflow")
}

// A list of 100,000 rows is shown as it was left when the person comes back from one of them,
// and reaches its end although it is higher than browsers draw.
func TestLongListIsShownAsItWasLeft(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{phone, desktop} {
		p := openPage(t, s.URL, l)
		p.allow("404") // the workflows are made up
		p.signIn(s.Key)
		p.openLongList()
		p.wait("all rows", `(scrollTo(0, document.body.scrollHeight), document.body.innerText.includes("Workflow 99999"))`)
		// No part of the page is further down than a browser draws, and the last row is inside it.
		if bottom := evaluate[float64](p, `document.querySelector(".virtual").getBoundingClientRect().bottom - [...document.querySelectorAll(".virtual-row")].at(-1).getBoundingClientRect().bottom`); bottom < -1 || bottom > 1 {
			t.Errorf("the last row ends %v px before the list", bottom)
		}
		if height := evaluate[float64](p, `document.body.scrollHeight * devicePixelRatio`); height > 1<<25 {
			t.Errorf("the page is %v pixels high", height)
		}
		evaluate[bool](p, `(scrollTo(0, document.body.scrollHeight * 0.6), true)`)
		p.wait("rows of the middle", `/Workflow (59|60)\d\d\d/.test(document.body.innerText)`)
		row := evaluate[string](p, `[...document.querySelectorAll(".workflow-row")].find((row) => row.getBoundingClientRect().top > innerHeight / 3).querySelector(".cut").textContent`)
		p.click("link", row) // in the middle of the window
		p.gone("link", row)
		p.do(chromedp.NavigateBack())
		p.see("link", row)
		if away := evaluate[float64](p, `Math.abs(`+find("link", row)+`.getBoundingClientRect().top - innerHeight / 2)`); away > 150 {
			t.Errorf("at %d px: %s is %v px away from where it was", l.width, row, away)
		}

		// New rows above what is shown do not move it, and a page that is loaded again is where it was.
		const shownRow = `(() => { const row = [...document.querySelectorAll(".workflow-row")].find((row) => row.getBoundingClientRect().top > innerHeight / 3); return row && row.querySelector(".cut").textContent + " at " + Math.round(row.getBoundingClientRect().top / 4) })()`
		shown := evaluate[string](p, shownRow)
		evaluate[bool](p, "(window.newer = 3, true)")
		p.wait("new rows", `document.querySelector(".virtual-row").getAttribute("aria-setsize") === "100003"`)
		p.wait(shown+" after new rows", shownRow+` === `+quote(shown))
		if l == desktop { // the scale of the other list follows its length
			p.do(chromedp.Reload())
			p.wait("the place after a reload", `scrollY > 1_000_000 && /Workflow (59|60)\d\d\d/.test(document.body.innerText)`)
		}

		p.click("link", "Library") // a link begins at the top
		p.see("gridcell", "Text: Artifact 0 of")
		p.wait("the top", "scrollY === 0")
		if l == desktop { // what is read before a deletion is undone stays
			evaluate[bool](p, `(document.querySelector("[role=gridcell]").focus(), true)`)
			p.press(kb.Enter)
			p.click("button", "Delete")
			p.gone("gridcell", "Text: Artifact 0 of")
			p.wait("another page", farArtifact)
			p.click("button", "Undo")
			p.wait("what was deleted", `(scrollTo(0, 0), `+find("gridcell", "Text: Artifact 0 of")+` !== null)`)
			p.wait("the other page", farArtifact)
		}
		const shownCell = `(() => { const cell = [...document.querySelectorAll("[role=gridcell]")].find((cell) => cell.getBoundingClientRect().top > 150); return cell?.title && cell.title + " at " + Math.round(cell.getBoundingClientRect().top) })()`
		evaluate[bool](p, `(scrollTo(0, document.body.scrollHeight * 0.5), true)`)
		p.wait("cells of the middle", `scrollY > 1000 && !!`+shownCell)
		cell := evaluate[string](p, shownCell)
		evaluate[bool](p, `(`+find("link", "Workflows")+`.click(), true)`) // p.click would scroll
		p.see("heading", "Workflows")
		p.do(chromedp.NavigateBack())
		p.wait(cell, shownCell+` === `+quote(cell))
		height := evaluate[float64](p, "document.body.scrollHeight")
		evaluate[bool](p, `(window.newer = (window.newer ?? 0) + 1, true)`)
		evaluate[bool](p, readAgain)
		p.wait("new cells", fmt.Sprintf("document.body.scrollHeight > %v", height))
		p.wait(cell+" after new cells", shownCell+` === `+quote(cell))
	}
}

// farArtifact scrolls the library to the row of an artifact of its second page, and reports whether it is drawn.
const farArtifact = `(() => {
	const tops = [...document.querySelectorAll("[role=gridcell]")].map((cell) => Math.round(cell.getBoundingClientRect().top));
	const columns = Math.max(...tops.map((top) => tops.filter((other) => other === top).length)), rows = [...new Set(tops)].sort((a, b) => a - b);
	scrollTo(0, Math.floor(150 / columns) * (rows[1] - rows[0]));
	return document.querySelector("[title^='Artifact 150 of']") !== null;
})()`

// A workflow says that no worker offers its model, and is cancelled.
func TestWaitingWorkflow(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/workflows")
	p.click("link", "a red fox")
	p.see("heading", "a red fox")
	p.seeText("No connected worker offers Z-Image Turbo")
	p.checkAccess("waiting for a worker")
	p.click("button", "Cancel")
	p.see("dialog", "Cancel this workflow?")
	p.click("button", "Cancel the workflow")
	p.seeText("Workflow cancelled")
}

// The content filter says once what a person can do: change the prompt, or cancel.
func TestFilteredWorkflow(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a nude woman"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/workflows")
	p.seeText("Change the prompt, or cancel.")
	p.click("link", "a nude woman")
	p.see("link", "Open in Create")
	p.wait("the reason once", `[...document.querySelectorAll("main .notice, .graph-node, .step-panel")].filter((e) => e.innerText.includes("Change the prompt, or cancel.")).length === 1`)
	p.wait("the step with its tool and its status", `/draw\s+Generate image\s+Waiting for you/.test(document.querySelector(".graph-node").innerText)`)
	p.wait("no name of the API", `!document.querySelector("main").innerText.includes("safe_content_filter")`)
	p.checkAccess("a filtered workflow")
	p.click("button", "Cancel")
	p.click("button", "Cancel the workflow")
	p.seeText("Workflow cancelled")
}

// poster is a template with one input and one small picture.
func poster(name string) map[string]any {
	return map[string]any{
		"name": name, "brief": "A picture of a subject.",
		"inputs": []any{map[string]any{"name": "subject", "type": "text", "required": true, "description": "What it shows."}},
		"stages": []any{map[string]any{
			"id": "draw", "tool": "generate_image", "args": map[string]any{"prompt": "$inputs.subject", "width": 512, "height": 512}, "produces": []any{"drawing"},
		}},
	}
}

// A template is started, its cost approved after the service was restarted, and declined.
func TestTemplates(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows/templates", poster("Small poster"))
	foreign := poster("Foreign poster")
	foreign["thumbnailUrl"] = "https://pictures.example/poster.png"
	s.call("POST", "/v1/creative-agent/workflows/templates", foreign)
	p := openPage(t, s.URL, desktop)
	p.allow("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE")
	p.signIn(s.Key)
	p.click("link", "Templates")
	p.see("link", "Storyboard to clip")
	p.wait("pictures of the starters", pictured+` && document.querySelectorAll(".template-card img").length >= 10`)
	p.wait("drawings of the others", `document.querySelectorAll(".template-card .stage-map").length === 2`) // also of one whose picture is elsewhere
	evaluate[bool](p, `(scrollTo(0, 0), true)`)
	p.checkAccess("templates")
	p.click("button", "Mine")
	p.gone("link", "Storyboard to clip")
	p.click("link", "Small poster")
	p.see("heading", "Small poster")
	p.click("button", "Start")
	p.seeText("Fill this in")
	p.checkAccess("a template")
	p.fill("Subject", "a green bird")
	p.seeText("Covered by your plan")
	p.click("button", "Start")
	p.see("heading", "Approve the cost")
	p.checkAccess("an approval")
	s.restart()
	p.click("button", "Approve")
	p.seeText("Workflow completed") // the log went on where it was

	p.click("link", "Open the template")
	p.fill("Subject", "a yellow bird")
	p.click("button", "Start")
	p.click("button", "Decline")
	p.seeText("Workflow cancelled")

	p.click("link", "Open the template")
	p.click("button", "Make a copy")
	p.fill("Name of the copy", "Large poster")
	p.click("button", "Make a copy")
	p.see("heading", "Large poster")
	p.click("button", "Delete")
	p.see("dialog", "Delete Large poster?")
	p.click("button", "Delete")
	p.see("heading", "Templates")
	p.see("link", "Small poster")
	p.gone("link", "Large poster")

	for state, l := range map[string]look{"templates at night": night, "templates on a phone": phone} {
		other := openPage(t, s.URL, l)
		other.allow("pictures.example")
		other.signIn(s.Key)
		other.open("/templates")
		other.see("link", "Storyboard to clip")
		other.wait("pictures of the starters", pictured)
		evaluate[bool](other, `(scrollTo(0, 0), true)`)
		other.checkAccess(state)
	}
}

// A card says what one must bring. The form comes first on a phone, takes a file by its name, and what the library has.
func TestTemplateFiles(t *testing.T) {
	t.Parallel()
	s := startService(t)
	makeCastles(s)
	for _, l := range []look{desktop, phone, night} {
		state := fmt.Sprint(l.width, " ", l.dark)
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/templates")
		p.wait("what to bring", `[...document.querySelectorAll(".template-card")].some((e) => e.innerText.includes("Portrait makeover") && /You bring:\s+Photo/.test(e.innerText))`)
		p.wait("no category that says nothing", `!/^(Other|Custom)$/m.test(document.querySelector(".template-grid").innerText)`)
		p.wait("a field for a few words", `document.querySelector(".template-filters [type=search]").clientWidth < 400`)
		p.open("/templates/wf_portrait_makeover")
		p.wait("the form on the first screen", `document.querySelector(".file-box").getBoundingClientRect().top < innerHeight * 0.6`)
		p.allow("400") // a file that is refused
		p.click("button", "Start")
		p.seeText("Fill this in.")
		evaluate[bool](p, strings.Replace(dropFileScript([]byte(strings.Repeat("noise", 100)), "fake.png", "image/png"), "main section, main form", ".file-box", 1)+"; true")
		p.wait("why it cannot be used, once", `[...document.querySelectorAll(".run-form .error-text")].map((e) => e.innerText).join() === "fake.png is not a picture that can be read. Choose a PNG, JPEG, WebP or GIF."`)
		p.checkAccess("a file that is no picture " + state)
		evaluate[bool](p, strings.Replace(dropScript(t, "aunt.png"), "main section, main form", ".file-box", 1)+"; true")
		name := `document.querySelector(".chosen")?.innerText`
		p.wait("its name", name+` === "aunt.png"`)
		p.open("/templates/wf_portrait_makeover")
		p.wait("its name again", name+` === "aunt.png"`)
		p.checkAccess("a file in a template " + state)
		p.click("button", "Remove: Photo")
		p.click("button", "From the library")
		p.wait("a result", `document.querySelector("dialog .chooser img")?.naturalWidth > 0`)
		p.checkAccess("the library of a template " + state)
		evaluate[bool](p, `(document.querySelector("dialog .chooser button").click(), true)`)
		p.wait("the result", name+` === "a castle on a hill"`)
		p.seeText("Covered by your plan")
	}
}

// pictured is the expression of whether all pictures of templates are there.
const pictured = `[...document.querySelectorAll(".template-card img")].every((e) => { e.scrollIntoView(); return e.complete && e.naturalWidth > 0 })`

// An operator publishes a template of their own, so that other accounts see it, and withdraws
// it.
func TestPublishing(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows/templates", poster("Small poster"))
	var ann struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run("account", "create", "--username", "ann", "--json")), &ann); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/templates/wf_small_poster")
	p.click("button", "Publish")
	p.see("dialog", "Publish Small poster?")
	p.checkAccess("publishing")
	p.click("button", "Publish")
	p.seeText("Public, as version 0.0.1")
	p.checkAccess("a published template")
	p.click("button", "Publish this version")
	p.see("dialog", "Replace the public template Small poster?")
	p.checkAccess("replacing")
	p.click("button", "Replace")
	p.seeText("Public, as version 0.0.2")

	// What another operator has published meanwhile is not replaced without a question.
	p.allow("409")
	theirs := poster("Their poster")
	theirs["id"] = "wf_small_poster"
	s.call("POST", "/v1/operator/templates", map[string]any{"template": theirs})
	p.click("button", "Publish this version")
	p.see("dialog", "Replace the public template Small poster?")
	p.click("button", "Replace")
	p.seeText("has the version 0.0.3")
	p.seeText("Another template is public with this id: Their poster, as version 0.0.3.")
	p.click("button", "Publish this version")
	p.see("dialog", "Replace the public template Their poster?")
	p.click("button", "Replace")
	p.seeText("Public, as version 0.0.4")

	other := openPage(t, s.URL, phone)
	other.signIn(ann.APIKey)
	other.open("/templates")
	other.click("link", "Small poster")
	other.see("heading", "Fill in and start")
	other.gone("button", "Publish")
	other.checkAccess("another account")

	p.click("button", "Withdraw")
	p.see("dialog", "Withdraw Small poster?")
	p.click("button", "Withdraw")
	p.see("button", "Publish")
	p.open("/templates/wf_style_gallery") // comes with the service: cannot be withdrawn
	p.see("heading", "Stages")
	p.gone("button", "Withdraw")
	other.open("/templates")
	other.see("link", "Style gallery")
	other.gone("link", "Small poster")
}

// The builder: a template is built by keyboard and forms, changed as text, undone, saved and
// run.
func TestBuilder(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/templates/new")
	p.see("heading", "Untitled template")
	p.seeText("Add a stage for each thing that is made")
	p.wait("no heading over nothing", find("heading", "Issues")+" === null")
	p.checkAccess("an empty builder")
	p.click("button", "Add the first stage")
	p.fill("Search tools", "image")
	p.press("\r")
	p.wait("the tool that makes pictures", documentOf+`.stages[0]?.tool === "generate_image"`)
	p.wait("the focus on the stage", `document.activeElement === `+nodeOf("image"))
	p.click("button", "Undo")
	p.wait("an empty canvas again", documentOf+`.stages.length === 0`)
	p.fill("Name", "Bird cards")
	p.click("button", "Inputs")
	p.click("button", "Add an input")
	p.fill("Name", "bird")
	p.click("button", "Add a stage")
	p.fill("Search tools", "generate_image")
	p.click("button", "Generate image")
	p.wait("the focus on the stage that was added", `document.activeElement === `+nodeOf("image"))
	p.focusNode("$inputs")
	p.click("button", "Connect…")
	p.checkAccess("targets")
	p.click("button", "Generate image Prompt")
	p.wait("a connection", documentOf+`.stages[0]?.args.prompt === "$inputs.bird"`)

	// A adds a stage that takes the results of this one; Delete removes it; both are undone.
	p.focusNode("image")
	p.press("a")
	p.click("button", "Upscale image")
	p.wait("a bound stage", documentOf+`.stages[1]?.args.sourceImageIndex === "$artifacts.image.items[0].url"`)
	p.wait("a port with the name of its field", nodeOf("image_2")+`?.innerText.includes("Source image\n") || `+nodeOf("image_2")+`?.innerText.endsWith("Source image")`)
	p.wait("legible texts in a small drawing", `[...document.querySelectorAll(".builder-node :is(.node-name, .small)")].every((e) => {
		return parseFloat(getComputedStyle(e).fontSize) * e.getBoundingClientRect().width / e.offsetWidth > 11.4 && e.scrollHeight <= e.clientHeight + 1;
	})`)
	p.checkAccess("two stages")
	p.focusNode("image_2")
	p.wait("the arrow to the left", keyOn("ArrowLeft", "image"))
	p.focusNode("image_2")
	p.sendKey("Delete", "")
	p.wait("no second stage", documentOf+".stages.length === 1")
	p.sendKey("z", "ctrlKey: true")
	p.wait("the second stage again", documentOf+".stages.length === 2")
	p.sendKey("z", "ctrlKey: true, shiftKey: true")
	p.wait("no second stage again", documentOf+".stages.length === 1")

	// Moving a node is undone like an edit, and is no unsaved change.
	p.focusNode("image")
	left := evaluate[string](p, nodeOf("image")+"?.style.left")
	p.sendKey("ArrowRight", "altKey: true")
	p.wait("a moved node", nodeOf("image")+"?.style.left !== "+quote(left))
	p.sendKey("z", "ctrlKey: true")
	p.wait("the node where it was", nodeOf("image")+"?.style.left === "+quote(left))

	// The text: a mistake greys the drawing and names the line; an issue is marked.
	text := evaluate[string](p, "sessionStorage.getItem('atelier.builder.new')")
	p.click("button", "JSON")
	p.fill("The template as JSON", strings.Replace(text, `"stages": [`, `"stages": [[`, 1))
	p.seeText("The JSON is not valid at line")
	p.fill("The template as JSON", strings.Replace(text, `"generate_image"`, `"paint"`, 1))
	p.see("button", "Error: Generate image: Tool ")
	p.checkAccess("an issue")

	// How many entries a list takes is checked before the service answers.
	evaluate[bool](p, `((load) => {
		window.answerChecks = () => { window.fetch = load; return true };
		window.fetch = (address, options) => String(address).endsWith("/validate") ? new Promise(() => {}) : load(address, options);
		return true;
	})(fetch)`)
	for _, tc := range []struct {
		entries int
		want    string
	}{{0, "Needs at least one entry."}, {17, "Takes at most 16 entries."}} {
		list := strings.TrimSuffix(strings.Repeat(`"it waves", `, tc.entries), ", ")
		p.fill("The template as JSON", strings.NewReplacer(`"generate_image"`, `"animate_photo"`, `"prompt"`, `"prompts": [`+list+`], "prompt"`).Replace(text))
		p.see("button", "Error: Generate image · Prompts: "+tc.want)
	}
	p.fill("The template as JSON", strings.NewReplacer(`"generate_image"`, `"animate_photo"`, `"prompt"`, `"prompts": ["it waves"], "prompt"`).Replace(text))
	p.gone("button", "Error: ")
	evaluate[bool](p, "answerChecks()")
	p.fill("The template as JSON", strings.Replace(text, `"prompt"`, `"width": 512, "height": 512, "prompt"`, 1))
	p.seeText("No issues. Checked by the service.")
	p.click("button", "Save")
	p.wait("its own address", `location.pathname.startsWith("/templates/wf_bird_cards")`)
	address := evaluate[string](p, "location.pathname")
	p.open(address)
	p.see("heading", "Bird cards")
	p.click("button", "Run")
	p.fill("Bird", "a red robin")
	p.click("button", "Start")
	p.see("button", "Approve")
	p.wait("nothing queued before it is approved", nodeOf("image")+`?.innerText.includes("Not started")`)
	p.click("button", "Approve")
	p.see("heading", "Generate image") // not the id of the stage
	p.wait("a picture in the node", nodeOf("image")+`?.querySelector("img") instanceof Element`)
	p.checkAccess("a run in the builder")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open(address)
	small.see("button", "Generate image")
	small.checkAccess("the outline on a phone")
	small.click("button", "Generate image")
	small.see("textbox", "Prompt")
	small.checkAccess("a stage on a phone")
}

// documentOf is the expression of the template that the builder keeps while it is not saved.
const documentOf = "JSON.parse(sessionStorage.getItem('atelier.builder.new') ?? '{\"stages\":[]}')"

func nodeOf(id string) string { return fmt.Sprintf("document.querySelector('[data-node=\"%s\"]')", id) }

// focusNode puts the focus on a node of the builder's canvas.
func (p *page) focusNode(id string) {
	p.t.Helper()
	p.wait("the node "+id, fmt.Sprintf("(() => { const e = %s; e?.focus(); return e !== null && document.activeElement === e })()", nodeOf(id)))
}

// keyEvent is the expression of a key on what has the focus.
func keyEvent(key, modifiers string) string {
	return fmt.Sprintf("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: %s, bubbles: true, cancelable: true, %s}))", quote(key), modifiers)
}

// sendKey sends a key to what has the focus.
func (p *page) sendKey(key, modifiers string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](keyEvent(key, modifiers)))
}

// keyOn is an expression that sends a key, once, and is true when a node has the focus.
func keyOn(key, id string) string {
	return fmt.Sprintf("(() => { if (document.activeElement.dataset.node !== %[2]s) %[1]s; return document.activeElement.dataset.node === %[2]s })()", keyEvent(key, ""), quote(id))
}

// A step that failed is done again in a new workflow that takes over what is done, and the history can be saved.
func TestRetryFailedStep(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(keepStarts)
	p.prepare(`HTMLAnchorElement.prototype.click = function () { window.saved = {name: this.download, text: fetch(this.href).then((r) => r.json())} }`)
	p.signIn(s.Key)
	made := s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"title": "A fox, cut out", "steps": []any{
		map[string]any{"id": "draw", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a red fox", "width": 256, "height": 256}},
		map[string]any{
			"id": "cut", "toolName": "segment_image", "arguments": map[string]any{"text": "a submarine"},
			"dependsOn": []any{map[string]any{"sourceStepId": "draw", "sourceArtifactIndex": 0, "targetArgument": "sourceImageIndex", "transform": "image_index", "required": true}},
		},
	}}})["workflow"].(map[string]any)["workflowId"].(string)
	p.open("/workflows/" + made)
	p.see("button", "Retry what failed")
	p.wait("the reason once above the log", `document.querySelectorAll(".notice.bad").length === 1 && document.querySelector(".node-reason") === null`)
	p.click("button", "Retry what failed")
	p.seeText("Only this one is paid. Your plan covers its 1 Spark.")
	p.checkAccess("a retry")
	p.click("button", "Retry")
	p.wait("another workflow", fmt.Sprintf(`location.pathname.startsWith("/workflows/") && !location.pathname.endsWith(%s)`, quote(made)))
	p.wait("what it takes over", `started.length === 1 && started[0].input.steps.length === 1 && started[0].media_references.length === 1 && started[0].input.steps[0].dependsOn[0].sourceStepId === "$input_media"`)
	p.click("button", "Export as JSON")
	p.wait("the file", `window.saved?.name.endsWith(".json") && saved.text.then((d) => d.workflow.steps.length === 1 && d.events.length > 0)`)
	// All of that one failed: it is done again as a whole, or changed in Create.
	p.see("link", "Open in Create")
	p.click("button", "Retry what failed")
	p.see("dialog", "Retry what failed?")
	p.seeText("A new workflow does the step again. Your plan covers its 1 Spark.")
	second := evaluate[string](p, "location.pathname")
	p.click("button", "Retry")
	p.wait("the same again", `started.length === 2 && JSON.stringify(started[1].input.steps) === JSON.stringify(started[0].input.steps) && started[1].media_references.length === 1`)
	p.wait("the third workflow", "location.pathname !== "+quote(second))
	p.click("link", "Open in Create")
	p.see("heading", "Create")
	p.wait("what was ordered", `[...document.querySelectorAll("input, textarea")].some((e) => e.value === "a submarine")`)
}

// What failed is said in the words of the pages: by the first step, with the label of what could not be read, a link to
// it, and what did not run because of it.
func TestFailureInWords(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id := func(started map[string]any) string {
		return started["workflow"].(map[string]any)["workflowId"].(string)
	}
	after := func(step string) []any {
		return []any{map[string]any{"sourceStepId": step, "sourceArtifactIndex": 0, "targetArgument": "sourceImageIndex", "transform": "image_index", "required": true}}
	}
	unread := id(s.call("POST", "/v1/creative-agent/workflows", map[string]any{
		"media_references": []any{map[string]any{"kind": "image", "url": "https://pictures.invalid/fox.png"}},
		"input": map[string]any{"title": "Larger fox", "steps": []any{
			map[string]any{"id": "enlarge", "toolName": "upscale_image", "arguments": map[string]any{"sourceImageIndex": -1}},
			map[string]any{"id": "cut", "toolName": "remove_background", "arguments": map[string]any{}, "dependsOn": after("enlarge")},
		}},
	}))
	p := openPage(t, s.URL, desktop)
	p.allow("pictures.invalid") // it cannot be shown
	p.signIn(s.Key)
	p.open("/workflows/" + unread)
	p.seeText("The media for “Source image” could not be read")
	p.wait("the first step", find("heading", "enlarge")+" !== null")
	p.wait("no name of the API in a message", `![...document.querySelectorAll(".notice, .log-line, .graph-node")].some((e) => e.innerText.includes("sourceImageIndex"))`)
	p.see("link", "pictures.invalid/fox.png")
	p.wait("no broken picture", `[...document.querySelectorAll("main img")].every((e) => !e.src.includes("pictures.invalid"))`)
	p.wait("what did not run", `document.querySelector("[data-step=cut]").innerText.includes("Not run")`)
	p.wait("what did not run is not red", `document.querySelector("[data-step=cut]").matches(".status-cancelled:not(:has(.chip.bad))")`)
	p.wait("it in the log", `[...document.querySelectorAll(".log-line")].some((e) => e.innerText.includes("Step not run cut It did not run: it needs a result of “enlarge”"))`)
	p.wait("the step that failed in the timeline", `document.querySelector(".timeline-row .span.failed") !== null`)
	p.see("link", "Open only “enlarge” in Create")
	p.see("button", "Run again") // all of it
	p.checkAccess("a failed workflow")
	evaluate[bool](p, `(sessionStorage.setItem("atelier.builder.new", '{"name": "Mine", "category": "custom", "inputs": [], "stages": []}'), true)`)
	const mine = documentOf + `.name === "Mine"`
	p.click("link", "Open all steps in the builder")
	fromRun := fmt.Sprintf(`JSON.parse(sessionStorage.getItem("atelier.builder.from.%s") ?? '{"stages":[]}')`, unread)
	p.wait("all steps in the builder", fromRun+`.stages.map((s) => s.tool).join() === "upscale_image,remove_background"`)
	p.see("heading", "Larger fox")
	const restored = `document.querySelector("main").innerText.includes("Changes that were not saved are back")`
	p.wait("the draft of a new template as it was", mine+` && !`+restored)
	p.click("link", "All templates")
	p.click("link", "New template")
	p.see("heading", "Mine")
	p.wait("that draft", restored)
	p.wait("the way back", `(history.go(-2), true)`)
	p.see("heading", "Larger fox")
	p.click("button", "Save")
	p.wait("the address of what is saved", `/^\/templates\/[^/]+\/edit$/.test(location.pathname) && location.search === ""`)
	p.wait("the draft of it gone, and the other as it was", fromRun+`.stages.length === 0 && `+mine)
	p.open("/workflows")
	p.see("link", "Larger fox")
	p.click("button", "Filters")
	p.choose("Why it ended", "dependency_failed")
	p.wait("the reason in words", find("combobox", "Why it ended")+`.selectedOptions[0].innerText === "Input not readable"`)

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/workflows/" + unread)
	small.see("link", "Open all steps in the builder")
	small.checkAccess("a failed workflow on a phone")
}

// A file that cannot be used is told once, at its input; a workflow shows what it was started with, names an input by
// its name, and leads back to the form as it was filled in.
func TestInputsOfAWorkflow(t *testing.T) {
	t.Parallel()
	s := startService(t)
	start := func(url, look string) string {
		return s.call("POST", "/v1/creative-agent/workflows", map[string]any{
			"workflow_id": "wf_enlarged", "inputs": map[string]any{"portrait": url, "look": look},
		})["workflow"].(map[string]any)["workflowId"].(string)
	}
	s.call("POST", "/v1/creative-agent/workflows/templates", map[string]any{
		"name": "Enlarged", "category": "other",
		"inputs": []any{
			map[string]any{"name": "portrait", "type": "image", "required": true},
			map[string]any{"name": "look", "type": "text", "required": true},
		},
		"stages": []any{map[string]any{
			"id": "dress", "tool": "edit_image", "args": map[string]any{"sourceImageIndex": "$inputs.portrait", "prompt": "$inputs.look"}, "produces": []any{"dressed"},
		}},
	})
	first, second := start("https://pictures.invalid/fox.png", "a red coat"), start("https://pictures.invalid/fox.png", "a blue coat")
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.allow("400", "422") // what is refused
		p.signIn(s.Key)
		p.open("/workflows/" + first)
		p.wait("the inputs", `(e => e?.innerText.includes("a red coat") && e.innerText.includes("Portrait"))(document.querySelector(".workflow-inputs"))`)
		p.wait("each value beside its name, as wide as its column", `[...document.querySelectorAll(".workflow-inputs dd")].every((value) => value.getBoundingClientRect().left - value.previousElementSibling.getBoundingClientRect().right < 40 && value.clientWidth > 150)`)
		if l == desktop {
			p.click("button", "Approve")
		}
		p.seeText("The media for “Portrait (Source image)” could not be read")
		p.wait("first what can help", `document.querySelector(".notice.bad .pause-actions > :first-child").innerText.trim() === "Change the inputs"`)
		p.checkAccess(fmt.Sprint("the inputs of a workflow ", l.width))
		p.click("link", "Change the inputs")
		p.see("heading", "Enlarged")
		p.wait("the form as it was", `document.querySelector(".chosen")?.innerText === "fox.png" && document.querySelector("textarea").value === "a red coat"`)
		p.click("button", "Remove: Portrait")
		p.fill("Address: Portrait", "https://me:secret@pictures.invalid/fox.png")
		p.press(kb.Enter)
		p.wait("the mistake at its field", `document.querySelector(".field:has(.chosen) .error-text")?.innerText === "The URL must not hold a user or password."`)
		p.click("button", "Start")
		p.wait("the mistake once, in words", `(t => t.split("must not hold").length === 2 && !/compile|media_references/.test(t))(document.querySelector(".run-form").innerText) && document.querySelector(".run-foot button").ariaDisabled !== "true"`)
		p.focused("button", "Remove: Portrait")
		p.wait("why there is no price", `document.querySelector(".run-foot .price").innerText === "Correct the marked fields to see the price."`)
		p.checkAccess(fmt.Sprint("a file that cannot be used ", l.width))

		p.open("/workflows/compare?left=" + first + "&right=" + second)
		p.wait("the inputs that differ", `[...document.querySelectorAll("[aria-label=Inputs] tr.differs")].map((e) => e.innerText.replace(/\s+/g, " ")).join() === "Look ≠ differs a red coat a blue coat"`)
		p.wait("which is which", `[...document.querySelectorAll(".compared-sides section")].map((e) => e.getAttribute("aria-label")).join() === "First workflow: Enlarged,Second workflow: Enlarged"`)
		p.checkAccess(fmt.Sprint("two workflows of a template ", l.width))
	}
}

// The runs of a template are told apart in the list by what it was filled in with, and the list names the template.
func TestRunsOfATemplate(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows/templates", poster("Small poster"))
	for _, subject := range []string{"a bird", "a whale"} {
		s.call("POST", "/v1/creative-agent/workflows", map[string]any{"workflow_id": "wf_small_poster", "inputs": map[string]any{"subject": subject}})
	}
	for _, l := range []look{desktop, {width: 1024, height: 800}, phone, night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/workflows?template=wf_small_poster")
		p.wait("what differs", `[...document.querySelectorAll(".workflow-called")].map((e) => e.innerText.replace(/\s+/g, " ")).join() === "Small poster a whale,Small poster a bird"`)
		p.see("button", "Template: Small poster")
		p.click("button", "Filters")
		p.wait("both days in one row", `(() => { const [from, to] = document.querySelectorAll(".workflow-days input"); return from.getBoundingClientRect().top === to.getBoundingClientRect().top })()`)
		p.wait("nothing beyond the page", `document.documentElement.scrollWidth <= innerWidth`)
		p.wait("names within their place", `[...document.querySelectorAll(".workflow-name")].every((e) => e.scrollWidth <= e.clientWidth)`)
		p.checkAccess(fmt.Sprint("runs of a template, ", l.width))
		p.click("button", "Template: Small poster")
		p.wait("all templates", `!location.search.includes("template")`)
	}
}

// The steps that a template has made are called as its stages are: in the graph, the timeline, the log and beside them.
func TestStageNames(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows/templates", map[string]any{"name": "Two views", "category": "other", "inputs": []any{}, "stages": []any{
		map[string]any{"id": "drawn", "label": "First sketch", "tool": "generate_image", "args": map[string]any{"prompt": "a fox", "width": 256, "height": 256}},
	}})
	made := s.call("POST", "/v1/creative-agent/workflows", map[string]any{"workflow_id": "wf_two_views", "inputs": map[string]any{}})["workflow"].(map[string]any)["workflowId"].(string)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/workflows/" + made)
		p.wait("the name in the graph or the list", `document.querySelector(".node-name")?.innerText === "First sketch"`)
		if l == desktop {
			p.see("heading", "First sketch")
			p.wait("the name in the timeline", `document.querySelector(".timeline-row .cut")?.innerText === "First sketch"`)
			p.click("button", "Approve")
			p.wait("the name in the log", `document.querySelector(".log-step")?.innerText === "First sketch"`)
		}
		p.wait("no id of a stage", `!document.querySelector("main").innerText.includes("drawn/main")`)
		p.checkAccess(fmt.Sprint("a workflow of a template, ", l.width))
	}
}

// A retry of a workflow of a template is of that template too: its steps are called by the names of the stages.
func TestRetryOfTemplate(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	template := s.call("POST", "/v1/creative-agent/workflows/templates", map[string]any{
		"name": "Fox, cut out", "category": "other", "inputs": []any{},
		"stages": []any{
			map[string]any{"id": "draw", "label": "The drawing", "tool": "generate_image", "args": map[string]any{"prompt": "a red fox", "width": 256, "height": 256}, "produces": []any{"picture"}},
			map[string]any{"id": "cut", "label": "The cutting", "tool": "segment_image", "args": map[string]any{"text": "a submarine", "sourceImageIndex": "$artifacts.picture.items[0].url"}, "produces": []any{"mask"}},
		},
	})["template"].(map[string]any)["id"].(string)
	const workflows = "/v1/creative-agent/workflows"
	started := s.call("POST", workflows, map[string]any{"workflow_id": template})["workflow"].(map[string]any)
	first := started["workflowId"].(string)
	s.call("POST", workflows+"/"+first+"/confirm-cost", map[string]any{"decision": "confirm", "acceptedCostPreview": started["billingPreview"]})
	p.open("/workflows/" + first)
	p.see("heading", "The cutting")
	p.click("button", "Retry what failed")
	p.click("button", "Retry")
	p.wait("another workflow", fmt.Sprintf(`location.pathname.startsWith("/workflows/") && !location.pathname.endsWith(%s)`, quote(first)))
	p.see("heading", "The cutting")
	p.wait("its template", fmt.Sprintf(`[...document.querySelectorAll("main a")].some((a) => a.pathname === "/templates/" + %s)`, quote(template)))
	p.checkAccess("a retry of a workflow of a template")
}
