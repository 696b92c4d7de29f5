package test

import (
	"fmt"
	"strings"
	"testing"
)

// The list of workflows says what each cost the account, how long it took and why it ended without a result, and shows
// a clip by a picture of it.
func TestListOfEndings(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id := func(started map[string]any) string {
		return started["workflow"].(map[string]any)["workflowId"].(string)
	}
	s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"steps": []any{map[string]any{
		"id": "film", "toolName": "generate_video", "arguments": map[string]any{"prompt": "a boat", "width": 320, "height": 320, "duration": 2},
	}}}})
	filtered := id(s.call("POST", "/v1/creative-agent/workflows", picture("a nude woman")))
	s.call("POST", "/v1/creative-agent/workflows/"+filtered+"/cancel", nil)

	for _, l := range []look{desktop, phone, night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/workflows")
		row := func(title string) string {
			return fmt.Sprintf(`[...document.querySelectorAll(".workflow-row")].find((e) => e.innerText.includes(%s))`, quote(title))
		}
		p.wait("why it was cancelled", row("a nude woman")+`?.innerText.includes("The content filter paused it")`)
		p.wait("a picture of the clip", row("a boat")+`?.querySelector("img")?.naturalWidth > 0`)
		p.wait("its duration", `/\d (sec|min)/.test(`+row("a boat")+`.querySelector(".workflow-took").innerText)`)
		if l != phone { // which does not show the cost
			p.wait("that the plan pays", row("a boat")+`.querySelector(".workflow-cost").innerText === "Covered"`)
		}
		p.checkAccess("ended workflows")
	}
}

// The axis of a plot has a number at each line, a number of workers is not a sum of days, and the days of the usage
// begin with the first use, or a week ago.
func TestPlotNumbers(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	p := openPage(t, s.URL, desktop)
	p.prepare(`window.drawn = []; ((draw) => { CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { drawn.push(text); return draw.call(this, text, ...rest); }; })(CanvasRenderingContext2D.prototype.fillText)`)
	p.signIn(s.Key)
	p.open("/usage")
	p.see("button", "Z-Image Turbo")
	p.wait("a week, in which it was first used", `document.querySelectorAll(".plot")[0].querySelectorAll("tbody tr").length === 7`)
	p.seeText("Only on ") // and no bar alone
	p.checkAccess("the first day")
	p.prepare(`((load) => { window.fetch = async (address, options) => {
		const answer = await load(address, options);
		if (!String(address).includes("/v1/analytics/chart/")) return answer;
		const reply = await answer.json(), all = (reply.data ?? reply).analytics, keys = Object.keys(all).sort((a, b) => a - b);
		all[keys.at(-2)] = all[keys.at(-1)];
		return new Response(JSON.stringify(reply), { headers: { "Content-Type": "application/json" } });
	} })(fetch)`)
	p.open("/network")
	p.see("heading", "Workers online by day")
	p.wait("the axes", "drawn.length > 0")
	if wrong := evaluate[[]string](p, `drawn.filter((text) => text === "" || /\.\d/.test(text))`); len(wrong) > 0 {
		t.Errorf("the axes of numbers of things have %q", wrong)
	}
	if got := evaluate[string](p, `[...document.querySelectorAll(".plot")].find((e) => e.innerText.includes("Workers online")).querySelector("header").innerText`); !strings.Contains(got, "Latest: ") {
		t.Errorf("the plot of workers says %q, want the latest day", got)
	}
	p.checkAccess("network")
}

// A sound is told from another by its title and its loudness, and what is shown large says how it was made.
func TestLibraryOfSounds(t *testing.T) {
	t.Parallel()
	s := startService(t)
	step := func(tool string, arguments map[string]any) map[string]any {
		return map[string]any{"input": map[string]any{"steps": []any{map[string]any{"id": "make", "toolName": tool, "arguments": arguments}}}}
	}
	s.call("POST", "/v1/creative-agent/workflows", step("generate_music", map[string]any{"prompt": "a calm piano", "duration": 10}))
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	for _, l := range []look{desktop, phone, night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/library")
		p.wait("the waveform", `document.querySelector(".thumb-wave rect")?.closest(".cell").innerText.includes("a calm piano")`)
		p.wait("the picture", `document.querySelector(".cell img")?.naturalWidth > 0`)
		p.checkAccess("sounds")
		p.click("gridcell", "Image: a red fox")
		p.wait("the facts", `/^Seed \d+ · 512 × 512$/.test(document.querySelector(".lightbox-facts")?.innerText)`)
		p.checkAccess("facts")
	}

	// What the service has not measured, the browser does.
	p := openPage(t, s.URL, desktop)
	p.prepare(`((load) => {
		window.fetch = async (address, options) => {
			const answer = await load(address, options);
			if (!String(address).startsWith("/v1/artifacts")) return answer;
			return new Response((await answer.text()).replace(/,"peaks":\[[^\]]*\]/g, ""), answer);
		};
	})(fetch)`)
	p.signIn(s.Key)
	p.open("/library?kind=audio")
	p.wait("the waveform", `document.querySelectorAll(".thumb-wave rect").length > 10`)
}

