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
const row = (workflowId, cost) => ({workflowId, status: "running", title: "Workflow " + workflowId, kind: "image", steps: 2, stepsDone: 0, progress: 0.5, cost, artifactCount: 0,
  thumbnailUrl: null, templateId: null, appSource: null, createdAt: at, updatedAt: at, waiting: null});
window.rows = [row("c", "12"), row("b", "12"), row("a", "12")];
const json = (data) => new Response(JSON.stringify({status: "success", data}), {headers: {"Content-Type": "application/json"}});
window.fetch = async (input, options) => {
  const url = new URL(input, location.href), wanted = url.searchParams.get("status");
  if (url.pathname.endsWith("/workflows/summaries")) return json({workflows: rows.filter((r) => !wanted || wanted.split(",").includes(r.status)), nextCursor: null});
  if (url.pathname.endsWith("/workflows/counts")) return json({counts: Object.groupBy ? Object.fromEntries(rows.map((r) => [r.status, rows.filter((o) => o.status === r.status).length])) : {}, total: rows.length, complete: true});
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
	p.wait("the finished row", `/2 of 2 steps/.test(shown("a")) && /3 Spark/.test(shown("a"))`)

	// A row never has the status of now with the cost of before.
	evaluate[bool](p, `(window.wrong = "", new MutationObserver(() => { if (/Cancelled/.test(shown("b")) && /12/.test(shown("b"))) wrong = shown("b"); }).observe(document.body, {subtree: true, childList: true, characterData: true}), true)`)
	evaluate[bool](p, `tell("b", {status: "cancelled", cost: "0"})`)
	p.wait("the cancelled row", `/Cancelled/.test(shown("b")) && /\b0 Spark/.test(shown("b"))`)
	if wrong := evaluate[string](p, "wrong"); wrong != "" {
		t.Errorf("shown meanwhile: %s", wrong)
	}
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
	p.checkAccess("a plan pays")
	evaluate[bool](p, `((now) => { Date.now = () => now() + 3600e3; return true })(Date.now.bind(Date))`)
	p.see("link", "Start again")
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
