package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// MarkName is what a mark says.
type MarkName string

// The names of marks.
const (
	MarkFavourite MarkName = "favourite"
	MarkTag       MarkName = "tag"
	MarkBoard     MarkName = "board"
)

// Mark is what an account has noted about an item.
type Mark struct {
	Name  MarkName
	Value string // the tag, or the id of the board
}

// KindUpload is the kind of a saved asset, where the kinds of artifacts stand beside it.
const KindUpload = "upload"

// ItemRef names an artifact or a saved asset of an account, with what marks are sorted by.
type ItemRef struct {
	Wallet    atelier.Wallet
	Kind      string // of the artifact, or KindUpload
	CreatedAt time.Time
	ID        string
}

// LockItem finds an artifact or, of the kind KindUpload, a ready asset of an account, and
// locks it: a deletion waits until the transaction ends.
func (tx *Tx) LockItem(w atelier.Wallet, id string, isUpload bool) (ItemRef, error) {
	ref := ItemRef{Wallet: w, Kind: KindUpload, ID: id}
	sql := `SELECT kind, created_at FROM library WHERE id = $1 AND wallet = $2`
	if isUpload {
		sql = `SELECT '` + KindUpload + `', created_at FROM asset WHERE id = $1 AND wallet = $2 AND state = 'ready'`
	}
	var created int64
	err := tx.Row(sql+tx.Dialect.ForUpdate, id, string(w)).Scan(&ref.Kind, &created)
	ref.CreatedAt = database.FromMillis(created)
	return ref, err
}

// MarksOf reads the marks of items of an account, sorted, by the ids of the items.
func (tx *Tx) MarksOf(w atelier.Wallet, ids ...string) (map[string][]Mark, error) {
	out := map[string][]Mark{}
	for some := range slices.Chunk(ids, 200) {
		err := tx.Rows(func(scan func(...any) error) error {
			var (
				id string
				m  Mark
			)
			err := scan(&id, &m.Name, &m.Value)
			out[id] = append(out[id], m)
			return err
		}, `SELECT id, mark, value FROM library_mark WHERE id IN (`+database.Marks(2, len(some))+`) AND wallet = $1`, append([]any{string(w)}, database.Texts(some)...)...)
		if err != nil {
			return nil, err
		}
	}
	for _, marks := range out {
		slices.SortFunc(marks, compareMarks)
	}
	return out, nil
}

func compareMarks(a, b Mark) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
}

