package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Settings are what a game is played with.
type Settings struct {
	Seed  uint64
	Steps int // before faults end

	// Damage are statements that are run on the new database. Tests plant defects with it.
	Damage []string

	// Line gets every line of the trace; nil for none.
	Line func(string)
}

// Outcome is what came of a game.
type Outcome struct {
	Trace     uint64         // the same for two games that were played alike
	Faults    []string       // what was wrong; the game ends with the first step that has any
	Simulated time.Duration  // how much time passed in it
	Counts    map[string]int // what happened how often
}

// errOver ends a game in which something was found to be wrong.
var errOver = errors.New("simulation: the game is over")

// world is all that there is in a game. One goroutine acts in it, one step after the other.
type world struct {
	t     *testing.T
	r     *rand.Rand
	rules rules
	board *board
	steps int
	epoch time.Time // what the clock shows when the game begins
	began time.Time // the time of the bubble then

	files   *files
	web     *web
	nodes   []*node
	chats   *chatNode // nil in a game without chats
	clients []*client
	workers []*worker

	holders  map[atelier.JobID]*holding         // the worker that was last told to have a job
	promised map[atelier.JobID]atelier.JobState // how jobs ended that workers were told to be done

	trace   *trace
	faults  []string
	counts  map[string]int
	commits int  // so far
	checked int  // how many commits there were when the books were last read
	calm    bool // nothing fails any more
}

// rules are what differs from game to game besides the steps.
type rules struct {
	nodes         int
	lease         time.Duration
	noWorker      time.Duration // how long jobs wait for a worker
	renderTimeout time.Duration
	active        int           // workflows of an account
	fairUse       atelier.Money // of a plan, per day
	chats         bool
	faults        int // of a hundred steps, how many have one
}

func newWorld(t *testing.T, s Settings, b *board) *world {
	r := rand.New(rand.NewPCG(s.Seed, 0x5eed))
	w := &world{
		t: t, r: r, board: b, steps: s.Steps, began: time.Now(), epoch: firstDay.Add(time.Duration(r.IntN(400*24*60)) * time.Minute),
		holders: map[atelier.JobID]*holding{}, promised: map[atelier.JobID]atelier.JobState{}, trace: newTrace(s.Line), counts: map[string]int{},
		rules: rules{
			nodes: 1 + min(1, r.IntN(3)), lease: pick(r, 30*time.Second, 2*time.Minute, 10*time.Minute), noWorker: pick(r, 0, 20*time.Minute, 2*time.Hour),
			renderTimeout: pick(r, 0, 0, time.Hour), active: 2 + r.IntN(5), fairUse: pick(r, 0, 2*atelier.MoneyUnit, 20*atelier.MoneyUnit), faults: pick(r, 0, 10, 30), chats: r.IntN(3) == 0,
		},
	}
	w.files, w.web = newFiles(), newWeb(w)
	for i := range w.rules.nodes {
		n := &node{world: w, name: fmt.Sprint("node", i), seat: b.seats[i]}
		w.nodes = append(w.nodes, n)
		n.seat.take(w)
		n.start()
	}
	for _, sql := range s.Damage {
		storetest.Exec(t, w.nodes[0].seat.db, sql)
	}
	w.addAccounts()
	if w.rules.chats {
		w.startChats()
	}
	w.note("begin", "%+v", w.rules)
	return w
}

func (w *world) close() {
	if w.chats != nil {
		w.chats.stop()
	}
	for _, n := range w.nodes {
		n.stop()
	}
	synctest.Wait()
}

func (w *world) outcome() Outcome {
	return Outcome{Trace: w.trace.sum(), Faults: w.faults, Simulated: time.Since(w.began), Counts: w.counts}
}

// firstDay is the first day on which a game may begin.
var firstDay = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// now is the time of all engines. It does not depend on when in its bubble a game is played.
func (w *world) now() time.Time { return w.epoch.Add(time.Since(w.began)).Truncate(time.Millisecond) }

// action is something that may happen in a step.
type action struct {
	name   string
	weight int
	do     func()
}

// play plays the game: steps with faults, and then the time in which all that was accepted ends.
func (w *world) play() {
	actions := []action{
		{"start", 12, w.startWorkflow}, {"again", 4, w.repeatRequest}, {"cancel", 2, w.cancelWorkflow}, {"resume", 4, w.resumeWorkflow},
		{"confirm", 4, w.confirmCost}, {"credit", 3, w.addCredit}, {"subscribe", 2, w.changePlan}, {"follow", 6, w.followLog},
		{"connect", 4, w.connectWorker}, {"claim", 16, w.claimJob}, {"report", 8, w.reportProgress}, {"complete", 14, w.completeJob},
		{"fail", 5, w.failJob}, {"late", 3, w.answerLate}, {"heartbeat", 3, w.sendHeartbeat}, {"leave", 1, w.leave},
		{"wait", 14, w.wait}, {"tasks", 8, w.doNodeTask}, {"webhook", 2, w.changeWebhook}, {"import", 2, w.importLora},
		{"ask", 4, w.ask}, {"chat", 8, w.workOnChats}, {"end chat", 1, w.cancelRun}, {"approve", 2, w.approveCall}, {"kill chats", 1, w.killChats},
		{"kill", 2, w.killNode}, {"restart", 4, w.restartNode},
	}
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	for range w.steps {
		n := w.r.IntN(total)
		for _, a := range actions {
			if n -= a.weight; n < 0 {
				w.plan()
				a.do()
				break
			}
		}
		w.end()
	}
	w.settle()
}

// plan decides whether a call fails soon, in this step or a later one.
func (w *world) plan() {
	if w.calm || w.r.IntN(100) >= w.rules.faults {
		return
	}
	n := w.nodes[w.r.IntN(len(w.nodes))]
	if w.chats != nil && w.r.IntN(3) == 0 {
		n = w.chats.node
	}
	n.seat.fault.arm(w.r)
}

// end ends a step: a process that has died is gone, and the books are read.
func (w *world) end() {
	synctest.Wait()
	for _, n := range w.nodes {
		if n.seat.fault.dead && n.up {
			w.count("died at a commit")
			n.stop()
		}
	}
	if c := w.chats; c != nil {
		if c.seat.fault.dead && c.up {
			w.count("died at a commit")
			c.stop()
		}
	}
	w.check()
}

// note adds to the trace, and counts what happened.
func (w *world) note(what, format string, args ...any) {
	w.trace.add(w.now(), what+" "+fmt.Sprintf(format, args...))
}

func (w *world) count(what string) { w.counts[what]++ }

// wrong records that something is wrong, and ends the game.
func (w *world) wrong(format string, args ...any) {
	w.report(format, args...)
	panic(errOver)
}

// report records that something is wrong.
func (w *world) report(format string, args ...any) {
	text := w.trace.shorten(fmt.Sprintf(format, args...))
	w.faults = append(w.faults, text)
	w.note("WRONG", "%s", text)
}

// look reads the database as it is, whatever fails for others.
func (w *world) look(fn func(*store.Tx) error) {
	n := w.nodes[0]
	n.seat.fault.muted = true
	defer func() { n.seat.fault.muted = false }()
	if err := n.seat.db.Read(context.Background(), fn); err != nil {
		w.t.Fatalf("read the database: %v", err)
	}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }
