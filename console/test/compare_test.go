package test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The list of workflows is filtered by tool, model and the reason of an end, together with the other filters. A view
// has them under a name, after a reload too, and is removed again.
func TestWorkflowFiltersAndViews(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"steps": []any{map[string]any{
		"id": "say", "toolName": "generate_speech", "arguments": map[string]any{"prompt": "Good morning."},
	}}}})
	filtered := s.call("POST", "/v1/creative-agent/workflows", picture("a nude woman"))["workflow"].(map[string]any)["workflowId"].(string)
	s.call("POST", "/v1/creative-agent/workflows/"+filtered+"/cancel", nil)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/workflows")
	p.see("link", "a red fox")
	p.see("link", "Good morning.")
	p.choose("Tool", "generate_image")
	p.gone("link", "Good morning.")
	p.choose("Why it ended", "safety_review_required")
	p.gone("link", "a red fox")
	p.see("link", "a nude woman")
	p.choose("Model", "z_image_turbo_bf16")
	p.wait("the filters in the address", `location.search === "?tool=generate_image&reason=safety_review_required&model=z_image_turbo_bf16"`)
	p.see("button", "All 1")
	p.click("button", "Save this view")
	p.fill("Name", "Filtered pictures")
	p.checkAccess("a view to be saved")
	p.click("button", "Save")
	p.see("button", "Remove the view Filtered pictures")
	p.click("button", "Clear filters")
	p.see("link", "a red fox")
	p.checkAccess("a saved view")
	p.open("/workflows?status=completed")
	p.see("link", "a red fox")
	p.click("button", "Filtered pictures")
	p.see("link", "a nude woman")
	p.gone("link", "a red fox")
	p.wait("no status in the address", `!location.search.includes("status")`)
	p.click("button", "Remove the view Filtered pictures")
	p.see("button", "Save this view")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/workflows?tool=generate_image")
	small.see("link", "a red fox")
	small.click("button", "Filters")
	small.see("combobox", "Tool")
	small.checkAccess("filters on a phone")
}

// Two workflows are chosen in the list and shown side by side, at an address: steps, what differs, and the results,
// with the slider where both are pictures.
func TestCompareWorkflows(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	s.call("POST", "/v1/creative-agent/workflows", picture("a blue whale"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/workflows")
	p.see("button", "Completed 2")
	p.click("button", "Compare")
	p.click("checkbox", "Compare a red fox")
	p.click("checkbox", "Compare a blue whale")
	p.checkAccess("two workflows that are chosen")
	p.click("link", "Compare the two")
	p.see("heading", "Compare workflows")
	p.wait("what differs", `[...document.querySelectorAll("tr.differs th")].some((e) => e.innerText.startsWith("Prompt"))`)
	p.wait("what does not", `document.querySelectorAll("tbody tr:not(.differs)").length > 0`)
	p.wait("both pictures", `[...document.querySelectorAll(".step-result img")].filter((e) => e.naturalWidth > 0).length === 2`)
	p.checkAccess("two workflows")
	p.click("button", "Slider")
	p.wait("the slider", `document.querySelector(".compare input[type=range]") !== null`)
	p.checkAccess("two pictures")
	address := evaluate[string](p, "location.pathname + location.search")
	if !strings.Contains(address, "view=slider") {
		t.Errorf("the address is %s", address)
	}
	p.do(chromedp.NavigateBack())
	p.see("link", "a blue whale")

	// Another account sees nothing of them.
	s.run("account", "create", "--username", "ann")
	ann := s.run("key", "create", "ann")
	other := openPage(t, s.URL, desktop)
	other.allow("404")
	other.signIn(ann)
	other.open(address)
	other.seeText("This workflow does not exist")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/workflows")
	small.click("button", "Compare")
	small.click("checkbox", "Compare a red fox")
	small.click("checkbox", "Compare a blue whale")
	small.see("link", "Compare the two")
	small.checkAccess("two workflows that are chosen on a phone")

	for state, l := range map[string]look{"two workflows on a phone": phone, "two workflows in the dark": night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open(strings.Replace(address, "&view=slider", "", 1))
		p.wait("both pictures", `[...document.querySelectorAll(".step-result img")].filter((e) => e.naturalWidth > 0).length === 2`)
		p.checkAccess(state)
	}
}
