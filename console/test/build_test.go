package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// kite is a template that an account may have.
func kite() map[string]any {
	return map[string]any{
		"id": "kite", "name": "Kite", "inputs": []any{map[string]any{"name": "colour", "type": "text", "required": true}},
		"stages": []any{map[string]any{"id": "draw", "tool": "generate_image", "args": map[string]any{"prompt": "a $inputs.colour kite"}, "produces": []any{"picture"}}},
	}
}

const templatesPath = "/v1/creative-agent/workflows/templates"

// holds is an expression that is true when a field has a value.
func holds(label, value string) string {
	return fmt.Sprintf("%s?.value === %s", find("textbox", label), quote(value))
}

// Two people who edit the same template see that the other one has saved: no change
// is lost unseen.
func TestBuilderConflict(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", templatesPath, kite())
	ann, bob := openPage(t, s.URL, desktop), openPage(t, s.URL, desktop)
	for _, p := range []*page{ann, bob} {
		p.allow("409")
		p.signIn(s.Key)
		p.open("/templates/kite/edit")
		p.see("textbox", "Description")
	}
	save := func(p *page) {
		p.click("button", "Save")
		p.wait("nothing that is not saved", `document.querySelector(".builder-head [role=status]").innerText === ""`)
	}
	ann.fill("Description", "It flies.")
	save(ann)
	bob.fill("In one line", "A kite")
	bob.click("button", "Save")
	bob.see("heading", "There is a newer version")
	bob.seeText("Version 0.0.2 was saved")
	bob.checkAccess("a conflict")
	bob.click("button", "Load the newer version")
	bob.wait("what Ann wrote", holds("Description", "It flies."))
	bob.wait("none of what Bob wrote", holds("In one line", ""))
	bob.click("button", "Undo")
	bob.wait("what Bob wrote", holds("In one line", "A kite"))
	bob.click("button", "Redo")
	bob.fill("In one line", "A red kite")
	save(bob)

	// A draft keeps the version that it was made from.
	ann.fill("Description", "It soars.")
	ann.wait("a draft", `sessionStorage.getItem("atelier.builder.kite")?.includes("soars")`)
	ann.click("link", "Back to the template")
	ann.click("link", "Edit")
	ann.wait("the draft", holds("Description", "It soars."))
	ann.click("button", "Save")
	ann.see("heading", "There is a newer version")
	ann.click("button", "Overwrite it")
	ann.gone("heading", "There is a newer version")
	ann.wait("nothing that is not saved", `document.querySelector(".builder-head [role=status]").innerText === ""`)
	got := s.call("GET", templatesPath+"/kite", nil)["template"].(map[string]any)
	if got["version"] != "0.0.4" || got["description"] != "It soars." || got["brief"] != nil {
		t.Errorf("got %v %v %v, want 0.0.4 with what Ann wrote", got["version"], got["description"], got["brief"])
	}
}

