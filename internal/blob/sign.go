package blob

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
)

// signer signs terms with the first of its keys and accepts signatures of all of
// them, so that a key can be replaced while its signatures are in use.
type signer struct{ keys [][]byte }

// newSigner derives keys for storage from secrets that have other uses too.
func newSigner(secrets []string) signer {
	var s signer
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte("atelier storage 1"))
		s.keys = append(s.keys, mac.Sum(nil))
	}
	return s
}

// sign signs a list of facts. Each is a line of base64, so that two
// lists never have the same bytes.
func (s signer) sign(facts ...string) string { return hmacHex(s.keys[0], facts) }

func (s signer) valid(signature string, facts ...string) bool {
	for _, key := range s.keys {
		if hmac.Equal([]byte(signature), []byte(hmacHex(key, facts))) {
			return true
		}
	}
	return false
}

func hmacHex(key []byte, facts []string) string {
	mac := hmac.New(sha256.New, key)
	for _, f := range facts {
		mac.Write([]byte(base64.StdEncoding.EncodeToString([]byte(f))))
		mac.Write([]byte{'\n'})
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// checksum is the base64 form of a hexadecimal SHA-256, as headers carry it.
func checksum(hexSum string) (string, error) {
	sum, err := hex.DecodeString(hexSum)
	if err != nil || len(sum) != sha256.Size {
		return "", errors.New("blob: the checksum is not a SHA-256 in hexadecimal")
	}
	return base64.StdEncoding.EncodeToString(sum), nil
}
