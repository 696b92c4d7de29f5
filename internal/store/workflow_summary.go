package store

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// WorkflowFilter selects workflows of an account. Empty fields select all.
type WorkflowFilter struct {
	Statuses   []atelier.Status
	Kinds      []string
	TemplateID string
	Tool       string    // of a step
	Model      string    // of a step
	Reason     string    // the code of why they ended without a result, or without all of it
	Words      []string  // each is a part of the title or of a prompt, in lower case
	From, To   time.Time // when they were created: from the first, before the second
}

// WorkflowPosition is a place in a list of workflows.
type WorkflowPosition struct {
	CreatedAt time.Time
	ID        atelier.WorkflowID
}

// maxWords is how many bytes of the texts of a workflow can be searched. Databases limit
// the size of a row that is stored in the order of its key.
const maxWords = 1000

// searchableWords are texts as they are searched.
func searchableWords(texts ...string) string {
	words := withoutNUL(strings.ToLower(strings.Join(strings.Fields(strings.Join(texts, " ")), " ")))
	if len(words) <= maxWords {
		return words
	}
	end := maxWords
	for !utf8.RuneStart(words[end]) {
		end--
	}
	return words[:end]
}

// labels are the labels that the filter selects by. The one that fewest workflows have is usually
// the first.
func (f WorkflowFilter) labels() (list []string) {
	for _, l := range []struct{ kind, name string }{{labelReason, f.Reason}, {labelModel, f.Model}, {labelTool, f.Tool}} {
		if l.name != "" {
			list = append(list, l.kind+l.name)
		}
	}
	return list
}

// from is what the filter reads in the order of lists, and its alias: summaries, or the rows of a
// label, each with its summary. The cross join makes SQLite read labels first.
func (f WorkflowFilter) from() (tables, alias string) {
	if len(f.labels()) == 0 {
		return `workflow_summary s`, `s`
	}
	return `workflow_label l CROSS JOIN workflow_summary s`, `l`
}

// where is the condition that selects summaries, and its parameters.
func (f WorkflowFilter) where(tx *Tx, owner atelier.Wallet) (string, []any) {
	var (
		sql  strings.Builder
		args = []any{string(owner)}
	)
	add := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	in := func(column string, values []any) {
		if len(values) > 0 {
			sql.WriteString(` AND s.` + column + ` IN (` + database.Marks(len(args)+1, len(values)) + `)`)
			args = append(args, values...)
		}
	}
	_, order := f.from()
	sql.WriteString(order + `.wallet = $1`)
	for i, label := range f.labels() {
		if i == 0 {
			sql.WriteString(` AND l.label = ` + add(label) + ` AND s.wallet = l.wallet AND s.created_at = l.created_at AND s.id = l.id`)
			continue
		}
		// A count, because PostgreSQL would turn EXISTS into a join that reads all rows of the label.
		sql.WriteString(` AND (SELECT COUNT(*) FROM workflow_label o WHERE o.wallet = $1 AND o.label = ` + add(label) + ` AND o.created_at = l.created_at AND o.id = l.id) > 0`)
	}
	in("status", database.Texts(f.Statuses))
	in("kind", database.Texts(f.Kinds))
	if f.TemplateID != "" {
		sql.WriteString(` AND s.template_id = ` + add(f.TemplateID))
	}
	if !f.From.IsZero() {
		sql.WriteString(` AND ` + order + `.created_at >= ` + add(database.Millis(f.From)))
	}
	if !f.To.IsZero() {
		sql.WriteString(` AND ` + order + `.created_at < ` + add(database.Millis(f.To)))
	}
	for _, word := range f.Words {
		sql.WriteString(` AND ` + tx.Dialect.Find + `(s.words, ` + add(word) + `) > 0`)
	}
	return sql.String(), args
}

// isNarrow reports whether rows of the account, or of its first label, must be looked at that the
// filter does not select.
func (f WorkflowFilter) isNarrow() bool {
	return len(f.Statuses) > 0 || len(f.Kinds) > 0 || f.TemplateID != "" || len(f.Words) > 0 || len(f.labels()) > 1
}

// lastLooked is the last of the next scan workflows of an account in the time of a filter, and
// with its first label, after a position if one is given; nil when there are no more.
func (tx *Tx) lastLooked(owner atelier.Wallet, f WorkflowFilter, after *WorkflowPosition, scan int) (*WorkflowPosition, error) {
	where, args := WorkflowFilter{From: f.From, To: f.To}.after(tx, owner, after)
	table := `workflow_summary`
	if labels := f.labels(); len(labels) > 0 {
		args = append(args, labels[0])
		table, where = `workflow_label`, where+` AND s.label = $`+strconv.Itoa(len(args))
	}
	var (
		last WorkflowPosition
		at   int64
	)
	err := tx.Row(`SELECT s.created_at, s.id FROM `+table+` s WHERE `+where+`
		ORDER BY s.created_at DESC, s.id DESC LIMIT 1 OFFSET $`+strconv.Itoa(len(args)+1), append(args, scan-1)...).Scan(&at, &last.ID)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	last.CreatedAt = database.FromMillis(at)
	return &last, err
}

