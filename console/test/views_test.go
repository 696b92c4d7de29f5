package test

import (
	"encoding/json"
	"strings"
	"testing"
)

// account makes an account with a balance and no plan, and calls with its key from now on.
func (s *service) account(name string, credits ...string) {
	s.t.Helper()
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run(append([]string{"account", "create", "--username", name, "--json"}, credits...)...)), &made); err != nil {
		s.t.Fatal(err)
	}
	s.Key = made.APIKey
}

// The ledger shows what was paid for the model that is pressed in the chart.
func TestLedgerOfOneModel(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.account("ann", "--spark", "10", "--svc", "1000")
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/usage")
	p.seeText("1,000 SVC\n")
	p.click("button", "Z-Image Turbo")
	p.seeText("Filtered by Z-Image Turbo")
	const rows = `[...document.querySelectorAll(".ledger tbody tr")]`
	p.wait("one entry", rows+`.length === 1 && `+rows+`[0].innerText.includes("Z-Image Turbo")`)
	p.wait("the ledger in the window", `document.activeElement.textContent === "Ledger" && document.activeElement.getBoundingClientRect().top < innerHeight`)
	p.checkAccess("one model")
	p.click("button", "Show all")
	p.wait("all entries", rows+`.length === 3`)
	if left := evaluate[float64](p, `Math.max(...[...document.querySelectorAll(".facts > div")].map((e) => e.getBoundingClientRect().right - e.querySelector("dd").getBoundingClientRect().right))`); left > 1 {
		t.Errorf("a number ends %v px before its line", left)
	}
}

// madeUpRows answers for the list of workflows from rows that a test changes. tell sends a
// change as the stream does.
const madeUpRows = `
const real = window.fetch;
const at = new Date(Date.now() + 2000).toISOString();
const row = (workflowId, cost) => ({workflowId, status: "running", title: "Workflow " + workflowId, about: "", kind: "image", steps: 2, stepsDone: 0, progress: 0.5, cost, coveredByPlan: "0", artifactCount: 0,
  thumbnailUrl: null, templateId: null, appSource: null, createdAt: at, updatedAt: at, startedAt: null, completedAt: null, waiting: null, reason: null});
window.rows = ["d", "c", "b", "a"].map((id) => row(id, "12"));
const json = (data) => new Response(JSON.stringify({status: "success", data}), {headers: {"Content-Type": "application/json"}});
window.fetch = async (input, options) => {
  const url = new URL(input, location.href), wanted = url.searchParams.get("status");
  if (url.pathname.endsWith("/workflows/summaries")) { // in pages of two
    const found = rows.filter((r) => !wanted || wanted.split(",").includes(r.status)), from = Number(url.searchParams.get("cursor") ?? 0);
    if (url.searchParams.has("from")) return json({workflows: found, nextCursor: null});
    return json({workflows: found.slice(from, from + 2), nextCursor: from + 2 < found.length ? String(from + 2) : null});
  }
  if (url.pathname.endsWith("/workflows/counts")) return json({counts: Object.fromEntries(rows.map((r) => [r.status, rows.filter((o) => o.status === r.status).length])), total: rows.length, complete: true});
  return real(input, options);
};
window.tell = (workflowId, changes) => {
  const r = Object.assign(rows.find((r) => r.workflowId === workflowId), changes, {updatedAt: new Date(Date.now() + 3000).toISOString()});
  const data = {workflowId, status: r.status, progress: r.progress, updatedAt: r.updatedAt};
  new BroadcastChannel("atelier." + sessionStorage.getItem("atelier.account")).postMessage({kind: "workflow", data});
  return true;
};
window.shown = (workflowId) => document.querySelector('.workflow-row[href$="/' + workflowId + '"]')?.innerText ?? "";
`

