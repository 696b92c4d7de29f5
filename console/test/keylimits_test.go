package test

import "testing"

// A limit that is refused is brought into view, with the focus and above the foot of the dialog; the entry that is wrong
// is named. Models of the service are suggested, and another is allowed with a word.
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
