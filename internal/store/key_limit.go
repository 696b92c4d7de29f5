package store

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// limitsDocument is the JSON of the column limits. Its names belong to the rows of existing installations, not to the
// API.
type limitsDocument struct {
	ExpiresAt int64              `json:"expiresAt,omitzero"`
	Groups    []atelier.KeyGroup `json:"groups,omitempty"`
	ReadOnly  bool               `json:"readOnly,omitzero"`
	Addresses []netip.Prefix     `json:"addresses,omitempty"`
	Rate      int                `json:"rate,omitzero"`
	Models    []string           `json:"models,omitempty"`
	Tools     []string           `json:"tools,omitempty"`
	Budget    budgetDocument     `json:"budget,omitzero"`
	Member    memberDocument     `json:"member,omitzero"`
}

type memberDocument struct {
	Person atelier.PersonID `json:"person,omitempty"`
	Role   atelier.Role     `json:"role,omitempty"`
	KeyID  string           `json:"keyId,omitempty"`

	Budgeted bool `json:"budgeted,omitzero"`
}

type budgetDocument struct {
	Unit  atelier.BudgetUnit `json:"unit,omitempty"`
	Day   atelier.Money      `json:"day,omitzero"`
	Month atelier.Money      `json:"month,omitzero"`
	Total atelier.Money      `json:"total,omitzero"`
}

func encodeLimits(l atelier.KeyLimits) (string, error) {
	if l.IsZero() {
		return "", nil
	}
	d := limitsDocument{
		Groups: l.Groups, ReadOnly: l.ReadOnly, Addresses: l.Addresses, Rate: l.Rate, Models: l.Models, Tools: l.Tools, Budget: budgetDocument(l.Budget),
		Member: memberDocument(l.Member),
	}
	if !l.ExpiresAt.IsZero() {
		d.ExpiresAt = database.Millis(l.ExpiresAt)
	}
	return encode(d)
}

// decodeLimits reads limits; nil for a key without.
func decodeLimits(text string) (*atelier.KeyLimits, error) {
	if text == "" {
		return nil, nil
	}
	var d limitsDocument
	if err := wire.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("limits of a key: %w", err)
	}
	return &atelier.KeyLimits{
		ExpiresAt: database.FromMillis(d.ExpiresAt), Groups: d.Groups, ReadOnly: d.ReadOnly, Addresses: d.Addresses, Rate: d.Rate,
		Models: d.Models, Tools: d.Tools, Budget: atelier.KeyBudget(d.Budget), Member: atelier.Membership(d.Member),
	}, nil
}

// KeyBudget is the budget of a key, and what counts for it.
type KeyBudget struct {
	KeyID string
	Name  string // of the key
	Limit atelier.KeyBudget

	Day, Month           string // of the latest work
	OfDay, OfMonth, Ever atelier.KeyCost
	Held                 atelier.KeyCost
}

const budgetColumns = `unit, day_limit, month_limit, total_limit, day, day_spark, day_usd, month, month_spark, month_usd, spark, usd, held_spark, held_usd`

func scanBudget(scan func(...any) error, b *KeyBudget, more ...any) error {
	return scan(append(more, &b.Limit.Unit, &b.Limit.Day, &b.Limit.Month, &b.Limit.Total, &b.Day, &b.OfDay.Spark, &b.OfDay.USD, &b.Month, &b.OfMonth.Spark, &b.OfMonth.USD,
		&b.Ever.Spark, &b.Ever.USD, &b.Held.Spark, &b.Held.USD)...)
}

// keyBudgetLater reads the budget of a key, for work that an account pays for, into b, later: its key id stays empty
// without one. The name of a key of another account is left out: session tokens that a key of an operator makes for
// other accounts are on its budget.
func (tx *Tx) keyBudgetLater(b *KeyBudget, key string, w atelier.Wallet) {
	tx.RowsLater(func(scan func(...any) error) error { return scanBudget(scan, b, &b.KeyID, &b.Name) },
		`SELECT key_id, COALESCE((SELECT k.name FROM api_key k WHERE k.hash = b.hash AND k.wallet = $2), ''), `+budgetColumns+` FROM key_budget b WHERE b.key_id = $1`, key, string(w))
}

// KeyBudget reads the budget of a key, for work that an account pays for. ErrNotFound means that it has none.
func (tx *Tx) KeyBudget(key string, w atelier.Wallet) (b KeyBudget, err error) {
	tx.keyBudgetLater(&b, key, w)
	if err = tx.Flush(); err == nil && b.KeyID == "" {
		err = ErrNotFound
	}
	return b, err
}

// KeyBudgets reads the budgets of the keys of an account.
func (tx *Tx) KeyBudgets(w atelier.Wallet) (map[string]KeyBudget, error) {
	out := map[string]KeyBudget{}
	err := tx.Rows(func(scan func(...any) error) error {
		var b KeyBudget
		err := scanBudget(scan, &b, &b.KeyID)
		out[b.KeyID] = b
		return err
	}, `SELECT key_id, `+budgetColumns+` FROM key_budget WHERE hash IN (SELECT k.hash FROM api_key k WHERE k.wallet = $1)`, string(w))
	return out, err
}

