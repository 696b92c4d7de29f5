package blob

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// Limits of a form before its file.
const (
	maxFields  = 16
	maxPrelude = 64 << 10 // all that comes before the file's bytes
)

// servePost accepts a form: the signed fields, then the file, which must be last.
// The file is streamed to disk and appears only when all of it is right.
func (d *DiskServer) servePost(w http.ResponseWriter, r *http.Request) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return atelier.Errorf(atelier.CodeUnsupportedMedia, "Send the form as multipart/form-data.")
	}
	body := &preludeReader{r: d.timed(w, r.Body), left: maxPrelude}
	form := newFormReader(body, params["boundary"])
	fields := map[string]string{}
	for {
		name, kind, err := form.next()
		if err != nil {
			return formError(err)
		}
		if name == "file" {
			terms, err := d.terms(fields)
			if err != nil {
				return err
			}
			body.lift()
			return d.storeFile(w, r, upload{terms, fields["Content-Type"], kind, form})
		}
		value, err := form.value()
		if err != nil {
			return formError(err)
		}
		if _, twice := fields[name]; twice || len(fields) == maxFields {
			return atelier.Refuse("", "The form has more fields than were signed.")
		}
		fields[name] = value
	}
}

// formError says what is wrong with a form before its file.
func formError(err error) error {
	if errors.Is(err, errFormEnds) {
		return atelier.Refuse("file", "is missing: it is the last part of the form.")
	}
	return atelier.Refuse("", "The form is not valid multipart/form-data, or is incomplete.")
}

// preludeReader limits how many bytes are read until lift is called, so that
// unsigned data cannot fill the memory.
type preludeReader struct {
	r      io.Reader
	left   int
	lifted bool
}

func (p *preludeReader) lift() { p.lifted = true }

func (p *preludeReader) Read(b []byte) (int, error) {
	if p.lifted {
		return p.r.Read(b)
	}
	if p.left == 0 {
		return 0, errors.New("there is too much data before the file")
	}
	n, err := p.r.Read(b[:min(len(b), p.left)])
	p.left -= n
	return n, err
}

// terms reads the signed fields of a form. A field that is missing, altered or
// not among them is refused.
func (d *DiskServer) terms(fields map[string]string) (policy, error) {
	var p policy
	if !d.signer.valid(fields["signature"], "POST", fields["policy"]) {
		return p, errSignature()
	}
	text, err := base64.StdEncoding.DecodeString(fields["policy"])
	if err == nil {
		err = wire.Unmarshal(text, &p)
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

// upload is a form with valid terms, read up to its file.
type upload struct {
	terms    policy
	kind     string // the type in the form's fields; may be empty
	partKind string // the type in the header of the file's part
	file     io.Reader
}

// contentType returns the declared type of the file, if the terms allow it.
func (u upload) contentType() (string, error) {
	if u.terms.Type != "" {
		return u.terms.Type, nil
	}
	said := u.kind
	if said == "" {
		said = u.partKind
	}
	kind, _, err := mime.ParseMediaType(said)
	if err != nil || !slices.Contains(u.terms.Allowed, kind) {
		return "", atelier.Refuse("file", "must have one of the content types %v, not %q.", u.terms.Allowed, said)
	}
	return kind, nil
}

func (d *DiskServer) storeFile(w http.ResponseWriter, r *http.Request, u upload) error {
	kind, err := u.contentType()
	if err != nil {
		return err
	}
	up := Upload{Key: u.terms.Key, Account: u.terms.Account, ContentType: kind, Size: u.terms.MaxBytes}
	if r.ContentLength >= 0 {
		up.Size = min(up.Size, r.ContentLength)
	}
	release, err := d.admit(r.Context(), up)
	if err != nil {
		return err
	}
	defer release()
	_, err = d.Put(r.Context(), u.terms.Key, u.file, PutOptions{
		ContentType: kind, MaxBytes: u.terms.MaxBytes, NoDigest: true, // as in S3
		Check: func(f io.ReadSeeker, size int64, _ string) error {
			if size == 0 {
				return atelier.Refuse("file", "is empty.")
			}
			up.Size = size
			return d.inspect(r.Context(), up, f)
		},
	})
	switch {
	case errors.Is(err, errFileLast):
		return atelier.Refuse("file", "must be the last part of the form.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return uploadError(errors.Join(errBroken, err))
	case err != nil:
		return uploadError(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
