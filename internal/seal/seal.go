// Package seal encrypts the secrets that rows hold, with keys that are derived from the secrets of the
// installation: who reads the database alone cannot read them. Each use names its purpose, and each secret its
// row, so that one that was copied elsewhere does not open.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// Sealer encrypts and decrypts. The first secret of the installation seals, all of them open, so that one can be
// replaced.
type Sealer []cipher.AEAD

// New derives the keys for a purpose.
func New(purpose string, secrets []string) (Sealer, error) {
	var s Sealer
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, []byte(secret), nil, "atelier: "+purpose, 32)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		s = append(s, aead)
	}
	return s, nil
}

// Errors that callers check for.
var (
	ErrNoSecret   = errors.New("session_secret: must be set to that of the servers: API keys are encrypted with it")
	ErrUnreadable = errors.New("the stored secret cannot be opened with the secrets of this installation")
)

// Seal encrypts a text for one row: in another it does not open. An empty text stays empty.
func (s Sealer) Seal(kind, id, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if len(s) == 0 {
		return "", ErrNoSecret
	}
	return base64.StdEncoding.EncodeToString(s[0].Seal(nil, nil, []byte(text), place(kind, id))), nil
}

// Open decrypts the text of a row, or returns ErrUnreadable.
func (s Sealer) Open(kind, id, sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", ErrUnreadable
	}
	for _, aead := range s {
		if text, err := aead.Open(nil, nil, data, place(kind, id)); err == nil {
			return string(text), nil
		}
	}
	return "", ErrUnreadable
}

// Reseal seals a text of a row with the first secret if another one opens it. It reports false when there is
// nothing to do.
func (s Sealer) Reseal(kind, id, sealed string) (again string, changed bool, err error) {
	if len(s) < 2 || sealed == "" {
		return sealed, false, nil
	}
	if _, err := s[:1].Open(kind, id, sealed); err == nil {
		return sealed, false, nil
	}
	text, err := s.Open(kind, id, sealed)
	if err != nil {
		return sealed, false, nil // it has to be entered again
	}
	again, err = s.Seal(kind, id, text)
	return again, err == nil, err
}

// place is the row that a secret belongs to.
func place(kind, id string) []byte { return []byte(kind + "\x00" + id) }
