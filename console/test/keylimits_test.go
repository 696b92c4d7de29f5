package test

import "testing"

// A limit that is refused is brought into view, with the focus and above the foot of the dialog; the entry that is
// wrong is named. Models of the service are suggested, and another is allowed with a word.
func TestKeyLimits(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.allow("400") // a wrong address of clients
		p.signIn(s.Key)
		p.open("/account")
		p.click("button", "Create a key")
		p.see("dialog", "Create a key")
		p.wait("nothing about changes of a key that does not exist", `!document.querySelector("dialog").textContent.includes("next request")`)
		p.click("button", "Close")
		p.wait("no dialog", `!document.querySelector("dialog")`)
		p.wait("the limits of a key", `[...document.querySelectorAll(".keys button")].find((e) => e.innerText.startsWith("Limits"))?.click() ?? true`)
		p.seeText("A change takes effect with the next request.")
		p.fill("Addresses of clients", "10.0.0.999")
		p.wait("the focus above the foot", `document.activeElement.getBoundingClientRect().bottom <= document.querySelector("dialog footer").getBoundingClientRect().top`)
		evaluate[bool](p, `document.querySelector("dialog").scrollTo(0, 0) ?? true`)
		p.click("button", "Save")
		p.seeText(`Addresses of clients: "10.0.0.999"`)
		p.wait("the wrong field with the focus, and its error above the foot", `((field, foot) => field === document.activeElement && field.closest(".field").getBoundingClientRect().bottom <= foot.getBoundingClientRect().top)(`+find("textbox", "Addresses of clients")+`, document.querySelector("dialog footer"))`)
		p.checkAccess("a wrong address")
		p.fill("Models", "nosuchmodel")
		p.seeText("The service has no model nosuchmodel now.")
		p.wait("models to choose from", find("textbox", "Models")+`.list.options.length > 1`)
		p.checkAccess("a model that the service has not")
	}
}

// An operator creates a key of an account with a name and limits, sees and changes them, and reads why the account is
// suspended, which gets no new keys then.
func TestOperatorKeys(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/operator/accounts")
	p.click("button", "Create an account")
	p.fill("Username", "mira")
	evaluate[bool](p, `document.querySelector("dialog button.primary").click() ?? true`)
	p.click("button", "I have saved it")
	p.click("link", "mira")
	p.click("button", "Create a key")
	p.fill("Name", "mira laptop")
	evaluate[bool](p, `document.querySelector("dialog summary").click() ?? true`)
	p.fill("Per day", "2")
	evaluate[bool](p, `document.querySelector("dialog [type=submit]").click() ?? true`)
	p.click("button", "I have saved it")
	p.seeText("mira laptop")
	p.seeText("0 of 2 Spark used today")
	p.checkAccess("keys with limits")
	p.wait("the limits of the key", `[...document.querySelectorAll("tr")].find((e) => e.innerText.includes("mira laptop")).querySelector("button").click() ?? true`)
	p.see("dialog", "Limits of mira laptop")
	p.fill("Per day", "3")
	p.click("button", "Save")
	p.seeText("0 of 3 Spark used today")
	p.click("button", "Suspend")
	p.fill("Reason", "unpaid invoice")
	evaluate[bool](p, `document.querySelector("dialog button.danger").click() ?? true`)
	p.seeText("Suspended: unpaid invoice")
	p.gone("button", "Create a key")
	p.checkAccess("suspended")
}
