package template

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Template finds a template that an account may use: its own, one that the operator
// has published, or one that comes with the service.
func (e *Engine) Template(ctx context.Context, w atelier.Wallet, id string) (atelier.Template, error) {
	var row store.StoredTemplate
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		if row, err = tx.Template(w, id); errors.Is(err, store.ErrNotFound) {
			row, err = tx.Template(store.Operator, id)
		}
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		if err != nil {
			return atelier.Template{}, err
		}
		return open(row.Document)
	}
	starters, err := e.starters()
	if err != nil {
		return atelier.Template{}, err
	}
	for _, t := range starters {
		if t.ID == id {
			return t, nil
		}
	}
	return atelier.Template{}, errNotFound(id)
}

// Page is a part of a list.
type Page struct {
	Templates []atelier.Template
	Next      *int // the offset of the next part, or nil
}

// The lists. Any other value means ListAll.
const (
	ListOwn    = "own"
	ListPublic = "public"
	ListAll    = "all"
)

// List lists templates that an account may use, the one that changed last
// first and those that come with the service at the end.
func (e *Engine) List(ctx context.Context, w atelier.Wallet, which string, offset, limit int) (Page, error) {
	one, other := w, store.Operator
	switch which {
	case ListOwn:
		other = w
	case ListPublic:
		one = store.Operator
	}
	page, more := Page{Templates: []atelier.Template{}}, false
	err := e.db.Snapshot(ctx, func(tx *store.Tx) error {
		page.Templates = page.Templates[:0]
		var rows []store.StoredTemplate
		var err error
		if rows, more, err = tx.Templates(one, other, offset, limit, listBytes); err != nil {
			return err
		}
		for _, row := range rows {
			t, err := open(row.Document)
			if err != nil {
				return err
			}
			page.Templates = append(page.Templates, t)
		}
		if which == ListOwn || more {
			return nil
		}
		before, err := tx.CountTemplates(one, other)
		if err != nil {
			return err
		}
		starters, err := e.remaining(tx)
		if err != nil {
			return err
		}
		from := min(max(offset-before, 0), len(starters))
		page.Templates = append(page.Templates, starters[from:]...)
		return nil
	})
	if len(page.Templates) > limit {
		page.Templates, more = page.Templates[:limit], true
	}
	if more {
		next := offset + len(page.Templates)
		page.Next = &next
	}
	return page, err
}

// listBytes limits the size of a page: a page of large templates is shorter.
const listBytes = 2 << 20

// remaining are the starters that the operator has not replaced.
func (e *Engine) remaining(tx *store.Tx) ([]atelier.Template, error) {
	starters, err := e.starters()
	if err != nil {
		return nil, err
	}
	replaced, err := tx.TemplateIDs(store.Operator)
	var out []atelier.Template
	for _, t := range starters {
		if !slices.Contains(replaced, t.ID) {
			out = append(out, t)
		}
	}
	return out, err
}

func isExposed(t atelier.Template) bool { return t.ExposeToLLM }

// bytesForLLM bounds the templates that a language model may use: each chat reads them, and more would not fit into the
// context of a model.
const bytesForLLM = 512 << 10

// Revision identifies a list of templates: another has other templates, or another content of one.
type Revision [sha256.Size]byte

// ForLLM lists the templates that a language model may use for an account, by priority: at most limit, and fewer when
// they are large.
func (e *Engine) ForLLM(ctx context.Context, w atelier.Wallet, limit int) ([]atelier.Template, Revision, error) {
	var out []atelier.Template
	content := sha256.New()
	err := e.db.Snapshot(ctx, func(tx *store.Tx) error {
		content.Reset()
		rows, err := tx.ExposedTemplates(w, store.Operator, limit, bytesForLLM)
		if err != nil {
			return err
		}
		out = make([]atelier.Template, 0, len(rows))
		for _, row := range rows {
			t, err := open(row.Document)
			if err != nil {
				return err
			}
			out = append(out, t)
			fmt.Fprintf(content, "%d:%s", len(row.Document), row.Document)
		}
		starters, err := e.starters()
		if err != nil || !slices.ContainsFunc(starters, isExposed) { // the common case: each chat asks
			return err
		}
		starters, err = e.remaining(tx)
		for _, t := range starters {
			if isExposed(t) {
				out = append(out, t)
				fmt.Fprintf(content, "%s,", t.ID)
			}
		}
		return err
	})
	slices.SortStableFunc(out, func(a, b atelier.Template) int {
		switch {
		case a.LLMPriority < b.LLMPriority:
			return -1
		case a.LLMPriority > b.LLMPriority:
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out[:min(len(out), limit)], Revision(content.Sum(nil)), err
}
