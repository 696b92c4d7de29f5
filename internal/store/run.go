package store

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// StoredRun is a row of the chat_run table. The run engine writes and reads the
// request and the state.
type StoredRun struct {
	ID atelier.RunID
	Head
	Node      string // that works on it, or did
	Takeovers int64  // how often a node has taken it
	Request   []byte
	State     []byte
	Session   string // of the conversation that it belongs to
	Text      string // what its user asked, which is the title of a new conversation; never read
	Protocol  string // whose list has it, or empty; never read
}

const runColumns = `id, wallet, status, waiting, node, takeovers, request, state, events, created_at, updated_at, session`

func (tx *Tx) runs(tail string, args ...any) ([]StoredRun, error) {
	return tx.someRuns(&database.Portion{Limit: math.MaxInt, Bytes: math.MaxInt64}, tail, args...)
}

func (tx *Tx) someRuns(p *database.Portion, tail string, args ...any) (out []StoredRun, err error) {
	err = tx.SomeRows(func(scan func(...any) error) error {
		var (
			r                StoredRun
			request, state   string
			created, updated int64
		)
		if err := scan(&r.ID, &r.Wallet, &r.Status, &r.Waiting, &r.Node, &r.Takeovers, &request, &state, &r.Events, &created, &updated, &r.Session); err != nil {
			return err
		}
		if err := p.Count(len(request) + len(state)); err != nil {
			return err
		}
		r.Request, r.State, r.CreatedAt, r.UpdatedAt = []byte(request), []byte(state), database.FromMillis(created), database.FromMillis(updated)
		out = append(out, r)
		return nil
	}, `SELECT `+runColumns+` FROM chat_run `+tail, args...)
	return out, err
}

func (tx *Tx) run(tail string, args ...any) (StoredRun, error) {
	found, err := tx.runs(tail, args...)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return StoredRun{}, err
	}
	return found[0], nil
}

// InsertRun adds a run, to its conversation if it has a session.
func (tx *Tx) InsertRun(r StoredRun) error {
	_, err := tx.Exec(`INSERT INTO chat_run (`+runColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		string(r.ID), string(r.Wallet), string(r.Status), string(r.Waiting), r.Node, r.Takeovers, string(r.Request), string(r.State), r.Events,
		database.Millis(r.CreatedAt), database.Millis(r.UpdatedAt), r.Session)
	tx.touch(r.Wallet, TopicRuns)
	if err != nil {
		return err
	}
	tx.starts = true
	tx.countStored(r.Wallet, string(r.ID), 0, itemBytes+int64(len(r.Request)+len(r.State)), 0)
	tx.addLabels(r.Head, string(r.ID), label(labelProtocol, r.Protocol))
	if r.Session == "" {
		return nil
	}
	return tx.touchConversation(r)
}

// UpdateRun writes the status, state and number of events of a run. ErrNotFound means
// that another node has taken the run, or that its status is no longer from.
func (tx *Tx) UpdateRun(r StoredRun, from atelier.Status) error {
	tx.touch(r.Wallet, TopicRuns)
	err := tx.Must(`UPDATE chat_run SET status = $4, waiting = $5, state = $6, events = $7, updated_at = $8
		WHERE id = $1 AND takeovers = $2 AND status = $3`,
		string(r.ID), r.Takeovers, string(from), string(r.Status), string(r.Waiting), string(r.State), r.Events, database.Millis(r.UpdatedAt))
	if err == nil && isCounted(r.Status) {
		err = tx.recountRun(r)
	}
	return err
}

// TouchRun writes only the number of events of a run. ErrNotFound means what it means
// for UpdateRun.
func (tx *Tx) TouchRun(r StoredRun) error {
	return tx.Must(`UPDATE chat_run SET events = $4, updated_at = $5 WHERE id = $1 AND takeovers = $2 AND status = $3`,
		string(r.ID), r.Takeovers, string(r.Status), r.Events, database.Millis(r.UpdatedAt))
}

