package ateliertest

import (
	"bytes"
	"encoding/base64"
	"net/http"

	"github.com/atelier-project/atelier/client"
)

// form asks for an upload form, and keeps it: NAME PATH as PERSON.
func (w *world) form(p paragraph, words []string) {
	w.t.Helper()
	if len(words) != 4 || words[2] != "as" {
		w.fail(p, "want form NAME PATH as PERSON")
	}
	var f client.Form
	c := client.New(w.start().URL, w.person(p, words[3]).Key)
	if err := c.Call(w.t.Context(), http.MethodGet, words[1], nil, &f); err != nil {
		w.fail(p, "%v", err)
	}
	w.forms[words[0]] = f
}

// post uploads a file with a form that was kept: NAME TYPE FILE.
func (w *world) post(p paragraph, words []string) {
	w.t.Helper()
	if len(words) != 3 {
		w.fail(p, "want post NAME TYPE FILE")
	}
	f, ok := w.forms[words[0]]
	if !ok {
		w.fail(p, "there is no form %q", words[0])
	}
	content, err := base64.StdEncoding.DecodeString(words[2])
	if err == nil {
		err = client.New(w.start().URL, "").Post(w.t.Context(), f, words[1], bytes.NewReader(content))
	}
	if err != nil {
		w.fail(p, "post %s: %v", words[0], err)
	}
}
