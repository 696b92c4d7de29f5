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
		{"/keys", "Create a key", "textbox", "Name"},
		{"/keys", "Revoke", "button", "Cancel"},
		{"/operator/accounts", "Create an account", "textbox", "Username"},
		{"/library?tab=loras", "Import a LoRA", "textbox", "Link to the file"},
		{"/templates/new", "Add a stage", "textbox", "Search tools"},
		{"/?tool=generate_image&model=z-turbo", "Add LoRA", "textbox", "Search LoRAs"},
		{"/?tool=generate_image&model=z-turbo", "Add source image", "button", "Upload from this device"},
	} {
		p.open(d.page)
		p.click("button", d.button)
		p.focused(d.role, d.field)
	}
}
