package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// listenMetrics begins to listen for readers of the metrics, where they have an address of
// their own.
func listenMetrics(c *config.Config) (net.Listener, error) {
	if c.Metrics.Listen == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", c.Metrics.Listen)
	if err != nil {
		return nil, fmt.Errorf("metrics.listen: %w", err)
	}
	return l, nil
}

// MetricsURL is where the metrics are, if they have an address of their own.
func (n *Node) MetricsURL() string { return "http://" + n.metricsListener.Addr().String() + "/metrics" }

// metricsServer serves nothing but the metrics.
func (n *Node) metricsServer() *http.Server {
	handler := n.metrics.Handler()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if !telemetry.MayRead(r, n.config.Metrics.Token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "The metrics are for those who send their token.", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	return &http.Server{Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
}

// observeParts shows whether the database answers, and how much space is free.
func (n *Node) observeParts() {
	n.metrics.GaugeFunc("database_up", "Whether the database answers this node: 1 or 0.", func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), pingPatience)
		defer cancel()
		if n.DB.Ping(ctx) != nil {
			return 0
		}
		return 1
	})
	if n.config.DatabaseReplica != "" {
		n.metrics.GaugeFunc("database_replica_lag_seconds", "How far the replica of the database is behind; NaN while it is not used because it is away, too far behind or no standby.", func() float64 {
			lag, used := n.DB.ReplicaLag()
			if !used {
				return math.NaN()
			}
			return lag.Seconds()
		})
	}
	if free := freeSpace(n.config); free != nil {
		n.metrics.GaugeFunc("disk_free_bytes", "Free space on the fuller of the disks of this node that have the database or media.", func() float64 {
			bytes, err := free()
			if err != nil {
				return math.NaN()
			}
			return float64(bytes)
		})
	}
	n.ledgerFaults = n.metrics.Gauge("ledger_differences", "Differences that the last verification of the ledger found.")
}

// pingPatience is how long a reader of the metrics waits for the database.
const pingPatience = 2 * time.Second

// audit verifies the ledger, at first with the first sweep, until ctx ends.
func (n *Node) audit(ctx context.Context) {
	interval := n.config.Metrics.LedgerInterval
	for wait := min(sweepInterval, interval); clock.Sleep(ctx, wait); wait = interval {
		_, differences, err := n.Billing.Audit(ctx)
		if err != nil {
			if ctx.Err() == nil {
				n.log.Warn("verify the ledger failed", "error", err)
			}
			continue
		}
		n.ledgerFaults.Set(float64(len(differences)))
		if len(differences) > 0 {
			n.log.Error("the ledger does not agree: see atelier ledger verify", "differences", len(differences), "first", differences[0])
		}
	}
}

// observeDatabase measures the operations of the database.
func observeDatabase(m *telemetry.Metrics) func(operation string, took time.Duration) {
	h := m.Histogram("database_seconds", "How long operations of the database took; a commit makes a group of writes durable.", nil, "operation")
	return func(operation string, took time.Duration) { h.Observe(took.Seconds(), operation) }
}

// observeStorage measures the operations of the media storage.
func observeStorage(m *telemetry.Metrics) func(operation string, took time.Duration, failed bool) {
	seconds := m.Histogram("storage_seconds", "How long operations of the media storage took.", nil, "operation")
	failures := m.Counter("storage_failures_total", "Operations of the media storage that failed.", "operation")
	return func(operation string, took time.Duration, failed bool) {
		seconds.Observe(took.Seconds(), operation)
		if failed {
			failures.Inc(operation)
		}
	}
}

// observeVendors measures what vendors and image servers render.
func observeVendors(m *telemetry.Metrics) func(vendor, model string, took time.Duration, err error) {
	h := m.Histogram("vendor_render_seconds", "How long renders of vendors and image servers took.", nil, "vendor", "model", "end")
	return func(vendor, model string, took time.Duration, err error) {
		h.Observe(took.Seconds(), vendor, model, renderEnd(err))
	}
}

func renderEnd(err error) string {
	switch {
	case err == nil:
		return "completed"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "failed"
}

// observeModels measures the requests to servers of language models.
func observeModels(m *telemetry.Metrics) func(ctx context.Context, server string, x llm.Exchange) {
	g := m.GenAI()
	return func(ctx context.Context, server string, x llm.Exchange) {
		i := telemetry.Inference{
			Operation: x.Operation, Server: server, Model: x.Model, Began: time.Now().Add(-x.Took), First: x.First, Took: x.Took, Failure: modelFailure(x.Err),
		}
		if x.Usage != nil {
			i.Input, i.Output = x.Usage.PromptTokens, x.Usage.CompletionTokens
		}
		g.Record(ctx, i)
	}
}

func modelFailure(err error) string {
	switch {
	case err == nil:
		return ""
	case atelier.HasCode(err, atelier.CodeUpstreamTimeout):
		return "timeout"
	case atelier.HasCode(err, atelier.CodeUpstream):
		return "server"
	case atelier.HasCode(err, atelier.CodeInvalidRequest):
		return "refused"
	}
	return "interrupted" // its caller left, or has no money for more
}

// observeSpending counts what work costs.
func observeSpending(m *telemetry.Metrics) func(store.Work) {
	c := m.Counter("spent_total", "What renders and language models cost, in units of the token; what plans cover is Spark.", "kind", "token")
	return func(w store.Work) {
		kind := "render"
		if w.Network == "" {
			kind = "language"
		}
		add := func(token string, amount atelier.Money) {
			if amount > 0 {
				c.Add(float64(amount)/float64(atelier.MoneyUnit), kind, token)
			}
		}
		if w.ByPlan {
			add("plan", w.Spark)
		}
		add(string(atelier.TokenSpark), w.SparkSpent-w.PaidSparkSpent)
		add(string(atelier.TokenPremiumSpark), w.PaidSparkSpent)
		add(string(atelier.TokenSvc), w.SvcSpent)
	}
}
