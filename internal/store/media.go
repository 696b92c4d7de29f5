package store

import (
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// Upload is one upload form that was issued.
type Upload struct {
	Key         string
	ProjectID   atelier.ProjectID
	Slot        string
	Wallet      atelier.Wallet
	ContentType string // pinned; empty when the form took several
	CreatedAt   time.Time
	OpenUntil   time.Time // when the form expires
	Reserved    int64     // bytes of the day's quota that are reserved for it
	UsedAt      time.Time // when a workflow was last started with it; zero when none was
}

// ClaimProject makes a wallet the owner of a project id that has none, and returns
// the owner. The project of a job belongs to the account of the job, claimed or not.
// The update of an existing claim changes nothing but locks its row, so that the
// claim is not removed until the transaction ends.
func (tx *Tx) ClaimProject(id atelier.ProjectID, w atelier.Wallet, at time.Time) (owner atelier.Wallet, err error) {
	err = tx.Row(`SELECT wallet FROM job WHERE project_id = $1`, string(id)).Scan(&owner)
	if !errors.Is(err, ErrNotFound) && (err != nil || !owner.Equal(w)) {
		return owner, err
	}
	err = tx.Row(`INSERT INTO project_claim (project_id, wallet, claimed_at) VALUES ($1, $2, $3)
		ON CONFLICT (project_id) DO UPDATE SET wallet = project_claim.wallet RETURNING wallet`, string(id), string(w), database.Millis(at)).Scan(&owner)
	return owner, err
}

// InsertUpload records a form before it is issued.
func (tx *Tx) InsertUpload(u Upload) error {
	_, err := tx.Exec(`INSERT INTO upload (`+uploadColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		u.Key, string(u.ProjectID), u.Slot, string(u.Wallet), u.ContentType, database.Millis(u.CreatedAt), database.Millis(u.OpenUntil), u.Reserved, database.Millis(u.UsedAt))
	return err
}

const uploadColumns = `object_key, project_id, slot, wallet, content_type, created_at, open_until, reserved, used_at`

func (tx *Tx) uploads(where string, args ...any) (out []Upload, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			u                   Upload
			created, open, used int64
		)
		if err := scan(&u.Key, &u.ProjectID, &u.Slot, &u.Wallet, &u.ContentType, &created, &open, &u.Reserved, &used); err != nil {
			return err
		}
		u.CreatedAt, u.OpenUntil, u.UsedAt = database.FromMillis(created), database.FromMillis(open), database.FromMillis(used)
		out = append(out, u)
		return nil
	}, `SELECT `+uploadColumns+` FROM upload `+where, args...)
	return out, err
}

// Uploads lists the forms of a wallet's slot, oldest first.
func (tx *Tx) Uploads(projectID atelier.ProjectID, slot string, w atelier.Wallet) ([]Upload, error) {
	return tx.uploads(`WHERE project_id = $1 AND slot = $2 AND wallet = $3 ORDER BY created_at, object_key`, string(projectID), slot, string(w))
}

// unused holds for an upload that no workflow has used and no chat run refers to.
const unused = `used_at = 0 AND NOT EXISTS (SELECT 1 FROM run_file WHERE run_file.object_key = upload.object_key)`

// ClosedUploads lists forms that expired before a time, a page at a time: those that
// are not used, or that have bytes reserved.
func (tx *Tx) ClosedUploads(before time.Time, afterKey string, limit int) ([]Upload, error) {
	return tx.uploads(`WHERE open_until < $1 AND (`+unused+` OR reserved > 0) AND object_key > $2 ORDER BY object_key LIMIT $3`, database.Millis(before), afterKey, limit)
}

// SettleUpload replaces the bytes that were reserved for a form by those that were
// uploaded. A second call changes nothing.
func (tx *Tx) SettleUpload(u Upload, day string, uploaded int64) error {
	n, err := tx.Exec(`UPDATE upload SET reserved = 0 WHERE object_key = $1 AND reserved = $2`, u.Key, u.Reserved)
	if err != nil || n == 0 {
		return err
	}
	return tx.ReturnUploadBytes(u.Wallet, day, u.Reserved-uploaded)
}

// DeleteUpload removes a form that is not used, and the claim of its project when it
// was the last form; no row names its object then. It reports whether the form was
// there.
func (tx *Tx) DeleteUpload(u Upload) (bool, error) { return tx.deleteUpload(u, unused) }

