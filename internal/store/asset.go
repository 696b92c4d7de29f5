package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

const assetColumns = `id, wallet, name, bytes, content_type, sha256, state, object_key, created_at, finalize_until, used_at`

func (tx *Tx) assets(where string, args ...any) (out []atelier.Asset, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			a                       atelier.Asset
			created, finalize, used int64
		)
		if err := scan(&a.ID, &a.Wallet, &a.Name, &a.Bytes, &a.ContentType, &a.SHA256, &a.State, &a.BlobKey, &created, &finalize, &used); err != nil {
			return err
		}
		a.CreatedAt, a.FinalizeUntil, a.UsedAt = database.FromMillis(created), database.FromMillis(finalize), database.FromMillis(used)
		out = append(out, a)
		return nil
	}, `SELECT `+assetColumns+` FROM asset `+where, args...)
	return out, err
}

func oneAsset(found []atelier.Asset, err error) (atelier.Asset, error) {
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return atelier.Asset{}, err
	}
	return found[0], nil
}

// Assets lists a wallet's library, newest first.
func (tx *Tx) Assets(w atelier.Wallet) ([]atelier.Asset, error) {
	return tx.assets(`WHERE wallet = $1 ORDER BY created_at DESC, id DESC`, string(w))
}

// Asset finds one asset of a wallet.
func (tx *Tx) Asset(w atelier.Wallet, id string) (atelier.Asset, error) {
	return oneAsset(tx.assets(`WHERE wallet = $1 AND id = $2`, string(w), id))
}

// AssetBySHA256 finds a wallet's asset by its content.
func (tx *Tx) AssetBySHA256(w atelier.Wallet, sha256 string) (atelier.Asset, error) {
	return oneAsset(tx.assets(`WHERE wallet = $1 AND sha256 = $2`, string(w), sha256))
}

// StaleAssets lists assets in a state that were last used before a time, a
// page at a time.
func (tx *Tx) StaleAssets(state atelier.AssetState, before time.Time, afterID string, limit int) ([]atelier.Asset, error) {
	return tx.assets(`WHERE state = $1 AND used_at < $2 AND id > $3 ORDER BY id LIMIT $4`, string(state), database.Millis(before), afterID, limit)
}

// LibrarySize counts a wallet's assets and their bytes.
func (tx *Tx) LibrarySize(w atelier.Wallet) (entries, bytes int64, err error) {
	err = tx.Row(`SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM asset WHERE wallet = $1`, string(w)).Scan(&entries, &bytes)
	return entries, bytes, err
}

// InsertAsset adds an asset that is about to be uploaded.
func (tx *Tx) InsertAsset(a atelier.Asset) error {
	_, err := tx.Exec(`INSERT INTO asset (`+assetColumns+`, busy_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)`,
		a.ID, string(a.Wallet), a.Name, a.Bytes, a.ContentType, a.SHA256, string(a.State), a.BlobKey,
		database.Millis(a.CreatedAt), database.Millis(a.FinalizeUntil), database.Millis(a.UsedAt))
	return err
}

// LockAsset reserves an asset that is being uploaded for one caller until a time.
// ErrNotFound means that another caller has reserved it, that it is no longer being
// uploaded, or that it is gone.
func (tx *Tx) LockAsset(w atelier.Wallet, id string, now, until time.Time) error {
	return tx.Must(`UPDATE asset SET busy_until = $4 WHERE wallet = $1 AND id = $2 AND state = 'uploading' AND busy_until < $3`,
		string(w), id, database.Millis(now), database.Millis(until))
}

// UnlockAsset ends the reservation of LockAsset.
func (tx *Tx) UnlockAsset(w atelier.Wallet, id string) error {
	_, err := tx.Exec(`UPDATE asset SET busy_until = 0 WHERE wallet = $1 AND id = $2`, string(w), id)
	return err
}

// FinishAsset makes an uploaded asset ready. ErrNotFound means that it is not
// being uploaded.
func (tx *Tx) FinishAsset(w atelier.Wallet, id string, at time.Time) error {
	return tx.Must(`UPDATE asset SET state = 'ready', used_at = $3, busy_until = 0 WHERE wallet = $1 AND id = $2 AND state = 'uploading'`,
		string(w), id, database.Millis(at))
}

// UseAsset records that a ready asset was saved again or reused.
func (tx *Tx) UseAsset(w atelier.Wallet, id string, at time.Time) error {
	return tx.Must(`UPDATE asset SET used_at = $3 WHERE wallet = $1 AND id = $2 AND state = 'ready'`, string(w), id, database.Millis(at))
}

// RenewUpload changes the name of an asset that is still being uploaded, and extends
// its time.
func (tx *Tx) RenewUpload(a atelier.Asset) error {
	return tx.Must(`UPDATE asset SET name = $3, content_type = $4, bytes = $5, object_key = $6, finalize_until = $7, used_at = $8
		WHERE wallet = $1 AND id = $2 AND state = 'uploading'`,
		string(a.Wallet), a.ID, a.Name, a.ContentType, a.Bytes, a.BlobKey, database.Millis(a.FinalizeUntil), database.Millis(a.UsedAt))
}

// DeleteAsset removes an asset of a wallet, with its marks. ErrNotFound means that it does not exist.
func (tx *Tx) DeleteAsset(w atelier.Wallet, id string) error {
	if err := tx.Must(`DELETE FROM asset WHERE wallet = $1 AND id = $2`, string(w), id); err != nil {
		return err
	}
	return tx.deleteMarksOf(w, id)
}

// CountBinding books a reuse of an asset on a UTC day and returns the day's
// totals.
func (tx *Tx) CountBinding(w atelier.Wallet, day string, size int64) (bindings, bytes int64, err error) {
	err = tx.Row(`INSERT INTO asset_day (wallet, day, bindings, bytes) VALUES ($1, $2, 1, $3)
		ON CONFLICT (wallet, day) DO UPDATE SET bindings = asset_day.bindings + 1, bytes = asset_day.bytes + $3
		RETURNING bindings, bytes`, string(w), day, size).Scan(&bindings, &bytes)
	return bindings, bytes, err
}