// What a person does in the builder is found, kept and said where they are.
func TestBuilderFields(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	// Each stage that can make something is joined to what takes it.
	p.open("/templates/wf_character_sheet/edit")
	for _, from := range []string{"Design", "Redraw"} {
		p.wait("a line from "+from, fmt.Sprintf(`[...document.querySelectorAll(".edge-hit title")].some((e) => e.textContent === %s)`, quote(from+" → Views: front")))
	}
	p.checkAccess("two that make the same")

	p.open("/templates/new")
	p.seeText("What should this template make?")
	p.wait("no scrollbar", `(() => { const e = document.querySelector(".builder-canvas"); return e.scrollHeight <= e.clientHeight })()`)

	// A tool is found by the name that is shown, and Enter takes it.
	p.click("button", "Add a stage")
	p.fill("Search tools", "generate image")
	p.press(kb.Enter)
	p.see("heading", "Generate image")
	p.see("combobox", "Model")
	p.see("button", "Error: Generate image: Prompt is required for Generate image.")
	p.see("button", "1 error")
	if evaluate[bool](p, `document.querySelector(".builder-panel .error-text") !== null`) {
		t.Error("a field is wrong before the person was at it")
	}
	if got := evaluate[string](p, `[...document.querySelectorAll(".builder-panel label")].slice(0, 3).map((e) => e.innerText.split(" ")[0]).join()`); got != "Tool,Prompt,Model" {
		t.Errorf("the form begins with %s, want the tool, the prompt and the model", got)
	}
	p.wait("models by their names", `((names) => names.includes("Z-Image Turbo") && !names.includes("z-turbo"))([...`+find("combobox", "Model")+`.options].map((e) => e.text))`)
	p.fill("Prompt", "")
	p.press(kb.Tab)
	p.wait("a message without its place", `document.querySelector(".builder-panel .error-text")?.innerText === "Prompt is required."`)
	p.checkAccess("a message at its field")
	p.click("button", "Inputs")
	p.click("button", "Add an input")
	p.fill("Name", "mood")

	// Only what can take a text is offered for one.
	p.click("button", "Connect…")
	p.see("button", "Generate image Prompt")
	p.gone("button", "Generate image Width")
	p.click("button", "Generate image Prompt")

	// A text says what it takes, and more can be added to it.
	p.focusNode("image")
	p.fill("Prompt", "a fox")
	p.choose("Where Prompt comes from", "$inputs.mood")
	p.wait("the text with the input", holds("Prompt", "a fox $inputs.mood"))
	p.wait("what the text takes", find("combobox", "Where Prompt comes from")+`.selectedOptions[0].text === "A text with Input mood"`)

	// The stage that A adds has the focus, and its form begins at the top.
	p.focusNode("image")
	p.wait("the form of the stage", `document.querySelector(".builder-panel h2")?.innerText === "Generate image"`)
	p.wait("a form that is scrolled", `(() => { const e = document.querySelector(".builder-panel"); e.scrollTop = 200; return e.scrollTop > 0 })()`)
	p.press("a")
	p.fill("Search tools", "upscale image")
	p.press(kb.Enter)
	p.wait("the focus on the new stage", `document.activeElement?.dataset.node === "image_2"`)
	p.wait("the whole drawing", `(() => { const e = document.querySelector(".builder-canvas"); return document.querySelectorAll("[data-node]").length === 3 && e.scrollWidth <= e.clientWidth })()`)
	p.wait("the top of its form", `document.querySelector(".builder-panel h2")?.innerText === "Upscale image" && document.querySelector(".builder-panel").scrollTop === 0`)

	// A connection is said in words. Its expression is the title, and is written where that is chosen.
	const source = `document.querySelector('.builder-panel [data-path$=".sourceImageIndex"] select')`
	p.wait("the connection in words", source+`.selectedOptions[0].text === "Result of Generate image" && `+source+`.title === "$artifacts.image.items[0].url"`)
	p.wait("no expression to read", `!document.querySelector(".builder-panel").innerText.includes("$") && ![...document.querySelectorAll(".builder-panel input")].some((e) => e.value.includes("$"))`)
	p.choose("Source image", "typed")
	p.wait("the expression to write", holds("Source image", "$artifacts.image.items[0].url"))

	// The first save keeps what the builder holds, and saves the field that has the focus.
	p.click("button", "Larger")
	zoom := evaluate[string](p, `document.querySelector(".graph-canvas").style.transform`)
	p.fill("Makes", "large, print")
	p.sendKey("s", "ctrlKey: true")
	p.fill("Name", "Mood cards")
	p.press(kb.Enter)
	p.wait("its own address", `/^\/templates\/wf_[^/]*\/edit$/.test(location.pathname)`)
	p.wait("the same form", `document.querySelector(".builder-panel h2")?.innerText === "Upscale image"`)
	p.wait("the same size", fmt.Sprintf(`document.querySelector(".graph-canvas").style.transform === %s`, quote(zoom)))
	p.wait("something to undo", find("button", "Undo")+"?.disabled === false")
	list := s.call("GET", templatesPath+"?visibility=own", nil)["templates"].([]any)
	stages := list[0].(map[string]any)["stages"].([]any)
	if got := fmt.Sprint(stages[1].(map[string]any)["produces"]); got != "[large print]" {
		t.Errorf("the stage makes %s, want [large print]", got)
	}

	// A text that is not valid has no verdict.
	p.click("button", "JSON")
	p.fill("The template as JSON", "{")
	p.seeText("The JSON is not valid, so nothing is checked.")
	p.wait("no verdict", `!/No issues|Checking/.test(document.querySelector(".builder-main").innerText)`)
	p.saveScreenshot("no verdict")
}

