package test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// studio starts a service with a worker that has completed a job and failed at one, and with a worker of the service.
func studio(t *testing.T) (s *service, completed, failed string) {
	t.Helper()
	s = startService(t)
	key := s.call("POST", "/v1/account/keys", map[string]any{"name": "render farm"})["key"].(map[string]any)["apiKey"].(string)
	c := client.New(s.URL, key)
	worker, err := c.Connect(t.Context(), apitype.WorkerSpec{Name: "studio-1", Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	begin := func() (workflow string, job *apitype.Assignment) {
		made := s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
		return made["workflow"].(map[string]any)["workflowId"].(string), claim(t, worker)
	}
	completed, job := begin()
	made := apitype.ReportedArtifact{ID: job.Artifacts[0].ID, ContentType: "image/png", Width: 512, Height: 512, Data: square(t, 512, 90)}
	if _, err := worker.Complete(t.Context(), job.JobID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{made}}); err != nil {
		t.Fatal(err)
	}
	failed, job = begin()
	if err := worker.Fail(t.Context(), job.JobID, apitype.JobFailure{Code: atelier.FailOutOfMemory, Message: "The GPU is too small for a picture of this size."}); err != nil {
		t.Fatal(err)
	}
	return s, completed, failed
}

// An operator sees in the list of jobs who made each, and gets from there to the worker, the account and the workflow.
// What a link has narrowed the list to is shown, and "All" lifts it.
func TestJobsOfOperator(t *testing.T) {
	t.Parallel()
	s, completed, failed := studio(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/operator/failures")
	p.wait("the codes on the left", `(([cell]) => getComputedStyle(cell).textAlign !== "right" && cell.innerText === "Out of memory" && cell.firstElementChild.title === "out_of_memory")(document.querySelectorAll("tbody td[data-name=Code]"))`)
	p.checkAccess("failures")
	p.click("link", "The GPU is too small for a picture of this size.")
	const rows = `document.querySelectorAll("tbody tr").length`
	p.wait("the job that failed", rows+" === 1")
	const like = "Show others than Failure: The GPU is too small for a picture of this size."
	p.see("button", like)
	p.see("button", "Show others than Ended: Last day")
	p.checkAccess("jobs that failed")
	p.click("button", "Show others than Ended: Last day")
	p.gone("button", "Show others than Ended: Last day")
	p.click("button", "All")
	p.wait("both jobs", rows+` === 2 && location.search === ""`)
	p.gone("button", like)
	p.click("button", "Filters")
	p.choose("Error code", "out_of_memory")
	p.wait("the job that failed again", rows+` === 1 && location.search === "?code=out_of_memory"`)
	p.choose("Error code", "")
	p.choose("Model", "chroma1-hd_fp8_scaled")
	p.seeText("No job matches.")
	p.choose("Model", "z_image_turbo_bf16")
	p.wait("both jobs of the model", rows+` === 2 && location.search === "?modelId=z_image_turbo_bf16"`)
	p.fill("Account", "local")
	p.press("\r")
	p.see("button", "Show others than Account: local")
	p.wait("both jobs of the account", rows+` === 2 && location.search.endsWith("&wallet=local")`)
	p.checkAccess("filters of jobs")
	p.click("button", "All")
	p.wait("all again", rows+` === 2 && location.search === ""`)
	p.click("button", "Filters")
	p.wait("rows of one line", `[...document.querySelectorAll("tbody tr")].every((row) => row.getBoundingClientRect().height < 56)`)
	const fits = `((table) => table.scrollWidth <= table.clientWidth)(document.querySelector(".table-scroll"))`
	p.wait("nothing to scroll to", fits)
	p.wait("nothing with longer names either", `(document.querySelectorAll("td[data-name=Worker] bdi").forEach((name) => { name.textContent = "node on workstation, process 30039" }), true) && `+fits)
	p.wait("a way to each workflow", `[...document.querySelectorAll("tbody td[data-name=Workflow] a")].map((a) => a.pathname).sort().join() === `+quote("/workflows/")+` + [`+quote(completed)+","+quote(failed)+`].sort().join(",/workflows/")`)
	p.checkAccess("all jobs")
	p.click("link", "node on workstation, process 30039")
	p.see("heading", "Jobs since it connected")
	p.wait("how its jobs have ended", `[...document.querySelectorAll(".counts > div")].map((e) => e.innerText.replace(/\s+/g, " ")).join() === "Completed 1,Failed 1,Dropped 0"`)
	p.checkAccess("a worker and its jobs")
	p.click("link", "All its jobs")
	p.see("button", "Show others than Worker: studio-1")
	p.wait("its jobs", rows+" === 2")

	p.open("/operator/workers")
	p.wait("the one that was connected alone, and those of the service folded", `(([own, service]) => own.querySelectorAll("tbody tr").length === 1 && own.innerText.includes("studio-1") && service.closest("details:not([open])") !== null && service.querySelectorAll("tbody tr").length > 3)(document.querySelectorAll("table"))`)
	p.checkAccess("workers, those of the service folded")
	p.open("/account")
	p.wait("the worker that used its key", `/by worker studio-1/.test([...document.querySelectorAll(".keys li")].find((e) => e.innerText.includes("render farm")).innerText)`)
	p.seeText("1 console is signed in")
	p.checkAccess("account")

	s.run("account", "create", "--username", "ann", "--operator")
	for state, l := range map[string]look{"on a phone": phone, "at night": night} {
		other := openPage(t, s.URL, l)
		other.signIn(s.Key)
		for _, path := range []string{"/operator", "/operator/jobs", "/operator/workers", "/operator/failures", "/operator/accounts", "/account", "/usage", "/network"} {
			other.open(path)
			other.wait("the page "+path, `document.querySelector("main h1, main h2") !== null && !document.querySelector("main .waiting")`)
			other.wait("no wider than the window, at "+path, `document.documentElement.scrollWidth <= innerWidth`)
			other.checkAccess(path + " " + state)
			if path == "/operator/workers" {
				other.see("link", "studio-1")
			}
		}
	}
}

// Enter in the search counts although the results are not there yet. A workflow that it finds leads to the workflow, or
// to the jobs of one of another account.
func TestSearchOfOperator(t *testing.T) {
	t.Parallel()
	s, completed, _ := studio(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(`(() => {
		const real = fetch;
		let held = new Promise((resolve) => { window.release = resolve });
		window.fetch = async (input, init) => {
			const url = new URL(typeof input === "string" ? input : input.url ?? input, location.href);
			if (url.pathname === "/v1/operator/search") { window.asked = url.search; await held }
			return real(input, init);
		};
	})()`)
	p.signIn(s.Key)
	const field = "Search wallet, username, job, workflow, chat run or key hint"
	p.open("/operator")
	p.see("heading", "Queues")
	p.fill(field, completed)
	p.wait("the question to the service", "window.asked !== undefined")
	p.press("\r")
	p.wait("the results to come", `(window.release(), true)`)
	p.wait("the workflow", `location.pathname === "/workflows/" + `+quote(completed))
}

// A connection to a server that does not answer is not said to be connected, and the dashboard names it.
func TestConnectionThatIsDown(t *testing.T) {
	t.Parallel()
	s := startService(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/operator/connections")
	p.click("button", "Connect a server")
	p.fill("Address", gone.URL)
	p.fill("Name", "attic")
	p.allow("400 (Bad Request)")
	p.click("button", "Connect")
	p.seeText("The server could not be asked for its models.")
	p.wait("what is wrong, in sight", `((refusal) => refusal.top >= 0 && refusal.bottom <= document.querySelector("dialog footer").getBoundingClientRect().top)(
		document.querySelector("dialog .error-text").getBoundingClientRect())`)
	p.choose("Kind", "comfyui")
	p.click("button", "Connect")
	p.seeText("attic is saved, but does not answer as it should.")
	p.wait("no word of success", `!document.body.innerText.includes("attic is connected")`)
	p.checkAccess("a connection that is down")
	p.open("/operator")
	p.see("heading", "A connection is down")
	p.see("link", "attic")
	p.wait("no word of all being well", `!document.body.innerText.includes("All systems work")`)
	p.checkAccess("the dashboard with a connection that is down")
	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/operator")
	small.see("heading", "A connection is down")
	small.checkAccess("the same on a phone")
}

// An operator whose webhook to a private address is refused learns which setting allows it.
func TestPrivateWebhook(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("400")
	p.signIn(s.Key)
	p.open("/webhooks")
	p.click("button", "Add a webhook")
	p.fill("Address", "http://127.0.0.1:9/")
	p.click("button", "Add a webhook")
	p.seeText("ATELIER_ALLOW_PRIVATE_MEDIA")
	p.checkAccess("a webhook to a private address")
}

// What was done is searched, and saved for a spreadsheet.
func TestActionsOfOperator(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/account")
	p.click("button", "Create a key")
	p.fill("Name", "=farm")
	p.click("button", "Create a key")
	p.click("button", "I have saved it")
	p.open("/operator/actions")
	p.seeText("Create key =farm")
	p.seeText("Sign in")
	p.checkAccess("actions")
	p.fill("Action", "create key")
	p.wait("the others gone", `document.querySelectorAll(".cards tbody tr").length === 1`)
	evaluate[bool](p, `(() => { URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text }); return "data:," }; return true })()`)
	p.click("button", "Download CSV")
	p.wait("the file", `/^at,operator,operatorName,keyId,action,.*\r\n[^\n]*,create key,[^\n]*,'=farm,\r\n$/.test(window.saved)`)
	p.open("/operator/actions?to=2020-01-01")
	p.seeText("Nothing was done.")

	narrow := openPage(t, s.URL, phone)
	narrow.signIn(s.Key)
	narrow.open("/operator/actions")
	narrow.seeText("Create key =farm")
	narrow.wait("no more than the screen is wide", `document.documentElement.scrollWidth <= innerWidth`)
	narrow.checkAccess("actions on a phone")
	narrow.open("/account")
	narrow.seeText("Create key =farm")
	narrow.checkAccess("the activity of an account")
}
