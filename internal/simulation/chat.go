package simulation

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/compose/composetest"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// chatNode is the node that works on chat runs. Its goroutines go from one call of the database to the next when
// the game lets them.
type chatNode struct {
	*node
	stepper *stepper
	end     func()
	ended   chan struct{}
}

func (w *world) startChats() {
	c := &chatNode{node: &node{world: w, name: "chats", seat: w.board.seats[chatSeat]}}
	c.seat.take(w)
	w.chats = c
	c.begin()
}

// begin begins a process.
func (c *chatNode) begin() {
	c.stepper = &stepper{}
	c.start()
	c.seat.fault.stepper = c.stepper
	ctx, end := context.WithCancel(context.Background())
	c.end, c.ended = end, make(chan struct{})
	go func() {
		defer close(c.ended)
		c.runs.Serve(ctx)
	}()
	c.world.note("restart", "%s", c.name)
}

// stop ends the process: of its goroutines none reaches the database.
func (c *chatNode) stop() {
	if !c.up {
		return
	}
	c.node.stop()
	c.end()
	for {
		for c.stepper.next() {
		}
		select {
		case <-c.ended:
			return
		case <-time.After(time.Second):
		}
	}
}

// newRuns makes the engine of chat runs of a node.
func (n *node) newRuns() *run.Engine {
	w := n.world
	model := llm.Model{ID: "wise", ContextLength: 65536, PriceIn: atelier.MoneyUnit, PriceOut: 20 * atelier.MoneyUnit, Completer: mind{w}}
	models, err := llm.NewModels([]llm.Model{model}, "")
	if err != nil {
		w.t.Fatal(err)
	}
	chats := chat.New(n.seat.db, models, enginetest.Catalog(), n.workflows, n.billing, chat.Options{
		Heartbeat: time.Minute, Now: w.now, Log: enginetest.Log, Composer: composetest.Engine(), Filter: words(),
	})
	return run.New(n.seat.db, n.bus, w.files, n.billing, enginetest.Catalog(), n.workflows, chats, journal.New(n.seat.db, n.bus), run.Options{
		PreviewTTL: 5 * time.Minute, DownloadTTL: time.Hour, IsAlone: true, Now: w.now, Log: enginetest.Log,
		Media: media.New(n.seat.db, w.files, media.Options{Now: w.now}),
	})
}

// mind is a language model. What it says depends on what it was asked alone, so that it says the same when
// it is asked again.
type mind struct{ world *world }

