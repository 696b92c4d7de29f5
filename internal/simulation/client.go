package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// client is an account with what it has asked for.
type client struct {
	atelier.Account
	requests []*request
	hooks    []string // of its webhooks
	loras    map[string]atelier.LoraID
	chats    []*chatRequest
}

// request is a request for a workflow, which its account sends again under the same key until it
// knows the answer.
type request struct {
	client *client
	start  workflow.StartRequest
	id     atelier.WorkflowID // empty while the account does not know it
	read   int64              // the last event that its reader got
	over   atelier.Status     // as its reader was told
}

func (w *world) addAccounts() {
	n := w.nodes[0]
	add := func(wallet atelier.Wallet, isWorker bool, credits billing.Credits) atelier.Account {
		a := atelier.Account{Wallet: wallet, Username: string(wallet[2:]), Worker: isWorker, CreatedAt: w.now()}
		err := n.seat.db.Write(context.Background(), func(tx *store.Tx) error {
			if err := tx.InsertAccount(a); err != nil {
				return err
			}
			return n.billing.BookCredits(tx, wallet, mint.UUID(), credits)
		})
		if err != nil {
			w.t.Fatal(err)
		}
		return a
	}
	amount := func(most int64) atelier.Money { return atelier.Money(w.r.Int64N(most * int64(atelier.MoneyUnit))) }
	for _, wallet := range []atelier.Wallet{"0xann", "0xbob", "0xcat"} {
		a := add(wallet, false, billing.Credits{Spark: amount(30), PremiumSpark: amount(3), Svc: amount(5)})
		w.clients = append(w.clients, &client{Account: a, loras: map[string]atelier.LoraID{}})
	}
	add("0xwil", true, billing.Credits{})
	add("0xwes", true, billing.Credits{})
	add(service, true, billing.Credits{})
}

// service owns the sessions of nodes.
const service = atelier.Wallet("0xservice")

func (w *world) startWorkflow() {
	a := pick(w.r, w.clients...)
	q := &request{client: a, read: -1, start: workflow.StartRequest{
		Key: fmt.Sprint("key", len(a.requests)), Title: fmt.Sprintf("%s %d", a.Username, len(a.requests)), Steps: w.drawSteps(), Filter: true, Approve: w.r.IntN(6) == 0,
		Terms: atelier.PaymentTerms{
			Token: pick(w.r, atelier.PayAuto, atelier.PayAuto, atelier.PayAuto, atelier.PaySpark, atelier.PaySvc),
			Mode:  pick(w.r, atelier.BillAuto, atelier.BillAuto, atelier.BillAuto, atelier.BillTokens, atelier.BillSubscription),
		},
	}}
	if w.send(q) {
		a.requests = append(a.requests, q)
	}
}

// repeatRequest sends a request again, whether or not its answer came.
func (w *world) repeatRequest() {
	if a := pick(w.r, w.clients...); len(a.requests) > 0 {
		w.send(pick(w.r, a.requests...))
	}
}

// send sends a request. It reports whether the service may have accepted it.
func (w *world) send(q *request) bool {
	n := w.anyNode()
	if n == nil {
		return false
	}
	started, err := n.workflows.Start(context.Background(), q.client.Account, q.start)
	id := atelier.WorkflowID(started.Workflow.WorkflowID)
	w.note("start", "%s at %s: %s %s, known %v, %v", q.start.Title, n.name, id, started.Workflow.Status, started.Idempotent, err)
	switch {
	case err != nil:
		return q.id != "" || atelier.IsOutage(err)
	case q.id != "" && (q.id != id || !started.Idempotent):
		w.wrong("the request %s was accepted as %s, and again as %s", q.start.Title, q.id, id)
	case w.lost():
		return true
	}
	if q.id == "" {
		w.count("accepted")
	}
	q.id = id
	if active := w.active(q.client.Wallet); !started.Idempotent && active > w.rules.active {
		w.wrong("%s has %d workflows under way, and the limit is %d", q.client.Username, active, w.rules.active)
	}
	return true
}

// active is how many workflows of an account are queued or running.
func (w *world) active(owner atelier.Wallet) (n int) {
	w.look(func(tx *store.Tx) (err error) {
		n, err = storetest.ActiveWorkflows(tx, owner)
		return err
	})
	return n
}

// drawSteps draws a plan.
func (w *world) drawSteps() (steps []atelier.StepInput) {
	add := func(tool string, args map[string]any, from ...atelier.Binding) string {
		id := string(rune('a' + len(steps)))
		steps = append(steps, atelier.StepInput{ID: id, ToolName: tool, Arguments: args, DependsOn: from})
		return id
	}
	image := func() string {
		return add("generate_image", map[string]any{"prompt": pick(w.r, "a fox", "an owl", "a hen in snow"), "numberOfVariations": float64(1 + w.r.IntN(3))})
	}
	bind := func(from, target string) atelier.Binding {
		return atelier.Binding{SourceStepID: from, TargetArgument: target, Transform: "image_index", Required: w.r.IntN(2) == 0}
	}
	first := image()
	for range w.r.IntN(4) {
		switch w.r.IntN(6) {
		case 0:
			image()
		case 1, 2:
			add("upscale_image", map[string]any{}, bind(first, "sourceImageIndex"))
		case 3:
			add("edit_image", map[string]any{"prompt": "in snow"}, bind(first, "sourceImageIndex"))
		case 4:
			add("generate_video", map[string]any{"prompt": "x"}, bind(first, "referenceImageIndices"))
		case 5:
			add("ask_clarifying_question", map[string]any{"question": "which?"})
		}
	}
	return steps
}

