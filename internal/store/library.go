package store

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// LibraryItem is an artifact in the library of its account.
type LibraryItem struct {
	atelier.Artifact // without its metadata
	Wallet           atelier.Wallet
	WorkflowID       atelier.WorkflowID
	StepID           string
	Tool             string
	ModelID          string
	Prompt           string
	CreatedAt        time.Time
	Derived          Derived
}

// Ref names the item where its marks are kept.
func (i LibraryItem) Ref() ItemRef { return ItemRef{i.Wallet, i.Kind, i.CreatedAt, i.ID} }

// Derived is what was read from the file of an artifact.
type Derived struct {
	State  DerivedState
	Colors string // of the thumbnail, 4 by 4, in hexadecimal
	Peaks  string // of the sound, in hexadecimal
}

// DerivedState says whether the file of an artifact was read.
type DerivedState string

// The states of what is derived from a file.
const (
	DerivedPending DerivedState = ""
	DerivedDone    DerivedState = "done"
	DerivedNone    DerivedState = "none" // nothing can be shown of the file
)

// LibraryPosition is a place in a library, which is sorted by time and id, newest first.
type LibraryPosition struct {
	CreatedAt time.Time
	ID        string
}

// LibraryFilter selects items of one kind. Zero times do not bound it.
type LibraryFilter struct {
	Wallet     atelier.Wallet
	Kind       string
	WorkflowID atelier.WorkflowID // any when empty
	From, To   time.Time          // from the first to before the second
	Before     *LibraryPosition   // only what comes after it in the list
	Marks      []Mark             // all of them; the first, the rarest, decides how fast it is
	Words      []LibraryWord      // all of them
}

// LibraryWord is a word of a search: an item has it in its tags, tool, model or prompt, or was
// made by one of some models.
type LibraryWord struct {
	Text   string // in lower case
	Models []string
}

// NewLibraryItem is an artifact that a job of a workflow made for a step.
func NewLibraryItem(j atelier.Job, a atelier.Artifact, stepID string, at time.Time) LibraryItem {
	return LibraryItem{
		Artifact: a, Wallet: j.Wallet, WorkflowID: atelier.WorkflowID(j.Owner.ID), StepID: stepID, Tool: j.Spec.Tool, ModelID: j.Spec.ModelID,
		Prompt: promptOf(j.Spec.Arguments), CreatedAt: at,
	}
}

// promptLength is how many characters of a prompt the library keeps.
const promptLength = 1000

// promptOf is the argument that says what to make.
func promptOf(args map[string]any) string {
	for _, name := range []string{"prompt", "query", "text"} {
		if s, ok := args[name].(string); ok && s != "" {
			if runes := []rune(s); len(runes) > promptLength {
				s = string(runes[:promptLength])
			}
			return s
		}
	}
	return ""
}

// withoutNUL makes a text that every database can hold. Callers cannot send a NUL, but a
// language model can write one in a prompt, and in the documents JSON hides it.
func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

const dayMillis = 24 * 60 * 60 * 1000

// InsertLibraryItem adds an artifact to the library of its account. Its row in artifact
// has the facts about the file.
func (tx *Tx) InsertLibraryItem(i LibraryItem) error {
	tx.Later(`INSERT INTO library (wallet, kind, created_at, id, job_id, position, workflow_id, step_id, tool, model_id, prompt, derived, colors, peaks, words)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', '', '', $12)`,
		string(i.Wallet), i.Kind, database.Millis(i.CreatedAt), i.ID, string(i.JobID), i.Position, string(i.WorkflowID), withoutNUL(i.StepID), i.Tool, i.ModelID, withoutNUL(i.Prompt),
		i.words(nil))
	tx.touch(i.Wallet, TopicArtifacts)
	tx.Later(`INSERT INTO library_day (wallet, kind, day, items) VALUES ($1, $2, $3, 1)
		ON CONFLICT (wallet, kind, day) DO UPDATE SET items = library_day.items + 1`, string(i.Wallet), i.Kind, database.Millis(i.CreatedAt)/dayMillis)
	return tx.putOnBoardOfWorkflow(i)
}

// words are what searches read of an item.
func (i LibraryItem) words(tags []string) string {
	return withoutNUL(strings.ToLower(strings.Join(append(tags, i.Tool, i.ModelID, i.Prompt), " ")))
}

