package run

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// draft is the text of a round while a model writes it. It is in memory only: the log has the whole text when the round
// has ended, and a round that is interrupted is asked again.
type draft struct {
	mu      sync.Mutex
	version int64         // of the attempt at the round, ever greater for a run; 0 while no model writes
	round   int           // from 1
	content []byte        // so far
	changed chan struct{} // closed, and replaced, when something above changes
	isLocal bool          // this node works on the run
	readers int           // of a run that is under way
	stop    func()        // ends the reading of what another node writes; nil while nothing is read

	users int // who has entered; drafts.mu guards it
}

// notify wakes the readers. The caller holds the lock.
func (d *draft) notify() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// begin begins an attempt at a round.
func (d *draft) begin(version int64, round int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version, d.round, d.content = version, round, nil
	d.notify()
}

// add adds what the model has written. Outside of a round it is ignored.
func (d *draft) add(content string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.version != 0 && content != "" {
		d.content = append(d.content, content...)
		d.notify()
	}
}

// end ends the round: its text is in the log, or it is asked again.
func (d *draft) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version, d.content = 0, nil
	d.notify()
}

// drafts are those of the runs that this node works on, or has readers of.
type drafts struct {
	mu    sync.Mutex
	byRun map[atelier.RunID]*draft
}

// enter returns the draft of a run, until leave is called.
func (d *drafts) enter(id atelier.RunID) (of *draft, leave func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of = d.byRun[id]
	if of == nil {
		of = &draft{changed: make(chan struct{})}
		d.byRun[id] = of
	}
	of.users++
	return of, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if of.users--; of.users == 0 {
			delete(d.byRun, id)
		}
	}
}

// draftReader is how far a reader has read a draft.
type draftReader struct {
	engine  *Engine
	id      atelier.RunID
	draft   *draft
	version int64           // the newest that it has read
	sent    int             // bytes of it
	done    int             // the newest round that has ended
	isLive  bool            // the run is under way
	changed <-chan struct{} // closed when there may be more
}

// Text is what a model has written since the last Text of a stream.
type Text struct {
	Round   int
	IsFirst bool // it is the beginning of the text: of a round, of another attempt at it, or for a reader who comes late
	Content string
}

// see takes note of an event of the log.
func (r *draftReader) see(p atelier.Payload) {
	if p, ok := p.(apitype.MessageCompleted); ok {
		r.done = max(r.done, p.Round)
	}
}

// follow takes note of the status of the run. While readers follow a run of another node, its draft is read.
func (r *draftReader) follow(s atelier.Status) {
	if isLive := s.Active(); isLive != r.isLive {
		r.isLive = isLive
		r.draft.mu.Lock()
		defer r.draft.mu.Unlock()
		if isLive {
			r.draft.readers++
		} else {
			r.draft.readers--
		}
		r.engine.exchange(r.id, r.draft)
	}
}

// setLocal says whether this node works on a run.
func (e *Engine) setLocal(id atelier.RunID, d *draft, is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.isLocal, d.version, d.content = is, 0, nil
	d.notify()
	e.exchange(id, d)
}

// exchange begins or ends the reading of a draft that another node may write. The caller holds the lock of the draft.
func (e *Engine) exchange(id atelier.RunID, d *draft) {
	isNeeded := d.readers > 0 && !d.isLocal && !e.opts.IsAlone
	switch {
	case isNeeded && d.stop == nil:
		ctx, cancel := context.WithCancel(context.Background())
		d.stop = cancel
		go e.fetch(ctx, id, d)
	case !isNeeded && d.stop != nil:
		d.stop()
		d.stop = nil
	}
}

// next is what the model has written since the last call; nil when that is nothing.
func (r *draftReader) next() *Text {
	d := r.draft
	d.mu.Lock()
	defer d.mu.Unlock()
	r.changed = d.changed
	if d.version < max(1, r.version) || d.round <= r.done {
		return nil
	}
	if d.version > r.version {
		r.version, r.sent = d.version, 0
	}
	if len(d.content) <= r.sent {
		return nil
	}
	t := &Text{Round: d.round, IsFirst: r.sent == 0, Content: string(d.content[r.sent:])}
	r.sent = len(d.content)
	return t
}
