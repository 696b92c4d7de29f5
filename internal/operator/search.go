package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// maxResults is how many results of a kind a search returns.
const maxResults = 20

// Search finds accounts by their wallet or username, the newest also by its beginning, keys by
// their hint, and jobs, workflows and chat runs by their id or its beginning.
func (o Operator) Search(ctx context.Context, q string) (apitype.SearchResults, error) {
	q = strings.TrimSpace(q)
	if q == "" {
		return apitype.SearchResults{}, atelier.Refuse("q", "is required: a wallet, a username, an id or its first 8 characters, or the first characters of a key.")
	}
	results := []apitype.SearchResult{}
	err := o.db.Snapshot(ctx, func(tx *store.Tx) error {
		results = results[:0]
		for _, find := range []func(*store.Tx, string) ([]apitype.SearchResult, error){findJobs, findWorkflows, findRuns, o.findNamed, findKeys} {
			found, err := find(tx, q)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			results = append(results, found...)
		}
		return nil
	})
	return apitype.SearchResults{Results: results}, err
}

func findJobs(tx *store.Tx, q string) ([]apitype.SearchResult, error) {
	first, last := between("", q)
	found, err := tx.JobsBetween(first, last, maxResults)
	return convert(found, func(j store.StoredJob) apitype.SearchResult {
		label := fmt.Sprintf("%s, %s, %s", j.Spec.Tool, j.Spec.ModelID, j.State)
		return apitype.SearchResult{Kind: apitype.ResultJob, ID: string(j.ID), Label: label, WalletAddress: j.Wallet}
	}), err
}

func findWorkflows(tx *store.Tx, q string) ([]apitype.SearchResult, error) {
	first, last := between("wf_durable_workflow_", q)
	found, err := tx.WorkflowsBetween(first, last, maxResults)
	return convert(found, resultOf(apitype.ResultWorkflow)), err
}

func findRuns(tx *store.Tx, q string) ([]apitype.SearchResult, error) {
	first, last := between("run_", q)
	found, err := tx.RunsBetween(first, last, maxResults)
	return convert(found, resultOf(apitype.ResultRun)), err
}

func resultOf(kind apitype.ResultKind) func(store.OwnedWork) apitype.SearchResult {
	return func(w store.OwnedWork) apitype.SearchResult {
		return apitype.SearchResult{Kind: kind, ID: w.ID, Label: string(w.Status), WalletAddress: w.Wallet}
	}
}

// between are the first and the last id that a text begins, with or without what all ids of a
// kind begin with. A text that begins none stands for itself.
func between(kind, q string) (first, last string) {
	q = strings.ToLower(strings.TrimSuffix(q, "…"))
	first, last, ok := atelier.UUIDsFrom(strings.TrimPrefix(q, kind))
	if !ok {
		return q, q
	}
	return kind + first, kind + last
}

func (o Operator) findNamed(tx *store.Tx, q string) ([]apitype.SearchResult, error) {
	found, err := tx.NamedAccounts(q)
	if err != nil {
		return nil, err
	}
	others, _, err := tx.FindAccounts(q, atelier.Account{}.CreatedAt, "", maxResults-len(found), o.opts.Searched)
	found = append(found, others...)
	return convert(found, func(a atelier.Account) apitype.SearchResult {
		return apitype.SearchResult{Kind: apitype.ResultAccount, ID: string(a.Wallet), Label: a.Username, WalletAddress: a.Wallet}
	}), err
}

func findKeys(tx *store.Tx, q string) ([]apitype.SearchResult, error) {
	hint := strings.ToLower(strings.TrimSuffix(q, "…"))
	if atelier.IsUUID(hint) {
		hint = hint[:8] // the whole key: the rest is not looked at
	}
	found, err := tx.KeysWithHint(hint, maxResults)
	return convert(found, func(k store.StoredKey) apitype.SearchResult {
		label := k.Hint + "…"
		if k.Name != "" {
			label += " " + k.Name
		}
		if !k.RevokedAt.IsZero() {
			label += " (revoked)"
		}
		return apitype.SearchResult{Kind: apitype.ResultKey, ID: k.ID, Label: label, WalletAddress: k.Wallet}
	}), err
}
