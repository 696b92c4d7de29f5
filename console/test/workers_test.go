package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// watchedWorker answers what a service would answer whose worker has reported its machine for an hour.
const watchedWorker = `(() => {
	const real = fetch;
	const json = (data) => new Response(JSON.stringify({ status: "success", data }), { headers: { "Content-Type": "application/json" } });
	const ago = (minutes) => new Date(Date.now() - minutes * 6e4).toISOString();
	const GB = 1e9;
	const worker = { workerId: "w-1", name: "studio-1", walletAddress: "0xwil", username: "wil", network: "fast", models: ["z_image_turbo_bf16", "chroma1-hd_fp8_scaled"], loadedModels: ["z_image_turbo_bf16"],
		capacity: 2, fallback: false, version: "0.1.0", gpu: "NVIDIA H200", draining: false, unavailable: null, notClaimingSince: null, modelSwitches: 3, connectedAt: ago(300), lastSeenAt: ago(0), jobsCompleted: 41, jobsFailed: 1, jobsDropped: 3,
		jobs: [{ jobId: "01a1f081-5a48-77f5-a387-e16e85965da1", modelId: "z_image_turbo_bf16", toolName: "generate_image", walletAddress: "0xann", username: "ann", progress: 0.42, startedAt: ago(1) }],
		standing: { low: true, since: ago(12), trialAt: new Date(Date.now() + 3e5).toISOString(), reason: "Other workers have completed 3 jobs that it failed at. The last one, of flux: The disk is full.",
			lapses: [{ jobId: "01a1f081-59e0-7c3c-848e-7c4b79b25210", modelId: "z_image_turbo_bf16", code: "dropped", message: "The disk is full.", at: ago(12) }] },
		machine: { renderer: "ComfyUI 0.33.0", reportedAt: ago(0), diskFreeBytes: 41 * GB, diskTotalBytes: 512 * GB, gpus: [
			{ name: "NVIDIA H200", memoryTotalBytes: 150 * GB, memoryFreeBytes: 38 * GB, temperatureCelsius: 71.5, powerWatts: 512 },
			{ name: "NVIDIA H200", memoryTotalBytes: 150 * GB, memoryFreeBytes: 140 * GB, temperatureCelsius: 92, powerWatts: 611 }] } };
	const failures = [{ jobId: "01a1f081-59e0-7c3c-848e-7c4b79b25209", modelId: "z_image_turbo_bf16", toolName: "generate_image", code: "out_of_memory", message: "The GPU is too small.", endedAt: ago(9) }];
	const gpu = (i, n) => ({ memoryUsedBytes: (90 - 60 * n + 4 * Math.sin(i / 6)) * GB, memoryTotalBytes: 150 * GB, temperatureCelsius: 65 + 20 * n + 9 * Math.sin(i / 5), powerWatts: n ? null : 400 + 150 * Math.sin(i / 5) });
	const points = Array.from({ length: 60 }, (_, i) => ({ at: ago(60 - i), diskFreeBytes: i > 20 && i < 26 ? null : (60 - i / 3) * GB, gpus: i > 20 && i < 26 ? [] : [gpu(i, 0), gpu(i, 1)] }));
	window.fetch = async (input, init) => {
		const url = new URL(typeof input === "string" ? input : input.url ?? input, location.href);
		const window = url.searchParams.get("window");
		switch (url.pathname) {
			case "/v1/operator/workers": return json({ workers: [worker], nextCursor: null });
			case "/v1/operator/workers/w-1": return json({ worker: { ...worker, failures } });
			case "/v1/operator/workers/w-1/history": return json({ history: { window, stepSeconds: 60, points: window === "hour" ? points : points.map((p) => ({ ...p, gpus: [], diskFreeBytes: null })) } });
		}
		return real(input, init);
	};
})()`