// deleteUpload is DeleteUpload of a form for which a condition holds. The parameters of the condition begin with $2.
func (tx *Tx) deleteUpload(u Upload, condition string, args ...any) (bool, error) {
	// A run that is being started holds the lock. The statement after it sees that run.
	if _, err := tx.Exec(`SELECT 1 FROM upload WHERE object_key = $1`+tx.Dialect.ForUpdate, u.Key); err != nil {
		return false, err
	}
	n, err := tx.Exec(`DELETE FROM upload WHERE object_key = $1 AND `+condition, append([]any{u.Key}, args...)...)
	if err != nil || n == 0 {
		return false, err
	}
	// The claim is locked first, so that the next statement sees a form that is
	// being added to the project.
	if _, err := tx.Exec(`SELECT 1 FROM project_claim WHERE project_id = $1`+tx.Dialect.ForUpdate, string(u.ProjectID)); err != nil {
		return false, err
	}
	_, err = tx.Exec(`DELETE FROM project_claim WHERE project_id = $1
		AND NOT EXISTS (SELECT 1 FROM upload WHERE upload.project_id = project_claim.project_id)`, string(u.ProjectID))
	return true, err
}

// CountPost counts one use of a form, and returns its owner and how often it was
// used. ErrNotFound means that the form no longer exists.
func (tx *Tx) CountPost(key string) (owner atelier.Wallet, posts int64, err error) {
	err = tx.Row(`UPDATE upload SET posts = posts + 1 WHERE object_key = $1 RETURNING wallet, posts`, key).Scan(&owner, &posts)
	return owner, posts, err
}

// ReturnPost takes back one use of a form.
func (tx *Tx) ReturnPost(key string) error {
	_, err := tx.Exec(`UPDATE upload SET posts = posts - 1 WHERE object_key = $1 AND posts > 0`, key)
	return err
}

// UseUpload records that a workflow uses an upload, and when the last one did. ErrNotFound means that it is
// gone.
func (tx *Tx) UseUpload(key string, at time.Time) error {
	return tx.Must(`UPDATE upload SET used_at = CASE WHEN used_at < $2 THEN $2 ELSE used_at END WHERE object_key = $1`, key, database.Millis(at))
}

// CountUpload adds forms and bytes to what a wallet has uploaded on a UTC day
// and returns the day's totals.
func (tx *Tx) CountUpload(w atelier.Wallet, day string, forms, size int64) (allForms, allBytes int64, err error) {
	err = tx.Row(`INSERT INTO upload_day (wallet, day, forms, bytes) VALUES ($1, $2, $3, $4)
		ON CONFLICT (wallet, day) DO UPDATE SET forms = upload_day.forms + $3, bytes = upload_day.bytes + $4
		RETURNING forms, bytes`, string(w), day, forms, size).Scan(&allForms, &allBytes)
	return allForms, allBytes, err
}

// ReturnUploadBytes takes back bytes that were counted on a day and not uploaded.
func (tx *Tx) ReturnUploadBytes(w atelier.Wallet, day string, size int64) error {
	_, err := tx.Exec(`UPDATE upload_day SET bytes = CASE WHEN bytes > $3 THEN bytes - $3 ELSE 0 END WHERE wallet = $1 AND day = $2`,
		string(w), day, size)
	return err
}

// DeleteUploadDays removes the counters of uploads and of saved assets of days before one.
func (tx *Tx) DeleteUploadDays(before string) error {
	_, err := tx.Exec(`DELETE FROM upload_day WHERE day < $1`, before)
	if err == nil {
		_, err = tx.Exec(`DELETE FROM asset_day WHERE day < $1`, before)
	}
	return err
}

// HasMedia reports whether any row names an object.
func (tx *Tx) HasMedia() (bool, error) {
	var n int64
	err := tx.Row(`SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM upload LIMIT 1) AS u) + (SELECT COUNT(*) FROM (SELECT 1 FROM asset LIMIT 1) AS a)
		+ (SELECT COUNT(*) FROM (SELECT 1 FROM artifact LIMIT 1) AS m) + (SELECT COUNT(*) FROM (SELECT 1 FROM personal_lora WHERE object_key <> '' LIMIT 1) AS l)`).Scan(&n)
	return n > 0, err
}

// Installation is the id of the installation that the database belongs to.
func (tx *Tx) Installation() (id string, err error) {
	err = tx.Row(`SELECT id FROM installation WHERE only_row = 1`).Scan(&id)
	return id, err
}

