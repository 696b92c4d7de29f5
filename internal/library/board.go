package library

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// missingBoard is the error for a board that does not exist and for one of another account.
func missingBoard(err error, field, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return atelier.Missing(field, id, "board")
	}
	return err
}

func shownBoard(b store.Board) apitype.Board {
	return apitype.Board{BoardID: b.ID, Name: b.Name, Count: b.Items, CreatedAt: b.CreatedAt}
}

// Boards lists the boards of an account by name.
func (e *Engine) Boards(ctx context.Context, w atelier.Wallet) (apitype.Boards, error) {
	out := apitype.Boards{Boards: []apitype.Board{}, Limits: apitype.MarkLimits{Boards: MostBoards, Tags: MostTags, TagsPerItem: MostTagsPerItem, TagLength: MostTagLength}}
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		boards, err := tx.Boards(w)
		if err != nil {
			return err
		}
		for _, b := range boards {
			out.Boards = append(out.Boards, shownBoard(b))
		}
		favourites, err := tx.CountMarks(w, store.Mark{Name: store.MarkFavourite})
		for _, f := range favourites {
			out.Favourites = f.Items
		}
		return err
	})
	return out, err
}

// named is a board with a name, as no other board of its account may have it.
func named(b store.Board, name string) (store.Board, error) {
	b.Name = strings.Join(strings.Fields(name), " ")
	b.Folded = strings.ToLower(b.Name)
	switch {
	case b.Name == "":
		return b, atelier.Refuse("name", "must not be blank.")
	case !isPlain(b.Name):
		return b, atelier.Refuse("name", "must not have control characters.")
	}
	return b, nil
}

// checkName refuses a name that another board of the account has.
func checkName(tx *store.Tx, b store.Board) error {
	same, err := tx.BoardNamed(b.Wallet, b.Folded)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && same.ID == b.ID:
		return nil
	case err != nil:
		return err
	}
	taken := atelier.Errorf(atelier.CodeNameTaken, "You have a board with the name %q. Use it, or choose another name.", same.Name).With("boardId", same.ID)
	taken.Field = "name"
	return taken
}

// CreateBoard makes a board.
func (e *Engine) CreateBoard(ctx context.Context, w atelier.Wallet, name string) (apitype.Board, error) {
	b, err := named(store.Board{ID: mint.UUID(), Wallet: w, CreatedAt: e.opts.Now()}, name)
	if err != nil {
		return apitype.Board{}, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil { // two concurrent calls would both be within the limit
			return err
		}
		if err := checkName(tx, b); err != nil {
			return err
		}
		boards, err := tx.Boards(w)
		if err != nil {
			return err
		}
		if len(boards) >= MostBoards {
			return atelier.Errorf(atelier.CodeWrongState, "An account can have %d boards. Delete one first.", MostBoards).With("boards", MostBoards)
		}
		return tx.InsertBoard(b)
	})
	return shownBoard(b), err
}

// RenameBoard changes the name of a board of an account.
func (e *Engine) RenameBoard(ctx context.Context, w atelier.Wallet, id, name string) (apitype.Board, error) {
	var renamed store.Board
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		b, err := tx.Board(w, id)
		if err != nil {
			return missingBoard(err, "id", id)
		}
		if renamed, err = named(b, name); err != nil {
			return err
		}
		if err := checkName(tx, renamed); err != nil {
			return err
		}
		return tx.RenameBoard(renamed)
	})
	return shownBoard(renamed), err
}

// DeleteBoard deletes a board of an account. What was on it stays in the library.
func (e *Engine) DeleteBoard(ctx context.Context, w atelier.Wallet, id string) error {
	return e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil { // nothing is put on it meanwhile
			return err
		}
		return missingBoard(tx.DeleteBoard(w, id), "id", id)
	})
}

// PutWorkflowOnBoard puts what a workflow has made, and what it will make, on a board.
func (e *Engine) PutWorkflowOnBoard(ctx context.Context, w atelier.Wallet, board string, id atelier.WorkflowID) error {
	return e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		if _, err := tx.Board(w, board); err != nil {
			return missingBoard(err, "id", board)
		}
		err := tx.PutWorkflowOnBoard(w, id, board)
		if errors.Is(err, store.ErrNotFound) {
			return atelier.Missing("workflowId", string(id), "workflow")
		}
		return err
	})
}
