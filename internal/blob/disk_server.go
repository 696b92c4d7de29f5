package blob

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/wire"
)

// DiskServer is a Disk that clients can use directly: it signs terms and serves
// what was signed, over HTTP, instead of S3.
type DiskServer struct {
	*Disk
	signer  signer
	url     string
	now     func() time.Time
	admit   func(context.Context, Upload) (release func(), err error)
	inspect func(context.Context, Upload, io.ReadSeeker) error
	stall   time.Duration
}

// Inspect looks at a file before it is stored: whether the bytes are what the
// type says. The error is shown to the client.
type Inspect func(contentType string, file io.ReadSeeker, size int64) error

// Upload is what a DiskServer knows of a file that a client sends, from the
// signed terms.
type Upload struct {
	Key         string
	Account     string // whose upload it is; empty when the terms name none
	ContentType string
	Size        int64 // of the file; before it was read, the most that it can be
}

// DiskServerOptions are what a DiskServer needs besides its disk.
type DiskServerOptions struct {
	Secrets []string // for the terms: the first signs, signatures of all are accepted
	URL     string   // the address of Serve, without a slash at its end
	Now     func() time.Time
	Stall   time.Duration // how long a client may send or take nothing; half a minute when zero

	// Admit decides about an upload whose terms are valid, before its bytes are
	// read. The upload is over when release is called. May be nil.
	Admit func(context.Context, Upload) (release func(), err error)

	// Inspect looks at an uploaded file before it appears. Its error is shown to
	// the client. May be nil.
	Inspect func(context.Context, Upload, io.ReadSeeker) error
}

var _ SignedStore = (*DiskServer)(nil)

// NewDiskServer serves a disk to clients.
func NewDiskServer(d *Disk, o DiskServerOptions) *DiskServer {
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Admit == nil {
		o.Admit = func(context.Context, Upload) (func(), error) { return func() {}, nil }
	}
	if o.Inspect == nil {
		o.Inspect = func(context.Context, Upload, io.ReadSeeker) error { return nil }
	}
	return &DiskServer{Disk: d, signer: newSigner(o.Secrets), url: o.URL, now: o.Now, admit: o.Admit, inspect: o.Inspect, stall: o.Stall}
}

// policy is how a form carries its terms through the client.
type policy struct {
	Key      string   `json:"key"`
	Until    int64    `json:"until"` // Unix seconds
	MaxBytes int64    `json:"maxBytes"`
	Account  string   `json:"account,omitempty"`
	Type     string   `json:"type,omitempty"`
	Allowed  []string `json:"allowed"`
}

// Form implements SignedStore.
func (d *DiskServer) Form(_ context.Context, key string, t FormTerms) (Form, error) {
	if err := CheckKey(key); err != nil {
		return Form{}, err
	}
	text, err := wire.MarshalV1(policy{Key: key, Until: t.Until.Unix(), MaxBytes: t.MaxBytes, Account: t.Account, Type: t.ContentType, Allowed: t.Allowed})
	if err != nil {
		return Form{}, err
	}
	terms := base64.StdEncoding.EncodeToString(text)
	fields := map[string]string{"key": key, "policy": terms, "signature": d.signer.sign("POST", terms)}
	if t.ContentType != "" {
		fields["Content-Type"] = t.ContentType
	}
	return Form{URL: d.url, Fields: fields}, nil
}

// PutURL implements SignedStore.
func (d *DiskServer) PutURL(_ context.Context, key string, t PutTerms) (SignedPut, error) {
	if err := CheckKey(key); err != nil {
		return SignedPut{}, err
	}
	sum, err := checksum(t.SHA256)
	if err != nil {
		return SignedPut{}, err
	}
	until, size := strconv.FormatInt(t.Until.Unix(), 10), strconv.FormatInt(t.Size, 10)
	q := url.Values{"until": {until}, "size": {size}, "signature": {d.signer.sign("PUT", key, until, size, t.ContentType, sum, t.Account)}}
	if t.Account != "" {
		q.Set("account", t.Account)
	}
	return SignedPut{
		URL:     d.url + "/" + key + "?" + q.Encode(),
		Headers: map[string]string{"Content-Type": t.ContentType, "If-None-Match": "*", "x-amz-checksum-sha256": sum},
	}, nil
}

// GetURL implements SignedStore.
func (d *DiskServer) GetURL(_ context.Context, key string, t GetTerms) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	until := strconv.FormatInt(t.Until.Unix(), 10)
	name := t.Filename
	if name == "" {
		name = path.Base(key)
	}
	q := url.Values{"until": {until}, "name": {name}, "signature": {d.signer.sign(getFacts(key, until, t.ContentType, name, t.Fixed)...)}}
	if t.Fixed {
		q.Set("fixed", "1")
	}
	if t.ContentType != "" {
		q.Set("type", t.ContentType)
	}
	return d.url + "/" + key + "?" + q.Encode(), nil
}

// getFacts lists what the signature of a GET covers.
func getFacts(key, until, kind, name string, fixed bool) []string {
	facts := []string{"GET", key, until, kind, name}
	if fixed {
		facts = append(facts, "fixed")
	}
	return facts
}

// Copy implements SignedStore. The file of an object is never changed, so a hard
// link serves as a copy. Both names share one modification time, which is set to
// now: a copy must not look old to a sweeper before its row is written.
func (d *DiskServer) Copy(ctx context.Context, from, to string) error {
	if err := errors.Join(CheckKey(from), CheckKey(to)); err != nil {
		return err
	}
	content, object, err := d.Open(ctx, from)
	if err != nil {
		return err
	}
	defer content.Close()
	name := path.Join(temp, rand.Text())
	if d.root.Link(filePath(from), name) != nil {
		// The object was just deleted, or the file system has no hard links or
		// allows no more of them for this file.
		_, err := d.Put(ctx, to, content, PutOptions{ContentType: object.ContentType})
		return err
	}
	// A rename onto another name of the same file does nothing.
	defer d.root.Remove(name)
	now := time.Now() // as for every other file of the disk
	err = d.root.Chtimes(name, now, now)
	if err == nil {
		err = d.publish(name, filePath(to))
	}
	if err != nil {
		return fmt.Errorf("blob: copy %s: %w", from, diskOutage(err))
	}
	return nil
}

// KeyOf implements SignedStore.
func (d *DiskServer) KeyOf(raw string) (string, bool) { return keyBeneath(raw, d.url+"/") }

// keyBeneath returns the key that follows base in a URL.
func keyBeneath(raw, base string) (string, bool) {
	rest, found := strings.CutPrefix(raw, base)
	if !found {
		return "", false
	}
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	key, err := url.PathUnescape(rest)
	if err != nil || CheckKey(key) != nil {
		return "", false
	}
	return key, true
}