const (
	libraryColumns = `SELECT l.wallet, l.kind, l.created_at, l.id, l.job_id, l.position, l.workflow_id, l.step_id, l.tool, l.model_id, l.prompt, l.derived, l.colors, l.peaks,
		a.content_type, a.object_key, a.bytes, a.width, a.height, a.duration, a.seed `
	libraryFiles = ` JOIN artifact a ON a.job_id = l.job_id AND a.position = l.position `
)

// libraryItems lists the items that the tail of a query selects.
func (tx *Tx) libraryItems(tail string, args ...any) ([]LibraryItem, error) {
	return tx.itemsOf(libraryColumns+`FROM library l`+libraryFiles+tail, args...)
}

func (tx *Tx) itemsOf(sql string, args ...any) (out []LibraryItem, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			i       LibraryItem
			created int64
		)
		if err := scan(&i.Wallet, &i.Kind, &created, &i.ID, &i.JobID, &i.Position, &i.WorkflowID, &i.StepID, &i.Tool, &i.ModelID, &i.Prompt,
			&i.Derived.State, &i.Derived.Colors, &i.Derived.Peaks, &i.ContentType, &i.Key, &i.Bytes, &i.Width, &i.Height, &i.DurationSeconds, &i.Seed); err != nil {
			return err
		}
		i.CreatedAt = database.FromMillis(created)
		out = append(out, i)
		return nil
	}, sql, args...)
	return out, err
}

// isNarrow reports whether items must be looked at that the filter does not select.
func (f LibraryFilter) isNarrow() bool { return len(f.Words) > 0 || len(f.Marks) > 1 }

// libraryQuery is a query of items in the making. They are read from library, or from the marks
// of one name: d is the table that has them in the order of the list.
type libraryQuery struct {
	d, from, where string
	args           []any
}

func (q *libraryQuery) add(value any) string {
	q.args = append(q.args, value)
	return "$" + strconv.Itoa(len(q.args))
}

// ordered selects the items of a filter, without its words and its marks but the first, from
// tables that have them in their order.
func (f LibraryFilter) ordered() *libraryQuery {
	q := &libraryQuery{d: "l", from: ` FROM library l`}
	wallet, kind := q.add(string(f.Wallet)), q.add(f.Kind)
	switch {
	case f.WorkflowID != "": // the index by id is the one to use: a workflow has few artifacts, its account may have many
		q.where = ` WHERE l.wallet || '' = ` + wallet + ` AND l.kind || '' = ` + kind + ` AND l.id IN (SELECT artifact.id FROM artifact
			JOIN job ON job.id = artifact.job_id WHERE job.owner_kind = 'workflow' AND job.owner_id = ` + q.add(string(f.WorkflowID)) + `)`
	case len(f.Marks) > 0:
		q.d, q.from = "m", ` FROM library_mark m`
		q.where = ` WHERE m.wallet = ` + wallet + ` AND m.mark = ` + q.add(string(f.Marks[0].Name)) + ` AND m.value = ` + q.add(f.Marks[0].Value) + ` AND m.kind = ` + kind
	default:
		q.where = ` WHERE l.wallet = ` + wallet + ` AND l.kind = ` + kind
	}
	if !f.From.IsZero() {
		q.where += ` AND ` + q.d + `.created_at >= ` + q.add(database.Millis(f.From))
	}
	if !f.To.IsZero() {
		q.where += ` AND ` + q.d + `.created_at < ` + q.add(database.Millis(f.To))
	}
	if f.Before != nil {
		q.bound(`<`, *f.Before)
	}
	return q
}

func (q *libraryQuery) bound(is string, p LibraryPosition) {
	q.where += ` AND (` + q.d + `.created_at, ` + q.d + `.id) ` + is + ` (` + q.add(database.Millis(p.CreatedAt)) + `, ` + q.add(p.ID) + `)`
}

// newestFirst is the order of the list, for an index that is read backwards.
func (q *libraryQuery) newestFirst() string {
	return ` ORDER BY ` + q.d + `.created_at DESC, ` + q.d + `.id DESC LIMIT `
}

// LibraryItems lists items of a library, newest first: at most limit, and only those among the
// next scan. Next is the position after which others may follow, nil at the end of the list.
func (tx *Tx) LibraryItems(f LibraryFilter, limit, scan int) (out []LibraryItem, next *LibraryPosition, err error) {
	if f.isNarrow() {
		if next, err = tx.lastOf(f, scan); err != nil {
			return nil, nil, err
		}
	}
	sql, args := f.selection(tx, next, limit)
	out, err = tx.itemsOf(sql, args...)
	if len(out) == limit {
		last := out[limit-1]
		next = &LibraryPosition{CreatedAt: last.CreatedAt, ID: last.ID}
	}
	return out, next, err
}

