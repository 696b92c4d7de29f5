package blob

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
)

// The bounds of a form around its file.
const (
	maxFields     = 16
	maxFieldBytes = 16 << 10
)

// servePost takes a form: the signed fields, then the file, which must come
// last. The file is streamed to disk and appears only when all of it is right.
func (d *Door) servePost(w http.ResponseWriter, r *http.Request) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return atelier.Errorf(atelier.CodeUnsupportedMedia, "Send the form as multipart/form-data.")
	}
	form := multipart.NewReader(timed(w, r.Body), params["boundary"])
	fields := map[string]string{}
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			return atelier.Refuse("file", "is missing: it is the last part of the form.")
		}
		if err != nil {
			return atelier.Refuse("", "The form is not valid multipart/form-data.")
		}
		name := part.FormName()
		if name == "file" {
			return d.takeFile(w, r, fields, part, form)
		}
		if err := readField(fields, name, part); err != nil {
			return err
		}
	}
}

func readField(fields map[string]string, name string, part io.Reader) error {
	value, err := io.ReadAll(io.LimitReader(part, maxFieldBytes+1))
	switch {
	case err != nil:
		return atelier.Refuse("", "The form broke off.")
	case name == "" || len(fields) == maxFields || len(value) > maxFieldBytes:
		return atelier.Refuse("", "The form has fields that were not signed.")
	}
	if _, twice := fields[name]; twice {
		return atelier.Refuse(name, "is in the form twice.")
	}
	fields[name] = string(value)
	return nil
}

// terms reads the signed fields of a form. A field that is missing, altered or
// not among them is refused.
func (d *Door) terms(fields map[string]string) (policy, error) {
	var p policy
	if !d.seal.valid(fields["signature"], "POST", fields["policy"]) {
		return p, errSignature()
	}
	text, err := base64.StdEncoding.DecodeString(fields["policy"])
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || fields["key"] != p.Key || (p.Type != "" && fields["Content-Type"] != p.Type) {
		return p, errSignature()
	}
	for name := range fields {
		if !slices.Contains([]string{"key", "policy", "signature", "Content-Type"}, name) {
			return p, atelier.Refuse(name, "is not a field of the signed form.")
		}
	}
	if !d.now().Before(time.Unix(p.Until, 0)) {
		return p, errExpired()
	}
	return p, nil
}

func (d *Door) takeFile(w http.ResponseWriter, r *http.Request, fields map[string]string, part *multipart.Part, form *multipart.Reader) error {
	p, err := d.terms(fields)
	if err != nil {
		return err
	}
	kind := fields["Content-Type"]
	if kind == "" {
		kind = part.Header.Get("Content-Type")
	}
	if !slices.Contains(p.Allowed, kind) {
		return atelier.Refuse("file", "must have one of the content types %v; it says %q.", p.Allowed, kind)
	}
	_, err = d.Put(r.Context(), p.Key, part, PutOptions{
		ContentType: kind, MaxBytes: p.MaxBytes,
		Check: func(f io.ReadSeeker, size int64, _ string) error {
			if size == 0 {
				return atelier.Refuse("file", "is empty.")
			}
			if _, err := form.NextRawPart(); !errors.Is(err, io.EOF) {
				return atelier.Refuse("file", "must be the last part of the form, and the form must be whole.")
			}
			return d.look(kind, f, size)
		},
	})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.Join(errBroken, err)
	}
	if err != nil {
		return uploadError(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