// AddMark marks an item, unless it has the mark.
func (tx *Tx) AddMark(i ItemRef, m Mark) error {
	n, err := tx.Exec(`INSERT INTO library_mark (wallet, mark, value, kind, created_at, id) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		string(i.Wallet), string(m.Name), m.Value, i.Kind, database.Millis(i.CreatedAt), i.ID)
	if err != nil || n == 0 {
		return err
	}
	return tx.countMarks(i.Wallet, map[Mark]int64{m: 1})
}

// RemoveMark takes a mark from an item, if it has it.
func (tx *Tx) RemoveMark(i ItemRef, m Mark) error {
	n, err := tx.Exec(`DELETE FROM library_mark WHERE wallet = $1 AND mark = $2 AND value = $3 AND kind = $4 AND created_at = $5 AND id = $6`,
		string(i.Wallet), string(m.Name), m.Value, i.Kind, database.Millis(i.CreatedAt), i.ID)
	if err != nil || n == 0 {
		return err
	}
	return tx.countMarks(i.Wallet, map[Mark]int64{m: -1})
}

// SetTagWords makes searches find an artifact by its tags.
func (tx *Tx) SetTagWords(w atelier.Wallet, id string, tags []string) error {
	var i LibraryItem
	err := tx.Row(`SELECT tool, model_id, prompt FROM library WHERE id = $1 AND wallet = $2`, id, string(w)).Scan(&i.Tool, &i.ModelID, &i.Prompt)
	if err != nil {
		return err
	}
	return tx.Must(`UPDATE library SET words = $3 WHERE id = $1 AND wallet = $2`, id, string(w), i.words(tags))
}

// deleteMarksOf deletes the marks of items of an account.
func (tx *Tx) deleteMarksOf(w atelier.Wallet, ids ...string) error {
	gone := map[Mark]int64{}
	for some := range slices.Chunk(ids, 200) {
		err := tx.Rows(func(scan func(...any) error) error {
			var m Mark
			err := scan(&m.Name, &m.Value)
			gone[m]--
			return err
		}, `DELETE FROM library_mark WHERE id IN (`+database.Marks(2, len(some))+`) AND wallet = $1 RETURNING mark, value`, append([]any{string(w)}, database.Texts(some)...)...)
		if err != nil {
			return err
		}
	}
	return tx.countMarks(w, gone)
}

// countMarks changes how many items have some marks, in one order, so that changes wait for
// each other and not in a circle.
func (tx *Tx) countMarks(w atelier.Wallet, by map[Mark]int64) error {
	marks := make([]Mark, 0, len(by))
	for m := range by {
		marks = append(marks, m)
	}
	slices.SortFunc(marks, compareMarks)
	for _, m := range marks {
		_, err := tx.Exec(`INSERT INTO library_mark_count (wallet, mark, value, items) VALUES ($1, $2, $3, $4)
			ON CONFLICT (wallet, mark, value) DO UPDATE SET items = library_mark_count.items + $4`, string(w), string(m.Name), m.Value, by[m])
		if err == nil && by[m] < 0 {
			_, err = tx.Exec(`DELETE FROM library_mark_count WHERE wallet = $1 AND mark = $2 AND value = $3 AND items <= 0`, string(w), string(m.Name), m.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CountedMark is how many items of an account have a mark.
type CountedMark struct {
	Mark
	Items int64
}

func (tx *Tx) countedMarks(tail string, args ...any) (out []CountedMark, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var c CountedMark
		err := scan(&c.Name, &c.Value, &c.Items)
		out = append(out, c)
		return err
	}, `SELECT mark, value, items FROM library_mark_count `+tail, args...)
	return out, err
}

// CountMarks counts the items of an account that have some marks. A mark that no item has is
// not in the answer.
func (tx *Tx) CountMarks(w atelier.Wallet, marks ...Mark) (out []CountedMark, err error) {
	for _, m := range marks {
		found, err := tx.countedMarks(`WHERE wallet = $1 AND mark = $2 AND value = $3`, string(w), string(m.Name), m.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// Tags lists the tags of an account that contain a text, those of most items first: at most
// limit.
func (tx *Tx) Tags(w atelier.Wallet, containing string, limit int) ([]CountedMark, error) {
	return tx.countedMarks(`WHERE wallet = $1 AND mark = 'tag' AND ($2 = '' OR `+tx.Dialect.Find+`(value, $2) > 0) ORDER BY items DESC, value`+tx.Dialect.Bytewise+` LIMIT $3`,
		string(w), containing, limit)
}

// TagCount counts the different tags of an account.
func (tx *Tx) TagCount(w atelier.Wallet) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM library_mark_count WHERE wallet = $1 AND mark = 'tag'`, string(w)).Scan(&n)
	return n, err
}

// Board is a collection of items.
type Board struct {
	ID        string
	Wallet    atelier.Wallet
	Name      string
	Folded    string // the name as no other board of the account has it
	Items     int64
	CreatedAt time.Time
}

func (tx *Tx) boards(where string, args ...any) (out []Board, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			b       Board
			created int64
		)
		err := scan(&b.ID, &b.Wallet, &b.Name, &b.Folded, &b.Items, &created)
		b.CreatedAt = database.FromMillis(created)
		out = append(out, b)
		return err
	}, `SELECT b.id, b.wallet, b.name, b.folded, COALESCE(c.items, 0), b.created_at FROM board b
		LEFT JOIN library_mark_count c ON c.wallet = b.wallet AND c.mark = 'board' AND c.value = b.id `+where, args...)
	return out, err
}