// Rows that no longer match leave the list of workflows, those that are shown are right, and
// the ages of new ones count.
func TestListedWorkflows(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.prepare(madeUpRows)
	p.open("/workflows?status=active")
	p.see("link", "Workflow a")
	if text := evaluate[string](p, `shown("a")`); strings.Contains(text, "in ") {
		t.Errorf("a row in the future: %s", text)
	}
	p.wait("an age that counts", `/\b1?\d seconds? ago/.test(shown("a"))`)

	evaluate[bool](p, `tell("a", {status: "completed", progress: 1, stepsDone: 2, cost: "3"})`)
	p.gone("link", "Workflow a")
	p.see("link", "Workflow b")
	p.click("button", "All")
	p.wait("the finished row", `/2 of 2 steps/.test(shown("a")) && /3\sSpark/.test(shown("a"))`)

	// A row never has the new status with the old cost.
	evaluate[bool](p, `(window.wrong = "", new MutationObserver(() => { if (/Cancelled/.test(shown("b")) && /12/.test(shown("b"))) wrong = shown("b"); }).observe(document.body, {subtree: true, childList: true, characterData: true}), true)`)
	evaluate[bool](p, `tell("b", {status: "cancelled", cost: "0"})`) // on the second page
	p.wait("the cancelled row", `/Cancelled/.test(shown("b")) && /\b0\sSpark/.test(shown("b"))`)
	if wrong := evaluate[string](p, "wrong"); wrong != "" {
		t.Errorf("shown meanwhile: %s", wrong)
	}
}

// madeUpWorkflow answers for one workflow whose video was dropped by a worker, waited for
// another one and was made then, and for a network that renders.
const madeUpWorkflow = `
const real = window.fetch;
const start = Date.parse("2026-03-01T12:00:00Z"), at = (seconds) => new Date(start + seconds * 1000).toISOString();
const event = (sequence, seconds, type, payload, message) => ({sequence, type, at: at(seconds), payload, message});
const progress = (sequence, seconds, stepId, stepProgress) => event(sequence, seconds, "workflow_progress", {stepId, stepProgress, progress: stepProgress});
const step = (id, toolName, kind, from, to) => ({id, toolName, arguments: {prompt: id}, dependsOn: [], status: "completed", progress: 1, retry: {count: 0}, cost: {estimate: null, estimatedSpark: "1"},
  artifacts: [{id: "made-by-" + id, kind, url: "/console/icon.svg", stepId: id}], routing: {reasons: ["ltx25 is the default video model", "ltx25 from no media is LTX 2.5 Text to Video"]},
  timestamps: {startedAt: at(from), completedAt: at(to)}});
const workflow = {workflowId: "wf_1", status: "completed", title: "A fox", steps: [step("film", "generate_video", "video", 50, 60), step("draw", "generate_image", "json", 12, 22)], artifacts: [],
  safeContentFilter: true, estimatedCapacityUnits: 1, recovery: {resumeCount: 0}, timestamps: {createdAt: at(0), updatedAt: at(60), completedAt: at(60)}, events: [
    event(0, 0, "workflow_waiting_for_user", {}, "The cost must be approved: confirm or decline it with confirm-cost."),
    event(1, 10, "step_started", {stepId: "film"}), progress(2, 11, "film", 0.1), event(3, 12, "step_started", {stepId: "draw"}), progress(4, 13, "draw", 0.2),
    progress(5, 14, "film", 0.3), progress(6, 15, "draw", 0.5), event(7, 20, "custom", {kind: "step_retry", stepId: "film"}, "The worker left. The step is retried."),
    event(8, 20, "workflow_progress", {stepId: "film", stepProgress: 0, waitingFor: {reason: "no_worker", model: "z_image_turbo_bf16", network: "fast"}}, "No connected worker offers z_image_turbo_bf16 on the fast network."),
    event(9, 22, "step_completed", {stepId: "draw"}), event(10, 40, "workflow_progress", {stepId: "film", stepProgress: 0, waitingFor: null}, "A worker offers z_image_turbo_bf16 now."),
    event(11, 50, "step_started", {stepId: "film"}), event(12, 60, "step_completed", {stepId: "film"}), event(13, 60, "workflow_completed", {})]};
const json = (data) => new Response(JSON.stringify({status: "success", data}), {headers: {"Content-Type": "application/json"}});
let isRead = false;
window.fetch = async (input, options) => {
  const url = new URL(input, location.href);
  if (url.pathname.endsWith("/workflows/wf_1")) return json({workflow});
  if (url.pathname.endsWith("/workflows/wf_2")) return json({workflow: isRead ? {...workflow, workflowId: "wf_2"} : {...workflow, workflowId: "wf_2", status: "queued", events: [], steps: workflow.steps.map((s) => ({...s, status: "queued", artifacts: []}))}});
  if (url.pathname.endsWith("/wf_2/events/stream")) { // all at once, as of a workflow that was quick
    isRead = true;
    const events = [...workflow.events.map((e) => e.sequence === 6 ? {...e, payload: {...e.payload, previewUrl: "/v1/none-preview"}} : e), {type: "workflow_status", status: "completed"}];
    return new Response(events.map((e) => "event: " + e.type + "\ndata: " + JSON.stringify(e) + "\n\n").join(""), {headers: {"Content-Type": "text/event-stream"}});
  }
  if (url.pathname === "/v1/artifacts") return json({artifacts: [{artifactId: "made-by-film", kind: "video", thumbnailUrl: "/console/icon.svg?poster"}], nextCursor: null});
  if (url.pathname === "/v1/network") return json({models: [], workers: [{name: "worker 1", own: false, network: "fast", models: ["z_image_turbo_bf16"], fallback: false, draining: false, capacity: 1,
    lastSeenAt: new Date().toISOString(), jobs: [{modelId: "z_image_turbo_bf16", toolName: "generate_image", progress: 0.5, startedAt: new Date(Date.now() - 60e3).toISOString(), own: false}]}]});
  return real(input, options);
};
`

