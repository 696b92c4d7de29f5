package test

import (
	"fmt"
	"testing"
)

// focused waits until an element has the focus.
func (p *page) focused(role, name string) {
	p.t.Helper()
	p.wait("the focus on "+role+" "+name, fmt.Sprintf("(() => { const e = %s; return e !== null && e === document.activeElement })()", find(role, name)))
}

// A dialog with a form opens with the focus on its first field, and a question with it on the safe answer.
func TestDialogFocus(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	for _, d := range []struct{ page, button, role, field string }{
		{"/account", "Create a key", "textbox", "Name"},
		{"/account", "Revoke", "button", "Cancel"},
		{"/operator/accounts", "Create an account", "textbox", "Username"},
		{"/library?tab=loras", "Import by link", "textbox", "Link to the file"},
		{"/templates/new", "Add a stage", "textbox", "Search tools"},
		{"/?tool=generate_image&model=z-turbo", "Add LoRA", "textbox", "Search LoRAs"},
		{"/?tool=generate_image&model=z-turbo", "Add source image", "button", "Upload from this device"},
	} {
		p.open(d.page)
		p.click("button", d.button)
		p.focused(d.role, d.field)
	}
}

// While it waits, a creation says in words for what and until when.
func TestCreationWaitsInWords(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/?tool=generate_image&model=z-turbo")
	p.seeText("A job waits until one connects, and fails after a time that the operator sets.")
	p.fill("Prompt", "a red fox")
	p.click("button", "Make")
	p.seeText("No connected worker offers Z-Image Turbo on the fast network. The job fails on ")
	const noRawTime = `!/T\d\d:\d\d:\d\d/.test(document.querySelector(".result-state").innerText)`
	p.wait("no raw time", noRawTime)

	made := s.call("POST", "/v1/creative-agent/workflows/templates", poster("Small poster"))
	started := s.call("POST", "/v1/creative-agent/workflows", map[string]any{"workflow_id": made["template"].(map[string]any)["id"], "inputs": map[string]any{"subject": "a fox"}})
	p.open("/?workflow=" + started["workflow"].(map[string]any)["workflowId"].(string))
	p.seeText("The cost must be approved until ")
	p.wait("no raw time of the approval", noRawTime)
}

// LoRAs are offered for models that have some or can have.
func TestModelsWithoutLoras(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/?tool=generate_image&model=z-turbo")
	p.see("button", "Add LoRA")
	p.click("button", "Audio")
	p.seeText("Make music")
	p.gone("button", "Add LoRA")
	p.open("/?tool=generate_image&model=z-turbo")
	p.see("button", "Add LoRA")
	p.wait("the choice of a model", fmt.Sprintf(`(() => {
		const choice = %s;
		choice.value = "dark-beast-z-turbo";
		return choice.dispatchEvent(new Event("input", {bubbles: true}));
	})()`, find("combobox", "Model")))
	p.gone("button", "Add LoRA")
}

// What the form for music offers can be done there, and its labels are words.
func TestMusicForm(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.prepare(openSettings)
	p.open("/?tool=generate_music&model=turbo")
	p.see("textbox", "Tempo (BPM)")
	p.see("textbox", "Key")
	p.see("combobox", "Time signature")
	p.seeText("10 to 600 seconds.")
	p.open("/?tool=generate_music&model=music3")
	p.seeText("10 to 300 seconds.")
	p.wait("the form of music alone", `(() => {
		const text = document.querySelector("main").innerText;
		return text.includes("Make music from a description.") && !/lyrics” |music3|[a-z]_[a-z]/i.test(text);
	})()`)
	p.checkAccess("music")
	p.open("/?tool=generate_speech")
	p.seeText("one made from “Voice description”")
	p.wait("room for the scrollbar on every page", `getComputedStyle(document.documentElement).scrollbarGutter === "stable"`)
}
