package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// The line has the cost, and the time that is left once it can be told.
func TestBarTellsCostAndTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		b := newBar(&out)
		b.price(apitype.Workflow{Steps: []apitype.Step{
			{Status: atelier.StatusCompleted, Cost: apitype.StepCost{Actual: &apitype.ActualCost{Spark: 1_600_000, ByPlan: true}}},
			{Status: atelier.StatusRunning, Cost: apitype.StepCost{EstimatedSpark: 2_000_000}},
			{Status: atelier.StatusFailed, Cost: apitype.StepCost{EstimatedSpark: 9_000_000}},
		}})
		b.show(0.1, "painting")
		time.Sleep(30 * time.Second)
		b.show(0.25, "painting")
		time.Sleep(70 * time.Second)
		b.show(1, "done")
		want := ` 10% painting, 3.6 Spark, of which 1.6 covered by the plan
 25% painting, 3.6 Spark, of which 1.6 covered by the plan, about 1m30s left
100% done, 3.6 Spark, of which 1.6 covered by the plan
`
		if out.String() != want {
			t.Errorf("got %q, want %q", &out, want)
		}
	})
}
