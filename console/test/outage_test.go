package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// While the service does not answer, pages say so once, the dashboard says since when the state is
// not known, and all of it is read again when the service is back.
func TestOutage(t *testing.T) {
	t.Parallel()
	s := startService(t)
	dashboard, usage, small := openPage(t, s.URL, desktop), openPage(t, s.URL, night), openPage(t, s.URL, phone)
	for _, p := range []*page{dashboard, usage, small} {
		p.allow("net::ERR", "Failed to load resource")
		p.signIn(s.Key)
	}
	dashboard.open("/operator")
	dashboard.seeText("All systems work")
	small.open("/operator")
	small.seeText("All systems work")
	usage.open("/usage")
	usage.seeText("Nothing")
	usage.click("link", "Network")
	usage.seeText("4 built in")

	s.stop()
	for _, p := range []*page{dashboard, small} {
		p.wait("a state that is unknown since a time", `/^The state is unknown since \d+:\d\d:\d\d/.test(document.querySelector(".panel h2").innerText)`)
		p.wait("no part that works", `!document.querySelector(".panel .chip.good") && document.querySelector(".panel .chip").innerText.endsWith(": unknown")`)
		p.see("status", "The service cannot be reached since ")
		p.gone("status", "Reconnecting…") // the notice says it
		p.checkAccess("a dashboard without its service")
	}
	usage.click("link", "Usage")
	usage.seeText("The service cannot be reached since ")
	usage.seeText("Not read: the service cannot be reached.")
	usage.wait("one message, and nothing that seems to load", `document.querySelectorAll(".notice").length === 1 && !document.querySelector(".waiting") && ![...document.querySelectorAll("button")].some((e) => e.innerText === "Try again")`)
	usage.checkAccess("usage without its service")

	s.start(strings.TrimPrefix(s.URL, "http://"))
	dashboard.seeText("All systems work")
	usage.wait("what was not read", `!document.querySelector(".outage .notice") && !document.body.innerText.includes("Not read:") && document.querySelector(".ledger table") !== null`)
}

