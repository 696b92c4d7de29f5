package live

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/workflow"
)

// remembered is how many rows of a topic a stream compares: those that changed last.
const remembered = 128

// window is the rows of a topic that changed last, as a stream has told them.
type window struct {
	seen  map[string]time.Time
	first time.Time // what changed before was left out when the window was full
}

// compare returns the rows that have changed since the last call, the latest first. It
// reports a gap when all of a full window have: there may be others.
func (w *window) compare(rows []store.Version) (changed []store.Version, gap bool) {
	seen := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		seen[r.ID] = r.UpdatedAt
		before, known := w.seen[r.ID]
		if known && before.Equal(r.UpdatedAt) || !known && r.UpdatedAt.Before(w.first) {
			continue
		}
		changed = append(changed, r)
	}
	begins := w.seen == nil
	if w.seen = seen; len(rows) == remembered {
		w.first = rows[len(rows)-1].UpdatedAt
	}
	if begins {
		return nil, false
	}
	slices.Reverse(changed)
	return changed, len(changed) == remembered
}

type workflowReader struct {
	wallet atelier.Wallet
	window
}

func (r *workflowReader) read(tx *store.Tx) (news []atelier.Payload, gap bool, err error) {
	rows, err := tx.LatestWorkflows(r.wallet, remembered)
	if err != nil {
		return nil, false, err
	}
	changed, gap := r.compare(rows)
	for _, v := range changed {
		row, err := tx.WorkflowState(r.wallet, atelier.WorkflowID(v.ID))
		if errors.Is(err, store.ErrNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, false, err
		}
		progress, err := workflow.ProgressOf(row)
		if err != nil {
			return nil, false, err
		}
		r.seen[v.ID] = row.UpdatedAt // it may have changed again meanwhile
		news = append(news, apitype.ChangedWorkflow{WorkflowID: row.ID, Status: row.Status, Progress: progress, UpdatedAt: row.UpdatedAt})
	}
	return news, gap, nil
}

type runReader struct {
	wallet atelier.Wallet
	window
	status map[string]atelier.Status
}

func (r *runReader) read(tx *store.Tx) (news []atelier.Payload, gap bool, err error) {
	rows, err := tx.LatestRuns(r.wallet, remembered)
	if err != nil {
		return nil, false, err
	}
	changed, gap := r.compare(rows)
	if r.status == nil {
		r.status = map[string]atelier.Status{}
	}
	maps.DeleteFunc(r.status, func(id string, _ atelier.Status) bool { _, there := r.seen[id]; return !there })
	for _, v := range changed {
		status, session, err := tx.RunStatus(r.wallet, atelier.RunID(v.ID))
		if errors.Is(err, store.ErrNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, false, err
		}
		if r.status[v.ID] != status { // each word of an answer changes its row
			r.status[v.ID] = status
			news = append(news, apitype.ChangedRun{RunID: atelier.RunID(v.ID), SessionID: session, Status: status})
		}
	}
	return news, gap, nil
}

type artifactReader struct {
	wallet atelier.Wallet
	window
	deleted int64 // how many were deleted
}

func (r *artifactReader) read(tx *store.Tx) (news []atelier.Payload, gap bool, err error) {
	var latest []store.LibraryItem
	for _, kind := range catalog.Kinds {
		some, err := tx.LatestItems(r.wallet, string(kind), remembered)
		if err != nil {
			return nil, false, err
		}
		latest = append(latest, some...)
	}
	slices.SortFunc(latest, func(a, b store.LibraryItem) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	latest = latest[:min(len(latest), remembered)]
	items := map[string]store.LibraryItem{}
	rows := make([]store.Version, 0, len(latest))
	for _, i := range latest {
		items[i.ID] = i
		rows = append(rows, store.Version{ID: i.ID, UpdatedAt: i.CreatedAt})
	}
	begins := r.seen == nil
	changed, gap := r.compare(rows)
	for _, v := range changed {
		i := items[v.ID]
		news = append(news, apitype.NewArtifact{ArtifactID: i.ID, WorkflowID: i.WorkflowID, Kind: i.Kind})
	}
	before := r.deleted
	r.deleted, err = tx.DeletedItems(r.wallet)
	if err == nil && !begins && r.deleted != before {
		news = append(news, apitype.ArtifactsDeleted{})
	}
	return news, gap, err
}

type balanceReader struct {
	wallet atelier.Wallet
	begun  bool
	purses map[atelier.Token]atelier.Purse // nil without any
}

func (r *balanceReader) read(tx *store.Tx) (news []atelier.Payload, gap bool, err error) {
	purses, err := tx.Purses(r.wallet)
	if err != nil {
		return nil, false, err
	}
	if r.begun && !maps.Equal(purses, r.purses) {
		news = []atelier.Payload{apitype.BalanceChanged{}}
	}
	r.begun, r.purses = true, purses
	return news, false, nil
}

type loraReader struct {
	wallet atelier.Wallet
	seen   map[atelier.LoraID]apitype.ChangedLora
}

func (r *loraReader) read(tx *store.Tx) (news []atelier.Payload, gap bool, err error) {
	rows, err := tx.LatestLoras(r.wallet, remembered)
	if err != nil {
		return nil, false, err
	}
	seen := make(map[atelier.LoraID]apitype.ChangedLora, len(rows))
	for _, l := range rows {
		now := apitype.ChangedLora{LoraID: l.ID, Status: l.Status, Progress: l.Progress}
		seen[l.ID] = now
		if r.seen != nil && r.seen[l.ID] != now {
			news = append(news, now)
		}
	}
	r.seen = seen
	return news, false, nil
}
