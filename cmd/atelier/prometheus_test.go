//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// prometheus is a running Prometheus with the alert rules.
type prometheus struct {
	t       *testing.T
	url     string
	targets string          // the file that lists them
	nodes   []string        // what it lists
	quiet   map[string]bool // alerts whose fault was not made yet
}

var (
	repository  = filepath.Join("..", "..", "deploy", "monitoring")
	lasting     = regexp.MustCompile(`(?m)^ +for: .*\n`)
	namedAlerts = regexp.MustCompile(`- alert: (\w+)`)
)

func startPrometheus(t *testing.T, program, node string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	rules, err := os.ReadFile(filepath.Join(repository, "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	m := &prometheus{t: t, targets: filepath.Join(dir, "targets.json"), quiet: map[string]bool{}}
	for _, name := range namedAlerts.FindAllStringSubmatch(string(rules), -1) {
		m.quiet[name[1]] = true
	}
	m.add(node)
	config := `global: { scrape_interval: 1s, evaluation_interval: 1s, scrape_timeout: 1s }
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: atelier
    scrape_timeout: 1s
    file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }]
`
	for name, text := range map[string]string{"alerts.yaml": lasting.ReplaceAllString(string(rules), ""), "prometheus.yaml": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	m.url = "http://" + l.Addr().String()
	p, err := launchCommand(exec.Command(program, "--config.file="+filepath.Join(dir, "prometheus.yaml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+l.Addr().String()), dir, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	if err := p.await(&p.stderr, "Server is ready to receive web requests"); err != nil {
		t.Fatal(err)
	}
	return m
}

// add makes a node a target.
func (m *prometheus) add(node string) {
	m.nodes = append(m.nodes, strings.TrimPrefix(node, "http://"))
	text, err := json.Marshal([]map[string][]string{{"targets": m.nodes}})
	if err == nil {
		err = os.WriteFile(m.targets+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(m.targets+".new", m.targets)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// sample is a value that an expression has.
type sample struct {
	Metric map[string]string
	Value  [2]any // the time, and the value as a text
}

// query evaluates an expression, and leaves out what is no number.
func (m *prometheus) query(expression string) (list []sample) {
	m.t.Helper()
	resp, err := http.Get(m.url + "/api/v1/query?query=" + neturl.QueryEscape(expression))
	if err != nil {
		m.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Error string
		Data  struct{ Result []sample }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Error != "" {
		m.t.Fatalf("%s: %s, %v", expression, answer.Error, err)
	}
	for _, s := range answer.Data.Result {
		if s.Value[1] != "NaN" {
			list = append(list, s)
		}
	}
	return list
}

// within is how long a fault may take to be seen. The slowest rule looks at steps of a minute.
const within = 6 * time.Minute

// await makes a cause again and again until something has happened.
func (m *prometheus) await(what string, cause func(), happened func() bool) {
	m.t.Helper()
	begun := time.Now()
	for deadline := begun.Add(within); !happened(); {
		if time.Now().After(deadline) {
			m.t.Fatalf("not within %s: %s", within, what)
		}
		if cause != nil {
			cause()
		}
		<-time.After(300 * time.Millisecond)
	}
	m.t.Logf("after %s: %s", time.Since(begun).Round(time.Second/10), what)
}

// fires waits until an alert fires while its fault is made, and says if another fault made it fire before.
func (m *prometheus) fires(alert string, cause func()) {
	m.t.Helper()
	firing := fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing"}`, alert)
	if earlier := m.query("max_over_time(" + firing + "[1h])"); len(earlier) > 0 && cause != nil {
		m.t.Logf("%s has fired before: %v", alert, earlier[0].Metric)
	}
	m.await(alert+" fires", cause, func() bool { return len(m.query(firing)) > 0 })
	delete(m.quiet, alert)
}

// firedAll fails unless each rule of the file was made to fire.
func (m *prometheus) firedAll() {
	for alert := range m.quiet {
		m.t.Errorf("%s was not made to fire", alert)
	}
}

// seesDashboard waits until every expression of the dashboard has data, but for those about some metrics.
func (m *prometheus) seesDashboard(cause func(), without ...string) {
	m.t.Helper()
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	text, err := os.ReadFile(filepath.Join(repository, "dashboard.json"))
	if err == nil {
		err = json.Unmarshal(text, &dashboard)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	n := 0
	for _, panel := range dashboard.Panels {
	targets:
		for _, target := range panel.Targets {
			for _, metric := range without {
				if strings.Contains(target.Expr, metric) {
					continue targets
				}
			}
			n++
			m.await("data for "+target.Expr, cause, func() bool { return len(m.query(target.Expr)) > 0 })
		}
	}
	m.t.Logf("%d expressions of the dashboard have data", n)
}
