package account

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// CodeTTL is how long a one-time sign-in code is valid.
const CodeTTL = 10 * time.Minute

// codes are the one-time sign-in codes of this process. They are not stored, so they end
// with it.
type codes struct {
	mu     sync.Mutex
	byHash map[string]signInCode
}

type signInCode struct {
	wallet atelier.Wallet
	until  time.Time
}

// CreateCode makes a code with which a browser can sign in once, as an account.
func (e *Engine) CreateCode(w atelier.Wallet) string {
	text := rand.Text()
	e.codes.put(hashText(text), signInCode{w, e.now().Add(CodeTTL)}, e.now())
	return text
}

// put adds a code, and removes those that have expired.
func (c *codes) put(hash string, code signInCode, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byHash == nil {
		c.byHash = map[string]signInCode{}
	}
	for old, other := range c.byHash {
		if !now.Before(other.until) {
			delete(c.byHash, old)
		}
	}
	c.byHash[hash] = code
}

// take removes a code and returns whom it signs in, if it is valid. The function puts it
// back.
func (c *codes) take(text string, now time.Time) (w atelier.Wallet, restore func(), valid bool) {
	hash := hashText(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	code, ok := c.byHash[hash]
	delete(c.byHash, hash)
	if !ok || !now.Before(code.until) {
		return "", nil, false
	}
	return code.wallet, func() { c.put(hash, code, now) }, true
}

// Oldest finds the account that was created first, except for one and for suspended
// accounts. It reports false when no account is left.
func (e *Engine) Oldest(ctx context.Context, except atelier.Wallet) (a atelier.Account, found bool, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		a, err = tx.OldestAccount(except)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return a, false, nil
	}
	return a, err == nil, err
}