// known is a request of which its account knows the workflow, if there is one.
func (w *world) known(fits func(*request) bool) *request {
	var list []*request
	for _, a := range w.clients {
		for _, q := range a.requests {
			if q.id != "" && fits(q) {
				list = append(list, q)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(w.r, list...)
}

// isOpen reports whether the account does not know yet that a workflow is over.
func isOpen(q *request) bool { return !q.over.Terminal() }

func (w *world) cancelWorkflow() {
	q, n := w.known(isOpen), w.anyNode()
	if q == nil || n == nil {
		return
	}
	c, err := n.workflows.Cancel(context.Background(), q.client.Wallet, q.id, "enough")
	w.note("cancel", "%s: %v, %s, %v", q.start.Title, c.Transitioned, c.Workflow.Status, err)
}

func (w *world) resumeWorkflow() {
	if q, n := w.known(isOpen), w.anyNode(); q != nil && n != nil {
		_, err := n.workflows.Resume(context.Background(), q.client.Wallet, q.id, workflow.ResumeRequest{})
		w.note("resume", "%s: %v", q.start.Title, err)
	}
}

func (w *world) confirmCost() {
	if q, n := w.known(func(q *request) bool { return q.start.Approve && isOpen(q) }), w.anyNode(); q != nil && n != nil {
		w.decide(n, q, w.r.IntN(4) > 0)
	}
}

// decide approves or declines a cost.
func (w *world) decide(n *node, q *request, yes bool) {
	found, err := n.workflows.Workflow(context.Background(), q.client.Wallet, q.id)
	if err == nil && found.AwaitingCostApproval != nil && *found.AwaitingCostApproval {
		_, err = n.workflows.Confirm(context.Background(), q.client.Wallet, q.id, workflow.Decision{Key: fmt.Sprint(yes, w.r.IntN(3)), Confirm: yes, Preview: found.BillingPreview})
	}
	w.note("confirm", "%s %v: %v", q.start.Title, yes, err)
}

func (w *world) addCredit() {
	a, n := pick(w.r, w.clients...), w.anyNode()
	if n == nil {
		return
	}
	c := billing.Credits{Spark: atelier.Money(w.r.Int64N(int64(20 * atelier.MoneyUnit)))}
	w.note("credit", "%s %s: %v", a.Username, c.Spark, n.billing.Credit(context.Background(), a.Wallet, c))
}

// changePlan gives an account a plan, or ends it.
func (w *world) changePlan() {
	a, n := pick(w.r, w.clients...), w.anyNode()
	if n == nil {
		return
	}
	status := pick(w.r, atelier.SubscriptionActive, atelier.SubscriptionActive, atelier.SubscriptionTrialing, atelier.SubscriptionExpired)
	tier := pick(w.r, atelier.TierUnlimited, atelier.TierUnlimitedPro)
	err := n.seat.db.Write(context.Background(), func(tx *store.Tx) error {
		return tx.PutSubscription(a.Wallet, atelier.Subscribe(tier, status, time.Time{}, w.now()), w.now())
	})
	w.note("plan", "%s %s %s: %v", a.Username, tier, status, err)
}

func (w *world) followLog() {
	if q, n := w.known(isOpen), w.anyNode(); q != nil && n != nil {
		w.follow(n, q)
	}
}

// follow reads the log of a workflow from the last event that its reader got, until all was read or the connection
// breaks.
func (w *world) follow(n *node, q *request) {
	news, err := n.workflows.Follow(context.Background(), q.client.Wallet, q.id, q.read, time.Minute)
	if err != nil {
		w.note("follow", "%s: %v", q.start.Title, err)
		return
	}
	breaks := -1
	if !w.calm && w.r.IntN(3) == 0 {
		breaks = w.r.IntN(4)
	}
	first := q.read
	for u, err := range news {
		if err != nil || breaks == 0 {
			break
		}
		breaks--
		if u.Event == nil {
			if u.Standing != nil && u.Standing.Status.Terminal() {
				q.over = u.Standing.Status
			}
			break
		}
		if q.over.Terminal() {
			w.wrong("the reader of %s gets event %d after the end", q.start.Title, u.Event.Sequence)
		}
		if u.Event.Sequence != q.read+1 {
			w.wrong("the reader of %s gets event %d after event %d", q.start.Title, u.Event.Sequence, q.read)
		}
		q.read = u.Event.Sequence
	}
	w.note("follow", "%s from %d to %d %s", q.start.Title, first, q.read, q.over)
}

// changeWebhook adds a webhook to an account, or takes one away.
func (w *world) changeWebhook() {
	a, n := pick(w.r, w.clients...), w.anyNode()
	if n == nil {
		return
	}
	if len(a.hooks) > 0 && w.r.IntN(4) == 0 {
		id := a.hooks[0]
		err := n.webhooks.Delete(context.Background(), a.Wallet, id)
		w.note("webhook", "%s without %s: %v", a.Username, id, err)
		if err == nil {
			a.hooks = slices.Delete(a.hooks, 0, 1)
		}
		return
	}
	hook, err := n.webhooks.Create(context.Background(), a.Wallet, w.web.receiver(), []atelier.WebhookEvent{atelier.HookAll})
	w.note("webhook", "%s %s: %v", a.Username, hook.ID, err)
	if err == nil && !w.lost() {
		a.hooks = append(a.hooks, hook.ID)
	}
}

// all reads every workflow of an account.
func (w *world) all(n *node, a *client) (list []apitype.Workflow) {
	for {
		page, err := n.workflows.List(context.Background(), a.Wallet, len(list), 100)
		if err != nil {
			w.t.Fatalf("list the workflows of %s: %v", a.Username, err)
		}
		if list = append(list, page.Workflows...); len(page.Workflows) < 100 {
			return list
		}
	}
}
