package run

import (
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// draft is the text of a round while a model writes it. It is in memory only: the log has the whole text when the round
// has ended, and a round that is interrupted is asked again.
type draft struct {
	mu      sync.Mutex
	version int64         // of the attempt at the round; 0 while no model writes
	round   int           // from 1
	content []byte        // so far
	changed chan struct{} // closed, and replaced, when something above changes
	isLocal bool          // this node works on the run
	users   int           // who has entered
	readers int           // of them, who read a run that is under way
	stored  int64         // the version that other nodes can read
	length  int           // how much of it
}

// drafts are those of the runs that this node works on, or has readers of.
type drafts struct {
	mu     sync.Mutex
	byRun  map[atelier.RunID]*draft
	wanted chan struct{} // has a value when a reader has come
}

func newDrafts() *drafts {
	return &drafts{byRun: map[atelier.RunID]*draft{}, wanted: make(chan struct{}, 1)}
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

// of lists the drafts that this node writes, or those that others write and its readers follow.
func (d *drafts) of(local bool) map[atelier.RunID]*draft {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[atelier.RunID]*draft{}
	for id, one := range d.byRun {
		one.mu.Lock()
		if one.isLocal == local && (local || one.readers > 0) {
			out[id] = one
		}
		one.mu.Unlock()
	}
	return out
}

// ask has drafts of other nodes asked for, if a reader waits for one.
func (d *drafts) ask(isWanted bool) {
	if isWanted {
		select {
		case d.wanted <- struct{}{}:
		default:
		}
	}
}

// change changes a draft, and wakes its readers.
func (d *draft) change(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
	close(d.changed)
	d.changed = make(chan struct{})
}

// setLocal says whether this node works on the run.
func (d *draft) setLocal(is bool) {
	d.change(func() { d.isLocal, d.version, d.content = is, 0, nil })
}

// begin begins an attempt at a round.
func (d *draft) begin(version int64, round int) {
	d.change(func() { d.version, d.round, d.content = version, round, nil })
}

// add adds what the model has written. Outside of a round it is ignored.
func (d *draft) add(content string) {
	if content != "" {
		d.change(func() {
			if d.version != 0 {
				d.content = append(d.content, content...)
			}
		})
	}
}

// end ends the round: its text is in the log, or it is asked again.
func (d *draft) end() { d.change(func() { d.version, d.content = 0, nil }) }

// draftReader is how far a reader has read a draft.
type draftReader struct {
	draft   *draft
	version int64           // that it has read last
	sent    int             // bytes of it
	stale   int64           // a version that was interrupted
	round   int             // the newest that has begun
	done    int             // the newest that has ended
	changed <-chan struct{} // closed when there may be more
	isLive  bool            // the run is under way
}

// Text is what a model has written since the last Text of a stream.
type Text struct {
	Round   int
	IsFirst bool // it replaces what an earlier attempt at the round has written
	Content string
}

// see takes note of an event of the log.
func (r *draftReader) see(p atelier.Payload) {
	switch p := p.(type) {
	case apitype.RoundStarted:
		r.round = max(r.round, p.Round)
	case apitype.MessageCompleted:
		r.done = r.round
	case apitype.RunResumed:
		r.stale = r.version
	}
}

// follow takes note of the status of the run. It reports whether the reader now waits for a draft.
func (r *draftReader) follow(s atelier.Status) bool {
	isLive := s.Active()
	if isLive == r.isLive {
		return false
	}
	r.isLive = isLive
	r.draft.mu.Lock()
	defer r.draft.mu.Unlock()
	if isLive {
		r.draft.readers++
	} else {
		r.draft.readers--
	}
	return isLive
}

// next is what the model has written since the last call; nil when that is nothing.
func (r *draftReader) next() *Text {
	d := r.draft
	d.mu.Lock()
	defer d.mu.Unlock()
	r.changed = d.changed
	if d.version == 0 || d.version == r.stale || d.round <= r.done {
		return nil
	}
	if d.version != r.version {
		r.version, r.sent, r.round = d.version, 0, max(r.round, d.round)
	}
	if len(d.content) <= r.sent {
		return nil
	}
	t := &Text{Round: d.round, IsFirst: r.sent == 0, Content: string(d.content[r.sent:])}
	r.sent = len(d.content)
	return t
}
