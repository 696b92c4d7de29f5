package test

import "testing"

// One pass through every page of the console, as a person takes it who makes a picture.
// It is the test that go test -short runs.
func TestPages(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows/templates", poster("Small poster"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.fill("Prompt", "a red fox")
	p.seeText("Covered by your plan")
	p.click("button", "Make")
	p.see("button", "Open large: a red fox")
	p.checkAccess("a result")

	p.click("link", "Workflows")
	p.click("link", "a red fox")
	p.see("heading", "a red fox")
	p.seeText("Workflow completed")
	p.click("link", "Templates")
	p.click("link", "Small poster")
	p.see("heading", "Small poster")
	p.open("/templates/new")
	p.see("button", "Add a stage")
	p.click("link", "Chat")
	p.see("textbox", "Write a message")
	for _, name := range []string{"Library", "Models", "Network", "Usage"} {
		p.click("link", name)
		p.see("heading", name)
	}
	p.click("link", "Account")
	p.see("button", "Create a key")
	p.click("link", "Operator")
	p.seeText("All systems work")
	p.open("/docs")
	p.see("heading", "API reference")
}
