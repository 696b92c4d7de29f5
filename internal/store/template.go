package store

import (
	"math"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Operator is the owner of public templates.
const Operator = atelier.Wallet("")

// StoredTemplate is a row of the template table. The template engine writes and reads
// the document.
type StoredTemplate struct {
	Owner     atelier.Wallet // or Operator
	ID        string
	Version   string
	Exposed   bool    // to language models
	Priority  float64 // among those, the lowest first
	Document  []byte
	CreatedAt time.Time
	UpdatedAt time.Time
}

const templateColumns = `owner, id, version, exposed, priority, document, created_at, updated_at`

func (tx *Tx) templates(tail string, args ...any) (out []StoredTemplate, err error) {
	return tx.someTemplates(&database.Portion{Limit: math.MaxInt, Bytes: math.MaxInt64}, tail, args...)
}

func (tx *Tx) someTemplates(p *database.Portion, tail string, args ...any) (out []StoredTemplate, err error) {
	err = tx.SomeRows(func(scan func(...any) error) error {
		var (
			t                StoredTemplate
			document         string
			created, updated int64
		)
		if err := scan(&t.Owner, &t.ID, &t.Version, &t.Exposed, &t.Priority, &document, &created, &updated); err != nil {
			return err
		}
		if err := p.Count(len(document)); err != nil {
			return err
		}
		t.Document, t.CreatedAt, t.UpdatedAt = []byte(document), database.FromMillis(created), database.FromMillis(updated)
		out = append(out, t)
		return nil
	}, `SELECT `+templateColumns+` FROM template `+tail, args...)
	return out, err
}

// InsertTemplate adds a template. ErrExists means that its owner has one with
// this id.
func (tx *Tx) InsertTemplate(t StoredTemplate) error {
	_, err := tx.Exec(`INSERT INTO template (`+templateColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		string(t.Owner), t.ID, t.Version, t.Exposed, t.Priority, string(t.Document), database.Millis(t.CreatedAt), database.Millis(t.UpdatedAt))
	return err
}

// UpdateTemplate writes the next version of a template. ErrNotFound means that its
// version is no longer the given one, or that it is gone.
func (tx *Tx) UpdateTemplate(t StoredTemplate, from string) error {
	return tx.Must(`UPDATE template SET version = $4, exposed = $5, priority = $6, document = $7, updated_at = $8
		WHERE owner = $1 AND id = $2 AND version = $3`,
		string(t.Owner), t.ID, from, t.Version, t.Exposed, t.Priority, string(t.Document), database.Millis(t.UpdatedAt))
}

// Template finds a template of an owner.
func (tx *Tx) Template(owner atelier.Wallet, id string) (StoredTemplate, error) {
	found, err := tx.templates(`WHERE owner = $1 AND id = $2`, string(owner), id)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return StoredTemplate{}, err
	}
	return found[0], nil
}

// visible selects the templates of two owners, who may be the same. A template of the first
// hides one of the other with its id.
const visible = `owner IN ($1, $2) AND (owner = $1 OR NOT EXISTS (SELECT 1 FROM template AS own WHERE own.owner = $1 AND own.id = template.id))`

// Templates lists the visible templates of two owners, the one that changed last first: at
// most limit, and fewer when they have more than the given bytes. More reports whether
// others follow.
func (tx *Tx) Templates(one, other atelier.Wallet, offset, limit int, bytes int64) (out []StoredTemplate, more bool, err error) {
	p := &database.Portion{Limit: limit, Bytes: bytes}
	out, err = tx.someTemplates(p, `WHERE `+visible+` ORDER BY updated_at DESC, owner DESC, id DESC LIMIT $3 OFFSET $4`,
		string(one), string(other), limit+1, offset)
	return out, p.More, err
}

// CountTemplates counts the visible templates of two owners.
func (tx *Tx) CountTemplates(one, other atelier.Wallet) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM template WHERE `+visible, string(one), string(other)).Scan(&n)
	return n, err
}

// ExposedTemplates lists the visible templates of two owners that are exposed to language
// models, by priority: at most limit, and fewer when their documents have more than the given
// bytes. Those of one priority are ordered by id as the engine orders ids.
func (tx *Tx) ExposedTemplates(one, other atelier.Wallet, limit int, bytes int64) ([]StoredTemplate, error) {
	return tx.someTemplates(&database.Portion{Limit: limit, Bytes: bytes}, `WHERE `+visible+` AND exposed = $3 ORDER BY priority, id`+tx.Dialect.Bytewise+`, owner DESC LIMIT $4`,
		string(one), string(other), true, limit)
}

// TemplateIDs lists the ids of an owner's templates.
func (tx *Tx) TemplateIDs(owner atelier.Wallet) (ids []string, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM template WHERE owner = $1 ORDER BY id`, string(owner))
	return ids, err
}

// DeleteTemplate removes a template of an owner. ErrNotFound means that it
// does not exist.
func (tx *Tx) DeleteTemplate(owner atelier.Wallet, id string) error {
	return tx.Must(`DELETE FROM template WHERE owner = $1 AND id = $2`, string(owner), id)
}

// WithdrawTemplate removes a public template and remembers its version. ErrNotFound means
// that it does not exist.
func (tx *Tx) WithdrawTemplate(id string) error {
	if _, err := tx.Exec(`INSERT INTO withdrawn_template (id, version) SELECT id, version FROM template WHERE owner = $1 AND id = $2
		ON CONFLICT (id) DO UPDATE SET version = excluded.version`, string(Operator), id); err != nil {
		return err
	}
	return tx.DeleteTemplate(Operator, id)
}

// WithdrawnVersion is the version that a public template had when it was withdrawn last.
// ErrNotFound means that it never was.
func (tx *Tx) WithdrawnVersion(id string) (version string, err error) {
	err = tx.Row(`SELECT version FROM withdrawn_template WHERE id = $1`, id).Scan(&version)
	return version, err
}
