package test

import (
	"fmt"
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
	p.click("button", "Filters")
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
	p.wait("values beneath the pictures", `(() => {
		const left = (e) => e.getBoundingClientRect().left;
		const [side] = document.querySelectorAll(".compared-sides h2"), tds = [...document.querySelectorAll(".compared-step td")];
		return tds.length > 3 && tds.every((td, i) => Math.abs(left(td) - left(tds[i % 2])) < 1) && Math.abs(left(side) - left(tds[0].firstElementChild)) < 8;
	})()`)
	p.wait("both pictures", `[...document.querySelectorAll(".step-result img")].filter((e) => e.naturalWidth > 0).length === 2`)
	p.checkAccess("two workflows")
	p.click("checkbox", "Only differences")
	p.wait("the results and what differs alone", `location.search.includes("only=differences") && [...document.querySelectorAll("tbody tr")].every((row) => row.matches(".differs, .result"))`)
	p.wait("the names still beneath each other", `((field, side) => field.right <= side.left)(document.querySelector(".compared-sides .field label").getBoundingClientRect(), document.querySelector(".compared-sides h2").getBoundingClientRect())`)
	p.click("checkbox", "Only differences")
	p.click("button", "Slider")
	p.wait("the slider in view", `document.querySelector(".compare:has(input[type=range])").getBoundingClientRect().bottom <= innerHeight`)
	p.wait("what the sides are", `(([a, b]) => /^First workflow · Seed/.test(a.innerText) && /^Second workflow · Seed/.test(b.innerText))(document.querySelectorAll(".compare-names span"))`)
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
	small.see("checkbox", "Compare a blue whale")
	for i := range 2 { // a row is chosen anywhere
		at := evaluate[point](small, fmt.Sprintf(`((r) => ({X: r.x + 20, Y: r.y + 10}))(document.querySelectorAll(".workflow-pick .workflow-name")[%d].getBoundingClientRect())`, i))
		small.do(chromedp.MouseClickXY(at.X, at.Y))
		small.wait("one more", fmt.Sprintf(`document.querySelectorAll(".workflow-pick :checked").length === %d`, i+1))
	}
	small.see("link", "Compare the two")
	small.checkAccess("two workflows that are chosen on a phone")

	for state, l := range map[string]look{"two workflows on a phone": phone, "two workflows in the dark": night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open(strings.Replace(address, "&view=slider", "", 1))
		if l == phone {
			p.wait("the slider, as wide as its panel", `document.querySelector(".compare").clientWidth > 0.75 * innerWidth`)
			p.checkAccess("two pictures on a phone")
			p.click("button", "Side by side")
			p.wait("pictures as wide as the panel", `[...document.querySelectorAll(".step-result")].every((e) => e.clientWidth > 0.7 * innerWidth)`)
		}
		p.wait("both pictures", `[...document.querySelectorAll(".step-result img")].filter((e) => e.naturalWidth > 0).length === 2`)
		p.checkAccess(state)
	}
}

// What an argument gives by an address is shown as the medium that it is, beside a step and between two workflows; a
// result without a prompt is called as its tool.
func TestMediaByAddress(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/library")
	p.seeItems(1)
	made := s.call("GET", "/v1/artifacts", nil)["artifacts"].([]any)[0].(map[string]any)["url"].(string)
	start := func(tool string, arguments map[string]any) string {
		arguments["sourceImageIndex"] = -1
		return s.call("POST", "/v1/creative-agent/workflows", map[string]any{
			"media_references": []any{map[string]any{"kind": "image", "url": made}},
			"input":            map[string]any{"steps": []any{map[string]any{"id": "large", "toolName": tool, "arguments": arguments}}},
		})["workflow"].(map[string]any)["workflowId"].(string)
	}
	first := start("edit_image", map[string]any{"prompt": "make it blue", "mask_image_url": made})
	second := start("edit_image", map[string]any{"prompt": "make it green", "mask_image_url": made})
	p.open("/workflows/" + first)
	p.wait("the mask beside its source", `[...document.querySelectorAll(".step-given")].filter((e) => e.querySelector("img")?.naturalWidth > 0).map((e) => e.querySelector("h3").innerText).join() === "Source image,Mask image"`)
	p.checkAccess("a mask of a step")
	p.open("/workflows/compare?left=" + first + "&right=" + second)
	p.wait("the masks", `[...document.querySelectorAll("tbody tr")].some((row) => row.querySelector("th").innerText.startsWith("Mask image") && row.querySelectorAll("img").length === 2)`)
	p.wait("no address", `!document.querySelector("main").innerText.includes("http")`)
	p.checkAccess("two masks")
	larger := start("upscale_image", map[string]any{})
	p.open("/workflows/compare?left=" + larger + "&right=" + larger)
	p.wait("what it is called", `document.querySelector("tr.result img")?.alt === "Upscale image"`)
}
