package fleet

import (
	"math"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// The times that a worker reports are limited to what is possible.
func TestMetricsAreBounded(t *testing.T) {
	t.Parallel()
	for reported, want := range map[float64]int64{0: 0, 1.5: 1500, -3: 0, 12: 12_000, 13: 12_000, 9e15: 12_000, math.MaxFloat64: 12_000, math.Inf(-1): 0} {
		began := time.UnixMilli(1_000_000)
		held := store.StoredJob{Job: atelier.Job{StartedAt: began}}
		m := render(atelier.Worker{}, held, apitype.RenderMetrics{RenderSeconds: reported, ModelSwitchSeconds: reported, PrimingSeconds: reported}, began.Add(12*time.Second-clockSlack))
		for _, part := range []time.Duration{m.Render, m.Switch, m.Priming} {
			if got := part.Milliseconds(); got != want {
				t.Errorf("%v s: counted %d ms, want %d", reported, got, want)
			}
		}
	}
}
