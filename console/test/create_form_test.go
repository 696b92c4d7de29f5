package test

import (
	"fmt"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/chromedp/chromedp"
)

// A grid makes one picture for each value, no two of them alike, also when the form asks for several.
func TestGridOfSeveral(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/?tool=generate_image&model=z-turbo")
	p.fill("Prompt", "a red fox")
	p.fill("How many", "4")
	p.click("button", "Grid…")
	p.seeText("Each is made once: “How many” does not count here.")
	p.wait("the price", `document.querySelector("dialog .price .figure-small, dialog .price-after:not(:empty)") !== null`)
	p.checkAccess("a grid to start")
	p.click("button", "Make 4")
	p.wait("the grid", `document.querySelectorAll(".cells li").length === 4 && document.querySelectorAll(".cells .cell-open img").length === 4`)
	seeds := map[any]bool{}
	for _, made := range s.call("GET", "/v1/artifacts", nil)["artifacts"].([]any) {
		seeds[made.(map[string]any)["seed"]] = true
	}
	if len(seeds) != 4 {
		t.Errorf("the pictures have the seeds %v, want 4", seeds)
	}
}

// A phone shows what was made before where a tap on it was meant to lead: from its top, however it grows.
func TestShowMadeBefore(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, prompt := range []string{"a red fox", "a lighthouse"} {
		s.call("POST", "/v1/creative-agent/workflows", picture(prompt))
	}
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)
	p.wait("the pictures", `document.querySelectorAll(".strip-item img").length === 2`)
	for _, prompt := range []string{"a lighthouse", "a red fox"} {
		evaluate[bool](p, `(scrollTo(0, document.body.scrollHeight), true)`)
		evaluate[bool](p, fmt.Sprintf(`(document.querySelector('.strip-item[title=%s]').click(), true)`, quote(prompt)))
		p.see("button", "Open large: "+prompt)
		p.wait("the picture from its top", `((r) => r.top > 40 && r.top < 100)(document.querySelector(".result-open").getBoundingClientRect())`)
		p.wait("the others below it", `document.querySelector(".strip").getBoundingClientRect().top > document.querySelector(".result-open").getBoundingClientRect().bottom`)
	}
	// What is behind a button is beside it, in the window.
	p.wait("the menu", `(([menu]) => menu !== undefined && (menu.click(), true))([...document.querySelectorAll(".result-actions details:last-child summary")])`)
	p.wait("the menu below its button", `((menu, items) => Math.abs(menu.right - items.right) < 2 && items.left >= 0)(...["summary", ".menu-items"].map((part) => document.querySelector(".result-actions details:last-child " + part).getBoundingClientRect()))`)
}

// A LoRA that another page brings is shown. One that does not fit the model holds the form back before the press.
func TestUnfitLora(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/?tool=generate_image&model=z-turbo&lora=age-slider")
		p.wait("the LoRA in view", inView(`document.querySelector(".lora")`)+` && document.activeElement === document.querySelector(".lora")`)
		p.fill("Prompt", "a red fox")
		p.seeText("Age does not fit Z-Image Turbo. It fits Krea 2 Turbo and Dark Beast Krea 2.")
		p.wait("the reason beside the button", `document.querySelector(".create-make .price").innerText.startsWith("Age does not fit Z-Image Turbo.")`)
		evaluate[bool](p, `(scrollTo(0, 0), document.activeElement.blur(), true)`)
		p.click("button", "Show the field")
		p.wait("the LoRA in view", inView(`document.querySelector(".lora")`)+` && document.querySelector(".lora").contains(document.activeElement)`)
		p.seeText("11 of the service fit this model")
		p.wait("buttons that are held", find("button", "Grid…")+".disabled && "+makeButton+".disabled")
		p.checkAccess("a LoRA that does not fit")
		p.click("button", "Use Krea 2 Turbo")
		p.fill("How many", "4")
		p.seeText("Covered by your plan")
		p.wait("what is used, in one line", `((e) => e.innerText === "1 LoRA · 4 images" && e.scrollWidth <= e.clientWidth)(document.querySelector(".create-used"))`)
		p.wait("buttons that work", "!"+find("button", "Grid…")+".disabled && !"+makeButton+".disabled")
		p.gone("button", "Use Krea 2 Turbo")
	}
}