// PutKeyLimits sets the limits of a key that is not revoked. The caller has locked its account. A first budget begins
// with what the work of the key was worth before.
func (tx *Tx) PutKeyLimits(hash string, l atelier.KeyLimits, now time.Time) error {
	text, err := encodeLimits(l)
	if err != nil {
		return err
	}
	if err := tx.Must(`UPDATE api_key SET limits = $2 WHERE hash = $1 AND revoked_at = 0`, hash, text); err != nil {
		return err
	}
	if err := tx.putKeyBudget(hash, l.Budget, now); err != nil {
		return err
	}
	tx.noteCredentialChange()
	return nil
}

func (tx *Tx) putKeyBudget(hash string, b atelier.KeyBudget, now time.Time) error {
	key := atelier.KeyID(hash)
	known := false
	err := tx.Rows(func(func(...any) error) error { known = true; return nil }, `SELECT key_id FROM key_budget WHERE key_id = $1`, key)
	if err != nil {
		return err
	}
	if !known && b != (atelier.KeyBudget{}) {
		past, err := tx.lockKeySums(key)
		if err != nil {
			return err
		}
		return tx.insertKeyBudget(hash, b, past, now)
	}
	_, err = tx.Exec(`UPDATE key_budget SET unit = $2, day_limit = $3, month_limit = $4, total_limit = $5 WHERE key_id = $1`,
		key, string(b.Unit), int64(b.Day), int64(b.Month), int64(b.Total))
	return err
}

// lockKeySums reads what the work of a key was worth. A settlement writes to the table of budgets, whichever account
// pays and although the key has no budget: what has written is waited for and in the sums, and what has
// not will wait and find the row that this transaction makes.
func (tx *Tx) lockKeySums(key string) (map[string]atelier.KeyCost, error) {
	if err := tx.Must(`UPDATE work_count SET counted = counted WHERE only_row = 1`); err != nil { // CountWork waits
		return nil, err
	}
	if lock := tx.Dialect.LockTable("key_budget"); lock != "" {
		if _, err := tx.Exec(lock); err != nil {
			return nil, err
		}
	}
	return tx.keySums(key)
}

// insertKeyBudget makes the first budget of a key, whose work was worth the sums by day.
func (tx *Tx) insertKeyBudget(hash string, b atelier.KeyBudget, sums map[string]atelier.KeyCost, now time.Time) error {
	key, day, month := atelier.KeyID(hash), Day(now), now.UTC().Format(MonthForm)
	var ofDay, ofMonth, ever atelier.KeyCost
	for at, sum := range sums {
		switch {
		case at == Lifetime:
			ever = sum
		case at == day:
			ofDay = sum
		}
		if len(at) >= len(month) && at[:len(month)] == month {
			ofMonth.Spark += sum.Spark
			ofMonth.USD += sum.USD
		}
	}
	_, err := tx.Exec(`INSERT INTO key_budget (key_id, hash, `+budgetColumns+`) VALUES (`+database.Marks(1, 16)+`)`, key, hash, string(b.Unit), int64(b.Day), int64(b.Month), int64(b.Total),
		day, int64(ofDay.Spark), int64(ofDay.USD), month, int64(ofMonth.Spark), int64(ofMonth.USD), int64(ever.Spark), int64(ever.USD), 0, 0)
	return err
}

// keySums reads what the work of a key was worth by day, and in all under Lifetime, including what is not counted yet.
func (tx *Tx) keySums(key string) (map[string]atelier.KeyCost, error) {
	out := map[string]atelier.KeyCost{}
	err := tx.Rows(func(scan func(...any) error) error {
		var day string
		var c atelier.KeyCost
		err := scan(&day, &c.Spark, &c.USD)
		sum := out[day]
		out[day] = atelier.KeyCost{Spark: sum.Spark + c.Spark, USD: sum.USD + c.USD}
		return err
	}, `SELECT day, spark, usd FROM usage_key WHERE key_id = $1`, key)
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums("")
	for k, s := range pending.keys {
		if k.KeyID == key {
			sum := out[k.Day]
			out[k.Day] = atelier.KeyCost{Spark: sum.Spark + s.Spark, USD: sum.USD + s.USD}
		}
	}
	return out, err
}

// Transactions lock purses before the budget of a key, so that none waits for another that waits for it.

// errBudgetRace is the error of a hold on a budget that other accounts use up again and again after it was read:
// session tokens that a key of an operator makes for other accounts share its budget.
var errBudgetRace = atelier.Errorf(atelier.CodeInsufficientBalance, "The budget of the API key was used up at the same time.")

// HoldKey holds the value of work on the budget of a key, until SettleKey or ReleaseHolds. The caller has locked the
// account and found that the budget covers it.
func (tx *Tx) HoldKey(cause, key string, c atelier.KeyCost, now time.Time) {
	tx.growKeyHold(key, c, now)
	tx.Later(`INSERT INTO key_hold (cause, key_id, spark, usd) VALUES ($1, $2, $3, $4)`, cause, key, int64(c.Spark), int64(c.USD))
}

