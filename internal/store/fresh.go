package store

import (
	"encoding/base64"
	"time"

	"github.com/atelier-project/atelier/internal/database"
)

// FreshObject is a small object whose file may not be on the disk yet.
type FreshObject struct {
	Key         string
	ContentType string
	Content     []byte
	CreatedAt   time.Time
	IsNamed     bool // an artifact has the key still
}

// InsertFreshObject keeps the content of an object until DeleteFreshObjects.
func (tx *Tx) InsertFreshObject(o FreshObject) {
	tx.Later(`INSERT INTO fresh_object (object_key, content_type, content, created_at) VALUES ($1, $2, $3, $4)`,
		o.Key, o.ContentType, base64.StdEncoding.EncodeToString(o.Content), database.Millis(o.CreatedAt))
}

// FreshObjects lists those that were kept before a time, at most limit.
func (tx *Tx) FreshObjects(before time.Time, limit int) (out []FreshObject, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			o       FreshObject
			content string
			at      int64
		)
		err := scan(&o.Key, &o.ContentType, &content, &at, &o.IsNamed)
		if err == nil {
			o.Content, err = base64.StdEncoding.DecodeString(content)
		}
		o.CreatedAt = database.FromMillis(at)
		out = append(out, o)
		return err
	}, `SELECT object_key, content_type, content, created_at, EXISTS (SELECT 1 FROM artifact a WHERE a.object_key = f.object_key)
		FROM fresh_object f WHERE created_at < $1 LIMIT $2`, database.Millis(before), limit)
	return out, err
}

// DeleteFreshObjects forgets objects whose files are on the disk.
func (tx *Tx) DeleteFreshObjects(keys []string) {
	for _, key := range keys {
		tx.Later(`DELETE FROM fresh_object WHERE object_key = $1`, key)
	}
}