// A workflow shows when a step waited between attempts, its log in order and in words, and
// the pictures of videos.
func TestWorkflowViews(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.prepare(madeUpWorkflow)
	p.open("/workflows/wf_1")
	p.see("button", "film")
	if got, want := evaluate[string](p, `document.querySelector(".timeline-row").title + " " + [...document.querySelectorAll(".timeline-row:first-child .span")].map((e) => e.className.replace("span ", "")).slice(0, 4)`),
		"film: waited 40 sec, ran 20 sec queued,failed,queued,running"; got != want {
		t.Errorf("the timeline: %s, want %s", got, want)
	}
	if got, want := evaluate[string](p, `[...document.querySelectorAll(".log-line summary")].map((e) => e.textContent).join(" ")`), "#0 #1 #3 #5 #6 #7 #8 #9 #10 #11 #12 #13"; got != want {
		t.Errorf("the log: %s, want %s", got, want)
	}
	p.seeText("The cost must be approved: approve or decline it.")
	p.seeText("A worker offers Z-Image Turbo now.")
	p.seeText("The default video model, LTX 2.5 Text to Video needs no media")
	p.wait("the picture of the video", `document.querySelector('[data-step=film] img[src$="?poster"]') !== null`)
	p.checkAccess("a workflow")

	p.open("/workflows/wf_2") // previews of steps that are over are gone, and not asked for
	p.wait("the end", `document.querySelectorAll(".graph-node.status-completed").length === 2`)

	p.open("/network")
	p.seeText("Rendering: generate image with Z-Image Turbo started 1 minute ago")
	p.checkAccess("a worker that renders")
}

// An approval says who pays and what is left, and one that expired leads to the template with
// the inputs of the run.
func TestApprovals(t *testing.T) {
	t.Parallel()
	s := startService(t)
	start := func() string {
		s.call("POST", "/v1/creative-agent/workflows/templates", poster("Small poster"))
		started := s.call("POST", "/v1/creative-agent/workflows", map[string]any{"workflow_id": "wf_small_poster", "inputs": map[string]any{"subject": "a bird"}})
		return started["workflow"].(map[string]any)["workflowId"].(string)
	}
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	id := start()
	p.open("/workflows/" + id)
	p.seeText("Covered by your plan")
	p.seeText("Not started")
	p.checkAccess("a plan pays")
	evaluate[bool](p, `((now) => { Date.now = () => now() + 3600e3; return true })(Date.now.bind(Date))`)
	p.see("link", "Start again")
	p.see("heading", "The estimate has expired")
	p.wait("no button that does nothing", `!document.querySelector(".cost-approval button:disabled")`)
	p.checkAccess("an approval that expired")
	if got, want := evaluate[string](p, find("link", "Start again")+`.getAttribute("href")`), "/templates/wf_small_poster?from="+id; got != want {
		t.Errorf("start again leads to %s, want %s", got, want)
	}

	s.account("ann", "--spark", "100")
	other := openPage(t, s.URL, phone)
	other.signIn(s.Key)
	other.open("/workflows/" + start())
	other.wait("the balance after", `/\b9\d(\.\d+)? left after/.test(document.body.innerText)`)
	other.checkAccess("the balance pays")
}

