package connection

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// sealer encrypts API keys with keys that are derived from the secrets of the installation. The
// first one seals, all of them open, so that a secret can be replaced.
type sealer []cipher.AEAD

// newSealer derives the keys.
func newSealer(secrets []string) (sealer, error) {
	var s sealer
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, []byte(secret), nil, "atelier: API keys of connections", 32)
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

var (
	errNoSecret   = errors.New("session_secret: must be set to that of the servers: API keys are encrypted with it")
	errUnreadable = errors.New("the stored API key cannot be opened with the secrets of this installation")
)

// seal encrypts an API key for one connection: in the row of another it does not open. No key
// stays no key.
func (s sealer) seal(kind, id, key string) (string, error) {
	if key == "" {
		return "", nil
	}
	if len(s) == 0 {
		return "", errNoSecret
	}
	return base64.StdEncoding.EncodeToString(s[0].Seal(nil, nil, []byte(key), place(kind, id))), nil
}

// open decrypts the API key of a connection, or returns errUnreadable.
func (s sealer) open(kind, id, sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", errUnreadable
	}
	for _, aead := range s {
		if key, err := aead.Open(nil, nil, data, place(kind, id)); err == nil {
			return string(key), nil
		}
	}
	return "", errUnreadable
}

// place is the row that a key belongs to.
func place(kind, id string) []byte { return []byte(kind + "\x00" + id) }
