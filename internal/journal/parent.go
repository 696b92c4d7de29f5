package journal

import (
	"context"
	"iter"
	"time"

	"github.com/atelier-project/atelier"
)

// Standing is the status of the parent of a log: a workflow or a chat run.
type Standing struct {
	Status  atelier.Status
	Waiting atelier.WaitingReason
}

// Parent is the parent of a log when a reader begins.
type Parent struct {
	Log  string
	Next int64 // the next sequence of the log
	Standing

	// Wake, if it is set, returns a channel. The reader gets an empty update when it is closed.
	Wake func() <-chan struct{}
}

// Update is one item of a stream: an event, the status of the parent, or, with
// neither, a heartbeat.
type Update struct {
	Event    *atelier.Event
	Standing *Standing
	Missed   bool // events before this one were deleted before they were read
	IsWoken  bool // the channel of the caller was closed
}

func never() <-chan struct{} { return nil }

// FollowParent streams a log after a sequence, then the status of its parent, and then
// what happens until the parent is over. A change of status follows the event that
// caused it. Without news it yields a heartbeat at every beat.
func (j *Journal) FollowParent(ctx context.Context, p Parent, after int64, beat time.Duration) iter.Seq2[Update, error] {
	if p.Wake == nil {
		p.Wake = never
	}
	from := min(after, p.Next-1) // a reader that asks for a later sequence still sees the parent end
	return func(yield func(Update, error) bool) {
		now, live, expected := p.Standing, false, from+1
		for batch, err := range j.follow(ctx, p.Log, from, beat, p.Wake) {
			if err == errWoken {
				if !yield(Update{IsWoken: true}, nil) {
					return
				}
				continue
			}
			if err != nil {
				yield(Update{}, err)
				return
			}
			if len(batch) == 0 && live {
				if !yield(Update{}, nil) {
					return
				}
			} else if len(batch) == 0 { // everything in the log was sent
				live = true
				here := now
				if !yield(Update{Standing: &here}, nil) || here.Status.Terminal() {
					return
				}
			}
			for i := range batch {
				ev := &batch[i]
				if ev.Sequence > after && !yield(Update{Event: ev, Missed: ev.Sequence != expected}, nil) {
					return
				}
				expected = ev.Sequence + 1
				then := Standing{ev.Status, ev.Waiting}
				if live && then != now && !yield(Update{Standing: &then}, nil) {
					return
				}
				now = then
				if live && now.Status.Terminal() {
					return
				}
			}
		}
	}
}
