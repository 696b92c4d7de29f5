package store

import (
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// IdempotencyRecord is what a request with an idempotency key did.
type IdempotencyRecord struct {
	Wallet   atelier.Wallet
	Scope    string // the same key in two scopes is two keys
	Key      string
	Resource string // the id of what it made or changed
	Digest   string // of the request
	Answer   string // what a repeat needs to know besides the resource
}

// FindIdempotencyRecord finds what a key did. ErrNotFound means that the key is new.
func (tx *Tx) FindIdempotencyRecord(w atelier.Wallet, scope, key string) (IdempotencyRecord, error) {
	d := IdempotencyRecord{Wallet: w, Scope: scope, Key: key}
	err := tx.Row(`SELECT resource, digest, answer FROM idempotency WHERE wallet = $1 AND scope = $2 AND key = $3`,
		string(w), scope, key).Scan(&d.Resource, &d.Digest, &d.Answer)
	return d, err
}

// FindIdempotencyRecord finds what a key did, or nil when the key is new or empty.
func (db *DB) FindIdempotencyRecord(ctx context.Context, w atelier.Wallet, scope, key string) (*IdempotencyRecord, error) {
	if key == "" {
		return nil, nil
	}
	var found IdempotencyRecord
	err := db.Read(ctx, func(tx *Tx) (err error) {
		found, err = tx.FindIdempotencyRecord(w, scope, key)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return &found, err
}

// Once acts unless a request with the same key did before: then it returns that one's
// record. The key and what is done are one transaction. Without a key it always acts.
func (tx *Tx) Once(d IdempotencyRecord, at time.Time, act func() error) (before *IdempotencyRecord, err error) {
	if d.Key == "" {
		return nil, act()
	}
	earlier, first, err := tx.claimKey(d, at)
	switch {
	case err != nil:
		return nil, err
	case !first:
		return &earlier, nil
	}
	return nil, act()
}

// Check refuses a request that differs from the one that has used the key.
func (d *IdempotencyRecord) Check(digest string) error {
	if d != nil && d.Digest != digest {
		return atelier.Errorf(atelier.CodeKeyReused, "This idempotency key was used for another request.")
	}
	return nil
}

// claimKey records what a key did. When another request with the key was first, it returns
// that one's record, and false.
func (tx *Tx) claimKey(d IdempotencyRecord, at time.Time) (IdempotencyRecord, bool, error) {
	for {
		n, err := tx.Exec(`INSERT INTO idempotency (wallet, scope, key, resource, digest, answer, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (wallet, scope, key) DO NOTHING`, string(d.Wallet), d.Scope, d.Key, d.Resource, d.Digest, d.Answer, database.Millis(at))
		if err != nil || n == 1 {
			return d, true, err
		}
		first, err := tx.FindIdempotencyRecord(d.Wallet, d.Scope, d.Key)
		if !errors.Is(err, ErrNotFound) { // otherwise it was removed meanwhile
			return first, false, err
		}
	}
}

// KeysOfDeleted lists the records of keys that were used before a time and have started a
// run or workflow that was deleted: at most limit.
func (tx *Tx) KeysOfDeleted(before time.Time, limit int) (out []IdempotencyRecord, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var d IdempotencyRecord
		err := scan(&d.Wallet, &d.Scope, &d.Key, &d.Resource)
		out = append(out, d)
		return err
	}, `SELECT wallet, scope, key, resource FROM idempotency i WHERE created_at < $1 AND (scope = 'run' AND NOT EXISTS (SELECT 1 FROM chat_run WHERE id = i.resource)
		OR scope = 'workflow' AND NOT EXISTS (SELECT 1 FROM workflow WHERE id = i.resource)) LIMIT $2`, database.Millis(before), limit)
	return out, err
}

// DeleteIdempotencyKey removes the record of a key, unless it was used again for something
// else.
func (tx *Tx) DeleteIdempotencyKey(d IdempotencyRecord) error {
	_, err := tx.Exec(`DELETE FROM idempotency WHERE wallet = $1 AND scope = $2 AND key = $3 AND resource = $4`, string(d.Wallet), d.Scope, d.Key, d.Resource)
	return err
}

// ExpireIdempotencyKeys removes the records of keys used before a time, at most
// limit, and returns how many it removed.
func (tx *Tx) ExpireIdempotencyKeys(before time.Time, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM idempotency WHERE (wallet, scope, key) IN
		(SELECT wallet, scope, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, database.Millis(before), limit)
}
