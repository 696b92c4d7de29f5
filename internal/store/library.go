package store

import (
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
	_, err := tx.Exec(`INSERT INTO library (wallet, kind, created_at, id, job_id, position, workflow_id, step_id, tool, model_id, prompt, derived, colors, peaks)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', '', '')`,
		string(i.Wallet), i.Kind, database.Millis(i.CreatedAt), i.ID, string(i.JobID), i.Position, string(i.WorkflowID), withoutNUL(i.StepID), i.Tool, i.ModelID, withoutNUL(i.Prompt))
	if err != nil {
		return err
	}
	tx.touch(i.Wallet, TopicArtifacts)
	_, err = tx.Exec(`INSERT INTO library_day (wallet, kind, day, items) VALUES ($1, $2, $3, 1)
		ON CONFLICT (wallet, kind, day) DO UPDATE SET items = library_day.items + 1`, string(i.Wallet), i.Kind, database.Millis(i.CreatedAt)/dayMillis)
	return err
}

// libraryItems lists the items that the tail of a query selects.
func (tx *Tx) libraryItems(tail string, args ...any) (out []LibraryItem, err error) {
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
	}, `SELECT l.wallet, l.kind, l.created_at, l.id, l.job_id, l.position, l.workflow_id, l.step_id, l.tool, l.model_id, l.prompt, l.derived, l.colors, l.peaks,
		a.content_type, a.object_key, a.bytes, a.width, a.height, a.duration, a.seed
		FROM library l JOIN artifact a ON a.job_id = l.job_id AND a.position = l.position `+tail, args...)
	return out, err
}

// LibraryItems lists items of a library, newest first: at most limit.
func (tx *Tx) LibraryItems(f LibraryFilter, limit int) ([]LibraryItem, error) {
	args := []any{string(f.Wallet), f.Kind}
	where := `WHERE l.wallet = $1 AND l.kind = $2`
	if f.WorkflowID != "" { // the index by id is the one to use: a workflow has few artifacts, its account may have many
		where = `WHERE l.wallet || '' = $1 AND l.kind || '' = $2`
	}
	and := func(condition string, values ...any) {
		where += ` AND ` + condition
		args = append(args, values...)
	}
	next := func(n int) string { return "$" + strconv.Itoa(len(args)+n) }
	if f.WorkflowID != "" {
		and(`l.id IN (SELECT artifact.id FROM artifact JOIN job ON job.id = artifact.job_id WHERE job.owner_kind = 'workflow' AND job.owner_id = `+next(1)+`)`, string(f.WorkflowID))
	}
	if !f.From.IsZero() {
		and(`l.created_at >= `+next(1), database.Millis(f.From))
	}
	if !f.To.IsZero() {
		and(`l.created_at < `+next(1), database.Millis(f.To))
	}
	if f.Before != nil {
		and(`(l.created_at, l.id) < (`+next(1)+`, `+next(2)+`)`, database.Millis(f.Before.CreatedAt), f.Before.ID)
	}
	return tx.libraryItems(where+` ORDER BY l.created_at DESC, l.id DESC LIMIT `+next(1), append(args, limit)...)
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
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			d  day
			at int64
		)
		err := scan(&d.wallet, &d.kind, &at)
		d.number = at / dayMillis
		gone[d]++
		return err
	}, `DELETE FROM library WHERE id IN (SELECT artifact.id FROM artifact JOIN job ON job.id = artifact.job_id WHERE job.owner_kind = 'workflow' AND job.owner_id = $1)
		RETURNING wallet, kind, created_at`, string(id))
	for d, n := range gone {
		if err == nil {
			err = tx.uncount(d.wallet, d.kind, d.number, n)
		}
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM workflow_input WHERE workflow_id = $1`, string(id))
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