// TakeRun gives a run to a node, or to none when it is empty. It reports false when
// another node was faster, or the status has changed.
func (tx *Tx) TakeRun(r StoredRun, node string) (bool, error) {
	n, err := tx.Exec(`UPDATE chat_run SET node = $4, takeovers = takeovers + 1 WHERE id = $1 AND takeovers = $2 AND status = $3`,
		string(r.ID), r.Takeovers, string(r.Status), node)
	return n == 1, err
}

// Run finds a run of an account.
func (tx *Tx) Run(owner atelier.Wallet, id atelier.RunID) (StoredRun, error) {
	return tx.run(`WHERE id = $1 AND wallet = $2`, string(id), string(owner))
}

// LockRun finds a run of an account and locks it until the transaction ends.
func (tx *Tx) LockRun(owner atelier.Wallet, id atelier.RunID) (StoredRun, error) {
	return tx.run(`WHERE id = $1 AND wallet = $2`+tx.Dialect.ForUpdate, string(id), string(owner))
}

// IdleRun is a run that no living node has.
type IdleRun struct {
	ID        atelier.RunID
	Wallet    atelier.Wallet
	Takeovers int64
	Bytes     int64 // of its documents
	Files     int   // that it refers to
}

// IdleRuns lists runs that are to be worked on and that no living node has: at most
// limit, the oldest first, of accounts that are not excluded, and with at most
// `most` bytes, where each file counts as `file` bytes.
func (tx *Tx) IdleRuns(now time.Time, limit int, except []atelier.Wallet, most, file int64) (idle []IdleRun, err error) {
	args := []any{database.Millis(now), limit, most, file}
	without := ""
	for _, w := range except {
		args = append(args, string(w))
	}
	if len(except) > 0 {
		without = ` AND wallet NOT IN (` + database.Marks(5, len(except)) + `)`
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var r IdleRun
		err := scan(&r.ID, &r.Wallet, &r.Takeovers, &r.Bytes, &r.Files)
		idle = append(idle, r)
		return err
	}, `SELECT id, wallet, takeovers, OCTET_LENGTH(request) + OCTET_LENGTH(state), (SELECT COUNT(*) FROM run_file WHERE run_id = chat_run.id) FROM chat_run
		WHERE status IN ('queued', 'running') AND node NOT IN (SELECT id FROM run_node WHERE lease_until > $1)`+without+`
			AND OCTET_LENGTH(request) + OCTET_LENGTH(state) + (SELECT COUNT(*) FROM run_file WHERE run_id = chat_run.id) * $4 <= $3
		ORDER BY created_at, id LIMIT $2`, args...)
	return idle, err
}

// GiveBackRuns takes the runs that are to be worked on from a node, but for some.
func (tx *Tx) GiveBackRuns(node string, except []atelier.RunID) error {
	args := []any{node}
	without := ""
	for _, id := range except {
		args = append(args, string(id))
	}
	if len(except) > 0 {
		without = ` AND id NOT IN (` + database.Marks(2, len(except)) + `)`
	}
	_, err := tx.Exec(`UPDATE chat_run SET node = '', takeovers = takeovers + 1 WHERE status IN ('queued', 'running') AND node = $1`+without, args...)
	return err
}

// EndedRuns lists which of some runs are no longer queued or running.
func (tx *Tx) EndedRuns(ids []atelier.RunID) (ended []atelier.RunID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = string(id)
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var id atelier.RunID
		err := scan(&id)
		ended = append(ended, id)
		return err
	}, `SELECT id FROM chat_run WHERE id IN (`+database.Marks(1, len(ids))+`) AND status NOT IN ('queued', 'running')`, args...)
	return ended, err
}

// OpenRuns lists the ids of an account's runs that are not over: at most limit, after
// the given one.
func (tx *Tx) OpenRuns(owner atelier.Wallet, after atelier.RunID, limit int) (ids []atelier.RunID, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var id atelier.RunID
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM chat_run WHERE wallet = $1 AND id > $2 AND status IN ('queued', 'running', 'waiting_for_user') ORDER BY id LIMIT $3`,
		string(owner), string(after), limit)
	return ids, err
}

// CountOpenRuns counts the runs of an account that are not over.
func (tx *Tx) CountOpenRuns(owner atelier.Wallet) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM chat_run WHERE status IN ('queued', 'running', 'waiting_for_user') AND wallet = $1`, string(owner)).Scan(&n)
	return n, err
}

