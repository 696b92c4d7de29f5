package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/store"
)

// secretPrefix begins every secret, as Standard Webhooks says. The key follows in base64.
const secretPrefix = "whsec_"

// newSecret makes a secret.
func newSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// secrets are those that sign for a webhook now: the last one first.
func (e *Engine) secrets(w store.StoredWebhook, now time.Time) ([]string, error) {
	secret, err := e.sealer.Open(ownerKind, w.ID, w.Sealed)
	if err != nil {
		return nil, err
	}
	list := []string{secret}
	if w.SealedBefore != "" && now.Before(w.BeforeUntil) {
		if before, err := e.sealer.Open(ownerKind, w.ID, w.SealedBefore); err == nil {
			list = append(list, before)
		}
	}
	return list, nil
}

// headers are those of Standard Webhooks 1.0: an id, a time, and a signature of both and the body by each secret.
func headers(id string, at time.Time, body []byte, secrets []string) (http.Header, error) {
	seconds := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return nil, err
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + seconds + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {seconds}, "Webhook-Signature": {strings.Join(signatures, " ")}}, nil
}