// after is the condition that selects summaries after a position, and its parameters.
func (f WorkflowFilter) after(tx *Tx, owner atelier.Wallet, p *WorkflowPosition) (string, []any) {
	where, args := f.where(tx, owner)
	if p != nil {
		at, id := strconv.Itoa(len(args)+1), strconv.Itoa(len(args)+2)
		_, order := f.from()
		where += ` AND ` + order + `.created_at <= $` + at + ` AND (` + order + `.created_at < $` + at + ` OR ` + order + `.id < $` + id + `)`
		args = append(args, database.Millis(p.CreatedAt), string(p.ID))
	}
	return where, args
}

// SelectWorkflows lists the workflows of an account that a filter selects, the newest
// first, after a position if one is given: at most limit, fewer when their documents
// have more than the given bytes, and only those among the next scan workflows. Next is the
// position after which others may follow, nil at the end of the list.
func (tx *Tx) SelectWorkflows(owner atelier.Wallet, f WorkflowFilter, after *WorkflowPosition, limit int, bytes int64, scan int) (out []StoredWorkflow, next *WorkflowPosition, err error) {
	where, args := f.after(tx, owner, after)
	tables, order := f.from()
	if f.isNarrow() {
		if next, err = tx.lastLooked(owner, f, after, scan); err != nil {
			return nil, nil, err
		}
	}
	if next != nil {
		at, id := strconv.Itoa(len(args)+1), strconv.Itoa(len(args)+2)
		where += ` AND ` + order + `.created_at >= $` + at + ` AND (` + order + `.created_at > $` + at + ` OR ` + order + `.id >= $` + id + `)`
		args = append(args, database.Millis(next.CreatedAt), string(next.ID))
	}
	args = append(args, limit+1)
	p := &database.Portion{Limit: limit, Bytes: bytes}
	// The cross join makes SQLite read the summaries, or the labels, first and in their order.
	out, err = tx.someWorkflows(p, `SELECT w.id, w.wallet, w.status, w.waiting, w.plan, w.state, w.events, w.created_at, w.updated_at
		FROM `+tables+` CROSS JOIN workflow w WHERE `+where+` AND w.id = s.id
		ORDER BY `+order+`.created_at DESC, `+order+`.id DESC LIMIT $`+strconv.Itoa(len(args)), args...)
	if p.More {
		last := out[len(out)-1]
		next = &WorkflowPosition{CreatedAt: last.CreatedAt, ID: last.ID}
	}
	return out, next, err
}

// CountWorkflows counts the workflows of an account that a filter selects, by status. Those
// that an index does not count are looked for among the newest scan workflows in its time;
// complete reports whether these are all.
func (tx *Tx) CountWorkflows(owner atelier.Wallet, f WorkflowFilter, scan int) (counts map[atelier.Status]int, complete bool, err error) {
	where, args := f.where(tx, owner)
	tables, order := f.from()
	by, complete := `s.status`, true
	if order == `l` || f.TemplateID != "" || len(f.Words) > 0 || !f.From.IsZero() || !f.To.IsZero() {
		by = `s.status || ''` // SQLite would read the index by status, and find each row that it names by its key
		last, err := tx.lastLooked(owner, f, nil, scan)
		if err != nil {
			return nil, false, err
		}
		if complete = last == nil; !complete {
			args = append(args, database.Millis(last.CreatedAt))
			where += ` AND ` + order + `.created_at >= $` + strconv.Itoa(len(args))
		}
	}
	counts = map[atelier.Status]int{}
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			status atelier.Status
			n      int
		)
		err := scan(&status, &n)
		counts[status] = n
		return err
	}, `SELECT `+by+`, COUNT(*) FROM `+tables+` WHERE `+where+` GROUP BY `+by, args...)
	return counts, complete, err
}

// insertWorkflowSummary adds the summary of a workflow.
func (tx *Tx) insertWorkflowSummary(w StoredWorkflow) {
	tx.Later(`INSERT INTO workflow_summary (wallet, created_at, id, status, kind, template_id, words) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(w.Wallet), database.Millis(w.CreatedAt), string(w.ID), string(w.Status), w.Kind, w.TemplateID, searchableWords(w.Texts...))
	tx.labelWorkflow(w)
}
