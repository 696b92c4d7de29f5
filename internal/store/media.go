package store

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Upload is one form that was handed out.
type Upload struct {
	Key         string
	ProjectID   string
	Slot        string
	Wallet      atelier.Wallet
	ContentType string // pinned; empty when the form took several
	CreatedAt   time.Time
	OpenUntil   time.Time // the form is refused from then on
}

// ClaimProject makes a project id the wallet's own unless it has an owner, and
// returns the owner.
func (tx *Tx) ClaimProject(id string, w atelier.Wallet, at time.Time) (owner atelier.Wallet, err error) {
	if _, err := tx.exec(`INSERT INTO project_claim (project_id, wallet, claimed_at) VALUES ($1, $2, $3)
		ON CONFLICT (project_id) DO NOTHING`, id, string(w), millis(at)); err != nil {
		return "", err
	}
	err = tx.row(`SELECT wallet FROM project_claim WHERE project_id = $1`, id).scan(&owner)
	return owner, err
}

// InsertUpload records a form before it is handed out.
func (tx *Tx) InsertUpload(u Upload) error {
	_, err := tx.exec(`INSERT INTO upload (blob_key, project_id, slot, wallet, content_type, created_at, open_until)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		u.Key, u.ProjectID, u.Slot, string(u.Wallet), u.ContentType, millis(u.CreatedAt), millis(u.OpenUntil))
	return err
}

const uploadColumns = `blob_key, project_id, slot, wallet, content_type, created_at, open_until`

func (tx *Tx) uploads(where string, args ...any) (out []Upload, err error) {
	err = tx.rows(func(scan func(...any) error) error {
		var (
			u             Upload
			created, open int64
		)
		if err := scan(&u.Key, &u.ProjectID, &u.Slot, &u.Wallet, &u.ContentType, &created, &open); err != nil {
			return err
		}
		u.CreatedAt, u.OpenUntil = fromMillis(created), fromMillis(open)
		out = append(out, u)
		return nil
	}, `SELECT `+uploadColumns+` FROM upload `+where, args...)
	return out, err
}

// Uploads lists the forms of a wallet's slot, oldest first.
func (tx *Tx) Uploads(projectID, slot string, w atelier.Wallet) ([]Upload, error) {
	return tx.uploads(`WHERE project_id = $1 AND slot = $2 AND wallet = $3 ORDER BY created_at, blob_key`, projectID, slot, string(w))
}

// ClosedUploads lists forms that closed before a time, a page at a time.
func (tx *Tx) ClosedUploads(before time.Time, afterKey string, limit int) ([]Upload, error) {
	return tx.uploads(`WHERE open_until < $1 AND blob_key > $2 ORDER BY blob_key LIMIT $3`, millis(before), afterKey, limit)
}

// DeleteUpload forgets a form; its object is then nobody's.
func (tx *Tx) DeleteUpload(key string) error {
	_, err := tx.exec(`DELETE FROM upload WHERE blob_key = $1`, key)
	return err
}

// KeyNamed reports whether any row names an object.
func (tx *Tx) KeyNamed(key string) (bool, error) {
	var n int64
	err := tx.row(`SELECT (SELECT COUNT(*) FROM upload WHERE blob_key = $1) + (SELECT COUNT(*) FROM asset WHERE blob_key = $1)
		+ (SELECT COUNT(*) FROM artifact WHERE blob_key = $1)`, key).scan(&n)
	return n > 0, err
}

// ObjectOwner finds the account that an object belongs to: it uploaded it, saved
// it, or had it made.
func (tx *Tx) ObjectOwner(key string) (owner atelier.Wallet, err error) {
	err = tx.row(`SELECT wallet FROM upload WHERE blob_key = $1
		UNION ALL SELECT wallet FROM asset WHERE blob_key = $1
		UNION ALL SELECT wallet FROM job WHERE id IN (SELECT job_id FROM artifact WHERE blob_key = $1)`, key).scan(&owner)
	return owner, err
}