// selection is the query of a page of items, down to a position if one is given.
func (f LibraryFilter) selection(tx *Tx, downTo *LibraryPosition, limit int) (sql string, args []any) {
	q := f.ordered()
	if downTo != nil {
		q.bound(`>=`, *downTo)
	}
	for i, m := range f.Marks {
		if i > 0 || q.d == "l" { // one lookup for each item: PostgreSQL would read all that have the mark where EXISTS asks
			q.where += ` AND 1 = (SELECT 1 FROM library_mark x WHERE x.wallet = l.wallet AND x.mark = ` + q.add(string(m.Name)) + ` AND x.value = ` + q.add(m.Value) + `
				AND x.kind = l.kind AND x.created_at = l.created_at AND x.id = l.id)`
		}
	}
	for _, w := range f.Words {
		q.where += ` AND (` + tx.Dialect.Find + `(l.words, ` + q.add(w.Text) + `) > 0`
		if len(w.Models) > 0 {
			q.where += ` OR l.model_id IN (` + database.Marks(len(q.args)+1, len(w.Models)) + `)`
			q.args = append(q.args, database.Texts(w.Models)...)
		}
		q.where += `)`
	}
	if q.d == "m" { // the cross join makes SQLite read the marks first, in their order
		q.from += ` CROSS JOIN library l`
		q.where += ` AND l.wallet = m.wallet AND l.kind = m.kind AND l.created_at = m.created_at AND l.id = m.id`
	}
	return libraryColumns + q.from + libraryFiles + q.where + q.newestFirst() + q.add(limit), q.args
}

// lastOf is the last of the next scan items that a filter without its words would look at; nil
// when there are fewer.
func (tx *Tx) lastOf(f LibraryFilter, scan int) (*LibraryPosition, error) {
	q := f.ordered()
	var (
		last LibraryPosition
		at   int64
	)
	err := tx.Row(`SELECT `+q.d+`.created_at, `+q.d+`.id`+q.from+q.where+q.newestFirst()+`1 OFFSET `+q.add(scan-1), q.args...).Scan(&at, &last.ID)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	last.CreatedAt = database.FromMillis(at)
	return &last, err
}

// LibraryItem finds an item of an account.
func (tx *Tx) LibraryItem(owner atelier.Wallet, id string) (LibraryItem, error) {
	return oneItem(tx.libraryItems(`WHERE l.id = $1 AND l.wallet = $2`, id, string(owner)))
}

// LibraryItemOfAny finds an item of any account.
func (tx *Tx) LibraryItemOfAny(id string) (LibraryItem, error) {
	return oneItem(tx.libraryItems(`WHERE l.id = $1`, id))
}

func oneItem(found []LibraryItem, err error) (LibraryItem, error) {
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return LibraryItem{}, err
	}
	return found[0], nil
}

// SetDerived records what was read from the file of an artifact. ErrNotFound means that it
// was deleted.
func (tx *Tx) SetDerived(id string, l Derived) error {
	return tx.Must(`UPDATE library SET derived = $2, colors = $3, peaks = $4 WHERE id = $1`, id, string(l.State), l.Colors, l.Peaks)
}

// LibraryDay is how many items a library has of a UTC day.
type LibraryDay struct {
	Day   time.Time
	Items int64
}

// LibraryDays counts the items of some kinds by day, the newest day first.
func (tx *Tx) LibraryDays(w atelier.Wallet, kinds []string) (out []LibraryDay, err error) {
	args := []any{string(w)}
	for _, k := range kinds {
		args = append(args, k)
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var day, n int64
		err := scan(&day, &n)
		out = append(out, LibraryDay{time.UnixMilli(day * dayMillis).UTC(), n})
		return err
	}, `SELECT day, CAST(SUM(items) AS BIGINT) FROM library_day WHERE wallet = $1 AND kind IN (`+database.Marks(2, len(kinds))+`)
		GROUP BY day HAVING SUM(items) > 0 ORDER BY day DESC`, args...)
	return out, err
}