// growKeyHold counts more as held on the budget of a key. Where it would exceed the budget, another account has used
// it since it was read, and the change runs again: it then finds what is left.
func (tx *Tx) growKeyHold(key string, c atelier.KeyCost, now time.Time) {
	const held = `(CASE unit WHEN 'usd' THEN held_usd + $3 ELSE held_spark + $2 END)`
	tx.CheckLater(func(n int64) error {
		if n == 0 {
			return database.Again(errBudgetRace)
		}
		return nil
	}, `UPDATE key_budget SET held_spark = held_spark + $2, held_usd = held_usd + $3 WHERE key_id = $1
		AND (day_limit = 0 OR day_limit >= `+held+` + CASE WHEN day < $4 THEN 0 WHEN unit = 'usd' THEN day_usd ELSE day_spark END)
		AND (month_limit = 0 OR month_limit >= `+held+` + CASE WHEN month < $5 THEN 0 WHEN unit = 'usd' THEN month_usd ELSE month_spark END)
		AND (total_limit = 0 OR total_limit >= `+held+` + CASE WHEN unit = 'usd' THEN usd ELSE spark END)`,
		key, int64(c.Spark), int64(c.USD), Day(now), now.UTC().Format(MonthForm))
}

// ExtendKey holds more for work that has a hold. The caller has found that the budget covers it.
func (tx *Tx) ExtendKey(cause, key string, c atelier.KeyCost, now time.Time) {
	tx.MustLater(`UPDATE key_hold SET spark = spark + $2, usd = usd + $3 WHERE cause = $1`, cause, int64(c.Spark), int64(c.USD))
	tx.growKeyHold(key, c, now)
}

// releaseKeyLater ends the hold of a cause on the budget of a key, if it has one.
func (tx *Tx) releaseKeyLater(cause string) {
	tx.Later(`UPDATE key_budget SET held_spark = held_spark - (SELECT h.spark FROM key_hold h WHERE h.cause = $1), held_usd = held_usd - (SELECT h.usd FROM key_hold h WHERE h.cause = $1)
		WHERE key_id = (SELECT h.key_id FROM key_hold h WHERE h.cause = $1)`, cause)
	tx.Later(`DELETE FROM key_hold WHERE cause = $1`, cause)
}

// SettleKey counts what work was worth for the budget of the key that asked for it, if it has one, on the day on which
// the work has ended. A hold on the budget ends.
func (tx *Tx) SettleKey(w Work, held bool) {
	if held {
		tx.releaseKeyLater(w.Cause)
	}
	day, month := Day(w.At), w.At.UTC().Format(MonthForm)
	tx.Later(`UPDATE key_budget SET
		day_spark = CASE WHEN day = $2 THEN day_spark + $4 WHEN day < $2 THEN $4 ELSE day_spark END,
		day_usd = CASE WHEN day = $2 THEN day_usd + $5 WHEN day < $2 THEN $5 ELSE day_usd END,
		month_spark = CASE WHEN month = $3 THEN month_spark + $4 WHEN month < $3 THEN $4 ELSE month_spark END,
		month_usd = CASE WHEN month = $3 THEN month_usd + $5 WHEN month < $3 THEN $5 ELSE month_usd END,
		day = CASE WHEN day < $2 THEN $2 ELSE day END, month = CASE WHEN month < $3 THEN $3 ELSE month END,
		spark = spark + $4, usd = usd + $5 WHERE key_id = $1`, w.KeyID, day, month, int64(w.Spark), int64(w.USD))
}

// noteCredentialChange makes nodes look at the credentials of their open requests. It is called after the rows of the
// change are written: every transaction locks them before the number.
func (tx *Tx) noteCredentialChange() {
	tx.MustLater(`UPDATE credential_change SET changes = changes + 1 WHERE only_row = 1`)
}

// CredentialChanges is a number that changes when credentials stop being valid or are limited otherwise.
func (tx *Tx) CredentialChanges() (n int64, err error) {
	err = tx.Row(`SELECT changes FROM credential_change WHERE only_row = 1`).Scan(&n)
	return n, err
}

// KeyNames reads the names of keys by their ids: of keys of an account, or of any when the wallet is empty.
func (tx *Tx) KeyNames(w atelier.Wallet, ids []string) (map[string]string, error) {
	out := map[string]string{}
	for part := range slices.Chunk(ids, 256) {
		list := padded(part)
		err := tx.Rows(func(scan func(...any) error) error {
			var id, name string
			err := scan(&id, &name)
			out[id] = name
			return err
		}, `SELECT SUBSTR(hash, 1, 32), name FROM api_key WHERE SUBSTR(hash, 1, 32) IN (`+database.Marks(2, len(list))+`) AND (wallet = $1 OR $1 = '') AND name <> ''`,
			append([]any{string(w)}, list...)...)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
