package test

import (
	"fmt"
	"testing"
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
