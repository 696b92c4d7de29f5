package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/golang-jwt/jwt/v5"
)

// tokens makes and reads session tokens: JSON Web Tokens signed with a secret
// that every node shares.
type tokens struct {
	signing string            // id of the secret that signs
	secrets map[string][]byte // by id
}

// audience rejects a token of another service that shares the secret.
const audience = "atelier"

func newTokens(secrets []string) tokens {
	t := tokens{secrets: map[string][]byte{}}
	for i, secret := range secrets {
		sum := sha256.Sum256([]byte(secret))
		id := hex.EncodeToString(sum[:4])
		t.secrets[id] = []byte(secret)
		if i == 0 {
			t.signing = id
		}
	}
	return t
}

// claims is the content of a token.
type claims struct {
	jwt.RegisteredClaims
	Epoch int64  `json:"epoch,omitempty"` // of the account when the token was issued
	Key   string `json:"key,omitempty"`   // the hash of the API key that made the token; empty for the command line
}

func (t tokens) sign(a atelier.Account, keyHash string, now time.Time, ttl time.Duration) (string, error) {
	if t.signing == "" {
		return "", errors.New("there is no session secret to sign with: check session_secret and data_dir")
	}
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{Epoch: a.TokenEpoch, Key: keyHash, RegisteredClaims: jwt.RegisteredClaims{
		ID:        mint.UUID(),
		Subject:   string(a.Wallet),
		Audience:  jwt.ClaimStrings{audience},
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(ttl)),
	}})
	token.Header["kid"] = t.signing
	return token.SignedString(t.secrets[t.signing])
}

// read returns the claims of a token that we signed and that has not expired. The caller
// checks its key, and compares its epoch with the account's.
func (t tokens) read(text string, now time.Time) (c claims, err error) {
	_, err = jwt.ParseWithClaims(text, &c, func(token *jwt.Token) (any, error) {
		id, _ := token.Header["kid"].(string)
		secret, ok := t.secrets[id]
		if !ok {
			return nil, fmt.Errorf("unknown key id %q", id)
		}
		return secret, nil
	}, jwt.WithValidMethods([]string{"HS256"}), jwt.WithAudience(audience), jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(), jwt.WithLeeway(5*time.Second), jwt.WithTimeFunc(func() time.Time { return now }))
	return c, err
}

// The shortest and longest life of a session token.
const (
	MinTokenTTL = time.Second
	MaxTokenTTL = 30 * 24 * time.Hour
)

// CreateToken makes a session token of an account, in its current epoch. The token ends with
// the API key that makes it, if there is one.
func (e *Engine) CreateToken(ctx context.Context, a atelier.Account, keyHash string, ttl time.Duration) (string, error) {
	if ttl < MinTokenTTL || ttl > MaxTokenTTL {
		return "", refuse("ttlSeconds", fmt.Errorf("a session token must be valid for between %v and %v", MinTokenTTL, MaxTokenTTL))
	}
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		a, err = tx.Account(a.Wallet)
		return err
	})
	if err != nil {
		return "", err
	}
	if a.Suspended() {
		return "", &atelier.Error{Code: atelier.CodeAccountSuspended}
	}
	return e.tokens.sign(a, keyHash, e.now(), ttl)
}
