package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// hashKey is how a key is stored. A key is a random UUID, so a plain digest is
// as good as a slow one, and looking it up leaks nothing of the key by timing.
// The digits of a UUID mean the same in capitals.
func hashKey(key string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(key)))
	return hex.EncodeToString(sum[:])
}

func describeKey(key string, at time.Time) atelier.APIKey {
	return atelier.APIKey{Hint: key[:8], CreatedAt: at}
}

// CreateKey makes another key of an account. It is shown only here.
func (e *Engine) CreateKey(ctx context.Context, a atelier.Account) (string, error) {
	key := atelier.NewUUID()
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		return tx.InsertKey(hashKey(key), a.Wallet, describeKey(key, e.now()))
	})
	return key, err
}

// Keys lists the keys of an account, oldest first.
func (e *Engine) Keys(ctx context.Context, a atelier.Account) (keys []atelier.APIKey, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		keys, err = tx.Keys(a.Wallet)
		return err
	})
	return keys, err
}

// RevokeKey makes a key worthless from the next request on.
func (e *Engine) RevokeKey(ctx context.Context, key string) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error { return tx.RevokeKey(hashKey(key), e.now()) })
	if errors.Is(err, store.ErrNotFound) {
		return atelier.Errorf(atelier.CodeNotFound, "There is no such key, or it was revoked before.")
	}
	return err
}

func (e *Engine) keyOwner(ctx context.Context, hash string) (a atelier.Account, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		a, err = tx.KeyOwner(hash)
		return err
	})
	return a, err
}
