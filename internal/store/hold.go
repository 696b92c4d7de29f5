package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Hold holds money of a purse for a cause. The caller has locked the account, and found that
// the purse has enough; should it have too little, the change fails. It fails with ErrExists
// when the cause holds money of this token already.
func (tx *Tx) Hold(cause string, w atelier.Wallet, part atelier.ChargePart, at time.Time) {
	tx.touch(w, TopicBalance)
	tx.CheckLater(func(n int64) error {
		if n == 0 {
			return fmt.Errorf("store: the %s purse of %s has less than %s", part.Token, w, part.Amount)
		}
		return nil
	}, `UPDATE purse SET held = held + $3 WHERE wallet = $1 AND token = $2 AND granted - spent - held >= $3`, string(w), string(part.Token), int64(part.Amount))
	tx.Later(`INSERT INTO hold (cause, token, wallet, amount, at) VALUES ($1, $2, $3, $4, $5)`,
		cause, string(part.Token), string(w), int64(part.Amount), database.Millis(at))
}

// HoldPlan holds an amount of what a plan covers for a cause: it counts for fair use while
// the work is queued and under way. SpendHold and ReleaseHolds end it. The purse of the plan
// is granted what it holds, and the ledger has none of it.
func (tx *Tx) HoldPlan(cause string, w atelier.Wallet, amount atelier.Money, at time.Time) {
	tx.Later(`INSERT INTO purse (wallet, token, granted, spent, held) VALUES ($1, $2, $3, 0, $3)
		ON CONFLICT (wallet, token) DO UPDATE SET granted = purse.granted + $3, held = purse.held + $3`, string(w), string(atelier.TokenPlan), int64(amount))
	tx.Later(`INSERT INTO hold (cause, token, wallet, amount, at) VALUES ($1, $2, $3, $4, $5)`,
		cause, string(atelier.TokenPlan), string(w), int64(amount), database.Millis(at))
}

// ExtendPlan holds more of what a plan covers for a cause that holds some already. ErrNotFound
// means that it does not: it was closed before.
func (tx *Tx) ExtendPlan(cause string, w atelier.Wallet, more atelier.Money) error {
	n, err := tx.Exec(`UPDATE hold SET amount = amount + $3 WHERE cause = $1 AND token = $2`, cause, string(atelier.TokenPlan), int64(more))
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return err
	}
	return tx.Must(`UPDATE purse SET granted = granted + $3, held = held + $3 WHERE wallet = $1 AND token = $2`, string(w), string(atelier.TokenPlan), int64(more))
}

// ExtendHold holds more of a purse for a cause that holds money already, of any
// token: the amount, or as much of it as the purse has. It returns how much it
// holds. The caller must have locked the account. ErrNotFound means that the cause
// holds nothing: it was closed before, and must not be opened again.
func (tx *Tx) ExtendHold(cause string, w atelier.Wallet, part atelier.ChargePart, at time.Time) (atelier.Money, error) {
	tx.touch(w, TopicBalance)
	open := false
	err := tx.Rows(func(func(...any) error) error {
		open = true
		return nil
	}, `SELECT token FROM hold WHERE cause = $1 AND wallet = $2`+tx.Dialect.ForUpdate, cause, string(w))
	if err == nil && !open {
		err = ErrNotFound
	}
	if err != nil {
		return 0, err
	}
	var free int64
	err = tx.Row(`SELECT granted - spent - held FROM purse WHERE wallet = $1 AND token = $2`, string(w), string(part.Token)).Scan(&free)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return 0, err
	}
	more := min(part.Amount, atelier.Money(free))
	if more <= 0 {
		return 0, nil
	}
	n, err := tx.Exec(`UPDATE purse SET held = held + $3 WHERE wallet = $1 AND token = $2 AND granted - spent - held >= $3`,
		string(w), string(part.Token), int64(more))
	if err == nil && n == 0 {
		err = fmt.Errorf("store: the %s purse of %s changed under the lock of its account", part.Token, w)
	}
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(`INSERT INTO hold (cause, token, wallet, amount, at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (cause, token) DO UPDATE SET amount = hold.amount + $4`,
		cause, string(part.Token), string(w), int64(more), database.Millis(at))
	return more, err
}

