package ateliertest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// receiver is a server that webhooks are sent to. It remembers what it got.
type receiver struct {
	*httptest.Server
	status atomic.Int64
	got    chan delivery
}

// delivery is a request that a receiver got.
type delivery struct {
	header http.Header
	body   []byte
}

// receiver finds or starts a receiver.
func (w *world) receiver(name string) *receiver {
	if r := w.hooks[name]; r != nil {
		return r
	}
	r := &receiver{got: make(chan delivery, 64)}
	r.status.Store(http.StatusOK)
	r.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.got <- delivery{q.Header, body}
		rw.WriteHeader(int(r.status.Load()))
	}))
	w.t.Cleanup(r.Close)
	w.hooks[name] = r
	return r
}

// answers sets the status that a receiver answers with from now on.
func (w *world) answers(p paragraph, words []string) {
	if len(words) != 2 {
		w.fail(p, "answers takes a receiver and a status")
	}
	status, err := strconv.Atoi(words[1])
	if err != nil {
		w.fail(p, "%v", err)
	}
	w.receiver(words[0]).status.Store(int64(status))
}

// received holds the next request that a receiver got against what is expected, and checks that each secret has
// signed it.
func (w *world) received(p paragraph, words []string) {
	select {
	case d := <-w.receiver(words[0]).got:
		if err := w.matchJSON(w.expand(p, strings.Join(p.lines[1:], "\n")), d.body); err != nil {
			w.fail(p, "%v\ngot %s", err, d.body)
		}
		for _, secret := range words[1:] {
			if !d.signedBy(secret) {
				w.fail(p, "the secret has not signed it: %v", d.header)
			}
		}
		w.saved["delivery"] = d.header.Get("webhook-id")
	case <-time.After(patience):
		w.fail(p, "nothing came within %s", patience)
	}
}

// signedBy checks the signature of a request as Standard Webhooks says.
func (d delivery) signedBy(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(d.header.Get("webhook-id") + "." + d.header.Get("webhook-timestamp") + "." + string(d.body)))
	return err == nil && slices.Contains(strings.Fields(d.header.Get("webhook-signature")), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}
