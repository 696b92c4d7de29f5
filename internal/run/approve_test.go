package run_test

import (
	"context"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// What was approved is a cost. The language model names a vendor's model, which the
// account cannot pay for, and the cost of another is approved: when the call would then
// cost more, it waits once more.
func TestApprovalIsOfACost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		credits billing.Credits // that the account gets while the run waits
		o       run.Overrides
	}{
		{"the account can now pay for the vendor's model", billing.Credits{PremiumSpark: 500 * atelier.MoneyUnit}, run.Overrides{}},
		{"an override names a model between the two", billing.Credits{}, run.Overrides{QualityTier: "pro"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, storetest.Open(t, storetest.SQLite(t)), call("generate_image", `{"prompt":"a fox","model":"gpt-image-2","gptImageQuality":"high"}`), text("Done."))
			f.addAccounts()
			f.start()
			q := ask("Do it.")
			q.Confirm = true
			id := f.begin(q)
			r := f.until(id, atelier.StatusWaitingForUser)
			if err := f.Billing.Credit(t.Context(), ann, c.credits); err != nil {
				t.Fatal(err)
			}
			p := r.Waiting.Details.CostApprovalPreview
			_, err := f.e.Confirm(context.Background(), ann, id, run.Decision{
				ToolCallID: r.Waiting.Details.ToolCallID, Confirm: true, Overrides: c.o,
				Preview: &atelier.CostPreview{TotalEstimatedCapacityUnits: p.TotalEstimatedCapacityUnits, TokenType: p.TokenType, ValidityUntil: p.ValidityUntil},
			})
			if err != nil {
				t.Fatal(err)
			}
			r = f.until(id, append(over, atelier.StatusWaitingForUser)...)
			if r.Status != atelier.StatusWaitingForUser || len(r.BillingPreviews) != 2 || len(r.ChildWorkflowIDs) != 0 {
				t.Errorf("the run is %s with %d previews and the workflows %v", r.Status, len(r.BillingPreviews), r.ChildWorkflowIDs)
			}
		})
	}
}
