package test

import (
	"fmt"
	"net/url"
	"testing"
)

// styleNames are the styles that the open dialog lists.
const styleNames = `[...document.querySelectorAll("dialog ul.picker strong")].map((e) => e.textContent).join()`

// What a person keeps in one browser is there in a fresh one: favourites, styles and views of workflows.
func TestAnotherBrowserHasWhatIsKept(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a green bird"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/library")
	p.click("button", "Favourite: a green bird")
	p.wait("the count", `document.querySelector(".boards-list").innerText.includes("Favourites\n1")`)
	p.open("/")
	p.click("button", "Styles")
	p.fill("Name of a new style", "Chalk/ink")
	p.fill("Words that it adds", "chalk and ink")
	p.click("button", "Save the style")
	p.see("button", "Chalk/ink")
	p.open("/workflows?q=bird")
	p.click("button", "Save this view")
	p.fill("Name", "Birds")
	p.click("button", "Save")
	p.see("button", "Remove the view Birds")
	p.wait("both at the service", fmt.Sprintf(`Promise.all(["style", "view"].map((kind) => fetch("/v1/presets?kind=" + kind, {headers: {Authorization: "Bearer " + %s}}).then((r) => r.json()))).then((all) => all.every((a) => a.data.presets.length === 1))`, quote(s.Key)))

	for _, l := range []look{desktop, phone} {
		fresh := openPage(t, s.URL, l)
		fresh.signIn(s.Key)
		fresh.open("/library?favourite=true")
		fresh.wait("the favourite", find("button", "Favourite: a green bird")+`?.ariaPressed === "true"`)
		fresh.open("/workflows")
		fresh.click("button", "Birds")
		fresh.wait("the view", `location.search === "?q=bird"`)
		fresh.checkAccess(fmt.Sprint("a saved view ", l.width))
		fresh.open("/")
		fresh.click("button", "Styles")
		fresh.see("button", "Chalk/ink")
		fresh.checkAccess(fmt.Sprint("styles ", l.width))
	}

	// What one browser removes is gone in the other when it looks again.
	p.click("button", "Remove the view Birds")
	p.gone("button", "Birds")
	p.open("/")
	p.click("button", "Styles")
	p.click("button", "Remove Chalk/ink")
	p.seeText("Keep words here that you add to prompts often")
	p.wait("nothing at the service", fmt.Sprintf(`fetch("/v1/presets?kind=style", {headers: {Authorization: "Bearer " + %s}}).then((r) => r.json()).then((a) => a.data.presets.length === 0)`, quote(s.Key)))
	other := openPage(t, s.URL, desktop)
	other.signIn(s.Key)
	other.click("button", "Styles")
	other.seeText("Keep words here that you add to prompts often")
}

// What a browser kept before the service did is moved there once, and overwrites nothing.
func TestPresetsOfTheBrowserAreMoved(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("PUT", "/v1/presets/style/Oil", map[string]any{"value": "oil on canvas"})
	wallet := s.call("GET", "/v2/account/me", nil)["walletAddress"].(string)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	evaluate[bool](p, fmt.Sprintf(`(localStorage.setItem("atelier.styles", %s), localStorage.setItem(%s, %s), true)`,
		quote(`[{"name": "Oil", "words": "engine oil"}, {"name": "Ink", "words": "ink"}]`),
		quote("atelier.views."+wallet), quote(`[{"name": "Failed", "filters": {"status": "failed"}}]`)))
	p.open("/")
	p.click("button", "Styles")
	p.wait("all styles", styleNames+` === "Ink,Oil,Oil 2"`)
	p.wait("nothing in the browser", `localStorage.getItem("atelier.styles") === null`)
	p.open("/workflows")
	p.see("button", "Failed")
	p.wait("no view in the browser", `!Object.keys(localStorage).some((key) => key.startsWith("atelier.views."))`)
	values := map[string]string{}
	for _, kind := range []string{"style", "view"} {
		for _, preset := range s.call("GET", "/v1/presets?"+url.Values{"kind": {kind}}.Encode(), nil)["presets"].([]any) {
			values[preset.(map[string]any)["name"].(string)] = preset.(map[string]any)["value"].(string)
		}
	}
	if got, want := fmt.Sprint(values), "map[Failed:status=failed Ink:ink Oil:oil on canvas Oil 2:engine oil]"; got != want {
		t.Errorf("the service has %s, want %s", got, want)
	}
}

// A style that the service refuses is shown meanwhile, and taken back with the reason.
func TestRefusedStyle(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("500")
	p.prepare(`((send) => {
		window.fetch = async (address, options) => {
			if (options?.method !== "PUT" || !String(address).includes("/v1/presets/")) return send(address, options);
			await new Promise((resolve) => (window.refuse = resolve));
			return new Response(JSON.stringify({status: "error", message: "There is no space."}), {status: 507, headers: {"Content-Type": "application/json"}});
		};
	})(fetch)`)
	p.signIn(s.Key)
	p.click("button", "Styles")
	p.fill("Name of a new style", "Oil")
	p.fill("Words that it adds", "oil on canvas")
	p.click("button", "Save the style")
	p.wait("the style meanwhile", styleNames+` === "Oil"`)
	p.wait("the request", `typeof refuse === "function" && (refuse(), true)`)
	p.seeText("There is no space.")
	p.wait("no style", styleNames+` === ""`)
}
