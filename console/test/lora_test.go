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
	p.seeText("You have not imported any LoRAs.")
	for name, link := range map[string]string{"Fox": good, "Essay": bad} {
		p.click("button", "Import a LoRA")
		p.fill("Link to the file", link)
		p.fill("Name", name)
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
	small.checkAccess("on a phone")
}