// What was filled in to run a template stays while it is edited, and why it cannot start is said in words that lead to
// the field.
func TestBuilderRunTab(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("422")
	p.signIn(s.Key)
	p.open("/templates/new")
	p.seeText("What should this template make?")
	if evaluate[bool](p, `document.querySelector(".issue") !== null`) {
		t.Error("a new template has issues before it was edited")
	}
	p.fill("Name", "Moving pictures")
	p.see("button", "Warning: Stages: Add a stage.")
	p.click("button", "Inputs")
	p.click("button", "Add an input")
	p.wait("the name of the input", holds("Name", "prompt"))
	p.click("button", "Run")
	p.fill("Prompt", "it waves")
	p.click("button", "Form")
	p.wait("the form", holds("Name", "prompt"))
	p.click("button", "Run")
	p.wait("what was filled in", holds("Prompt", "it waves"))

	shown := func(name string) string {
		return fmt.Sprintf(`document.querySelector(".builder-panel h2")?.innerText === %s`, quote(name))
	}
	p.click("button", "Add a stage")
	p.fill("Search tools", "animate photo")
	p.press(kb.Enter)
	p.wait("the form of the new stage", shown("Animate photo"))
	p.click("button", "Run")
	p.click("button", "Start")
	p.wait("why it cannot start", `document.querySelector(".builder-panel .notice .issue")?.innerText.includes("Animate photo: Prompt is required for Animate photo")`)
	p.checkAccess("a template that cannot start")
	evaluate[bool](p, `(document.querySelector(".builder-panel .notice .issue").click(), true)`)
	p.wait("the focus on the field", `document.activeElement === `+find("textbox", "Prompt"))
	p.click("button", "Run")
	p.wait("the form of the run", holds("Prompt", "it waves"))
	evaluate[bool](p, `(`+nodeOf("clip")+`.click(), true)`)
	p.wait("the form of the stage", shown("Animate photo"))

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/templates/wf_character_sheet/edit")
	small.see("button", "Save as a copy")
	for _, width := range []int64{320, 390} {
		small.do(chromedp.EmulateViewport(width, 800))
		small.wait("the width", fmt.Sprintf("innerWidth === %d", width))
		small.wait("one row within the window", `((boxes) => boxes.every((b) => b.right <= innerWidth && b.top < boxes[0].bottom))([...document.querySelectorAll(".builder-actions > *")].map((e) => e.getBoundingClientRect()))`)
		small.checkAccess(fmt.Sprintf("a builder at %d px", width))
	}
}

// An edge goes around the stages between its ends: behind them it would seem to be theirs.
func TestBuilderEdges(t *testing.T) {
	t.Parallel()
	s := startService(t)
	stages := []any{}
	for i, name := range []string{"one", "two", "three", "four"} {
		stage := map[string]any{"id": name, "tool": "edit_image", "args": map[string]any{"prompt": "$inputs.look", "sourceImageIndex": "$inputs.photo"}, "produces": []any{name}}
		if i > 0 {
			stage["args"].(map[string]any)["sourceImageIndex"] = "$artifacts." + []string{"one", "two", "three"}[i-1] + ".items[0].url"
		}
		if i == 3 {
			stage["requiredArtifactsIn"] = []any{"one"}
		}
		stages = append(stages, stage)
	}
	s.call("POST", templatesPath, map[string]any{"id": "row", "name": "Row", "inputs": []any{
		map[string]any{"name": "look", "type": "text", "required": true}, map[string]any{"name": "photo", "type": "image", "required": true},
	}, "stages": stages})
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/templates/row/edit")
	p.wait("the drawing", `document.querySelectorAll(".edge-hit").length >= 8`)
	hidden := evaluate[[]string](p, `[...document.querySelectorAll(".edge-hit")].flatMap((path) => {
		const nodes = [...document.querySelectorAll("[data-node]")].map((e) => ({id: e.dataset.node, x: e.offsetLeft, y: e.offsetTop, right: e.offsetLeft + e.offsetWidth, bottom: e.offsetTop + e.offsetHeight}));
		const length = path.getTotalLength();
		const points = Array.from({length: 100}, (_, i) => path.getPointAtLength(length * (i + 0.5) / 100));
		return nodes.filter((n) => points.some((at) => at.x > n.x + 1 && at.x < n.right - 1 && at.y > n.y + 1 && at.y < n.bottom - 1)).map((n) => path.textContent + " behind " + n.id);
	})`)
	if len(hidden) > 0 {
		t.Errorf("edges behind nodes: %q", hidden)
	}
	p.checkAccess("edges around nodes")
}

