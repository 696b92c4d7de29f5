package test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// A LoRA is imported from a link, and a file that is not a LoRA is rejected with a reason.
func TestImportLora(t *testing.T) {
	t.Parallel()
	sites := loratest.NewSites()
	good := sites.AddHubFile("ann/fox", "fox.safetensors", loratest.LoRA{Family: "krea-2"}.File())
	bad := sites.AddHubFile("ann/essay", "essay.safetensors", []byte("This is no LoRA."))
	site := httptest.NewServer(sites)
	t.Cleanup(site.Close)
	config := filepath.Join(t.TempDir(), "atelier.yaml")
	if err := os.WriteFile(config, []byte("lora:\n  sources:\n    - { kind: huggingface, host: huggingface.co, base_url: \""+site.URL+"\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, "ATELIER_CONFIG="+config)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/library?tab=loras")
	p.seeText("You have no LoRAs of your own.")
	p.see("heading", "Offered by the service")
	for name, link := range map[string]string{"Fox": good, "Essay": bad} {
		p.click("button", "Import by link")
		p.seeText("A .safetensors file, or the page of a model, on huggingface.co.")
		p.click("button", "Import")
		p.wait("what is missing, at each field", `[...document.querySelectorAll("dialog .field.wrong .error-text")].map((e) => e.innerText).join() === "Enter a link.,Enter a name.,Choose the model that it was made for.,Confirm that you have the right to use it."`)
		p.checkAccess("nothing filled in")
		p.fill("Link to the file", link)
		p.fill("Name", name)
		p.choose("Model", "krea2_turbo_fp8_scaled")
		p.click("checkbox", "I have the right to use this file.")
		p.checkAccess("importing " + name)
		p.click("button", "Import")
		p.gone("textbox", "Link to the file")
		p.seeText(name)
	}
	p.seeText("Ready")
	p.seeText("Rejected")
	p.checkAccess("imported")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/library?tab=loras")
	small.seeText("Rejected")
	small.wait("the limits below the buttons", `(([button, about]) => about.getBoundingClientRect().top >= button.getBoundingClientRect().bottom && about.clientWidth > innerWidth / 2)([`+find("button", "Upload a file")+`, [...document.querySelectorAll("p")].find((e) => e.innerText.startsWith("You can add"))])`)
	small.checkAccess("on a phone")
}

// The library lists the LoRAs that the service offers, with what they work with and the example that one has, and leads
// to Create with each. Create names the categories of LoRAs in words, and leads to where they are imported.
func TestChooseLora(t *testing.T) {
	t.Parallel()
	catalog := t.TempDir()
	const example = "/gallery/z_image_turbo_bf16-1.jpg"
	if err := os.WriteFile(filepath.Join(catalog, "loras.yaml"), []byte("loras:\n  - loraId: golden-hour\n    ui: { examples: ["+example+"] }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, "ATELIER_CATALOG_DIR="+catalog)
	for _, l := range []look{desktop, phone, night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/library?tab=loras")
		p.see("heading", "Offered by the service 32")
		p.wait("the example of one, and a tile for each", `(([img, ...more]) => img.naturalWidth > 0 && !more.length && img.closest("li").innerText.startsWith("Golden hour") && img.getAttribute("src") === `+quote(example)+`)(document.querySelectorAll(".lora-offers img")) && document.querySelectorAll(".lora-offers .thumb").length === 32`)
		p.wait("what it works with", `/Works with Z-Image Turbo, Z-Image and \d+ more/.test(document.querySelector(".lora-offers li:has(img)").innerText)`)
		p.checkAccess("LoRAs that the service offers")
		p.fill("Search LoRAs", "sun LOW")
		p.wait("what has the words", `document.querySelectorAll(".lora-offers li").length === 1`)
		p.click("link", "Use in Create: Golden hour")
		p.see("button", "Remove Golden hour")
	}
	p := openPage(t, s.URL, desktop)
	p.prepare(openSettings)
	p.signIn(s.Key)
	p.open("/?tool=generate_image&model=z-turbo")
	p.click("button", "Add LoRA")
	p.wait("categories in words", `((names) => names.includes("Popular fine-tunes") && !names.some((name) => name.includes("-community-")))([...document.querySelectorAll(".lora-list .chip")].map((e) => e.innerText))`)
	p.wait("the example of one, and a tile for each", `document.querySelectorAll(".lora-list img").length === 1 && document.querySelectorAll(".lora-list .thumb").length === document.querySelectorAll(".lora-list button").length`)
	p.checkAccess("LoRAs to choose from")
	p.see("heading", "Offered by the service")
	p.click("link", "Import your own")
	p.see("button", "Upload a file")
}

// dropLora drops a file on the list of LoRAs, as from the desktop.
func (p *page) dropLora(name string, content []byte) {
	p.t.Helper()
	evaluate[bool](p, dropFileScript(content, name, "")+"; true")
}

// A LoRA file is dropped on the library of a studio without hosting sites, and used in Create. What is wrong with
// others is said where they are added.
func TestUploadLora(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "atelier.yaml")
	if err := os.WriteFile(config, []byte("lora:\n  sources: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, "ATELIER_CONFIG="+config)
	fox := loratest.LoRA{Family: "krea-2", Layers: 1}.File()
	p := openPage(t, s.URL, desktop)
	p.allow("400")
	p.signIn(s.Key)
	for _, tab := range []string{"", "?tab=uploads"} { // each tab takes what belongs to another
		p.open("/library" + tab)
		p.see("heading", "Library")
		p.dropLora("fox.safetensors", fox)
		p.see("heading", "Upload a LoRA")
		p.wait("the tab of LoRAs", `location.search === "?tab=loras"`)
		p.click("button", "Close")
	}
	p.open("/library?tab=loras")
	p.seeText("Drop a .safetensors file here")
	p.wait("a library that takes files", "!"+find("button", "Upload a file")+".disabled")
	p.gone("button", "Import by link")

	p.dropLora("essay.txt", []byte("This is no LoRA."))
	p.seeText("Not taken: essay.txt.")
	p.dropLora("wide.safetensors", loratest.LoRA{Family: "krea-2", Layers: 1, Rank: 200}.File())
	p.see("heading", "Upload a LoRA")
	p.wait("its name", `document.querySelector("dialog input[type=text]").value === "wide"`)
	p.click("button", "Upload")
	p.seeText("Confirm that you have the right to use it.")
	p.click("checkbox", "I have the right to use this file.")
	p.wait("no model to choose", find("combobox", "Model")+`.selectedOptions[0].text === "The one that the file is for"`)
	p.click("button", "Upload")
	p.seeText("The highest supported rank is 128.")
	p.checkAccess("a refused file")
	p.fill("Name", "My fox")
	evaluate[bool](p, `(() => { // as a person who chooses it
		const input = document.querySelector("dialog input[type=file]"), chosen = new DataTransfer();
		chosen.items.add(new File(["?"], "other.safetensors"));
		input.files = chosen.files;
		input.dispatchEvent(new Event("change", { bubbles: true }));
		return true;
	})()`)
	p.wait("another file, under the name that was given", `document.querySelector("dialog strong").innerText === "other.safetensors" && document.querySelector("dialog input[type=text]").value === "My fox" && !document.querySelector("dialog .notice")`)
	p.see("button", "Choose another file")
	p.click("button", "Cancel")
	p.gone("heading", "Upload a LoRA")
	p.seeText("You have no LoRAs of your own.")

	evaluate[bool](p, `(() => { // a service that is slow
		const send = XMLHttpRequest.prototype.send;
		XMLHttpRequest.prototype.send = function () { XMLHttpRequest.prototype.send = send; };
		return true;
	})()`)
	p.dropLora("fox.safetensors", fox)
	p.fill("Name", "Red fox")
	p.click("checkbox", "I have the right to use this file.")
	p.click("button", "Upload")
	p.seeText("Sending, 0 %")
	p.wait("fields that rest", `document.querySelector("dialog fieldset").disabled`)
	p.checkAccess("an upload")
	p.click("button", "Cancel the upload")
	p.wait("fields again", `!document.querySelector("dialog fieldset").disabled`)
	p.click("button", "Upload")
	p.gone("heading", "Upload a LoRA")
	p.seeText("Uploaded: fox.safetensors")
	p.seeText("Ready")
	p.checkAccess("uploaded")

	p.dropLora("copy.safetensors", fox)
	p.choose("Model", "krea2_turbo_fp8_scaled")
	p.click("checkbox", "I have the right to use this file.")
	p.click("button", "Upload")
	p.gone("heading", "Upload a LoRA")
	p.wait("one entry", `document.querySelectorAll(".lora-entries li").length === 1 && document.querySelector(".lora-entries h2").innerText === "Red fox"`)

	for name, look := range map[string]look{"a phone": phone, "the night": night} {
		other := openPage(t, s.URL, look)
		other.signIn(s.Key)
		other.open("/library?tab=loras")
		other.seeText("Uploaded: fox.safetensors")
		other.wait("a library that takes files", "!"+find("button", "Upload a file")+".disabled")
		other.dropLora("hen.safetensors", fox)
		other.see("heading", "Upload a LoRA")
		other.checkAccess("an upload on " + name)
	}

	p.click("link", "Use in Create")
	p.see("textbox", "Red fox")
	p.see("button", "Remove Red fox")
}

// A long name and the facts of a LoRA wrap in its card. One that an operator holds back says why and since when in the
// queue of reviews, and the dialog says that its owner reads the reason.
func TestHeldLora(t *testing.T) {
	t.Parallel()
	const name = "Watercolour-of-the-long-evening-light, the second version of the whole series"
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/library?tab=loras")
	p.wait("a library that takes files", "!"+find("button", "Upload a file")+".disabled")
	p.dropLora("evening-light-in-the-second-version.safetensors", loratest.LoRA{Family: "krea-2", Layers: 1}.File())
	p.fill("Name", name)
	p.click("checkbox", "I have the right to use this file.")
	p.click("button", "Upload")
	p.gone("heading", "Upload a LoRA")
	for _, l := range []look{desktop, phone} {
		o := openPage(t, s.URL, l)
		o.signIn(s.Key)
		o.open("/library?tab=loras")
		o.see("link", "Use in Create")
		o.wait("all of the card within it", `((card) => [...card.querySelectorAll("h2, p, span, a, button")].every((e) => e.getBoundingClientRect().right <= card.getBoundingClientRect().right))(document.querySelector(".lora-entries li"))`)
		o.saveScreenshot("card")
	}
	p.open("/operator/loras?status=ready")
	p.click("button", "Hold back")
	p.seeText("Shown to its owner, and stored with the action for other operators.")
	p.fill("Reason", "It looks copied.")
	evaluate[bool](p, `document.querySelector("dialog button.primary").click() ?? true`)
	p.gone("textbox", "Reason")
	p.open("/operator/loras?status=review")
	p.wait("the reason, since when, and the name of the model", `((row) => row.includes("It looks copied.") && row.includes("ago") | row.includes("now") && row.includes("Krea 2"))(document.querySelector("tbody tr").innerText)`)
	p.checkAccess("a LoRA that is held back")
	p.open("/library?tab=loras")
	p.seeText("It looks copied.")
}
