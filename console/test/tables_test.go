package test

import "testing"

// A row of a table is a card on a phone, so that nothing of it is cut; on the dashboard no job that waits in vain
// stands below good news.
func TestTablesOnAPhone(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"steps": []any{map[string]any{
		"id": "a", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a red fox", "model": "gpt-image-2"},
	}}}})
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)
	for path, column := range map[string]string{
		"/operator/jobs": "Account", "/operator/workers": "Models", "/operator/accounts": "Plan", "/usage": "Amount", "/network": "Workers",
	} {
		p.open(path)
		p.wait("the rows of "+path, `document.querySelector(".cards tbody tr") !== null`)
		p.wait("all of each in sight, at "+path, `[...document.querySelectorAll(".cards tbody :is(th, td)")].every((cell) => cell.getBoundingClientRect().right <= innerWidth)`)
		p.wait("its columns named, at "+path, `[...document.querySelectorAll(".cards tbody td")].some((cell) => cell.dataset.name === `+quote(column)+`)`)
		p.checkAccess(path)
	}
	p.open("/operator")
	p.see("heading", "A job waits for a worker")
	p.see("link", "GPT Image 2")
	p.checkAccess("a job that waits in vain")
	p.wait("the areas in one line", `document.querySelector(".areas").getBoundingClientRect().height < 60`)
	p.open("/operator/actions")
	p.wait("the area that is open in sight", `((area) => area.left >= 0 && area.right <= innerWidth - 30)(document.querySelector(".areas [aria-current]").getBoundingClientRect())`)

	wide := openPage(t, s.URL, desktop)
	wide.signIn(s.Key)
	wide.open("/operator/jobs?state=queued")
	wide.click("link", "GPT Image 2")
	wide.seeText("No connected worker has offered its model")
	wide.fill("Search wallet, username, job, workflow, chat run or key hint", "local")
	wide.seeText("1 result.")
	wide.press("\r")
	wide.see("heading", "local operator")
}

// Renaming a key begins in its field and ends at its button.
func TestRenameKey(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/account")
	focused := func(what string) {
		t.Helper()
		p.wait("the focus on "+what, `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent) === `+quote(what))
	}
	p.wait("the key", `document.querySelector(".keys code") !== null`)
	p.click("button", "Rename "+evaluate[string](p, `document.querySelector(".keys code").textContent`))
	focused("Name")
	p.press("studio\r")
	p.seeText("studio")
	focused("Rename studio")
	p.click("button", "Rename studio")
	p.press("\x1b")
	focused("Rename studio")
}
