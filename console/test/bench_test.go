package test

import (
	"context"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// BenchmarkConsole measures what a person feels: what the first page transfers and when it is painted, what the page
// after the sign-in transfers besides, how a list of 100,000 workflows scrolls, and how it stays smooth while 50
// changes a second arrive. The list and the stream are made up inside the page, so that the figures are the console's
// own. Each is the median of five, after one that is dropped.
func BenchmarkConsole(b *testing.B) {
	s := startService(b)
	var first, paint, second, scroll, frames []float64
	for i := range 6 {
		p := openPage(b, s.URL, desktop)
		bytes, painted := p.loadFirstPage()
		further := p.transferred(func() {
			p.fill("API key", s.Key)
			p.click("button", "Sign in")
			p.see("textbox", "Prompt")
			p.seeText("Nothing") // the strip of what was made
		})
		longest := p.scrollLongList()
		frame := p.followChanges()
		if i > 0 { // the first one fills the browser's caches
			first, paint, second = append(first, bytes/1000), append(paint, painted), append(second, further/1000)
			scroll, frames = append(scroll, longest), append(frames, frame)
		}
	}
	b.ReportMetric(median(first), "first-page-kB")
	b.ReportMetric(median(paint), "first-paint-ms")
	b.ReportMetric(median(second), "second-page-kB")
	b.ReportMetric(median(scroll), "longest-task-ms")
	b.ReportMetric(median(frames), "p95-frame-ms")
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// loadFirstPage opens the console signed out, as a newcomer does, and returns the bytes that
// came over the network and the time of the first paint.
func (p *page) loadFirstPage() (bytes, painted float64) {
	p.t.Helper()
	bytes = p.transferred(func() {
		p.open("/")
		p.see("heading", "Sign in")
		p.wait("the first paint", `performance.getEntriesByName("first-contentful-paint").length > 0`)
	})
	return bytes, evaluate[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
}

// transferred returns the bytes that come over the network meanwhile.
func (p *page) transferred(meanwhile func()) float64 {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	finished := chromedp.Events(ctx, network.LoadingFinished)
	sum := make(chan float64)
	go func() {
		var n float64
		for e, err := range finished {
			if err != nil {
				break
			}
			n += e.EncodedDataLength
		}
		sum <- n
	}()
	meanwhile()
	cancel()
	return <-sum
}

// madeUp replaces the lists of workflows and artifacts and the stream of changes inside the page.
const madeUp = `
const real = window.fetch;
const row = (i) => ({workflowId: "wf_" + i, status: i % 7 ? "completed" : "running", title: "Workflow " + i, kind: "image", steps: 3, stepsDone: i % 4, progress: (i % 10) / 10,
  cost: null, artifactCount: 1, thumbnailUrl: null, templateId: null, appSource: null, createdAt: new Date(1.79e12 - i * 6e4).toISOString(), updatedAt: new Date(1.79e12 - i * 6e4).toISOString(), waiting: null});
const json = (data) => new Response(JSON.stringify({status: "success", data}), {headers: {"Content-Type": "application/json"}});
window.fetch = async (input, options) => {
  const url = new URL(input, location.href);
  if (url.pathname.endsWith("/workflows/summaries")) {
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const count = from ? 20000 : 200;
    const to = Math.min(100000, from + count);
    const newer = from ? 0 : window.newer ?? 0; // that a test adds
    return json({workflows: Array.from({length: to - from + newer}, (_, i) => row(from + i - newer)), nextCursor: to < 100000 ? String(to) : null});
  }
  if (url.pathname.endsWith("/workflows/counts")) return json({counts: {completed: 85714, running: 14286}, total: 100000, complete: true});
  if (url.pathname === "/v1/artifacts/days") return json({days: Array.from({length: 100}, (_, i) => ({date: new Date(1.79e12 - i * 864e5).toISOString().slice(0, 10), count: 1000 + (i ? 0 : 100 * (window.newer ?? 0))}))});
  if (url.pathname === "/v1/artifacts") {
    const from = Number(url.searchParams.get("cursor") ?? 0), date = url.searchParams.get("from");
    return json({artifacts: Array.from({length: 100}, (_, i) => ({artifactId: date + "-" + (from + i), kind: "text", contentType: "text/plain", width: null, height: null, durationSeconds: null, bytes: 1, workflowId: "wf_1",
      stepId: "s", toolName: "t", modelId: null, prompt: "Artifact " + (from + i) + " of " + date, seed: null, createdAt: date + "T00:00:00Z", url: "/", thumbnailUrl: null, colors: null})), nextCursor: from < 900 ? String(from + 100) : null});
  }
  if (url.pathname === "/v1/events/stream") {
    const encoder = new TextEncoder();
    let n = 0;
    const body = new ReadableStream({start(controller) {
      controller.enqueue(encoder.encode("event: ready\ndata: {}\n\n"));
      const timer = setInterval(() => {
        const r = row(n++ % 40);
        controller.enqueue(encoder.encode("event: workflow\ndata: " + JSON.stringify({workflowId: r.workflowId, status: r.status, progress: (n % 100) / 100, updatedAt: new Date().toISOString()}) + "\n\n"));
      }, 20);
      options.signal?.addEventListener("abort", () => clearInterval(timer));
    }});
    return new Response(body, {headers: {"Content-Type": "text/event-stream"}});
  }
  return real(input, options);
};
window.tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration))).observe({type: "longtask"});
`

// openLongList opens the list of the made-up workflows.
func (p *page) openLongList() {
	p.t.Helper()
	p.prepare(madeUp)
	p.open("/workflows")
	p.seeText("Workflow 1")
}

// scrollLongList scrolls through 100,000 rows and returns the longest task meanwhile.
func (p *page) scrollLongList() float64 {
	p.t.Helper()
	p.openLongList()
	p.wait("all rows", `(scrollTo(0, document.body.scrollHeight), document.body.innerText.includes("Workflow 99999"))`)
	return evaluate[float64](p, `(async () => {
		tasks.length = 0;
		const height = document.body.scrollHeight;
		for (let i = 0; i < 120; i++) {
			scrollTo(0, i < 60 ? scrollY - 400 : height * (i - 60) / 60); // by the wheel, then by the bar
			await new Promise(requestAnimationFrame);
		}
		await new Promise((done) => setTimeout(done, 200));
		return Math.max(0, ...tasks);
	})()`)
}

// followChanges watches the top of the list for two seconds of changes, and returns the 95th
// percentile of the time between frames.
func (p *page) followChanges() float64 {
	p.t.Helper()
	return evaluate[float64](p, `(async () => {
		scrollTo(0, 0);
		const frames = [];
		let before = performance.now();
		for (const end = before + 2000; before < end; ) {
			const now = await new Promise(requestAnimationFrame);
			frames.push(now - before);
			before = now;
		}
		frames.sort((a, b) => a - b);
		return frames[Math.floor(frames.length * 0.95)];
	})()`)
}
