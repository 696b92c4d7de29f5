package template

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// Saved is a template that was saved, and its warnings.
type Saved struct {
	Template atelier.Template
	Warnings []atelier.Issue
}

// serviceFields are the fields that callers do not set.
var serviceFields = []string{"version", "author", "clonedFromTemplateId"}

// Create saves a new template of an account.
func (e *Engine) Create(ctx context.Context, owner atelier.Account, f Fields) (Saved, error) {
	t, is, err := e.accept(f.given())
	if err != nil {
		return Saved{}, err
	}
	if err := e.insert(ctx, owner, &t); err != nil {
		return Saved{}, err
	}
	return Saved{t, is.warnings}, nil
}

// Check lists what is wrong with a template that an account would create, and what its
// author should know. It saves nothing.
func (e *Engine) Check(f Fields) ([]atelier.Issue, error) {
	f = f.given()
	if err := e.checkSize(f.size()); err != nil {
		return nil, err
	}
	is := &issues{}
	t := read(f, is)
	if t.Visibility == atelier.VisibilityPublic {
		is.fail("public_template", "visibility", publicRefusal)
	}
	outlineOf(e.catalog, t, is).check()
	return is.all(), nil
}

const publicRefusal = "cannot be public: only the operator of the service publishes templates."

// given is the fields that a caller of Create sets.
func (f Fields) given() Fields {
	f = f.without(serviceFields...)
	for name, raw := range f {
		if isNull(raw) {
			delete(f, name)
		}
	}
	return f
}

// without is the fields without some.
func (f Fields) without(names ...string) Fields {
	out := maps.Clone(f)
	for _, name := range names {
		delete(out, name)
	}
	return out
}

// size is how many bytes the fields have.
func (f Fields) size() (n int) {
	for name, raw := range f {
		n += len(name) + len(raw)
	}
	return n
}

func isNull(raw wire.Raw) bool { return string(bytes.TrimSpace(raw)) == "null" }

// accept reads and checks the fields of a template that an account saves.
func (e *Engine) accept(f Fields) (atelier.Template, *issues, error) {
	if err := e.checkSize(f.size()); err != nil {
		return atelier.Template{}, nil, err
	}
	is := &issues{}
	t := read(f, is)
	if t.Visibility == atelier.VisibilityPublic {
		return t, is, atelier.Errorf(atelier.CodePublicTemplate, "visibility "+publicRefusal)
	}
	if outlineOf(e.catalog, t, is).check(); is.failed() {
		return t, is, is.invalid()
	}
	return t, is, nil
}

// insert adds a template to those of an account, as many as it may have.
func (e *Engine) insert(ctx context.Context, owner atelier.Account, t *atelier.Template) error {
	now := e.opts.Now()
	t.Version, t.Author = firstVersion, atelier.TemplateAuthor{UserID: string(owner.Wallet), DisplayName: owner.Username}
	t.CreatedAt, t.UpdatedAt = cmp.Or(t.CreatedAt, stamp(now)), cmp.Or(t.UpdatedAt, stamp(now))
	minted := t.ID == ""
	if minted {
		t.ID = idFromName(t.Name)
	}
	r, err := row(owner.Wallet, *t, now)
	if err == nil {
		err = e.checkSize(len(r.Document))
	}
	if err != nil {
		return err
	}
	return e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(owner.Wallet); err != nil { // two concurrent calls would both be below the limit
			return err
		}
		n, err := tx.CountTemplates(owner.Wallet, owner.Wallet)
		if err != nil {
			return err
		}
		if n >= e.opts.Limit {
			return atelier.Errorf(atelier.CodeTemplateLimit, "This account has %d templates; the limit is %d. Delete one first.", n, e.opts.Limit).
				With("templateCount", n).With("templateLimit", e.opts.Limit)
		}
		taken, err := e.isTaken(tx, owner.Wallet, t.ID)
		switch {
		case err != nil:
			return err
		case taken && !minted:
			return atelier.Errorf(atelier.CodeTemplateExists, "A template with the id %q already exists. Choose another, or omit it to have one generated.", t.ID)
		case taken:
			t.ID = idWithSuffix(t.Name)
			if r, err = row(owner.Wallet, *t, now); err != nil {
				return err
			}
		}
		return tx.InsertTemplate(r)
	})
}

