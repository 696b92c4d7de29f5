package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/worker"
)

// receipt is stored in the service for a job: the state of each of its requests to
// the vendor.
type receipt struct {
	Vendor string `json:"vendor"`
	Parts  []part `json:"parts"`

	keep    func(ctx context.Context, receipt string) error
	unsaved bool // the last change could not be stored
}

// part is one request to a vendor.
type part struct {
	State string `json:"s,omitempty"`
	ID    string `json:"i,omitempty"` // the vendor's id
}

// The states of a part. In the first, the vendor has not received it.
const (
	unsent  = ""
	intent  = "intent" // it may have been sent
	sent    = "sent"   // the vendor has it, under an id
	refused = "refused"
)

// maxID is the longest vendor's id, so that receipts stay small.
const maxID = 200

// openReceipt reads the receipt of a job, or begins one of n parts.
func openReceipt(t worker.Task, vendor string, n int) (*receipt, error) {
	r := &receipt{Vendor: vendor, Parts: make([]part, n), keep: t.Keep}
	if t.Keep == nil {
		return nil, dropped("The vendor was not called: its receipt cannot be stored.")
	}
	if t.Receipt == "" {
		return r, nil
	}
	var kept receipt
	switch err := wire.Unmarshal([]byte(t.Receipt), &kept); {
	case err != nil || len(kept.Parts) != n:
		return nil, unknown("The receipt of an earlier attempt cannot be read.")
	case kept.Vendor != vendor:
		return nil, unknown("An earlier attempt was made with the vendor %s, but this is %s.", worker.Shorten(kept.Vendor, 40), vendor)
	}
	for _, p := range kept.Parts {
		if p.State == sent && p.ID == "" || p.State != unsent && p.State != intent && p.State != sent && p.State != refused {
			return nil, unknown("The receipt of an earlier attempt cannot be read.")
		}
	}
	r.Parts = kept.Parts
	return r, nil
}

// keepTime is how long the service may take to store a receipt.
const keepTime = 30 * time.Second

// set changes a part and stores the receipt in the service, even if the job is
// cancelled meanwhile.
func (r *receipt) set(ctx context.Context, i int, state, id string) error {
	r.Parts[i] = part{state, id}
	return r.save(ctx)
}

// save stores the receipt in the service.
func (r *receipt) save(ctx context.Context) error {
	text, err := wire.MarshalV1(r)
	if err == nil && len(text) > client.MaxReceipt {
		err = fmt.Errorf("the receipt of %d parts is too long", len(r.Parts))
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
		defer cancel()
		err = r.keep(ctx, string(text))
	}
	r.unsaved = err != nil
	return err
}

// mayBeSent reports whether the vendor may have received any part.
func (r *receipt) mayBeSent() bool {
	for _, p := range r.Parts {
		if p.State == intent || p.State == sent {
			return true
		}
	}
	return false
}

var errID = errors.New("the vendor's id cannot be read")
