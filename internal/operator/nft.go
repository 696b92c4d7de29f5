package operator

import (
	"context"
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// AddNFT lets the workers of an account name an NFT, in any number, and no others: it takes
// it from the account that had it. What a connected worker of that account does counts for
// no NFT from then on.
func (o Operator) AddNFT(ctx context.Context, name, id, reason string) (out apitype.AddedNFT, err error) {
	out.Account, err = o.changeNFT(ctx, name, id, reason, func(tx *store.Tx, a atelier.Account, add store.Action) error {
		out.MovedFrom = nil // the function may run again
		before, err := tx.GiveNFT(id, a.Wallet, o.opts.Now())
		if err != nil || before == a.Wallet {
			return err
		}
		if add.Action = "add NFT"; before != "" {
			out.MovedFrom = &before
			lose := add
			lose.Action, lose.Wallet, lose.Detail = "remove NFT", before, fmt.Sprintf("%s, moved to %s", id, a.Wallet)
			if err := o.record(lose)(tx); err != nil {
				return err
			}
			add.Detail = fmt.Sprintf("%s, moved from %s", id, before)
		}
		return o.record(add)(tx)
	})
	return out, err
}

// RemoveNFT takes an NFT from an account. It belongs to the next account whose worker names
// it.
func (o Operator) RemoveNFT(ctx context.Context, name, id, reason string) (apitype.Account, error) {
	return o.changeNFT(ctx, name, id, reason, func(tx *store.Tx, a atelier.Account, remove store.Action) error {
		err := tx.RemoveNFT(id, a.Wallet)
		if errors.Is(err, store.ErrNotFound) {
			return &atelier.Error{Code: atelier.CodeNotFound, Field: "nftTokenId", Message: fmt.Sprintf("The NFT %s does not belong to %s.", id, a.Wallet)}
		}
		if err != nil {
			return err
		}
		remove.Action = "remove NFT"
		return o.record(remove)(tx)
	})
}

// changeNFT changes whose an NFT is, and returns the account. The function gets the action to
// record, without its name.
func (o Operator) changeNFT(ctx context.Context, name, id, reason string, change func(*store.Tx, atelier.Account, store.Action) error) (apitype.Account, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.Account{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.Account{}, err
	}
	if err := atelier.CheckNFTTokenID(id); err != nil {
		return apitype.Account{}, atelier.Refuse("nftTokenId", "is wrong: %v.", err)
	}
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		return change(tx, a, store.Action{Wallet: a.Wallet, Target: id, Detail: id, Reason: reason})
	})
	if err != nil {
		return apitype.Account{}, err
	}
	return o.Account(ctx, string(a.Wallet))
}