// Boards lists the boards of an account by name.
func (tx *Tx) Boards(w atelier.Wallet) ([]Board, error) {
	return tx.boards(`WHERE b.wallet = $1 ORDER BY b.folded`+tx.Dialect.Bytewise, string(w))
}

// Board finds a board of an account.
func (tx *Tx) Board(w atelier.Wallet, id string) (Board, error) {
	return oneBoard(tx.boards(`WHERE b.wallet = $1 AND b.id = $2`, string(w), id))
}

// BoardNamed finds the board of an account that has a name, in lower case.
func (tx *Tx) BoardNamed(w atelier.Wallet, folded string) (Board, error) {
	return oneBoard(tx.boards(`WHERE b.wallet = $1 AND b.folded = $2`, string(w), folded))
}

func oneBoard(found []Board, err error) (Board, error) {
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Board{}, err
	}
	return found[0], nil
}

// InsertBoard adds a board.
func (tx *Tx) InsertBoard(b Board) error {
	_, err := tx.Exec(`INSERT INTO board (id, wallet, name, folded, created_at) VALUES ($1, $2, $3, $4, $5)`,
		b.ID, string(b.Wallet), b.Name, b.Folded, database.Millis(b.CreatedAt))
	return err
}

// RenameBoard changes the name of a board.
func (tx *Tx) RenameBoard(b Board) error {
	return tx.Must(`UPDATE board SET name = $3, folded = $4 WHERE wallet = $1 AND id = $2`, string(b.Wallet), b.ID, b.Name, b.Folded)
}

// DeleteBoard deletes a board of an account. What was on it stays.
func (tx *Tx) DeleteBoard(w atelier.Wallet, id string) error {
	if err := tx.Must(`DELETE FROM board WHERE wallet = $1 AND id = $2`, string(w), id); err != nil {
		return err
	}
	if _, err := tx.Exec(`DELETE FROM library_mark WHERE wallet = $1 AND mark = 'board' AND value = $2`, string(w), id); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM library_mark_count WHERE wallet = $1 AND mark = 'board' AND value = $2`, string(w), id)
	return err
}

// PutWorkflowOnBoard puts what a workflow of an account has made, and what it will make, on a
// board, instead of the board before. ErrNotFound means that the account has no such workflow.
func (tx *Tx) PutWorkflowOnBoard(w atelier.Wallet, id atelier.WorkflowID, board string) error {
	// The lock keeps the workflow from making something that is neither made already nor put there later.
	var one int
	if err := tx.Row(`SELECT 1 FROM workflow WHERE id = $1 AND wallet = $2`+tx.Dialect.ForUpdate, string(id), string(w)).Scan(&one); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO board_workflow (workflow_id, board_id) VALUES ($1, $2) ON CONFLICT (workflow_id) DO UPDATE SET board_id = excluded.board_id`, string(id), board)
	if err != nil {
		return err
	}
	items, err := tx.libraryItems(`WHERE l.id IN (SELECT artifact.id FROM artifact JOIN job ON job.id = artifact.job_id WHERE job.owner_kind = 'workflow' AND job.owner_id = $1)
		AND l.wallet || '' = $2`, string(id), string(w))
	for _, i := range items {
		if err == nil {
			err = tx.AddMark(i.Ref(), Mark{MarkBoard, board})
		}
	}
	return err
}

// putOnBoardOfWorkflow puts a new item on the board that its workflow has. The lock makes a deletion of
// the board wait, which then finds the mark.
func (tx *Tx) putOnBoardOfWorkflow(i LibraryItem) error {
	var boards []string
	err := tx.Rows(func(scan func(...any) error) error {
		var board string
		err := scan(&board)
		boards = append(boards, board)
		return err
	}, `SELECT board_id FROM board_workflow WHERE workflow_id = $1`+tx.Dialect.ForUpdate, string(i.WorkflowID))
	for _, board := range boards {
		if err == nil {
			err = tx.AddMark(i.Ref(), Mark{MarkBoard, board})
		}
	}
	return err
}