// The operator's area names jobs, keys and problems so that they are told apart.
func TestOperatorViews(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for range 2 {
		s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	}
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/operator")
	const uptime = `[...document.querySelectorAll("dt")].find((e) => e.textContent === "Up for")?.nextElementSibling.textContent`
	p.seeText("Up for")
	before := evaluate[string](p, uptime)
	p.wait("a later time", uptime+" !== "+quote(before))
	p.wait("its unit", `/ (sec|min)/.test(`+uptime+`)`)
	p.see("heading", "Nodes 1")
	p.wait("the node", `[...document.querySelectorAll("tbody th")].some((e) => /^node on .*, process \d+$/.test(e.innerText))`)
	p.see("heading", "Renders that failed in the last day 0")
	p.see("heading", "Jobs of the network by day")
	p.checkAccess("the dashboard")
	if over := evaluate[float64](p, `(() => {
		const input = document.querySelector(".search input"), style = getComputedStyle(input), context = document.createElement("canvas").getContext("2d");
		context.font = style.font;
		return context.measureText(input.placeholder).width - (input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
	})()`); over > 0 {
		t.Errorf("the hint of the search is %v px too long", over)
	}

	p.open("/operator/jobs")
	const jobs = `[...document.querySelectorAll("tbody .job-id code")].map((e) => e.textContent)`
	p.wait("two jobs", jobs+`.length === 2`)
	if names := evaluate[[]string](p, jobs); names[0] == names[1] {
		t.Errorf("two jobs are called %s", names[0])
	}
	p.wait("the names of the account and the model, and times", `(() => {
		const cells = [...document.querySelectorAll("tbody tr:first-child :is(th, td)")].map((e) => e.innerText);
		return cells.includes("local") && cells.includes("Z-Image Turbo") && cells.filter((text) => /^[\d.]+ (ms|sec)/.test(text) && !text.endsWith(" ago")).length === 2;
	})()`)
	p.checkAccess("jobs")

	p.open("/operator/workers")
	const workers = `[...document.querySelectorAll("tbody strong")].map((e) => e.textContent).filter((name) => name.startsWith("embedded"))`
	p.wait("the embedded workers", workers+".length === 4")
	p.wait("a name for each", `((all) => all.length > 4 && new Set(all).size === all.length)([...document.querySelectorAll("tbody strong")].map((e) => e.textContent))`)
	p.click("button", "Drain")
	p.wait("a question first", `/^Drain /.test(document.querySelector("dialog[open] h2")?.textContent)`)
	p.click("button", "Cancel")
	p.see("link", "embedded-worker")
	p.checkAccess("workers")

	p.open("/operator/accounts")
	p.click("button", "Create an account")
	p.fill("Username", "ann")
	p.click("button", "Create an account")
	p.see("dialog", "Account created")
	p.click("button", "I have saved it")
	p.click("link", "ann")
	p.click("button", "Create a key")
	p.fill("Name", "laptop")
	p.press("\r")
	p.click("button", "I have saved it")
	p.seeText("laptop")
	p.click("button", "Revoke "+evaluate[string](p, `document.querySelector("tbody th code").textContent`))
	p.wait("a revoked key", `[...document.querySelectorAll("td")].some((e) => /^revoked /.test(e.innerText)) && document.body.innerText.includes("never")`)
	p.checkAccess("keys of an account")
	s.call("PUT", "/v1/operator/accounts/ann/nfts/7", map[string]any{})
	p.open("/operator/accounts/ann")
	p.see("button", "Remove 7")
	p.allow("400")
	p.click("button", "Add an NFT")
	p.fill("NFT token id", "08")
	p.click("button", "Add an NFT")
	p.seeText("use a positive integer")
	p.fill("NFT token id", "8")
	p.click("button", "Add an NFT")
	p.see("button", "Remove 8")
	p.click("button", "Remove 7")
	p.gone("button", "Remove 7")
	p.checkAccess("NFTs of an account")
	p.click("button", "Add credit")
	p.click("button", "Add credit")
	const wrong = `(document.getElementById(document.querySelector("[aria-invalid]")?.getAttribute("aria-describedby"))?.textContent ?? "")`
	p.wait("what is missing, at the field", wrong+`.startsWith("Enter an amount")`)
	p.fill("Premium Spark", "many")
	p.click("button", "Add credit")
	p.wait("what is wrong, at the field", wrong+`.startsWith("Premium Spark")`)
	p.checkAccess("a wrong amount")
}
