package test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// historyOfService answers what a service that has run for a while would answer: samples are
// taken too seldom for a test. The middle of an hour has a gap; a day has nothing yet.
const historyOfService = `(() => {
	const real = fetch;
	const point = (at, i) => {
		const none = window.fewSamples || i > 20 && i < 26;
		const value = (v) => (none ? null : v);
		return { at, queued: value(i % 9), active: value(2), workers: value(i > 40 ? 3 : 2), nodes: value(2), started: value(i % 4), completed: value(i % 4), failed: value(i === 12 ? 2 : 0),
			waitP50Seconds: value(i % 4 ? 1.5 + i / 20 : null), waitP95Seconds: value(i % 4 ? 9 + i / 4 : null), memoryBytes: value(9e7 + i * 2e5), freeBytes: value(5e11 - i * 1e9) };
	};
	window.fetch = async (input, init) => {
		const url = new URL(typeof input === "string" ? input : input.url ?? input, location.href);
		const answer = (data) => new Response(JSON.stringify({ status: "success", data }), { headers: { "Content-Type": "application/json" } });
		if (url.pathname === "/v1/operator/failures") return answer({ failures: [["deliver_webhook", true, 7], ["z_image_turbo_bf16", false, 2]].map(([modelId, isTask, count]) => (
			{ code: "error", message: "It broke.", modelId, isTask, count, accounts: isTask ? 3 : 1, trend: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count - 1, 1], lastAt: new Date().toISOString(), sampleJobId: "a" })) });
		if (url.pathname !== "/v1/operator/history") return real(input, init);
		const span = url.searchParams.get("window");
		window.fewSamples = span === "day";
		const [count, minutes] = { hour: [60, 1], day: [96, 15], week: [168, 60] }[span];
		const points = Array.from({ length: count }, (_, i) => point(new Date(Date.UTC(2026, 2, 1, 9) + i * minutes * 6e4).toISOString(), i));
		return answer({ history: { window: span, stepSeconds: minutes * 60, points } });
	};
})()`

// An operator sees what happened over time, and reads single values with the keyboard.
func TestDashboard(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/operator")
	p.see("link", "Dashboard")
	p.wait("the version and the memory of the node", `(([node]) => /^\S+$/.test(node.querySelector("td").innerText) && /\s[kMG]B/.test(node.innerText))(document.querySelectorAll("[aria-label=Nodes] tbody tr"))`)
	p.checkAccess("the first minutes")

	p.prepare(historyOfService)
	p.prepare(`window.inks = []; ((draw) => { CanvasRenderingContext2D.prototype.fillText = function (...rest) { inks.push(this.fillStyle); return draw.apply(this, rest); }; })(CanvasRenderingContext2D.prototype.fillText)`)
	p.open("/operator")
	for _, title := range []string{"Queue", "Wait", "Renders", "Failures", "Workers online", "Nodes running", "Memory", "Free disk"} {
		p.see("heading", title)
	}
	p.wait("eight drawings", `document.querySelectorAll(".multiples canvas").length === 8`)
	p.wait("the axes of the plots", "inks.length > 0")
	if black := evaluate[bool](p, `inks.includes("#000000")`); black { // which is what a colour becomes that the canvas cannot read
		t.Error("the plots are not drawn in the colours of the theme")
	}
	p.wait("the latest values", `document.querySelector(".multiples .legend").innerText.replace(/\s+/g, " ") === "Waiting 5 Being made 2"`)
	p.see("heading", "Renders that failed in the last day 2") // as the plot of failures counts
	p.seeText("7 small tasks of the service itself failed too.")
	p.checkAccess("an hour")
	p.wait("the first plot", `(document.querySelector(".multiples .plot-canvas").focus(), document.activeElement.className === "plot-canvas")`)
	p.press(kb.ArrowLeft)
	const tip = `(document.querySelector(".plot-tip")?.innerText.replace(/\s+/g, " ") ?? "")`
	p.wait("the last value", tip+`.endsWith("Waiting 5 Being made 2")`)
	p.press(kb.ArrowLeft)
	p.wait("the value before", tip+`.endsWith("Waiting 4 Being made 2")`)
	p.wait("the tip within its plot", `(() => { const tip = document.querySelector(".plot-tip").getBoundingClientRect(), plot = document.querySelector(".multiples .panel").getBoundingClientRect(); return tip.left >= plot.left && tip.right <= plot.right })()`)
	p.saveScreenshot("tip")
	p.press(kb.Home)
	p.wait("the first value", tip+`.endsWith("Waiting 0 Being made 2")`)
	p.press(kb.Escape)
	p.wait("no tip", tip+` === ""`)
	p.click("button", "Week")
	p.wait("a week", `document.querySelectorAll(".multiples .plot tbody")[0]?.rows.length === 168`)
	p.checkAccess("a week")
	p.click("button", "Day")
	p.seeText("No history yet")

	dark := openPage(t, s.URL, night)
	dark.prepare(historyOfService)
	dark.signIn(s.Key)
	dark.open("/operator")
	dark.see("heading", "Free disk")
	dark.checkAccess("at night")

	small := openPage(t, s.URL, phone)
	small.prepare(historyOfService)
	small.signIn(s.Key)
	small.open("/operator")
	small.see("heading", "Free disk")
	small.wait("what matters first", `((tops) => tops.every((top, i) => i === 0 || top > tops[i - 1]))(["Queues", "Renders that failed", "Nodes", "Over time", "History"].map((name) =>
		[...document.querySelectorAll("h2")].find((h) => h.innerText.replace(/\s+/g, " ").startsWith(name)).getBoundingClientRect().top))`)
	small.checkAccess("on a phone")
	p.open("/operator/failures")
	p.wait("no column of codes where none says anything", `document.querySelectorAll("tbody tr").length === 2 && ![...document.querySelectorAll("th")].some((e) => e.innerText === "Code")`)
	p.wait("how many accounts are hit, and what kind of work failed", `((cells) => cells[0].includes("3 Task: Deliver webhook") && !cells[0].includes("Z-Image") && cells[1].includes("1 Image Z-Image Turbo"))(
		[...document.querySelectorAll("tbody tr")].map((row) => row.innerText.replace(/\s+/g, " ")))`)
	p.see("img", "7 of 7 in the last quarter of this time")
	p.checkAccess("failures")
}
