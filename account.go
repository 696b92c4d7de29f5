package atelier

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Wallet is the address that owns everything an account has. Two spellings
// that differ only in letter case are the same wallet.
type Wallet string

var walletForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,63}$`)

// ParseWallet checks the form of an address: usually 0x and 40 hexadecimal
// digits, though any short name will do for an installation without a chain.
func ParseWallet(s string) (Wallet, error) {
	if !walletForm.MatchString(s) {
		return "", fmt.Errorf("%q is not a wallet address: use 2 to 64 letters, digits, dots, dashes or underscores", s)
	}
	return Wallet(s), nil
}

// Equal reports whether two wallets are the same one.
func (w Wallet) Equal(other Wallet) bool { return strings.EqualFold(string(w), string(other)) }

var usernameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$`)

// CheckUsername says whether a name may be a username.
func CheckUsername(s string) error {
	if !usernameForm.MatchString(s) {
		return fmt.Errorf("%q is not a username: use 2 to 40 letters, digits, dots, dashes or underscores", s)
	}
	return nil
}

// Account owns keys, credits and work.
type Account struct {
	Wallet        Wallet
	Username      string
	Email         string
	EmailVerified bool
	Worker        bool // its API keys may run workers
	Unfiltered    bool // may turn the content filter off
	Operator      bool // its API keys may use the operator's endpoints
	CreatedAt     time.Time
	SuspendedAt   time.Time // zero unless an operator has suspended it
	TokenEpoch    int64     // session tokens of another epoch are refused
}

// Suspended reports whether the account is suspended: none of its credentials
// is accepted, and no work is done for it.
func (a Account) Suspended() bool { return !a.SuspendedAt.IsZero() }

// APIKey describes a key. The key itself is shown once, when it is made.
type APIKey struct {
	ID         string // names it among the keys of its account
	Hint       string // its first characters, to tell keys apart
	Name       string // what its owner calls it, may be empty
	CreatedAt  time.Time
	LastUsedAt time.Time // zero when no use was recorded; see account.Engine.Run
	LastUsedBy string    // the application that used it last, of those that named themselves
	RevokedAt  time.Time // zero while it is valid
	Limits     KeyLimits // what it is limited to
}

// KeyID is the id of the key with this hash: the first half of the hash, which is enough to
// name a key and too little to find it by.
func KeyID(hash string) string { return hash[:min(len(hash), 32)] }

// CredentialKind is the kind of a credential.
type CredentialKind int

// The kinds of credential.
const (
	CredentialAPIKey CredentialKind = iota + 1
	CredentialSessionToken
)

// Caller is an authenticated account and the kind of credential it showed.
type Caller struct {
	Account
	Credential  CredentialKind
	KeyHash     string // of the API key that it acts with; empty for a session token
	SessionHash string // of the console session that it showed; empty otherwise

	// KeyID names the API key that the caller acts with, or that made its session token; empty for a token of the
	// command line and for a key of this process. Limits are those of this key; nil for none.
	KeyID  string
	Limits *KeyLimits
}

// ActsWith reports whether a key is the one that the caller acts with.
func (c Caller) ActsWith(k APIKey) bool { return c.KeyHash != "" && KeyID(c.KeyHash) == k.ID }
