package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// answer answers a run that waits for its user: by asking, by the flags, or with a no where
// no user can be asked.
func (r *followed) answer(ctx context.Context) error {
	waiting, err := r.client.Run(ctx, string(r.id))
	if err != nil {
		return fmt.Errorf("%w; %w", r.URL.explainFlags(err), r.waits())
	}
	w := waiting.Waiting
	if w == nil {
		return nil // answered elsewhere
	}
	if w.Details.CostApprovalPreview == nil {
		return r.giveUp(ctx, r.explainPause(w))
	}
	cost := r.showCosts(waiting)
	approved := r.Yes
	if !approved && r.isTerminal {
		if approved, err = r.agrees(ctx, "Approve?"); err != nil {
			return r.waits()
		}
	} else if !approved {
		r.why = fmt.Sprintf("the cost of %s was declined, because there is no terminal to ask at: add --yes to approve costs", cost)
	}
	return r.decide(ctx, w, approved)
}

// waits is the error of a run that was left to wait.
func (r *followed) waits() error {
	return fmt.Errorf("the run waits for an answer: continue with %s", r.resumeCommand())
}

// decide sends a decision about a cost.
func (r *followed) decide(ctx context.Context, w *apitype.RunWaiting, approved bool) error {
	d := client.RunDecision{ToolCallID: w.Details.ToolCallID, Decision: client.Decline}
	if approved {
		d.Decision, d.Preview = client.Approve, w.Details.CostApprovalPreview
	}
	last, cancel := lastMoment(ctx)
	defer cancel()
	_, err := r.client.ConfirmRunCost(last, string(r.id), d)
	switch {
	case err == nil:
		return nil
	case !client.Is(err, http.StatusConflict) && !client.Is(err, http.StatusPaymentRequired):
		return fmt.Errorf("%w; %w", r.URL.explainFlags(err), r.waits())
	}
	now, readErr := r.client.Run(last, string(r.id))
	if readErr == nil && (now.Waiting == nil || now.Waiting.Details.ToolCallID != d.ToolCallID) {
		return nil // the decision was made, by this call or by another
	}
	return r.giveUp(ctx, err.Error())
}

// giveUp cancels a run that waits for what cannot be given, if the user agrees or cannot be
// asked.
func (r *followed) giveUp(ctx context.Context, why string) error {
	if r.isTerminal {
		r.bar.say(why)
		if cancels, err := r.agrees(ctx, "Cancel the run?"); err != nil || !cancels {
			return r.waits()
		}
		why = "the run was cancelled"
	} else {
		why = strings.TrimSuffix(why, ".") + "; the run was cancelled"
	}
	last, cancel := lastMoment(ctx)
	defer cancel()
	_, err := r.client.CancelRun(last, string(r.id), "")
	if err != nil && !client.Is(err, http.StatusConflict) { // a conflict: it is over
		return fmt.Errorf("%w; %w", r.URL.explainFlags(err), r.waits())
	}
	r.why = why
	return nil
}

// explainPause says why a run waits, with the service's message, and what can be done.
func (r *followed) explainPause(w *apitype.RunWaiting) string {
	said := strings.TrimSuffix(printable(w.Message), ".")
	switch w.Reason {
	case atelier.WaitSafetyReview:
		said += ". Change the message and try again"
		if !r.Unfiltered {
			said += ", or add --unfiltered if the account was created with it"
		}
	case atelier.WaitCostApproval:
		if isKeyBudget(said) {
			said += fmt.Sprintf(". It can be raised on the server with %s key limit", program())
		} else {
			said += fmt.Sprintf(". Credit is added on the server with %s account credit WALLET --spark N", program())
		}
	}
	return said + "."
}

// showCosts shows what each call that waits would cost, and returns the total.
func (r *followed) showCosts(waiting apitype.Run) (total string) {
	details := waiting.Waiting.Details
	preview := details.CostApprovalPreview
	token := map[atelier.TokenChoice]string{atelier.PayAuto: "Spark or svc", atelier.PaySpark: "Spark", atelier.PaySvc: "svc"}[preview.TokenType]
	var (
		lines strings.Builder
		sum   atelier.Money
	)
	table := columns(&lines)
	fmt.Fprintln(table, "  TOOL\tCOST\tUNITS\tMODEL\tPROMPT")
	for _, ev := range waiting.Events {
		p, ok := ev.Payload.(apitype.AwaitingCost)
		if !ok || !slices.Contains(details.PendingToolCallIDs, p.ToolCallID) {
			continue
		}
		cost := atelier.Money(math.Round(p.EstimatedCost * float64(atelier.MoneyUnit)))
		sum += cost
		args, _ := p.ToolArgs.(map[string]any)
		fmt.Fprintf(table, "  %s\t%s %s\t%.6g\t%s\t%s\n", cell(p.ToolName), short(cost), token, p.CapacityUnits, cell(p.ModelKey), cell(args["prompt"]))
	}
	total = short(sum) + " " + token
	fmt.Fprintf(table, "  total\t%s\t%.6g\n", total, preview.TotalEstimatedCapacityUnits)
	_ = table.Flush() // into memory
	if !r.JSON {
		r.bar.say(printable(waiting.Waiting.Message) + "\n" + strings.TrimSuffix(lines.String(), "\n"))
	}
	return total
}

// cell is a text of an event in a table: printable, on one line, and not long.
func cell(v any) string {
	text, _ := v.(string)
	return clip(plainText(text), 60)
}
