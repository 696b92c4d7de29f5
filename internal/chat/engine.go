package chat

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Engine answers conversations. It is safe for concurrent use.
type Engine struct {
	db        *store.DB
	models    *llm.Models
	catalog   *catalog.Catalog
	workflows *workflow.Engine
	billing   *billing.Engine
	families  func() map[string]*toolbox        // the service's own tools, by family
	tools     atomic.Pointer[func() *toolboxes] // with those of other servers
	unpaid    telemetry.Counter
	heads     heads
	opts      Options
}

// Options are what an engine needs besides its neighbours.
type Options struct {
	Heartbeat time.Duration // between signs of life while a tool runs
	Now       func() time.Time
	Log       *slog.Logger
	Metrics   *telemetry.Metrics // nil counts nothing

	Composer *compose.Engine // runs the tools that answer at once
	Filter   *filter.Filter  // reads what they are to write about

	// Templates lists the templates that models may call as tools, for an account, at most limit. Nil: none.
	Templates func(ctx context.Context, w atelier.Wallet, limit int) ([]atelier.Template, template.Revision, error)

	// Keep stores media that came inline, and returns where tools can read it.
	Keep func(ctx context.Context, w atelier.Wallet, contentType string, data []byte) (string, error)
}

// New makes an engine.
func New(db *store.DB, models *llm.Models, c *catalog.Catalog, w *workflow.Engine, b *billing.Engine, o Options) *Engine {
	e := &Engine{db: db, models: models, catalog: c, workflows: w, billing: b, opts: o}
	e.unpaid = o.Metrics.Counter("llm_unpaid_spark_total", "What language models cost beyond what accounts could pay, in Spark.")
	e.families = catalog.Derive(c, func() map[string]*toolbox {
		return map[string]*toolbox{
			catalog.CreativeTools: newToolbox(c, catalog.CreativeTools),
			catalog.CreativeAgent: newToolbox(c, catalog.CreativeAgent),
		}
	})
	e.SetRemoteTools(nil)
	return e
}

// findModelFor finds the model of a request of a caller, whose key may have to use others.
func (e *Engine) findModelFor(c atelier.Caller, id string) (llm.Model, error) {
	m, err := e.findModel(id)
	if err == nil {
		err = atelier.At("model", c.Limits.CheckModel(m.ID))
	}
	return m, err
}

// findModel finds the model of a request: by its id, or the default.
func (e *Engine) findModel(id string) (llm.Model, error) {
	m, ok := e.models.Default()
	if id != "" {
		m, ok = e.models.Find(id)
	}
	if !ok || m.Completer == nil {
		err := atelier.Errorf(atelier.CodeModelNotFound, "Language model not found: model %q is not offered. GET /v1/models lists the language models.", id)
		err.Field = "model"
		return m, err
	}
	return m, nil
}

// SeesImages reports whether a model, by its id or the default, is shown the images of a
// conversation.
func (e *Engine) SeesImages(id string) bool {
	m, err := e.findModel(id)
	return err == nil && m.Vision
}

// CheckModel returns an error unless an id names a language model that a caller may use, or is empty for the
// default, which it may use.
func (e *Engine) CheckModel(c atelier.Caller, id string) error {
	_, err := e.findModelFor(c, id)
	return err
}

// sessionLife is how long a session is kept after its last change.
const sessionLife = 90 * 24 * time.Hour

// Sweep deletes sessions that were not changed for sessionLife.
func (e *Engine) Sweep(ctx context.Context) (deleted int64, err error) {
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		deleted, err = tx.ForgetSessions(e.opts.Now().Add(-sessionLife), 10_000)
		return err
	})
	return deleted, err
}
