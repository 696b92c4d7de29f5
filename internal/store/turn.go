package store

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
)

// TurnLength is the render time that counts as one turn.
const TurnLength = 10 * time.Second

// turns converts milliseconds to whole turns.
func turns(ms int64) int64 { return ms / TurnLength.Milliseconds() }

// turn is the render time of an account, in milliseconds.
type turn struct {
	used    int64
	typical int64
}

// nextTurn gives an account its next turn in a network. Accounts take turns: one that
// was idle begins at the front of the network, and each further job of an account is
// one turn later. A job is placed by its expected end, so that long jobs let short
// ones go first.
func (tx *Tx) nextTurn(w atelier.Wallet, n atelier.Network) {
	tx.Later(`INSERT INTO job_turn (wallet, network, turn) VALUES ($1, $2, 1 + COALESCE((SELECT turn FROM job_front WHERE network = $2), 0))
		ON CONFLICT (wallet, network) DO UPDATE SET turn = CASE WHEN job_turn.turn >= excluded.turn THEN job_turn.turn + 1 ELSE excluded.turn END`, string(w), string(n))
}

// jobPlace is what a job stores of the turn t of its account: its place in the queue, and the
// render time of its account that this includes, in milliseconds.
var jobPlace = fmt.Sprintf("t.turn + t.typical / %d, t.used, t.typical", TurnLength.Milliseconds())

// AdvanceFront moves the front of a network to the turn of a job that was claimed. It
// never moves back.
func (tx *Tx) AdvanceFront(n atelier.Network, turn int64) {
	tx.Later(`INSERT INTO job_front (network, turn) VALUES ($1, $2)
		ON CONFLICT (network) DO UPDATE SET turn = $2 WHERE job_front.turn < $2`, string(n), turn)
}

// CountTime adds render time to what an account has used in a network, which delays
// its next turn.
func (tx *Tx) CountTime(w atelier.Wallet, n atelier.Network, used time.Duration) {
	tx.countTime(w, n, used, "")
}

// CountJob is CountTime for the part of an ended job that was not counted yet. It also
// records how long the whole job took.
func (tx *Tx) CountJob(w atelier.Wallet, n atelier.Network, used, whole time.Duration) {
	tx.countTime(w, n, used, `, typical = CASE WHEN typical = 0 THEN $5 ELSE (3 * typical + $5) / 4 END`, whole.Milliseconds())
}

func (tx *Tx) countTime(w atelier.Wallet, n atelier.Network, used time.Duration, more string, args ...any) {
	tx.Later(`UPDATE job_turn SET used = used + $3, turn = turn + (used + $3) / $4 - used / $4`+more+` WHERE wallet = $1 AND network = $2`,
		append([]any{string(w), string(n), used.Milliseconds(), TurnLength.Milliseconds()}, args...)...)
}

// MoveBack moves a queued job to the place that it is due by now.
func (tx *Tx) MoveBack(c Candidate) error {
	_, err := tx.Exec(`UPDATE job SET turn = $2, turn_used = $3, turn_typical = $4 WHERE id = $1 AND state = 'queued'`, string(c.ID), c.Due, c.used, c.typical)
	return err
}
