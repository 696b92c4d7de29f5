package node_test

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// After a picture was made and a language model has answered, the metrics say how long the job
// waited, what it and the model took, what was spent, and what database and storage did.
func TestMetricsOfWork(t *testing.T) {
	t.Parallel()
	model := ateliertest.NewOracle(t, "wise")
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.LLM.Upstreams = []config.Upstream{{Name: "oracle", BaseURL: model.URL + "/v1", Models: []config.UpstreamModel{{ID: "wise", ContextLength: 32768}}}}
	})
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1 << 40})
	worker := s.Worker(t, s.Account(t, account.NewAccount{Worker: true}, billing.Credits{}))
	for range 2 {
		startPicture(t, client.New(s.URL, ann.Key))
	}
	worker.Complete(t, worker.Claim(t), 1, nil)
	model.Say(ateliertest.Answer{Pieces: []ateliertest.Piece{{Content: "hello"}}, Usage: [3]int{7, 3, 0}})
	body := strings.NewReader(`{"model": "wise", "messages": [{"role": "user", "content": "hi"}]}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/chat/completions", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ann.Key)
	req.Header.Set("Content-Type", "application/json")
	if resp, answer := exchange(t, req); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, answer)
	}
	s.Get(t, "/readyz", "")
	_, text := s.Get(t, "/metrics", "")
	for _, want := range []string{
		`atelier_workers 1$`, // without those inside the node
		`atelier_storage_seconds_count\{operation="ping"\} 1$`,
		`atelier_job_wait_seconds_count\{model="[^"]+",network="fast"\} 1`,
		`atelier_render_seconds_sum\{model="[^"]+",network="fast"\} 0\.1`,
		`atelier_queue_depth\{model="[^"]+",network="fast"\} \d+`,
		`atelier_leases_expired_total 0`,
		`atelier_spent_total\{kind="render",token="spark"\} \d`,
		`atelier_database_seconds_count\{operation="commit"\} \d+`,
		`atelier_database_seconds_count\{operation="write"\} \d+`,
		`atelier_storage_seconds_count\{operation="put"\} \d+`,
		`atelier_streams 0`,
		`atelier_database_up 1`,
		`atelier_disk_free_bytes \d`,
		`gen_ai_client_operation_duration_seconds_count\{error_type="",gen_ai_operation_name="chat",gen_ai_provider_name="oracle",gen_ai_request_model="wise"\} 1`,
		`gen_ai_client_token_usage_count\{.*gen_ai_token_type="output"\} 1`,
	} {
		if !regexp.MustCompile(`(?m)^` + want).MatchString(text) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// The metrics are for those who send their token, beside the API or on an address of their own.
func TestWhoReadsMetrics(t *testing.T) {
	t.Parallel()
	const token = "a token of the tests"
	read := func(url, sent string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sent != "" {
			req.Header.Set("Authorization", "Bearer "+sent)
		}
		resp, _ := exchange(t, req)
		return resp.StatusCode
	}
	beside := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Metrics.Token = token })
	own := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Metrics = config.Metrics{Listen: "127.0.0.1:0", Token: token} })
	for _, c := range []struct {
		url, token string
		want       int
	}{
		{beside.URL + "/metrics", "", 401}, {beside.URL + "/metrics", "another", 401}, {beside.URL + "/metrics", token, 200},
		{own.URL + "/metrics", token, 404}, {own.Node.MetricsURL(), "", 401}, {own.Node.MetricsURL(), token, 200}, {own.Node.MetricsURL() + "/x", token, 404},
	} {
		if got := read(c.url, c.token); got != c.want {
			t.Errorf("GET %s with %q: %d, want %d", c.url, c.token, got, c.want)
		}
	}
}

// The alerts and the dashboard name metrics that operators find described, and each alert has a
// section that says what to do.
func TestMonitoringFiles(t *testing.T) {
	t.Parallel()
	text := func(path string) string {
		content, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	alerts, described := text("deploy/monitoring/alerts.yaml"), text("docs/operations/metrics.md")
	names := regexp.MustCompile(`(atelier|gen_ai)_[a-z_]+`).FindAllString(regexp.MustCompile(`gen_ai_(provider|request|token)_(name|model|type)\b`).ReplaceAllString(
		alerts+text("deploy/monitoring/dashboard.json"), ""), -1)
	if len(names) < 30 {
		t.Errorf("found only %d metrics", len(names))
	}
	for _, name := range names {
		short := strings.TrimPrefix(regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, ""), "gen_ai_client_operation")
		if !strings.Contains(described, short) {
			t.Errorf("%s is not in docs/operations/metrics.md", name)
		}
	}
	index, runbooks := text("docs/operations.md"), text("docs/operations/runbooks.md")
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(alerts, -1) {
		place := "operations/runbooks.md#" + strings.ToLower(alert[1])
		if !strings.Contains(runbooks, "\n## "+alert[1]+"\n") {
			t.Errorf("the runbooks do not say what to do about %s", alert[1])
		}
		if !strings.Contains(alerts, "runbook_url: https://github.com/atelier-project/atelier/blob/main/docs/"+place+"\n") {
			t.Errorf("the alert %s has no runbook_url of its section", alert[1])
		}
		if !strings.Contains(index, "]("+place+")") {
			t.Errorf("docs/operations.md does not link the runbook of %s", alert[1])
		}
	}
}

// Whatever a worker says that a render took, the sums of all renders stay numbers.
func TestMetricsOfAbsurdTimes(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t))
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1 << 40})
	owner := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	c := client.New(s.URL, owner.Key)
	for range 2 {
		startPicture(t, client.New(s.URL, ann.Key))
		w := s.Worker(t, owner)
		j := w.Claim(t)
		done := apitype.Completion{Metrics: apitype.RenderMetrics{RenderSeconds: math.MaxFloat64, ModelSwitchSeconds: math.MaxFloat64}}
		for _, a := range j.Artifacts {
			done.Artifacts = append(done.Artifacts, apitype.ReportedArtifact{ID: a.ID, ContentType: "image/png", Width: 64, Height: 64, Data: picture.Bytes()})
		}
		path := "/v1/worker/sessions/" + string(w.ID) + "/jobs/" + string(j.JobID) + "/complete"
		if err := c.Call(t.Context(), http.MethodPost, path, done, nil); err != nil {
			t.Fatal(err)
		}
	}
	_, text := s.Get(t, "/metrics", "")
	for _, name := range []string{"render_seconds", "model_switch_seconds"} {
		if !regexp.MustCompile(`(?m)^atelier_` + name + `_sum\{.*\} 172800$`).MatchString(text) {
			t.Errorf("the metrics lack a sum of two days in atelier_%s", name)
		}
	}
	if strings.Contains(text, "Inf\n") {
		t.Error("a metric is infinite")
	}
}
