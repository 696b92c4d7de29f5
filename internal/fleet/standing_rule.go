package fleet

import (
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// A lapse is a job that a worker failed at, so that it was queued again, and that another worker
// then completed. Lapses lower the standing of a worker: others are preferred to it until it has shown that
// it is well. A job that every worker fails at is no lapse, nor one that its worker gave back as
// it left.
const (
	lapsesToLower = 3             // how many lapses lower a standing
	lapseAge      = 6 * time.Hour // how long one is remembered
	mostLapses    = 20            // how many of a worker are looked at
	outweighed    = 5             // jobs of the model that the worker completes after one until it is forgotten
	wellAfter     = 3             // jobs in a row, of models that it has failed at, restore a standing

	// leaving is how long before the end of a session jobs are no lapses: a worker that stops
	// gives back what it holds.
	leaving = time.Minute

	// stopping is how long a worker that stops takes to hand over its last results. Other workers
	// may complete meanwhile what it has given back.
	stopping = 15 * time.Second

	// incident is the time in which lost leases, and renders that ended because a renderer was away, count
	// once: a worker of many jobs loses all of them together.
	incident = 2 * time.Minute

	// accountPause is the time in which the jobs of an account count once, so that no account
	// lowers the standing of the worker of another with jobs that it has made for that. It does not
	// apply to the worker's own account and to operators.
	accountPause = 10 * time.Minute

	// The pause between two trials of a worker whose standing is low grows while it fails.
	firstTrial = time.Minute
	mostTrial  = 10 * time.Minute
)

// lapseSilent is the code of a lapse whose worker stopped reporting. The other codes are those with
// which a worker gives a job up.
const lapseSilent = string(apitype.LapseSilent)

// countLapses counts the lapses of a worker, which are listed newest first.
func countLapses(lapses []store.Lapse) (n int) {
	var away time.Time
	last := map[atelier.Wallet]time.Time{}
	for _, l := range slices.Backward(lapses) {
		if l.Code != atelier.FailDropped {
			if !away.IsZero() && l.At.Sub(away) < incident {
				continue
			}
			away = l.At
		}
		if at, known := last[l.Account]; known && !l.IsTrusted && l.At.Sub(at) < accountPause {
			continue
		}
		last[l.Account] = l.At
		n++
	}
	return n
}

// judgeLapse is the standing of a worker after a lapse, which is one of those that are listed, the newest first.
func judgeLapse(s store.Standing, lapses []store.Lapse, job atelier.JobID, now time.Time) store.Standing {
	n := countLapses(lapses)
	others := slices.DeleteFunc(slices.Clone(lapses), func(l store.Lapse) bool { return l.Job == job })
	switch {
	case n == countLapses(others): // it does not count
		return s
	case !s.LowSince.IsZero():
		s.Completed, s.Pause = 0, min(2*s.Pause, mostTrial)
	case n >= lapsesToLower:
		s = store.Standing{LowSince: now, Pause: firstTrial}
	default:
		return s
	}
	s.TrialAt, s.Reason = now.Add(s.Pause), lowReason(lapses)
	return s
}

// judgeCompleted is the standing of a worker after it has completed a job. isOfLapse says that it
// has failed at a job of the model. Other jobs show nothing: a worker that has one broken model would
// get the next trial of it for each job of another.
func judgeCompleted(s store.Standing, isOfLapse bool, now time.Time) store.Standing {
	if s.LowSince.IsZero() || !isOfLapse {
		return s
	}
	if s.Completed++; s.Completed >= wellAfter {
		return store.Standing{}
	}
	s.Pause, s.TrialAt = firstTrial, now // it may show at once that it is well
	return s
}

// lowReason says why a standing is low.
func lowReason(lapses []store.Lapse) string {
	return shorten(fmt.Sprintf("Other workers have completed %d jobs that it failed at. The last one, of %s: %s", len(lapses), lapses[0].Model, lapses[0].Message), mostReason)
}

// mostReason is how many characters the reason of a low standing has, and the message of a lapse.
const mostReason = 400