// LockLibraryItem finds an item of an account and the keys of its files: its own and, of a
// clip, that of its last frame. It locks them, so that no workflow begins to use them
// until the transaction ends.
func (tx *Tx) LockLibraryItem(owner atelier.Wallet, id string) (i LibraryItem, keys []string, err error) {
	if i, err = tx.LibraryItem(owner, id); err != nil {
		return i, nil, err
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		keys = append(keys, key)
		return err
	}, `SELECT object_key FROM artifact WHERE job_id = $1 AND id IN ($2, $3) ORDER BY position`+tx.Dialect.ForUpdate, string(i.JobID), i.ID, i.ID+lastFrame)
	return i, keys, err
}

// ItemUser finds a workflow that is not over and uses an artifact: it made it, or was
// started with one of its files. ErrNotFound means that no workflow does.
func (tx *Tx) ItemUser(i LibraryItem, keys []string) (id atelier.WorkflowID, err error) {
	err = tx.Row(`SELECT id FROM workflow WHERE id IN (SELECT CAST($1 AS TEXT) UNION ALL SELECT workflow_id FROM workflow_input WHERE object_key IN (`+database.Marks(2, len(keys))+`))
		AND status IN ('queued', 'running', 'waiting_for_user') LIMIT 1`, append([]any{string(i.WorkflowID)}, database.Texts(keys)...)...).Scan(&id)
	return id, err
}

// DeleteLibraryItem deletes an item. The rows of its files stay in artifact, because the
// price of the job follows from what it made, but no longer name them: no row has the
// keys any more.
func (tx *Tx) DeleteLibraryItem(i LibraryItem, keys []string) error {
	if err := tx.Must(`DELETE FROM library WHERE id = $1 AND wallet = $2`, i.ID, string(i.Wallet)); err != nil {
		return err
	}
	if err := tx.deleteMarksOf(i.Wallet, i.ID); err != nil {
		return err
	}
	if err := tx.uncount(i.Wallet, i.Kind, database.Millis(i.CreatedAt)/dayMillis, 1); err != nil {
		return err
	}
	if _, err := tx.Exec(`DELETE FROM workflow_input WHERE object_key IN (`+database.Marks(1, len(keys))+`)`, database.Texts(keys)...); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE artifact SET object_key = $4 || job_id || '/' || id WHERE job_id = $1 AND id IN ($2, $3)`, string(i.JobID), i.ID, i.ID+lastFrame, DeletedKey)
	return err
}

// DeletedKey begins the key of an artifact whose file was deleted. No object has such a
// key.
const DeletedKey = "deleted/"

// lastFrame ends the id of the artifact that is the last frame of another.
const lastFrame = "-lastFrame"

func (tx *Tx) uncount(w atelier.Wallet, kind string, day, items int64) error {
	tx.touch(w, TopicArtifacts)
	_, err := tx.Exec(`UPDATE library_day SET items = items - $4, deleted = deleted + $4 WHERE wallet = $1 AND kind = $2 AND day = $3`, string(w), kind, day, items)
	return err
}

// deleteLibraryOf removes the artifacts of a workflow from the library.
func (tx *Tx) deleteLibraryOf(id atelier.WorkflowID) error {
	type day struct {
		wallet atelier.Wallet
		kind   string
		number int64
	}
	gone := map[day]int64{}
	marked := map[atelier.Wallet][]string{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			d    day
			at   int64
			item string
		)
		err := scan(&d.wallet, &d.kind, &at, &item)
		d.number = at / dayMillis
		gone[d]++
		marked[d.wallet] = append(marked[d.wallet], item)
		return err
	}, `DELETE FROM library WHERE id IN (SELECT artifact.id FROM artifact JOIN job ON job.id = artifact.job_id WHERE job.owner_kind = 'workflow' AND job.owner_id = $1)
		RETURNING wallet, kind, created_at, id`, string(id))
	for w, items := range marked {
		if err == nil {
			err = tx.deleteMarksOf(w, items...)
		}
	}
	for d, n := range gone {
		if err == nil {
			err = tx.uncount(d.wallet, d.kind, d.number, n)
		}
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM workflow_input WHERE workflow_id = $1`, string(id))
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM board_workflow WHERE workflow_id = $1`, string(id))
	}
	return err
}

// UseArtifact records that a workflow was started with an artifact, which is then kept
// until the workflow is over. ErrNotFound means that the artifact was deleted.
func (tx *Tx) UseArtifact(key string, id atelier.WorkflowID) error {
	var one int
	if err := tx.Row(`SELECT 1 FROM artifact WHERE object_key = $1`+tx.Dialect.ForUpdate, key).Scan(&one); err != nil {
		return err
	}
	if err := tx.keepMaker(key); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO workflow_input (object_key, workflow_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, key, string(id))
	return err
}