// An operator sees how warm and how full a worker is in the list, and opens its page: what it renders,
// its machine now and over time, and what failed on it.
func TestWorker(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(watchedWorker)
	p.signIn(s.Key)
	p.open("/operator/workers")
	p.wait("the gauges in the list", `document.querySelector("tbody tr")?.innerText.replace(/\s+/g, " ").includes("75 % memory 92 °C 41.0 GB free disk")`)
	p.wait("the low standing in the list, with its reason", `document.querySelector("tbody tr")?.innerText.includes("low standing") && document.querySelector("tbody tr").innerText.includes("The disk is full.")`)
	p.checkAccess("workers")
	p.click("link", "studio-1")
	p.see("heading", "GPU temperature")
	p.wait("four drawings", `document.querySelectorAll(".multiples canvas").length === 4`)
	for _, text := range []string{"ComfyUI 0.33.0", "112.0 GB of 150.0 GB used", "471.0 GB of 512.0 GB used · 41.0 GB free", "42 %", "out_of_memory: The GPU is too small."} {
		p.seeText(text)
	}
	p.see("heading", "Standing")
	for _, text := range []string{"Its standing is low for 12 minutes", "It may get one as a trial from ", "dropped: The disk is full."} {
		p.seeText(text)
	}
	p.wait("the warm GPU is marked", `document.querySelector(".chip.bad")?.innerText === "92 °C"`)
	p.wait("a bar of the disk that agrees with its words", `Math.abs(document.querySelector("[aria-label=Disk]").value - 471 / 512) < 0.001`)
	p.wait("the facts in two columns, as wide as their card", `(([first, second], card) => first.top === second.top && second.right > card.right - 40)(
		[...document.querySelectorAll(".facts > div")].map((e) => e.getBoundingClientRect()), document.querySelector(".facts").getBoundingClientRect())`)
	p.wait("a line for each GPU", `document.querySelectorAll(".multiples .legend")[1]?.innerText.includes("GPU 1")`)
	p.checkAccess("worker")
	p.click("button", "Day")
	p.seeText("No history yet")

	for state, l := range map[string]look{"worker at night": night, "worker on a phone": phone} {
		other := openPage(t, s.URL, l)
		other.prepare(watchedWorker)
		other.signIn(s.Key)
		other.open("/operator/workers/w-1")
		other.see("heading", "Free disk")
		other.wait("four drawings", `document.querySelectorAll(".multiples canvas").length === 4`)
		other.wait("the name of the disk in one piece", `document.querySelector("[aria-label=Disk]").previousElementSibling.firstElementChild.getBoundingClientRect().height < 30`)
		other.checkAccess(state)
	}
}

// The owner of a worker sees that its standing is low, and why; other accounts see that it is.
func TestStandingOfNetworkWorkers(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(`(() => {
		const real = fetch;
		const worker = (more) => ({ own: false, network: "fast", models: ["z_image_turbo_bf16"], gpu: "H200", version: "1", fallback: false, draining: false, capacity: 1, lastSeenAt: new Date().toISOString(), jobs: [], ...more });
		const low = (reason, lapses) => ({ low: true, since: new Date().toISOString(), reason, lapses });
		const workers = [worker({ workerId: "w-1", name: "tower in the basement", own: true, draining: true, version: "", standing: low("The last one: the disk is full.", []) }),
			worker({ name: "worker 1", standing: low("Other workers have completed jobs that it failed at.", []) }), worker({ name: "worker 2" })];
		window.fetch = async (input, init) => new URL(typeof input === "string" ? input : input.url ?? input, location.href).pathname === "/v1/network"
			? new Response(JSON.stringify({ status: "success", data: { workers, models: [] } }), { headers: { "Content-Type": "application/json" } }) : real(input, init);
	})()`)
	p.signIn(s.Key)
	p.open("/network")
	p.seeText("The last one: the disk is full.")
	p.seeText("Other workers have completed jobs that it failed at.")
	p.wait("two of the three are low", `document.querySelectorAll(".worker").length === 3 && [...document.querySelectorAll(".worker .chip.warn")].filter((chip) => chip.innerText === "low standing").length === 2`)
	for _, width := range []int64{1280, 390} {
		p.do(chromedp.EmulateViewport(width, 800))
		p.wait("the names of workers in full", `innerWidth === `+fmt.Sprint(width)+` && [...document.querySelectorAll(".worker strong")].every((e) => e.scrollWidth <= e.clientWidth)`)
	}
	p.checkAccess("network")
}
