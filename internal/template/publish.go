package template

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/yamldoc"
)

// ReadFile reads the fields of a template from a YAML or JSON file.
func ReadFile(name string, data []byte) (Fields, error) {
	f := Fields{}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		if err := wire.Unmarshal(data, &f); err != nil {
			return nil, &yamldoc.Error{Name: name, Problem: "is not valid JSON", Cause: err}
		}
		return f, nil
	}
	var members map[string]any
	if err := yamldoc.Decode(name, data, &members); err != nil {
		return nil, err
	}
	for field, v := range members {
		text, err := wire.Marshal(v)
		if err != nil {
			return nil, &yamldoc.Error{Name: name, Path: field, Problem: err.Error(), Cause: err}
		}
		f[field] = text
	}
	return f, nil
}

// Also is what a caller writes in the transaction of a change.
type Also func(*store.Tx, atelier.Template) error

// Publish saves a public template for the operator. If a public one with its id exists,
// it becomes its next version, unless the caller says that it replaces another version, or
// with an empty text none.
func (e *Engine) Publish(ctx context.Context, f Fields, replaces *string, also Also) (Saved, error) {
	f = f.without(append([]string{"createdAt", "updatedAt", "visibility"}, serviceFields...)...)
	t, is, err := e.accept(f)
	if err != nil {
		return Saved{}, err
	}
	t.Visibility = atelier.VisibilityPublic
	if t.ID == "" {
		t.ID = idFromName(t.Name)
	}
	for range tries {
		switch err := e.putPublic(ctx, &t, replaces, also); {
		case err == nil:
			return Saved{t, is.warnings}, nil
		case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrExists):
			return Saved{}, err
		}
	}
	return Saved{}, atelier.Errorf(atelier.CodeWrongState, "Another request is changing this template. Try again.")
}

// putPublic adds a public template, or writes its next version.
func (e *Engine) putPublic(ctx context.Context, t *atelier.Template, replaces *string, also Also) error {
	old, err := e.Template(ctx, store.Operator, t.ID)
	if err != nil && !atelier.HasCode(err, atelier.CodeNotFound) {
		return err
	}
	if replaces != nil && *replaces != old.Version {
		return errOtherVersion(*t, old.Version)
	}
	now := e.opts.Now()
	t.CreatedAt, t.UpdatedAt = cmp.Or(old.CreatedAt, stamp(now)), stamp(now)
	return e.db.Write(ctx, func(tx *store.Tx) error {
		version, err := publicVersion(tx, t.ID, old)
		if err != nil {
			return err
		}
		t.Version = version
		r, err := row(store.Operator, *t, now)
		if err == nil {
			err = e.checkSize(len(r.Document))
		}
		switch {
		case err != nil:
			return err
		case old.CreatedAt == "": // not public yet, or one that comes with the service
			err = tx.InsertTemplate(r)
		default:
			err = tx.UpdateTemplate(r, old.Version)
		}
		if err != nil {
			return err
		}
		return also(tx, *t)
	})
}

// publicVersion is the version of the template that takes the place of a public one, which may
// be none. It comes after those that were withdrawn, so that a version names one content.
func publicVersion(tx *store.Tx, id string, old atelier.Template) (string, error) {
	if old.CreatedAt != "" {
		return nextVersion(old.Version), nil
	}
	withdrawn, err := tx.WithdrawnVersion(id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	if last := laterVersion(old.Version, withdrawn); last != "" {
		return nextVersion(last), nil
	}
	return firstVersion, nil
}

func errOtherVersion(t atelier.Template, public string) error {
	if public == "" {
		return atelier.Errorf(atelier.CodeWrongState, "There is no public template %s to replace. It may have been withdrawn.", t.ID)
	}
	return atelier.Errorf(atelier.CodeWrongState, "The public template %s has the version %s, which this one would replace.", t.ID, public).With("version", public)
}

// Withdraw removes a template that the operator has published. If it replaced one that
// comes with the service, that one is back.
func (e *Engine) Withdraw(ctx context.Context, id string, also Also) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		row, err := tx.Template(store.Operator, id)
		if err != nil {
			return err
		}
		t, err := open(row.Document)
		if err != nil {
			return err
		}
		if err := tx.WithdrawTemplate(id); err != nil {
			return err
		}
		return also(tx, t)
	})
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound(id)
	}
	return err
}
