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
// their hint, and jobs and workflows by their id.
func (o Operator) Search(ctx context.Context, q string) (apitype.SearchResults, error) {
	q = strings.TrimSpace(q)
	if q == "" {
		return apitype.SearchResults{}, atelier.Refuse("q", "is required: a wallet, a username, the id of a job or workflow, or the first characters of a key.")
	}
	results := []apitype.SearchResult{}
	err := o.db.Snapshot(ctx, func(tx *store.Tx) error {
		results = results[:0]
		for _, find := range []func(*store.Tx, string) ([]apitype.SearchResult, error){findJob, findWorkflow, o.findNamed, findKeys} {
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

func findJob(tx *store.Tx, q string) ([]apitype.SearchResult, error) {
	j, err := tx.Job(atelier.JobID(strings.ToLower(q)))
	if err != nil {
		return nil, err
	}
	return []apitype.SearchResult{{Kind: apitype.ResultJob, ID: string(j.ID), Label: fmt.Sprintf("%s, %s, %s", j.Spec.Tool, j.Spec.ModelID, j.State), WalletAddress: j.Wallet}}, nil
}

func findWorkflow(tx *store.Tx, q string) ([]apitype.SearchResult, error) {
	id := strings.ToLower(q)
	owner, status, err := tx.WorkflowOwner(atelier.WorkflowID(id))
	if err != nil {
		return nil, err
	}
	return []apitype.SearchResult{{Kind: apitype.ResultWorkflow, ID: id, Label: string(status), WalletAddress: owner}}, nil
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