// InsertInstallation gives the database an id unless it has one, and returns its
// id.
func (tx *Tx) InsertInstallation(id string, at time.Time) (string, error) {
	if _, err := tx.Exec(`INSERT INTO installation (only_row, id, created_at) VALUES (1, $1, $2) ON CONFLICT (only_row) DO NOTHING`, id, database.Millis(at)); err != nil {
		return "", err
	}
	return tx.Installation()
}

// KeyNamed reports whether any row names an object.
func (tx *Tx) KeyNamed(key string) (bool, error) {
	var n int64
	err := tx.Row(`SELECT (SELECT COUNT(*) FROM upload WHERE object_key = $1) + (SELECT COUNT(*) FROM asset WHERE object_key = $1)
		+ (SELECT COUNT(*) FROM artifact WHERE object_key = $1) + (SELECT COUNT(*) FROM personal_lora WHERE object_key = $1)
		+ (SELECT COUNT(*) FROM job_lora u JOIN job ON job.id = u.job_id WHERE u.object_key = $1 AND job.state IN ('queued', 'leased'))`, key).Scan(&n)
	return n > 0, err
}

// StoredKeys calls each for every object that rows say is stored: what jobs made, and saved
// uploads and LoRAs that are ready.
func (tx *Tx) StoredKeys(each func(key string) error) error {
	return tx.Rows(func(scan func(...any) error) error {
		var key string
		if err := scan(&key); err != nil {
			return err
		}
		return each(key)
	}, `SELECT object_key FROM artifact UNION ALL SELECT object_key FROM asset WHERE state = $1
		UNION ALL SELECT object_key FROM personal_lora WHERE status = $2`, string(atelier.AssetReady), string(atelier.LoraReady))
}

// ObjectOwner finds the account that owns an object: it uploaded it, saved it, or a
// job of it made it.
func (tx *Tx) ObjectOwner(key string) (owner atelier.Wallet, err error) {
	err = tx.Row(`SELECT wallet FROM upload WHERE object_key = $1
		UNION ALL SELECT wallet FROM asset WHERE object_key = $1
		UNION ALL SELECT wallet FROM job WHERE id IN (SELECT job_id FROM artifact WHERE object_key = $1)`, key).Scan(&owner)
	return owner, err
}

// OwnObjects finds which of some objects belong to an account, as ObjectOwner does.
func (tx *Tx) OwnObjects(w atelier.Wallet, keys []string) (map[string]bool, error) {
	own := map[string]bool{}
	if len(keys) == 0 {
		return own, nil
	}
	args := []any{string(w)}
	for _, key := range keys {
		args = append(args, key)
	}
	in := ` IN (` + database.Marks(2, len(keys)) + `)`
	err := tx.Rows(func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		own[key] = true
		return err
	}, `SELECT object_key FROM upload WHERE wallet = $1 AND object_key`+in+`
		UNION ALL SELECT object_key FROM asset WHERE wallet = $1 AND object_key`+in+`
		UNION ALL SELECT object_key FROM artifact WHERE object_key`+in+` AND job_id IN (SELECT id FROM job WHERE wallet = $1)`, args...)
	return own, err
}

// InsertArtifact records a file that a job made.
func (tx *Tx) InsertArtifact(a atelier.Artifact) error {
	meta, err := wire.Marshal(a.Metadata)
	if err != nil {
		return err
	}
	tx.Later(`INSERT INTO artifact (id, project_id, job_id, position, kind, content_type, object_key, bytes, width, height, duration, seed, metadata)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		a.ID, string(a.ProjectID), string(a.JobID), a.Position, a.Kind, a.ContentType, a.Key, a.Bytes, a.Width, a.Height, a.DurationSeconds, a.Seed, string(meta))
	return nil
}

// Artifacts lists what a job made, in order.
func (tx *Tx) Artifacts(id atelier.JobID) (out []atelier.Artifact, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			a    atelier.Artifact
			meta string
		)
		if err := scan(&a.ID, &a.ProjectID, &a.JobID, &a.Position, &a.Kind, &a.ContentType, &a.Key, &a.Bytes,
			&a.Width, &a.Height, &a.DurationSeconds, &a.Seed, &meta); err != nil {
			return err
		}
		out = append(out, a)
		return wire.Unmarshal([]byte(meta), &out[len(out)-1].Metadata)
	}, `SELECT id, project_id, job_id, position, kind, content_type, object_key, bytes, width, height, duration, seed, metadata
		FROM artifact WHERE job_id = $1 ORDER BY position`, string(id))
	return out, err
}
