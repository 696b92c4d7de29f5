package blob

import (
	"context"
	"time"
)

// SignedStore is a Store that clients can use directly, on signed terms: they send
// and fetch bytes without passing through the packages above, and can do
// nothing but what was signed.
type SignedStore interface {
	Store

	// Form signs a form with which one object can be posted, as
	// multipart/form-data: every field as given, then the file. The store
	// answers 204.
	Form(ctx context.Context, key string, t FormTerms) (Form, error)

	// PutURL signs the PUT of exact bytes under a key that is still free. The
	// client sends exactly the headers given. A key that is taken answers 412.
	PutURL(ctx context.Context, key string, t PutTerms) (SignedPut, error)

	// GetURL signs the reading of an object. It does not check that the object
	// exists. FixedTerms make the same URL for as long as they are the same.
	GetURL(ctx context.Context, key string, t GetTerms) (string, error)

	// KeyOf is the key that a signed URL of this store names. It says nothing
	// about whether the signature is valid.
	KeyOf(url string) (key string, found bool)

	// Copy puts the object of one key under another as well. Later changes of
	// either do not touch the other.
	Copy(ctx context.Context, from, to string) error
}

// FormTerms are the terms of a form.
type FormTerms struct {
	ContentType string   // the only type it takes; any of Allowed when empty
	Allowed     []string // the types it takes, which S3 cannot check
	MaxBytes    int64
	Account     string // whose upload it is; a DiskServer counts by it, S3 does not carry it
	Until       time.Time
}

// Form is a signed form.
type Form struct {
	URL    string
	Fields map[string]string
}

// PutTerms are the terms of a PUT.
type PutTerms struct {
	ContentType string
	Size        int64
	SHA256      string    // in lower-case hexadecimal
	Account     string    // whose upload it is; a DiskServer counts by it, S3 does not carry it
	Until       time.Time // in S3 at most seven days from now
}

// SignedPut is where and with which headers to PUT.
type SignedPut struct {
	URL     string
	Headers map[string]string
}

// GetTerms are the terms of a GET.
type GetTerms struct {
	ContentType string // to answer with; when empty the stored one, in S3 that of the key's extension
	Filename    string // that a browser saves it as; the key's last segment when empty
	Fixed       bool   // the key is never written to again: browsers keep what they have loaded. See FixedTerms
	Until       time.Time
}
