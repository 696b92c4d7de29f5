package billing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Usage is what an account has spent for one application on one kind of work,
// in one token.
type Usage struct {
	Wallet  atelier.Wallet
	App     string // empty where the caller named none
	Kind    WorkKind
	Token   atelier.Token
	Charges int64 // pieces of work; one that two tokens paid for counts for both
	Spent   atelier.Money
}

// WorkKind is what money was spent on.
type WorkKind string

// The kinds of work.
const (
	RenderWork WorkKind = "render" // a job
	ModelWork  WorkKind = "model"  // a round of a language model
	ToolWork   WorkKind = "tool"   // a tool that answers at once
	RemakeWork WorkKind = "remake" // a job that is made again, free of charge
)

// kinds are the kinds of work by the word that their causes begin with.
var kinds = map[string]WorkKind{"job": RenderWork, "llm": ModelWork, "tool": ToolWork, freeCause: RemakeWork}

// Usage adds up what was spent since a time: by one account or, when the wallet is empty,
// by all. Work that a plan covered was not spent.
func (e *Engine) Usage(ctx context.Context, w atelier.Wallet, since time.Time) ([]Usage, error) {
	var sums []store.SpendSum
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		sums, err = tx.SpendSums(w, since)
		return err
	})
	list := make([]Usage, 0, len(sums))
	for _, s := range sums {
		list = append(list, Usage{s.Wallet, s.App, kinds[s.Kind], s.Token, s.Charges, s.Amount})
	}
	// Sorted here: databases differ about the order of texts.
	slices.SortFunc(list, func(a, b Usage) int {
		return cmp.Or(cmp.Compare(a.Wallet, b.Wallet), cmp.Compare(a.App, b.App), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Token, b.Token))
	})
	return list, err
}