// What was filled into the form of a template is there again after Back, and after a start
// whose approval has expired.
func TestTemplateFormKept(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", templatesPath, kite())
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/templates/kite")
	p.fill("Colour", "red")
	p.click("button", "Start")
	p.wait("the workflow", `location.pathname.startsWith("/workflows/")`)
	id := evaluate[string](p, `location.pathname.split("/").pop()`)
	evaluate[bool](p, `(history.back(), true)`)
	p.wait("what was filled in", holds("Colour", "red"))
	p.fill("Colour", "blue")
	p.open("/templates/kite?again=")
	p.wait("what was filled in last", holds("Colour", "blue"))
	p.open("/templates/kite?from=" + id)
	p.wait("what the workflow was started with", holds("Colour", "red"))
	p.click("button", "Sign out")
	p.see("button", "Sign in")
	p.signIn(s.Key)
	p.open("/templates/kite")
	p.wait("an empty form", holds("Colour", ""))
}

// The dialog that adds a stage is used by keys alone: the best hit is first, Enter takes it, and arrows choose another.
// A new template is named when it is saved first.
func TestAddStageByKeys(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/templates/new")
	p.click("button", "Add a stage")
	p.fill("Search tools", "animate")
	p.wait("the best hit first", `document.querySelector(".picker strong")?.innerText === "Animate photo"`)
	p.checkAccess("a search for a tool")
	p.press(kb.Enter)
	p.wait("a stage", documentOf+`.stages[0]?.tool === "animate_photo"`)
	p.gone("dialog", "Add a stage")

	// A new stage takes what the selected one makes, unless the person says otherwise.
	p.click("button", "Add a stage")
	p.see("dialog", "Add a stage that takes Animate photo")
	p.checkAccess("tools for a new stage")
	p.click("checkbox", "Connect it to Animate photo")
	p.see("dialog", "Add a stage")
	p.fill("Search tools", "generate")
	second := evaluate[string](p, `document.querySelectorAll(".picker strong")[1].innerText`)
	p.press(kb.ArrowDown)
	p.wait("the focus on the second", fmt.Sprintf(`document.activeElement.innerText.startsWith(%s)`, quote(second)))
	p.press(kb.ArrowUp)
	p.press(kb.ArrowUp)
	p.wait("the focus in the field", `document.activeElement === `+find("textbox", "Search tools"))
	p.press(kb.ArrowDown)
	p.press(kb.Enter)
	p.wait("the second tool", documentOf+fmt.Sprintf(`.stages[1]?.tool.replaceAll("_", " ") === %s.toLowerCase()`, quote(second)))

	p.click("button", "JSON")
	p.fill("The template as JSON", `{"name": "Untitled template", "category": "custom", "inputs": [], "stages": [{"id": "fox", "type": "fixed", "tool": "generate_image", "args": {"prompt": "a fox"}}]}`)
	p.click("button", "Save")
	p.see("dialog", "Name the template")
	p.checkAccess("a name for the template")
	p.click("button", "Cancel")
	p.seeText("the template needs a name")
	p.click("button", "Save")
	p.fill("Name", "Fox cards")
	p.press(kb.Enter)
	p.wait("its own address", `location.pathname.startsWith("/templates/wf_fox_cards")`)
	p.see("heading", "Fox cards")
}

// A clip that a run of the builder has made has its picture, in the panel and in the node.
func TestBuilderPosters(t *testing.T) {
	t.Parallel()
	s := startService(t)
	film := kite()
	film["stages"].([]any)[0].(map[string]any)["id"] = "film"
	s.call("POST", templatesPath, film)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.prepare(madeUpWorkflow)
	p.open("/templates/kite/edit?tab=run&run=wf_1")
	p.wait("the picture in the panel", `document.querySelector('.builder-panel .step-result img[src$="?poster"]') !== null`)
	p.wait("the picture in the node", nodeOf("film")+`?.querySelector('img[src$="?poster"]') != null`)
	p.checkAccess("a clip that was made")
}