// Complete implements llm.Completer.
func (m mind) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	said, topic := 0, ""
	for _, message := range q.Messages {
		if message.Role == "assistant" {
			said++
		}
		if message.Role == "user" {
			topic = fmt.Sprint(message)
		}
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d", topic, said, m.world.rules.active)
	draw := h.Sum64() % 100
	usage := &llm.Usage{PromptTokens: 1000, CompletionTokens: int(50 + draw)}
	switch {
	case draw < 8 && !m.world.calm:
		return errors.New("the model is away")
	case draw < 16 && !m.world.calm:
		select {
		case <-time.After(45 * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if said >= 3 || draw%3 == 0 {
		return emit(llm.Delta{Content: "It is done.", FinishReason: "stop", Usage: usage})
	}
	return emit(llm.Delta{FinishReason: "tool_calls", Usage: usage, ToolCalls: []llm.ToolCallDelta{{ID: fmt.Sprint("call", said), Name: "generate_image", Arguments: `{"prompt":"a fox"}`}}})
}

// chatRequest is a request for a chat run, as request is one for a workflow.
type chatRequest struct {
	client *client
	start  run.StartRequest
	name   string
	id     atelier.RunID
}

// unfinishedRuns are the chat runs that are not over.
func (w *world) unfinishedRuns() (list []storetest.UnfinishedRun) {
	if w.chats != nil {
		w.look(func(tx *store.Tx) (err error) {
			list, err = storetest.UnfinishedRuns(tx)
			return err
		})
	}
	return list
}

// ask starts a chat run, when no other is under way, or asks again for an earlier one.
func (w *world) ask() {
	if w.chats == nil {
		return
	}
	a := pick(w.r, w.clients...)
	if len(a.chats) > 0 && w.r.IntN(3) == 0 {
		w.sendChat(pick(w.r, a.chats...))
		return
	}
	if slices.ContainsFunc(w.unfinishedRuns(), func(u storetest.UnfinishedRun) bool { return u.Status != atelier.StatusWaitingForUser }) {
		return
	}
	name := fmt.Sprintf("chat %s %d", a.Username, len(a.chats))
	q := &chatRequest{client: a, name: name, start: run.StartRequest{Key: fmt.Sprint("chat", len(a.chats)), Confirm: w.r.IntN(3) == 0, Chat: chat.Request{
		Caller: atelier.Caller{Account: a.Account, Credential: atelier.CredentialAPIKey}, Messages: []llm.Message{llm.Text("user", name)},
		Family: catalog.CreativeAgent, Execute: true, Profile: chat.General, MaxTokens: 512, Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Filter: true,
	}}}
	if w.sendChat(q) {
		a.chats = append(a.chats, q)
	}
}

// sendChat sends a request. It reports whether the service may have accepted it.
func (w *world) sendChat(q *chatRequest) bool {
	n := w.anyNode()
	if n == nil {
		return false
	}
	started, err := n.runs.Start(context.Background(), q.start)
	w.note("ask", "%s at %s: %s %s, known %v, %v", q.name, n.name, started.Run.RunID, started.Run.Status, started.Repeat, err)
	switch {
	case err != nil:
		return q.id != "" || atelier.IsOutage(err)
	case q.id != "" && (q.id != started.Run.RunID || !started.Repeat):
		w.wrong("%s was accepted as %s, and again as %s", q.name, q.id, started.Run.RunID)
	case w.lost():
		return true
	}
	if q.id == "" {
		w.count("chats")
	}
	q.id = started.Run.RunID
	return true
}

// workOnChats lets the node that works on chats do some of what it has to do; all, at the end.
func (w *world) workOnChats() {
	if w.chats == nil || !w.chats.up {
		return
	}
	calls, most := 0, 1+w.r.IntN(30)
	for (w.calm || calls < most) && calls < 1000 && w.chats.stepper.next() {
		calls++
	}
	w.note("chats", "%d calls", calls)
}

func (w *world) killChats() {
	if w.chats != nil && w.chats.up {
		w.chats.stop()
	}
}

func (w *world) cancelRun() {
	list, n := w.unfinishedRuns(), w.anyNode()
	if len(list) == 0 || n == nil {
		return
	}
	u := pick(w.r, list...)
	c, err := n.runs.Cancel(context.Background(), u.Wallet, u.ID, "enough")
	w.note("end chat", "%s: %s, %v", u.ID, c.Status, err)
}

func (w *world) approveCall() {
	n := w.anyNode()
	for _, u := range w.unfinishedRuns() {
		if u.Status == atelier.StatusWaitingForUser && n != nil {
			w.approve(n, u, w.r.IntN(4) > 0)
			return
		}
	}
}

// approve decides about the cost of a call of a run.
func (w *world) approve(n *node, u storetest.UnfinishedRun, yes bool) {
	r, err := n.runs.Run(context.Background(), u.Wallet, u.ID)
	if err == nil && r.Waiting != nil {
		d := run.Decision{ToolCallID: r.Waiting.Details.ToolCallID, Confirm: yes, Arrived: w.now()}
		if p := r.Waiting.Details.CostApprovalPreview; p != nil {
			d.Preview = &atelier.CostPreview{TotalEstimatedCapacityUnits: p.TotalEstimatedCapacityUnits, TokenType: p.TokenType, ValidityUntil: p.ValidityUntil}
			d.Confirm = yes && w.now().Before(p.ValidityUntil)
		}
		_, err = n.runs.Confirm(context.Background(), u.Wallet, u.ID, d)
	}
	w.note("approve", "%s %v: %v", u.ID, yes, err)
}

// askAgain sends every request for a run again of which the answer was lost, so that each has one.
func (w *world) askAgain() {
	for _, a := range w.clients {
		for _, q := range a.chats {
			if q.id == "" {
				w.sendChat(q)
			}
		}
	}
}

// answerChats answers what runs ask their users, and cancels what asks too often. It returns how many are not over.
func (w *world) answerChats(round int) int {
	list := w.unfinishedRuns()
	for _, u := range list {
		switch {
		case round > mostRounds/2:
			_, err := w.nodes[0].runs.Cancel(context.Background(), u.Wallet, u.ID, "enough")
			w.note("end chat", "%s: %v", u.ID, err)
		case u.Status == atelier.StatusWaitingForUser:
			w.approve(w.nodes[0], u, true)
		}
	}
	return len(list)
}

// dropReservations has the money freed that processes which died had set aside for rounds of models.
func (w *world) dropReservations() {
	if w.chats == nil {
		return
	}
	time.Sleep(billing.ReservationLife + time.Minute)
	freed, err := w.nodes[0].billing.Sweep(context.Background())
	w.note("sweep", "%d, %v", freed, err)
}

// judgeRuns holds the chat runs of an account against what it has asked for and was charged. It returns the workflows
// that none of them has started.
func (w *world) judgeRuns(a *client, list []apitype.Workflow, spends map[string]atelier.Money, seen map[string]bool) []apitype.Workflow {
	if w.chats == nil {
		return list
	}
	var ids []atelier.RunID
	w.look(func(tx *store.Tx) (err error) {
		ids, err = storetest.Runs(tx, a.Wallet)
		return err
	})
	for _, q := range a.chats {
		if !slices.Contains(ids, q.id) {
			w.report("%s was accepted as %s, and is gone", q.name, q.id)
		}
	}
	if len(ids) != len(a.chats) {
		w.report("%s has asked for %d chats, and has %d", a.Username, len(a.chats), len(ids))
	}
	children := map[string]bool{}
	for _, id := range ids {
		r, err := w.nodes[0].runs.Run(context.Background(), a.Wallet, id)
		if err != nil {
			w.t.Fatalf("read %s: %v", id, err)
		}
		for _, child := range r.ChildWorkflowIDs {
			if children[child] {
				w.report("two calls have the workflow %s", child)
			}
			children[child] = true
		}
		w.judgeRun(r, spends, seen)
	}
	return slices.DeleteFunc(slices.Clone(list), func(f apitype.Workflow) bool { return children[f.WorkflowID] })
}

// judgeRun holds the log of a run against what must be in it, and against what was charged for its rounds.
func (w *world) judgeRun(r apitype.Run, spends map[string]atelier.Money, seen map[string]bool) {
	count, paid := map[string]int{}, atelier.Money(0)
	for i, ev := range r.Events {
		if ev.Sequence != int64(i) {
			w.report("event %d of %s has the sequence %d", i, r.RunID, ev.Sequence)
		}
		switch p := ev.Payload.(type) {
		case apitype.CallDispatched:
			count["dispatched "+p.ToolCallID]++
		case apitype.CallResolved:
			count["resolved "+p.ToolCallID]++
		case apitype.Spend:
			count["spend "+p.EventID]++
			if !p.CoveredByPlan {
				paid += p.CostInSpark + p.CostInSvc
			}
		case apitype.CallProgress:
			count[fmt.Sprintf("progress %s %d", p.ToolCallID, p.WorkflowSequence)]++
		case apitype.RunCreated:
			count["beginning"]++
		}
		if slices.Contains([]string{"run_completed", "run_cancelled", "run_failed", "run_partial_failure"}, string(ev.Type)) {
			count["end"]++
		}
	}
	if count["beginning"] != 1 || count["end"] != 1 {
		w.report("the log of %s begins or ends otherwise than once", r.RunID)
	}
	for what, n := range count {
		if n != 1 {
			w.report("the log of %s says %d times: %s", r.RunID, n, what)
		}
	}
	charged := atelier.Money(0)
	for cause, amount := range spends {
		if _, rest, _ := strings.Cut(cause, "/"); strings.HasPrefix(rest, string(r.RunID)+"/") {
			charged += amount
			seen[cause] = true
		}
	}
	if charged != paid {
		w.report("%s was charged %s, and its log says %s", r.RunID, charged, paid)
	}
	w.note("run", "%s %s %s, %d events, %s", r.RunID, r.Status, r.FailureReason, len(r.Events), paid)
	w.count("run " + string(r.Status))
}
