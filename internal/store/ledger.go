package store

import (
	"math"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/database"
)

// LedgerEntry is one booked change of a purse.
type LedgerEntry struct {
	Wallet atelier.Wallet
	Token  atelier.Token
	Kind   string // grant, spend or payout
	Amount atelier.Money
	Cause  string // what it was booked for; once per kind and token
	App    string // the application that asked for what was spent; empty if it is not known
	KeyID  string // of the API key that asked; empty if none did or it is not known
	At     time.Time
}

// Grant books an amount into an account's purse. ErrExists means that the same
// cause was booked before; then nothing changes.
func (tx *Tx) Grant(e LedgerEntry) error {
	tx.touch(e.Wallet, TopicBalance)
	tx.book(e)
	if err := tx.Flush(); err != nil {
		return err
	}
	var left int64
	err := tx.Row(`INSERT INTO purse (wallet, token, granted, spent, held) VALUES ($1, $2, $3, 0, 0)
		ON CONFLICT (wallet, token) DO UPDATE SET granted = purse.granted + $3 RETURNING granted - spent`,
		string(e.Wallet), string(e.Token), int64(e.Amount)).Scan(&left)
	if err != nil {
		return err
	}
	return tx.notifyBalance(atelier.HookBalanceCredited, e, atelier.Money(left))
}

// notifyBalance reports a change of a purse, which this transaction has locked, to the webhooks of its account.
func (tx *Tx) notifyBalance(event atelier.WebhookEvent, e LedgerEntry, left atelier.Money) error {
	return tx.NotifyWebhooks(Notice{
		Wallet: e.Wallet, Type: event, Subject: "balance/" + string(e.Token), At: e.At,
		Data: func() any { return apitype.WebhookBalance{Token: e.Token, Amount: e.Amount, Balance: left} },
	})
}

// BookFree writes an entry of the ledger about work that cost nothing: its amount is zero, and its
// cause says why. It changes no purse.
func (tx *Tx) BookFree(e LedgerEntry) {
	tx.touch(e.Wallet, TopicBalance)
	e.Kind, e.Amount = "spend", 0
	tx.book(e)
}