// An undo goes with the next edit, which it would overwrite.
func TestUndoStartOver(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.fill("Prompt", "a red fox")
	p.click("button", "Start over")
	p.see("button", "Undo")
	p.fill("Prompt", "a lighthouse")
	p.gone("button", "Undo")
	p.click("button", "Start over")
	p.click("button", "Undo")
	p.wait("the prompt", `document.querySelector(".create-form textarea").value === "a lighthouse"`)
}

// An example has the shape that its picture has, and the prompt comes into view. That of Chat has the shape it names.
func TestExampleShape(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/?tool=generate_image&model=krea-2-turbo")
		p.click("button", "isometric city at night, neon")
		p.wait("the prompt", `document.querySelector(".create-form textarea").value === "isometric city at night, neon" && `+inView(`document.querySelector(".create-form textarea")`))
		p.wait("its shape", `document.querySelector(".shapes [aria-checked=true], .shapes :checked, .shapes [aria-pressed=true]").closest("label, button").innerText.includes("16:9")`)
		if l == desktop {
			p.open("/chat")
			p.click("button", "A picture of a lighthouse at dusk, 16:9")
			p.wait("a wide picture", `[...document.querySelectorAll("main img")].some((i) => i.naturalWidth > 1.7 * i.naturalHeight && i.naturalHeight > 100)`)
		}
	}
}

// A phone is told nothing of keys and of dropping, and what the balance is made of is said where it stands.
func TestHints(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.see("button", "Add source image")
		p.wait("the balance", `document.querySelector(".balance").title.includes("10,000 are Premium Spark")`)
		p.seeText("Describe it and choose Make.")
		p.click("button", "Add source image")
		p.see("button", "Upload from this device")
		says := evaluate[bool](p, `/Ctrl|Drop or paste/.test(document.body.innerText)`)
		if says != (l == desktop) {
			t.Errorf("at %d px keys and dropping are mentioned: %t", l.width, says)
		}
	}
}

// A result that no words have made has a name: what has made it.
func TestNameWithoutPrompt(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.dropPictureAtOnce("/?tool=upscale_image", "square.png")
	p.see("button", "Remove square.png")
	p.seeText("Covered by your plan")
	p.click("button", "Make")
	p.click("button", "Open large: Upscale image")
	p.wait("its name", `document.querySelector(".lightbox header").innerText.includes("Upscale image")`)
	p.open("/library")
	p.wait("the thumbnail", `document.querySelector("[role=gridcell] img") !== null`)
	evaluate[bool](p, `(document.querySelector("[role=gridcell]").focus(), true)`)
	p.press(" ")
	p.see("heading", "Upscale image")
	p.gone("heading", "Prompt")
}