// isTaken reports whether an account can see a template with an id.
func (e *Engine) isTaken(tx *store.Tx, w atelier.Wallet, id string) (bool, error) {
	for _, owner := range []atelier.Wallet{w, store.Operator} {
		if _, err := tx.Template(owner, id); !errors.Is(err, store.ErrNotFound) {
			return true, err
		}
	}
	starters, err := e.starters()
	return slices.ContainsFunc(starters, func(t atelier.Template) bool { return t.ID == id }), err
}

// tries is how often a change is retried because another came first.
const tries = 32

// Patch changes some fields of a template of an account: null removes one, and what is
// absent stays. A caller that names the version that its change replaces does not change
// another one.
func (e *Engine) Patch(ctx context.Context, owner atelier.Account, id string, replaces *string, f Fields) (Saved, error) {
	f = f.without("id", "createdAt", "updatedAt").without(serviceFields...)
	for range tries {
		old, err := e.stored(ctx, owner.Wallet, id)
		if err != nil {
			return Saved{}, err
		}
		if replaces != nil && *replaces != old.Version {
			return Saved{}, atelier.Errorf(atelier.CodeWrongState, "The template has the version %s, and this change was made from another one. Load the template again.", old.Version).With("version", old.Version)
		}
		var merged Fields
		if err := wire.Unmarshal(old.Document, &merged); err != nil {
			return Saved{}, err
		}
		for name, raw := range f {
			if merged[name] = raw; isNull(raw) {
				delete(merged, name)
			}
		}
		t, is, err := e.accept(merged)
		if err != nil {
			return Saved{}, err
		}
		switch err := e.replace(ctx, old, &t); {
		case err == nil:
			return Saved{t, is.warnings}, nil
		case !errors.Is(err, store.ErrNotFound):
			return Saved{}, err
		}
	}
	return Saved{}, atelier.Errorf(atelier.CodeWrongState, "Another request is changing this template. Try again.").With("retryable", true)
}

// replace writes the next version of a template. store.ErrNotFound means that another
// change came first.
func (e *Engine) replace(ctx context.Context, old store.StoredTemplate, t *atelier.Template) error {
	now := e.opts.Now()
	t.Version, t.UpdatedAt = nextVersion(old.Version), stamp(now)
	r, err := row(old.Owner, *t, now)
	if err == nil {
		err = e.checkSize(len(r.Document))
	}
	if err != nil {
		return err
	}
	return e.db.Write(ctx, func(tx *store.Tx) error { return tx.UpdateTemplate(r, old.Version) })
}

// Delete removes a template of an account.
func (e *Engine) Delete(ctx context.Context, w atelier.Wallet, id string) error {
	err := e.db.WriteDeletion(ctx, func(tx *store.Tx) error { return tx.DeleteTemplate(w, id) })
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound(id)
	}
	return err
}

// Fork copies a template that an account may use into a new one that it owns,
// under another name if one is given.
func (e *Engine) Fork(ctx context.Context, owner atelier.Account, id, name string) (atelier.Template, error) {
	t, err := e.Template(ctx, owner.Wallet, id)
	if err != nil {
		return t, err
	}
	if name != "" {
		is := &issues{}
		text, err := wire.Marshal(name)
		if err != nil {
			return t, err
		}
		if t.Name = read(Fields{"name": text}, is).Name; is.failed() {
			return t, is.invalid()
		}
	}
	t.ClonedFromTemplateID, t.ID, t.Visibility, t.CreatedAt, t.UpdatedAt = t.ID, "", atelier.VisibilityPrivate, "", ""
	err = e.insert(ctx, owner, &t)
	return t, err
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