// book writes one entry of the ledger.
func (tx *Tx) book(e LedgerEntry) {
	tx.Later(`INSERT INTO ledger (wallet, token, kind, amount, cause, at, app, key_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		string(e.Wallet), string(e.Token), e.Kind, int64(e.Amount), e.Cause, database.Millis(e.At), e.App, e.KeyID)
}

// Purses returns the purses of an account by token.
func (tx *Tx) Purses(w atelier.Wallet) (map[atelier.Token]atelier.Purse, error) {
	purses, err := tx.PursesOf([]atelier.Wallet{w})
	return purses[w], err
}

// PursesOf returns the purses of several accounts, by wallet and token.
func (tx *Tx) PursesOf(wallets []atelier.Wallet) (map[atelier.Wallet]map[atelier.Token]atelier.Purse, error) {
	out := map[atelier.Wallet]map[atelier.Token]atelier.Purse{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			w                    atelier.Wallet
			token                atelier.Token
			granted, spent, held int64
		)
		if err := scan(&w, &token, &granted, &spent, &held); err != nil {
			return err
		}
		if out[w] == nil {
			out[w] = map[atelier.Token]atelier.Purse{}
		}
		out[w][token] = atelier.Purse{Granted: atelier.Money(granted), Spent: atelier.Money(spent), Held: atelier.Money(held)}
		return nil
	}, `SELECT wallet, token, granted, spent, held FROM purse WHERE wallet IN (`+database.Marks(1, len(wallets))+`)`, database.Texts(wallets)...)
	return out, err
}

// LedgerPlace is the place of an entry in the ledger of an account, which is in the order
// of times.
type LedgerPlace struct {
	At                 time.Time
	Cause, Kind, Token string
}

// LedgerEntries lists entries of an account from a time on and before another, the latest
// first, at most limit. With a place, only those before it.
func (tx *Tx) LedgerEntries(w atelier.Wallet, from, to time.Time, before *LedgerPlace, limit int) (list []LedgerEntry, err error) {
	first, end := int64(math.MinInt64), int64(math.MaxInt64)
	if !from.IsZero() {
		first = database.Millis(from)
	}
	if !to.IsZero() {
		end = database.Millis(to)
	}
	where, args := `wallet = $1 AND at >= $2 AND at < $3`, []any{string(w), first, end, limit}
	if before != nil {
		args[2] = min(end, database.Millis(before.At)+1) // a bound that the index serves
		where += ` AND (at, cause, kind, token) < ($5, $6, $7, $8)`
		args = append(args, database.Millis(before.At), before.Cause, before.Kind, before.Token)
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			e          = LedgerEntry{Wallet: w}
			amount, at int64
		)
		if err := scan(&e.Token, &e.Kind, &amount, &e.Cause, &e.App, &e.KeyID, &at); err != nil {
			return err
		}
		e.Amount, e.At = atelier.Money(amount), database.FromMillis(at)
		list = append(list, e)
		return nil
	}, `SELECT token, kind, amount, cause, app, key_id, at FROM ledger WHERE `+where+` ORDER BY at DESC, cause DESC, kind DESC, token DESC LIMIT $4`, args...)
	return list, err
}

// WorkModels finds the models of pieces of work of an account that are not renders, by
// their causes.
func (tx *Tx) WorkModels(w atelier.Wallet, causes []string) (map[string]string, error) {
	args := []any{string(w)}
	for _, c := range causes {
		args = append(args, c)
	}
	models := map[string]string{}
	err := tx.Rows(func(scan func(...any) error) error {
		var cause, model string
		err := scan(&cause, &model)
		models[cause] = model
		return err
	}, `SELECT cause, model_id FROM work_record WHERE network = '' AND wallet = $1 AND cause IN (`+database.Marks(2, len(causes))+`)`, args...)
	return models, err
}

// PaidJob is what the ledger shows of a job.
type PaidJob struct {
	ModelID    string
	WorkflowID string // empty when no workflow owns it
}

// PaidJobs finds jobs of an account. Those that are deleted are left out.
func (tx *Tx) PaidJobs(w atelier.Wallet, ids []string) (map[string]PaidJob, error) {
	args := []any{string(w)}
	for _, id := range ids {
		args = append(args, id)
	}
	jobs := map[string]PaidJob{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			id string
			j  PaidJob
		)
		err := scan(&id, &j.ModelID, &j.WorkflowID)
		jobs[id] = j
		return err
	}, `SELECT id, model_id, CASE WHEN owner_kind = 'workflow' THEN owner_id ELSE '' END FROM job WHERE wallet = $1 AND id IN (`+database.Marks(2, len(ids))+`)`, args...)
	return jobs, err
}

// SpendSum is what an account has spent in one token for one application and
// one kind of cause.
type SpendSum struct {
	Wallet  atelier.Wallet
	App     string
	Kind    string // the word that its causes begin with
	Token   atelier.Token
	Charges int64
	Amount  atelier.Money
}

// SpendSums adds up what was spent since a time, by one account or, when the wallet
// is empty, by all, in no order. The kind of a cause has three or four letters and is
// followed by a slash.
func (tx *Tx) SpendSums(w atelier.Wallet, since time.Time) (out []SpendSum, err error) {
	where, args := `kind = 'spend' AND at >= $1`, []any{database.Millis(since)}
	if w != "" {
		where, args = where+` AND wallet = $2`, append(args, string(w))
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			s      SpendSum
			amount int64
		)
		if err := scan(&s.Wallet, &s.App, &s.Kind, &s.Token, &s.Charges, &amount); err != nil {
			return err
		}
		s.Amount, s.Kind = atelier.Money(amount), strings.TrimSuffix(s.Kind, "/")
		out = append(out, s)
		return nil
	}, `SELECT wallet, app, SUBSTR(cause, 1, 4), token, COUNT(*), CAST(SUM(amount) AS BIGINT)
		FROM ledger WHERE `+where+` GROUP BY wallet, app, SUBSTR(cause, 1, 4), token`, args...)
	return out, err
}
