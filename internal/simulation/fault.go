package simulation

import (
	"errors"
	"math/rand/v2"

	"github.com/atelier-project/atelier/internal/database"
)

// fault is how the database fails one node.
type fault struct {
	world *world
	armed bool
	at    database.Moment
	after int  // how many of these moments pass before
	kills bool // the process dies there

	stepper *stepper // that goroutines of the node wait at; nil for a node without any
	dead    bool     // the process has died: it reaches the database no more
	muted   bool     // the one who looks is not a node
}

var (
	errAway = errors.New("simulation: the database is away")
	errDead = errors.New("simulation: the process is dead")
)

// arm has a call fail soon.
func (f *fault) arm(r *rand.Rand) {
	f.armed = true
	f.at = pick(r, database.BeforeRead, database.BeforeCommit, database.BeforeCommit, database.AfterCommit, database.AfterCommit)
	f.after, f.kills = r.IntN(3), r.IntN(3) == 0
	if f.at == database.BeforeRead {
		f.after = r.IntN(8)
	}
}

// meet is called at every moment at which a call can fail.
func (f *fault) meet(at database.Moment) error {
	switch {
	case f.muted:
		return nil
	case f.stepper != nil && !f.dead && (at == database.BeforeRead || at == database.BeforeWrite):
		f.stepper.wait()
	}
	if f.dead {
		return errDead
	}
	if at == database.AfterCommit {
		f.world.commits++
	}
	if !f.armed || f.at != at {
		return nil
	}
	if f.after--; f.after >= 0 {
		return nil
	}
	f.armed = false
	if f.kills {
		f.dead = true
		return errDead
	}
	f.world.count("a call of the database failed")
	return errAway
}