// InsertRunFile records that a run refers to an object of its account. An upload is kept
// for as long as the run is. It returns ErrNotFound for an artifact that is gone.
func (tx *Tx) InsertRunFile(id atelier.RunID, key string) error {
	if _, err := tx.Exec(`SELECT 1 FROM upload WHERE object_key = $1`+tx.Dialect.ForUpdate, key); err != nil { // see DeleteUpload
		return err
	}
	if strings.HasPrefix(key, "results/") {
		var one int
		if err := tx.Row(`SELECT 1 FROM artifact WHERE object_key = $1`+tx.Dialect.ForUpdate, key).Scan(&one); err != nil { // see RetireWorkflow
			return err
		}
	}
	if err := tx.keepMaker(key); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO run_file (run_id, object_key) VALUES ($1, $2)`, string(id), key)
	return err
}

// DeleteRun deletes a run that is over, with its log, and its conversation if it was the
// last run of it. Its workflows stay, and its uploads are no longer kept for it. It reports
// false, and deletes nothing, when the run is not over, or money is held for it: the end of
// one that was cancelled is yet to be paid.
func (tx *Tx) DeleteRun(id atelier.RunID) (bool, error) {
	for _, kind := range []string{"llm/", "tool/"} {
		held := 0
		prefix := kind + string(id)
		err := tx.Row(`SELECT COUNT(*) FROM hold WHERE cause`+tx.Dialect.Bytewise+` > $1 AND cause`+tx.Dialect.Bytewise+` < $2`, prefix+"/", prefix+"0").Scan(&held)
		if err != nil || held > 0 {
			return false, err
		}
	}
	var owner, session string
	err := tx.Row(`DELETE FROM chat_run WHERE id = $1 AND status IN ('completed', 'partial_failure', 'failed', 'cancelled') RETURNING wallet, session`,
		string(id)).Scan(&owner, &session)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err == nil {
		err = tx.uncountStored(string(id))
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM event WHERE log = $1`, string(id))
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM run_file WHERE run_id = $1`, string(id))
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM workflow_label WHERE id = $1`, string(id))
	}
	if err == nil {
		err = tx.DeleteRunDraft(id, math.MaxInt64)
	}
	if err != nil || session == "" {
		return true, err
	}
	// A run that is being started holds the lock. The statement after it sees that run.
	var one int
	err = tx.Row(`SELECT 1 FROM conversation WHERE wallet = $1 AND session = $2`+tx.Dialect.ForUpdate, owner, session).Scan(&one)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM conversation WHERE wallet = $1 AND session = $2
			AND NOT EXISTS (SELECT 1 FROM chat_run r WHERE r.wallet = $1 AND r.session = $2 AND r.session <> '')`, owner, session)
	}
	return true, err
}

// KeepNode renews the lease of a node, and forgets the nodes whose lease ended before
// a time.
func (tx *Tx) KeepNode(id string, until, forget time.Time) error {
	_, err := tx.Exec(`INSERT INTO run_node (id, lease_until) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET lease_until = $2`, id, database.Millis(until))
	if err == nil {
		_, err = tx.Exec(`DELETE FROM run_node WHERE lease_until < $1`, database.Millis(forget))
	}
	return err
}

// LastLease is when the last lease of a node ends, or zero where no node has one.
func (tx *Tx) LastLease() (time.Time, error) {
	var until int64
	err := tx.Row(`SELECT COALESCE(MAX(lease_until), 0) FROM run_node`).Scan(&until)
	return database.FromMillis(until), err
}

// ForgetNode ends the lease of a node.
func (tx *Tx) ForgetNode(id string) error {
	_, err := tx.Exec(`DELETE FROM run_node WHERE id = $1`, id)
	return err
}
