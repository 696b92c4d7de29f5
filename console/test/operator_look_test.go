package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// gaps is the expression of how far the elements of a selector are from their neighbours on the same line.
func gaps(selector string) string {
	return fmt.Sprintf(`((all) => all.slice(1).map((r, i) => Math.abs(r.top - all[i].top) < 8 ? r.left - all[i].right : 99))([...document.querySelectorAll(%s)].map((e) => e.getBoundingClientRect()))`, quote(selector))
}

// What belongs together in the lists of operators stands together, also on a phone, and what waits for a decision is
// counted where operators look.
func TestLookOfOperatorLists(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a nude teenage girl"))
	s.call("POST", "/v1/operator/accounts", map[string]any{"username": "ann", "worker": true, "unfiltered": true})
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)

	p.open("/operator/accounts")
	p.wait("the accounts", `document.querySelector("tbody tr") !== null`)
	p.wait("an account without a plan, and with roles", `[...document.querySelectorAll("tbody tr")].some((row) => /No plan/.test(row.innerText) && row.querySelector("[data-name=Roles]")?.innerText.match(/worker\s+unfiltered/))`)
	const pills = `[...document.querySelectorAll(".cards td .chip")].every((e) => e.getBoundingClientRect().left >= e.closest("td").getBoundingClientRect().left + 96)`
	p.wait("every pill beside its label", pills)
	p.checkAccess("accounts")

	p.open("/operator/accounts/local")
	p.see("button", "Revoke all keys")
	p.wait("room between a heading and its buttons", `[...document.querySelectorAll("header.row :is(h2, h3)")].every((h) => { const range = document.createRange(); range.selectNodeContents(h); const r = range.getBoundingClientRect(); return [...h.parentElement.querySelectorAll("button")].every((b) => { const s = b.getBoundingClientRect(); return s.left >= r.right + 8 || s.top >= r.bottom || s.bottom <= r.top }) })`)
	p.wait("room for the outline of what has the focus", `[...document.querySelectorAll(".table-scroll :is(a, button)")].every((e) => e.getBoundingClientRect().left - 4 >= e.closest(".table-scroll").getBoundingClientRect().left)`)
	p.seeText("Used this month")
	p.checkAccess("an account")

	p.open("/operator/filter")
	p.see("button", "False alarm")
	p.wait("two categories", `document.querySelectorAll("[data-name=Categories] .chip").length === 2`)
	p.wait("every pill beside its label", pills)
	p.do(chromedp.EmulateViewport(1440, 900))
	p.wait("room between pills", `innerWidth === 1440 && `+gaps("[data-name=Categories] .chip")+`.every((gap) => gap >= 8)`)
	p.wait("how much waits, at the area", `document.querySelector(".areas [href='/operator/unresolved']").innerText.replace(/\s+/g, " ") === "Review 1"`)
	p.checkAccess("refused prompts")
	p.click("button", "False alarm")
	p.wait("nothing more that waits", `document.querySelector(".areas .badge, .choices .badge") === null`)
	for area, title := range map[string]string{"unresolved": "No job is unresolved", "claims": "No claim waits", "loras": "No LoRA waits", "spot-checks": "No render was checked"} {
		p.open("/operator/" + area)
		p.wait("why the list is empty, at "+area, `document.querySelector(".empty .lead")?.innerText === `+quote(title)+` && document.querySelector(".empty .muted").innerText.length > 10`)
	}

	p.open("/operator/accounts/local")
	p.wait("the facts in two columns, as wide as their card", `(([first, second], card) => first?.top === second?.top && second.right > card.right - 40)(
		[...document.querySelectorAll(".facts > div")].map((e) => e.getBoundingClientRect()), document.querySelector(".panel").getBoundingClientRect())`)
	p.checkAccess("an account on a desk")
}
