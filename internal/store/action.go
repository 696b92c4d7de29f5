package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Action is something that an operator did, or an account with its keys and sessions.
type Action struct {
	ID     string // ordered
	At     time.Time
	By     string // the wallet of who did it, or "command line"
	KeyID  string // of the API key that they acted with; empty for the command line and for what was before this was kept
	Action string
	Wallet atelier.Wallet // of the account concerned, may be empty
	Target string         // may be empty
	Detail string
	Reason string
}

// InsertAction records an action, in the transaction of the change.
func (tx *Tx) InsertAction(a Action) error {
	_, err := tx.Exec(`INSERT INTO operator_action (id, at, operator, key_id, action, wallet, target, detail, reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.ID, database.Millis(a.At), a.By, a.KeyID, a.Action, string(a.Wallet), a.Target, a.Detail, a.Reason)
	return err
}

// ActionQuery selects actions. An empty field selects all.
type ActionQuery struct {
	By          string
	KeyID       string
	Action      string
	Wallet      atelier.Wallet
	Target      string
	Since, Till time.Time // Till is not included
	Before      string    // an id
	Limit       int
}

// Actions lists actions, newest first.
func (tx *Tx) Actions(q ActionQuery) (out []Action, err error) {
	var c conditions
	c.add(q.By != "", `operator = `, q.By)
	c.add(q.KeyID != "", `key_id = `, q.KeyID)
	c.add(q.Action != "", `action = `, q.Action)
	c.add(q.Wallet != "", `wallet = `, string(q.Wallet))
	c.add(q.Target != "", `target = `, q.Target)
	c.add(!q.Since.IsZero(), `at >= `, database.Millis(q.Since))
	c.add(!q.Till.IsZero(), `at < `, database.Millis(q.Till))
	c.add(q.Before != "", `id < `, q.Before)
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			a  Action
			at int64
		)
		err := scan(&a.ID, &at, &a.By, &a.KeyID, &a.Action, &a.Wallet, &a.Target, &a.Detail, &a.Reason)
		a.At = database.FromMillis(at)
		out = append(out, a)
		return err
	}, `SELECT id, at, operator, key_id, action, wallet, target, detail, reason FROM operator_action`+c.where()+` ORDER BY id DESC LIMIT `+c.param(q.Limit), c.args...)
	return out, err
}

// CountActions counts what an account did to itself since a time, up to a number.
func (tx *Tx) CountActions(w atelier.Wallet, since time.Time, most int) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM (SELECT 1 FROM operator_action WHERE wallet = $1 AND at >= $2 AND operator = $1 LIMIT $3) AS own`,
		string(w), database.Millis(since), most).Scan(&n)
	return n, err
}
