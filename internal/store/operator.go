package store

import (
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// conditions are those of a query that may have some of several.
type conditions struct {
	text string
	args []any
}

// add adds a condition that compares with a value, if it applies.
func (q *conditions) add(applies bool, comparison string, value any) {
	if applies {
		q.and(comparison + q.param(value))
	}
}

// and adds a condition.
func (q *conditions) and(condition string) {
	if q.text != "" {
		q.text += ` AND `
	}
	q.text += condition
}

// param adds a parameter and returns its mark.
func (q *conditions) param(value any) string {
	q.args = append(q.args, value)
	return "$" + strconv.Itoa(len(q.args))
}

func (q *conditions) where() string {
	if q.text == "" {
		return ""
	}
	return ` WHERE ` + q.text
}

// FilterRefusal is what the content filter refused.
type FilterRefusal struct {
	ID         string // ordered; made by InsertRefusal
	At         time.Time
	Wallet     atelier.Wallet
	Place      string
	Source     string // of two refusals of the same, the first is kept
	Tool       string
	Categories []string
	Excerpt    string
	Verdict    string // empty until an operator has judged
	Note       string
	JudgedBy   string
	JudgedAt   time.Time
}

// What is kept of refusals: of an account, so that one account cannot displace those of
// others, and of a text.
const (
	refusalsPerAccount = 100
	excerptLength      = 500
)

// InsertRefusal records a refusal with the beginning of its text, and removes the oldest
// ones of the account beyond a number.
func (tx *Tx) InsertRefusal(r FilterRefusal) error {
	categories, err := wire.Marshal(r.Categories)
	if err != nil {
		return err
	}
	r.ID = mint.OrderedUUID()
	added, err := tx.Exec(`INSERT INTO filter_refusal (id, at, wallet, place, source, tool, categories, excerpt, verdict, note, judged_by, judged_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', '', '', 0) ON CONFLICT (source) DO NOTHING`,
		r.ID, database.Millis(r.At), string(r.Wallet), r.Place, r.Source, r.Tool, string(categories), shorten(r.Excerpt))
	if err != nil || added == 0 {
		return err
	}
	_, err = tx.Exec(`DELETE FROM filter_refusal WHERE wallet = $1 AND id <= (SELECT id FROM filter_refusal WHERE wallet = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`,
		string(r.Wallet), refusalsPerAccount)
	return err
}

// shorten is the beginning of a text.
func shorten(text string) string {
	characters := 0
	for i := range text {
		if characters == excerptLength {
			return text[:i] + "…"
		}
		characters++
	}
	return text
}

// ExpireRefusals removes the refusals from before a time, and the oldest beyond a number.
func (tx *Tx) ExpireRefusals(before time.Time, most int) (int64, error) {
	old, err := tx.Exec(`DELETE FROM filter_refusal WHERE at < $1`, database.Millis(before))
	if err != nil {
		return old, err
	}
	many, err := tx.Exec(`DELETE FROM filter_refusal WHERE id <= (SELECT id FROM filter_refusal ORDER BY id DESC LIMIT 1 OFFSET $1)`, most)
	return old + many, err
}

// RefusalsBefore lists refusals before the given one, newest first.
func (tx *Tx) RefusalsBefore(before string, limit int) ([]FilterRefusal, error) {
	var q conditions
	q.add(before != "", `id < `, before)
	return tx.refusals(q.where()+` ORDER BY id DESC LIMIT `+q.param(limit), q.args...)
}

// JudgeRefusal records the verdict of an operator. A later one replaces it.
func (tx *Tx) JudgeRefusal(id, verdict, note, by string, at time.Time) (FilterRefusal, error) {
	if err := tx.Must(`UPDATE filter_refusal SET verdict = $2, note = $3, judged_by = $4, judged_at = $5 WHERE id = $1`, id, verdict, note, by, database.Millis(at)); err != nil {
		return FilterRefusal{}, err
	}
	found, err := tx.refusals(` WHERE id = $1`, id)
	if err != nil {
		return FilterRefusal{}, err
	}
	return found[0], nil
}

func (tx *Tx) refusals(tail string, args ...any) (out []FilterRefusal, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			r          FilterRefusal
			categories string
			at, judged int64
		)
		if err := scan(&r.ID, &at, &r.Wallet, &r.Place, &r.Source, &r.Tool, &categories, &r.Excerpt, &r.Verdict, &r.Note, &r.JudgedBy, &judged); err != nil {
			return err
		}
		r.At, r.JudgedAt = database.FromMillis(at), database.FromMillis(judged)
		out = append(out, r)
		return wire.Unmarshal([]byte(categories), &out[len(out)-1].Categories)
	}, `SELECT id, at, wallet, place, source, tool, categories, excerpt, verdict, note, judged_by, judged_at FROM filter_refusal`+tail, args...)
	return out, err
}
