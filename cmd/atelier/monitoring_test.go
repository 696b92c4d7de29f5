//go:build linux

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Every alert of deploy/monitoring fires when its fault is made, and every expression of the dashboard
// has data in the end. The rules are as they are, but for the time that a fault must last. A real
// Prometheus reads two nodes: one with SQLite on a small disk, and one with PostgreSQL and S3, which
// it reaches through proxies that are closed. scripts/monitoring-check runs this.
func TestMonitoring(t *testing.T) {
	program := os.Getenv("ATELIER_TEST_PROMETHEUS")
	if program == "" {
		t.Skip("left out: scripts/monitoring-check runs it")
	}
	var (
		fails    atomic.Bool
		standIn  = newStandIn(t, &fails)
		small    = smallDisk(t)
		data     = filepath.Join(small, "data")
		postgres = proxyPostgres(t, storetest.Postgres(t).URL)
		storage  = proxyS3(t, blobtest.S3URL(t))
	)
	one := start(t, []string{
		"ATELIER_WORKERS_EMBEDDED=false", "ATELIER_WORKERS_LEASE=3s", "ATELIER_METRICS_LEDGER_INTERVAL=1s", "ATELIER_ALLOW_PRIVATE_MEDIA=true",
		"ATELIER_LIMITS_FREE_SPACE_BYTES=1", "ATELIER_LIMITS_ACTIVE_WORKFLOWS=100000", "ATELIER_LIMITS_WORKFLOW_STARTS_PER_MINUTE=1000000",
		"ATELIER_CONFIG=" + writeFile(t, fmt.Sprintf("llm: {upstreams: [{name: thinker, base_url: %q, models: [{id: wise, context_length: 32768}]}]}\n", standIn+"/v1")),
	}, "--data", data)
	m := startPrometheus(t, program, one.URL)
	c := client.New(one.URL, one.Key)
	workflow := func() { startFox(t, c, "") }
	call(t, one.URL+"/v1/webhooks", one.Key, fmt.Sprintf(`{"url": %q, "events": ["workflow.completed"]}`, standIn+"/hook"), nil)
	chat := func() {
		_, _, _ = post(one.URL+"/v1/chat/completions", one.Key, `{"model": "wise", "stream": true, "messages": [{"role": "user", "content": "hi"}]}`)
	}

	m.fires("AtelierNoWorkers", workflow)
	worker := connectHand(t, one, data)
	worker.render(t)
	worker.claim(t) // and is silent from now on
	m.fires("AtelierWorkerLost", workflow)
	m.seesDashboard(func() { // while all is well, but for failures
		workflow()
		well := connectHand(t, one, data)
		well.report(t, 60, 100<<30)
		well.render(t)
		chat()
	}, "atelier_storage_failures_total", "atelier_vendor_render_seconds")
	m.fires("AtelierGPUHot", func() { connectHand(t, one, data).report(t, 95, 100<<30) })
	m.fires("AtelierWorkerDiskFull", func() { connectHand(t, one, data).report(t, 60, 1<<30) })
	fails.Store(true)
	m.fires("AtelierModelServerDown", chat)
	databasetest.Exec(t, database.Options{Path: filepath.Join(data, "atelier.db")}, `UPDATE purse SET granted = granted + 1 WHERE token = 'spark'`)
	m.fires("AtelierLedgerMismatch", nil)
	occupy(t, small)
	m.fires("AtelierDiskFull", nil)
	m.fires("AtelierQueueGrowing", workflow)

	many := start(t, []string{
		"ATELIER_DATABASE_URL=" + postgres.url, "ATELIER_STORAGE_URL=" + storage.url, "ATELIER_LIMITS_WORKFLOW_STARTS_PER_MINUTE=1000000",
		"ATELIER_LIMITS_ACTIVE_WORKFLOWS=100000", "VENDOR_KEY=k", "ATELIER_WORKERS_EMBEDDED=false",
		"ATELIER_CONFIG=" + writeFile(t, fmt.Sprintf("vendors: [{name: acme, kind: openai-images, base_url: %q, api_key_env: VENDOR_KEY, models: [{id: gpt-image-2}]}]\n", standIn+"/v1")),
	}, "--data", t.TempDir())
	m.add(many.URL)
	manyClient := client.New(many.URL, many.Key)
	m.fires("AtelierVendorFailing", func() { startFox(t, manyClient, "gpt-image-2") })
	storage.begin()
	ask := func() {
		if resp, err := http.Get(many.URL + "/readyz"); err == nil {
			resp.Body.Close()
		}
	}
	m.fires("AtelierStorageFailing", ask)
	storage.end(t)
	postgres.begin()
	m.fires("AtelierDatabaseGone", ask)
	m.fires("AtelierNotifiedLate", nil)
	m.fires("AtelierErrors", ask)
	postgres.end(t)
	m.seesDashboard(nil, "atelier_worker_") // the workers have left
	_ = one.Process.Signal(syscall.SIGKILL)
	m.fires("AtelierDown", nil)
	m.firedAll()
}
