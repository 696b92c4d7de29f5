package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Models are found, and the settings of a sample become those of the form.
func TestModels(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/models?kind=image")
		p.fill("Search models", "z-image turbo")
		p.wait("the words in the address", `location.search.includes("q=z-image")`)
		p.checkAccess("models")
		p.click("link", "Z-Image Turbo")
		p.see("heading", "Z-Image Turbo")
		p.seeText("1.6 Spark")
		p.seeText("256 to 2048, in steps of 16")
		p.seeText("Preview renderer")
		p.see("heading", "LoRAs that fit")
		p.wait("the way to Create with a LoRA", `[...document.querySelectorAll(".model-loras a")].some((a) => /^\/\?tool=generate_image&model=z-turbo&lora=./.test(a.getAttribute("href")))`)
		p.wait("the guide", find("link", "Guide: your own GPU")+`?.href.endsWith("/docs/guides/own-gpu.md")`)
		p.checkAccess("a model")
		p.click("link", "Use these settings")
		p.wait("the prompt of the sample", `document.querySelector("textarea")?.value === "a red fox in a snowy forest at dawn"`)
	}
}

// Models are in groups of what they make, each with a line and its tags, by which they are found. The preview renderer
// serves none of them.
func TestModelGroups(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/models")
		p.see("heading", "Pictures from words")
		p.see("heading", "Clips from a picture and words")
		p.see("heading", "Speech")
		card := `[...document.querySelectorAll(".model-card")].find((e) => e.querySelector(".model-name").innerText === "Z-Image Turbo").innerText.replaceAll("\u00a0", " ")`
		p.wait("a line and tags", card+`.includes("Pictures from words, up to 2048 px, 8 steps") && `+card+`.includes("Fast · Popular · Free tier")`)
		p.wait("a line on every card", `[...document.querySelectorAll(".model-card .model-line")].length === document.querySelectorAll(".model-card").length && [...document.querySelectorAll(".model-line")].every((e) => e.textContent.length > 4)`)
		p.checkAccess(fmt.Sprint("groups, ", l.width))
		for _, term := range []string{"free tier", "zimage popular"} {
			p.fill("Search models", term)
			p.wait(term, `document.querySelectorAll(".model-card").length === 1 && document.querySelector(".model-name").innerText === "Z-Image Turbo"`)
		}
		p.open("/models?served=1")
		p.seeText("No worker or vendor serves one of these now.")
		p.open("/models/z_image_turbo_bf16")
		p.see("link", "as github.com says")
		p.wait("no workers that have it", `[...document.querySelectorAll("td")].some((e) => e.innerText === "Preview renderer" || e.previousElementSibling?.innerText.includes("Preview renderer") && e.innerText === "0")`)
		p.checkAccess(fmt.Sprint("one model, ", l.width))
	}
	s.call("POST", "/v1/worker/sessions", map[string]any{"name": "hand", "network": "fast", "models": []any{"z_image_turbo_bf16"}, "capacity": 1})
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/models?served=1")
	p.wait("the one that is served", `document.querySelectorAll(".model-card").length === 1 && document.querySelector(".model-card").innerText.includes("Workers")`)
}

// A model that a vendor renders is served, before those that only the preview renderer has.
func TestVendorModel(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "atelier.yaml")
	vendor := "vendors:\n  - { name: pictures, kind: openai-images, base_url: \"http://127.0.0.1:9/v1\", api_key_env: PICTURES_KEY, models: [{ id: gpt-image-2 }] }\n"
	if err := os.WriteFile(config, []byte(vendor), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, "ATELIER_CONFIG="+config, "PICTURES_KEY=a-key")
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	cards := `[...document.querySelectorAll(".model-card")].map((card) => card.innerText)`
	p.open("/models?kind=image&served=1")
	p.wait("the model of the vendor at the beginning", cards+`[0]?.startsWith("GPT Image 2\n")`)
	if got := evaluate[[]string](p, cards); !strings.Contains(got[0], "Vendor") || strings.Contains(strings.Join(got, " "), "No worker") {
		t.Errorf("served are %q", got)
	}
	p.checkAccess("a vendor's model")
	p.click("link", "GPT Image 2")
	p.see("heading", "GPT Image 2")
	p.seeText("A vendor renders this model.")
	p.see("link", "Guide: vendors")
	p.wait("nothing that is empty", `!/no samples|no LoRAs/.test(document.querySelector("main").innerText)`)
	p.open("/models?kind=image&q=gpt-image-2")
	p.wait("the other models of the vendor", `((all) => all.length > 1 && all.every((text) => text !== ""))(`+cards+`)`)
	if got := evaluate[[]string](p, cards); strings.Count(strings.Join(got, " "), "Vendor") != 1 || !strings.Contains(strings.Join(got, " "), "No worker") {
		t.Errorf("found are %q", got)
	}
}