// SpendHold ends the hold of a cause on a token: it books the amount of the entry,
// at most what is held, and releases the rest. It returns what was spent.
// ErrNotFound means that nothing is held; then nothing changes.
func (tx *Tx) SpendHold(e LedgerEntry) (atelier.Money, error) {
	tx.touch(e.Wallet, TopicBalance)
	var held, before int64
	tx.Row(`SELECT granted - spent FROM purse WHERE wallet = $1 AND token = $2`+tx.Dialect.ForUpdate, string(e.Wallet), string(e.Token)).ScanLater(&before)
	if err := tx.Row(`DELETE FROM hold WHERE cause = $1 AND token = $2 RETURNING amount`, e.Cause, string(e.Token)).Scan(&held); err != nil {
		return 0, err
	}
	e.Kind, e.Amount = "spend", min(e.Amount, atelier.Money(held))
	tx.MustLater(`UPDATE purse SET held = held - $3, spent = spent + $4 WHERE wallet = $1 AND token = $2`,
		string(e.Wallet), string(e.Token), held, int64(e.Amount))
	if e.Amount == 0 {
		return 0, nil
	}
	tx.book(e)
	if left := atelier.Money(before) - e.Amount; left < atelier.LowBalance && left+e.Amount >= atelier.LowBalance {
		return e.Amount, tx.notifyBalance(atelier.HookBalanceLow, e, left)
	}
	return e.Amount, nil
}

// ReleaseHolds releases everything that a cause holds, also on the budget of a key.
func (tx *Tx) ReleaseHolds(cause string, w atelier.Wallet) error {
	tx.touch(w, TopicBalance)
	held := map[string]int64{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			token  string
			amount int64
		)
		err := scan(&token, &amount)
		held[token] = amount
		return err
	}, `DELETE FROM hold WHERE cause = $1 RETURNING token, amount`, cause)
	for token, amount := range held {
		if err == nil {
			err = tx.Must(`UPDATE purse SET held = held - $3 WHERE wallet = $1 AND token = $2`, string(w), token, amount)
		}
	}
	tx.releaseKeyLater(cause)
	return err
}

// StaleHold is money held for work that can no longer end.
type StaleHold struct {
	Cause  string
	Wallet atelier.Wallet
}

// StaleHolds lists what is held since before a time for causes of a kind. Jobs end
// their own holds; a reservation can be left by a process that died. The prefix of
// the cause is compared, not a range: a PostgreSQL collation may ignore the slash.
func (tx *Tx) StaleHolds(kind string, before time.Time, limit int) (out []StaleHold, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var h StaleHold
		err := scan(&h.Cause, &h.Wallet)
		out = append(out, h)
		return err
	}, `SELECT DISTINCT cause, wallet FROM hold WHERE SUBSTR(cause, 1, $2) = $1 AND at < $3 ORDER BY cause LIMIT $4`,
		kind+"/", len(kind)+1, database.Millis(before), limit)
	return out, err
}

// OpenHolds lists the causes with a prefix for which money of an account is held.
func (tx *Tx) OpenHolds(w atelier.Wallet, prefix string) (causes []string, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var cause string
		err := scan(&cause)
		causes = append(causes, cause)
		return err
	}, `SELECT DISTINCT cause FROM hold WHERE wallet = $1 AND SUBSTR(cause, 1, $3) = $2`, string(w), prefix, len(prefix))
	return causes, err
}

// PurseSums is one purse twice: as its row says, and as the sum of the ledger and
// the holds.
type PurseSums struct {
	Wallet atelier.Wallet
	Token  atelier.Token
	Row    atelier.Purse
	Ledger atelier.Purse // Held is the sum of the holds
}

// Audit adds up the ledger and the holds for every purse.
func (tx *Tx) Audit(each func(PurseSums) error) error {
	return tx.Rows(func(scan func(...any) error) error {
		var s PurseSums
		var n [6]int64
		if err := scan(&s.Wallet, &s.Token, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]); err != nil {
			return err
		}
		s.Row = atelier.Purse{Granted: atelier.Money(n[0]), Spent: atelier.Money(n[1]), Held: atelier.Money(n[2])}
		s.Ledger = atelier.Purse{Granted: atelier.Money(n[3]), Spent: atelier.Money(n[4]), Held: atelier.Money(n[5])}
		return each(s)
	}, `SELECT k.wallet, k.token, COALESCE(p.granted, 0), COALESCE(p.spent, 0), COALESCE(p.held, 0),
		COALESCE(l.granted, 0), COALESCE(l.spent, 0), COALESCE(h.held, 0)
		FROM (SELECT wallet, token FROM purse UNION SELECT wallet, token FROM ledger UNION SELECT wallet, token FROM hold) k
		LEFT JOIN purse p ON p.wallet = k.wallet AND p.token = k.token
		LEFT JOIN (SELECT wallet, token,
			CAST(SUM(CASE kind WHEN 'grant' THEN amount ELSE 0 END) AS BIGINT) AS granted,
			CAST(SUM(CASE kind WHEN 'spend' THEN amount ELSE 0 END) AS BIGINT) AS spent
			FROM ledger GROUP BY wallet, token) l ON l.wallet = k.wallet AND l.token = k.token
		LEFT JOIN (SELECT wallet, token, CAST(SUM(amount) AS BIGINT) AS held FROM hold GROUP BY wallet, token) h
			ON h.wallet = k.wallet AND h.token = k.token
		ORDER BY k.wallet, k.token`)
}