// Every page says that the service cannot be reached, also a workflow that runs, whose time does not count on. What
// could not be read then is read by itself when the service is back.
func TestOutageOfWork(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	worker, err := client.New(s.URL, s.Key).Connect(t.Context(), apitype.WorkerSpec{Name: "painter", Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	workflow := s.call("POST", "/v1/creative-agent/workflows", picture("a fox"))["workflow"].(map[string]any)["workflowId"].(string)
	claim(t, worker)
	paths := []string{"/workflows/" + workflow, "/chat", "/", "/library", "/workflows", "/templates", "/account"}
	var pages []*page
	for i, path := range paths {
		p := openPage(t, s.URL, []look{desktop, phone}[i%2])
		p.allow("net::ERR", "Failed to load resource")
		p.signIn(s.Key)
		p.open(path)
		p.wait("the page", `document.querySelector("main :is(h1, textarea)") !== null`)
		pages = append(pages, p)
	}
	running, small := pages[0], pages[1]
	running.seeText("Running for")
	small.click("link", "Workflows") // a page whose module is loaded
	small.seeText("a fox")
	small.click("link", "Chat")

	s.stop()
	for i, p := range pages {
		p.see("status", "The service cannot be reached since ")
		p.wait("the notice in view", inView(`document.querySelector(".outage .notice")`))
		p.checkAccess(paths[i] + " without its service")
	}
	// Three seconds of the page, by its own clock.
	if got := evaluate[[]string](running, `new Promise((done) => {
		const seen = [];
		const look = setInterval(() => {
			seen.push([...document.querySelectorAll("dt")].find((e) => e.innerText === "Running for").parentElement.innerText);
			if (seen.length === 4) { clearInterval(look); done([...new Set(seen)]); }
		}, 1000);
	})`); len(got) != 1 {
		t.Errorf("the time of what runs counts on without the service: %q", got)
	}
	small.click("link", "Workflows")
	small.seeText("Not read: the service cannot be reached.")

	s.start(strings.TrimPrefix(s.URL, "http://"))
	for _, p := range pages {
		p.wait("no notice", `!document.querySelector(".outage .notice")`)
	}
	small.wait("what was not read", `!document.body.innerText.includes("Not read:") && document.querySelector("main").innerText.includes("a fox")`)
}

// A worker that is drained is no capacity, on the dashboard and on the page of the network. Those of the service
// report no machine, and their pages promise none.
func TestDrainedWorker(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	const renders = `Number(/renders up to (\d+) at once/.exec(document.querySelector(".worker").innerText)?.[1])`
	p.open("/network")
	p.wait("the capacity", renders+" > 0")
	all := evaluate[int](p, renders)

	drained := 0
	for _, item := range s.call("GET", "/v1/operator/workers", nil)["workers"].([]any) {
		worker := item.(map[string]any)
		if worker["network"] != "relaxed" || drained > 0 {
			continue
		}
		drained = int(worker["capacity"].(float64))
		id := worker["workerId"].(string)
		p.open("/operator/workers/" + id)
		p.seeText("The service’s own workers report no machine of their own.")
		p.wait("no promise of a history", `!document.body.innerText.includes("within two minutes")`)
		p.wait("values beside their names", `[...document.querySelectorAll(".facts.panel > div")].every((e) => e.getBoundingClientRect().width <= 46 * 16)`)
		p.checkAccess("a worker of the service")
		p.click("button", "Drain")
		p.seeText("Nothing is drawn for models that no worker has")
		p.click("button", "Drain")
		p.see("button", "Give jobs again")
	}
	p.open("/network")
	p.seeText("1 worker is drained")
	p.wait("what the others render", fmt.Sprintf("%s === %d", renders, all-drained))
	p.checkAccess("a drained worker")
	p.open("/operator")
	p.see("link", "1 worker is drained: it gets no new jobs.")
	p.wait("the queue without it", `[...document.querySelectorAll(".panel tr")].some((e) => e.cells[0].innerText === "Relaxed" && e.cells[3].innerText === "1, 1 draining")`)
	p.open("/operator/workers")
	p.see("link", "How to connect a worker")

	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/operator")
	small.see("link", "1 worker is drained: it gets no new jobs.")
	small.wait("no table that is cut", `document.querySelectorAll(".table-scroll").length > 1 && [...document.querySelectorAll(".table-scroll")].every((e) => e.scrollWidth <= e.clientWidth)`)
	small.checkAccess("a drained worker on a phone")
	small.open("/models/z_image_turbo_bf16")
	small.see("link", "Operator, Connections")
	small.wait("all columns of who serves it", `document.querySelectorAll(".table-scroll").length > 1 && ((e) => e && e.scrollWidth <= e.clientWidth)(document.querySelector(".table-scroll[aria-label='Served now']"))`)
	small.checkAccess("a model on a phone")
}

// A browser that blocks notifications is not asked for them in vain without a word.
func TestBlockedNotices(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(`window.Notification = class { static permission = "denied"; static async requestPermission() { return "denied" } }`)
	p.signIn(s.Key)
	p.open("/account")
	for range 2 {
		p.click("checkbox", "Notify me when long work ends")
		p.seeText("This browser blocks notifications from this address.")
		p.wait("no tick", "!"+find("checkbox", "Notify me when long work ends")+".checked")
	}
	p.checkAccess("blocked notices")
}

// What is refused before it is sent has no answer: that of an earlier request would read as its own.
func TestTrialOfAnInvalidBody(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/docs#postV1CreativeAgentToolsExecute")
	p.fill("Body", `{"tool": "compose_lyrics", "arguments": {"prompt": "a fox"}}`)
	p.click("button", "Send")
	p.seeText("200 OK")
	p.fill("Body", "{")
	p.click("button", "Send")
	p.seeText("The body is not JSON")
	p.wait("no answer", `document.querySelector(".ref-result") === null`)
}