// The cards of models are even, their samples fill their places, who drew them is said once, and prices are rounded. A
// model without a sample has no place for one.
func TestModelCards(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone, night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/models")
		p.seeText("drew the pictures here")
		p.wait("samples", `(() => {
			const samples = [...document.querySelectorAll(".model-sample img")];
			return samples.length > 0 && samples.every((e) => e.clientHeight <= e.parentElement.clientHeight && getComputedStyle(e).objectFit === "cover");
		})()`)
		if loud := evaluate[[]string](p, `[...document.querySelectorAll(".model-card")].map((e) => e.innerText).filter((text) => /Preview renderer|Not by the model/.test(text))`); len(loud) > 0 {
			t.Errorf("cards that say what is said above them: %q", loud)
		}
		if empty := evaluate[int](p, `document.querySelectorAll(".model-sample:not(:has(img))").length`); empty > 0 {
			t.Errorf("%d cards have an empty picture", empty)
		}
		uneven := evaluate[[]string](p, `[...Map.groupBy([...document.querySelectorAll(".model-card")].filter((e) => e.firstElementChild.checkVisibility({contentVisibilityAuto: true})), (e) => e.getBoundingClientRect().top).values()].filter((row) => new Set(row.map((e) => Math.round(e.querySelector(".model-name").getBoundingClientRect().top))).size > 1).map((row) => row[0].innerText)`)
		if len(uneven) > 0 {
			t.Errorf("rows of cards with names at several heights: %q", uneven)
		}
		if long := evaluate[[]string](p, `[...document.querySelectorAll(".model-facts .tabular")].map((e) => e.innerText).filter((text) => /[1-9]\d*\.\d{3}/.test(text))`); len(long) > 0 {
			t.Errorf("prices that are not rounded: %q", long)
		}
		p.checkAccess("cards")
		p.open("/models/z_image_turbo_bf16")
		p.seeText("This model had no part in them.")
		p.see("heading", "What it needs to run")
		p.seeText("atelier worker --url " + s.URL + " --backend comfyui --models z_image_turbo_bf16")
		p.seeText("No worker that has it is online")
		p.wait("the files", `[...document.querySelectorAll(".model-run tbody tr")].map((e) => e.children[1].innerText + "/" + e.children[0].innerText).sort().join() === "diffusion_models/z_image_turbo_bf16.safetensors,text_encoders/qwen_3_4b.safetensors,vae/ae.safetensors"`)
		p.see("link", "Comfy-Org/z_image_turbo")
		p.wait("the sizes", `[...document.querySelectorAll(".model-run tbody tr")].map((e) => e.children[2].innerText).join() === "8.0\u00a0GB,12.3\u00a0GB,335.3\u00a0MB"`)
		p.seeText("20.7 GB")
		p.seeText("16.0 GB")
		p.seeText("atelier models pull z_image_turbo_bf16 --comfyui ComfyUI")
		p.checkAccess("samples")
	}

	// A model without published files, one whose files depend on the sound, and one of a vendor.
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/models/albedo-xl")
	p.wait("a file of unknown origin", `document.querySelector(".model-run tbody tr")?.innerText.includes("not known")`)
	p.open("/models/minimax-h3-fl2va-fp8_t2v")
	p.seeText("only for: MiniMax H3")
	p.seeText("42.5 GB")
	p.seeText("* stands for any characters.")
	p.open("/models/gpt-image-2")
	p.seeText("It runs at its vendor.")
}

// The page of a model says that a worker has it.
func TestModelOnline(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/worker/sessions", map[string]any{"name": "hand", "network": "fast", "models": []any{"z_image_turbo_bf16"}, "capacity": 1})
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/models/z_image_turbo_bf16")
	p.seeText("A worker that has it is online")
	p.checkAccess("a worker online")
}