// While several are made it is said which one is, and how long the rest takes.
func TestMakeSeveral(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	worker, err := client.New(s.URL, s.Key).Connect(t.Context(), apitype.WorkerSpec{Name: "painter", Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := openPage(t, s.URL, desktop)
	p.prepare(`(() => { // of a job that began five minutes ago
		const load = window.fetch;
		window.fetch = async (address, options) => {
			const answer = await load(address, options);
			if (!/workflows.[^/]+$/.test(new URL(address, location).pathname)) return answer;
			return new Response((await answer.text()).replace(/"startedAt":"[^"]*"/g, () => '"startedAt":"' + new Date(Date.now() - 300_000).toISOString() + '"'), answer);
		};
	})()`)
	p.signIn(s.Key)
	p.open("/?tool=generate_image&model=z-turbo")
	p.fill("Prompt", "a red fox")
	p.fill("How many", "4")
	p.click("button", "Make 4")
	job := claim(t, worker)
	if _, err := worker.Progress(t.Context(), job.JobID, apitype.JobProgress{Progress: 0.3, Message: "painting"}); err != nil {
		t.Fatal(err)
	}
	p.seeText("Rendering · 2 of 4 · painting · 30")
	p.open(evaluate[string](p, "location.pathname + location.search"))
	p.seeText(" min left")
	p.checkAccess("several that are made")
}

// A result is a step from the tools that take it further, on the page, over the window and in the library. A reference
// comes into view, and stays with another tool that takes one.
func TestNextFromAResult(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/?tool=generate_image&model=z-turbo")
		p.fill("Prompt", "a red fox")
		p.click("button", "Make")
		p.see("button", "Open large: a red fox")
		action := func(name string) {
			if l == phone {
				p.clickMenu("More", name)
			} else {
				p.click("button", name)
			}
		}
		holds := func(tool string) {
			t.Helper()
			p.wait("the form of "+tool, find("combobox", "Tool")+".value === "+quote(tool)+` && document.querySelectorAll(".slot .held img").length === 1`)
		}
		action("Use as reference")
		p.seeText("The picture is in the form, as “Source image”.")
		p.wait("the picture in view", `((held) => {
			const at = held.getBoundingClientRect();
			return [at.top + 4, at.bottom - 4].every((y) => held.contains(document.elementFromPoint(at.x + at.width / 2, y)));
		})(document.querySelector(".slot .held"))`)
		p.choose("Tool", "upscale_image")
		holds("upscale_image")
		p.choose("Tool", "edit_image")
		holds("edit_image")
		action("Edit")
		holds("edit_image")
		// The words were for the other picture: what is typed next replaces them.
		p.wait("the words selected", `((e) => document.activeElement === e && e.value === "a red fox" && e.selectionEnd - e.selectionStart === 9)(document.querySelector(".create-form textarea"))`)
		action("Upscale")
		holds("upscale_image")
		p.see("button", "Open large: a red fox") // it is still shown
		p.checkAccess(fmt.Sprintf("a result and its form, %d", l.width))
		p.click("button", "Open large: a red fox")
		p.see("dialog", "a red fox")
		p.saveScreenshot(fmt.Sprintf("large, %d", l.width))
		if l == phone {
			p.wait("the menu", `document.querySelector(".lightbox .menu").open = true`)
		}
		p.click("button", "Animate")
		holds("animate_photo")
		p.gone("dialog", "a red fox")

		p.open("/library")
		p.wait("an item", `(() => { const e = document.querySelector("[role=gridcell]:has(img)"); e?.focus(); return e !== null && document.activeElement === e })()`)
		p.press(" ")
		p.see("dialog", "a red fox")
		p.saveScreenshot(fmt.Sprintf("large in the library, %d", l.width))
		if l == desktop {
			p.do(chromedp.EmulateViewport(970, l.height)) // which is not narrow yet
		}
		p.wait("all actions within the window", `((e) => e.scrollWidth <= e.clientWidth)(document.querySelector(".lightbox footer"))`)
		if l == phone {
			p.wait("the menu", `document.querySelector(".lightbox .menu").open = true`)
		}
		p.click("button", "Edit")
		holds("edit_image")
	}
}

// A tool that works on a picture asks for it right below the prompt, and shows what it can be told.
func TestNeededPicture(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone, night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/?tool=edit_image")
		p.see("button", "Add source image")
		p.wait("the place of the picture in view, above the tool", inView(`document.querySelector(".slot")`)+` && document.querySelector(".slot").getBoundingClientRect().bottom < document.querySelector(".create-chosen").getBoundingClientRect().top && document.querySelector(".slot").getBoundingClientRect().bottom < document.querySelector(".create-make").getBoundingClientRect().top`)
		p.wait("an instruction as an example", find("textbox", "Prompt")+`.placeholder === "Make it evening"`)
		p.checkAccess("a tool that needs a picture")
		p.open("/?tool=generate_image")
		p.wait("the example of another tool", find("textbox", "Prompt")+`.placeholder === "A red fox in the snow"`)
		p.wait("the place of a picture that it may have below its settings", `document.querySelector(".slot").getBoundingClientRect().top > document.querySelector(".create-chosen").getBoundingClientRect().bottom`)
	}
}
