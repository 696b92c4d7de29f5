package lora

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// NewLora asks for an import.
type NewLora struct {
	URL             string
	Name            string
	ModelID         string
	RightsConfirmed bool
}

// maxName is the longest name of an entry, in characters.
const maxName = 80

// newEntry checks what every new entry has, and makes it.
func (e *Engine) newEntry(owner atelier.Wallet, name string, rightsConfirmed bool) (l store.StoredLora, err error) {
	if !rightsConfirmed {
		return l, atelier.Refuse("rightsConfirmed", "must be true: confirm that you may use the file.")
	}
	if err := checkName("name", name, maxName); err != nil {
		return l, err
	}
	l.PersonalLora = atelier.PersonalLora{ID: atelier.NewLoraID(mint.UUID()), Wallet: owner, Name: name, CreatedAt: e.opts.Now()}
	return l, nil
}

// setModel sets the model that an entry is for.
func (e *Engine) setModel(l *store.StoredLora, id string) error {
	family, ok := e.catalog.FamilyOf(id)
	if !ok {
		return atelier.Refuse("modelId", "is not a model that LoRAs can be imported for; data.models of GET /v1/loras/personal lists them.")
	}
	l.ModelID, l.Family = id, family.ID
	return nil
}

// checkName checks the name of an entry or of a file.
func checkName(field, name string, most int) error {
	if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > most {
		return atelier.Refuse(field, "must have 1 to %d characters that are not all spaces.", most)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return atelier.Refuse(field, "must not have control characters.")
	}
	return nil
}

// Import begins to import a file, unless the account has an entry for the link and the
// family of the model already. A rejected entry is queued again. It needs a plan.
func (e *Engine) Import(ctx context.Context, owner atelier.Wallet, n NewLora) (apitype.PersonalLora, error) {
	l, err := e.newEntry(owner, n.Name, n.RightsConfirmed)
	if err == nil {
		err = e.setModel(&l, n.ModelID)
	}
	if err != nil {
		return apitype.PersonalLora{}, err
	}
	link, err := e.sources.Load().Parse(n.URL)
	if err != nil {
		return apitype.PersonalLora{}, err
	}
	l.Link = link.String()
	existing, err := e.existing(ctx, l)
	if err != nil || existing != nil {
		return e.recordOf(existing), err
	}
	pin, err := e.sources.Load().Resolve(ctx, link)
	if err != nil {
		return apitype.PersonalLora{}, err
	}
	if err := e.checkPin(l, pin); err != nil {
		return apitype.PersonalLora{}, err
	}
	l.Source, l.Provider, l.Version, l.Bytes = pin.Source, pin.Provider, pin.Version, pin.Bytes
	if l.Pin, err = wire.Marshal(pin); err != nil {
		return apitype.PersonalLora{}, err
	}
	var out store.StoredLora
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		out = l
		return e.accept(tx, &out)
	})
	return e.record(out.PersonalLora), err
}

func (e *Engine) recordOf(l *store.StoredLora) apitype.PersonalLora {
	if l == nil {
		return apitype.PersonalLora{}
	}
	return e.record(l.PersonalLora)
}

// existing finds the entry of a link that is not to be imported again. It refuses an
// account without a plan.
func (e *Engine) existing(ctx context.Context, l store.StoredLora) (found *store.StoredLora, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		if err := requirePlan(tx, l.Wallet, e.opts.Now()); err != nil {
			return err
		}
		row, err := tx.LoraOfLink(l.Wallet, l.Family, l.Link, "")
		if err == nil && row.Status != atelier.LoraRejected {
			found = &row
		}
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return err
	})
	return found, err
}

// checkPin refuses a file that is too large, that the public catalog has, or for which
// there is no space.
func (e *Engine) checkPin(l store.StoredLora, pin source.Pin) error {
	if pin.Bytes > e.opts.FileBytes {
		return atelier.Refuse("url", "names a file of %d bytes; the limit is %d.", pin.Bytes, e.opts.FileBytes)
	}
	if err := e.checkPublic(l.ModelID, pin.SHA256, l.Link, pin.Source); err != nil {
		return err
	}
	return e.checkSpace(pin.Bytes)
}

// checkPublic refuses a file that the public catalog has for a model.
func (e *Engine) checkPublic(modelID, sha256 string, links ...string) error {
	if public, ok := e.catalog.PublicLora(modelID, sha256, links...); ok {
		return atelier.Errorf(atelier.CodeLoraInCatalog, "The public catalog has this file as %q: use that id.", public.LoraID).With("loraId", public.LoraID)
	}
	return nil
}

// checkSpace refuses a file that would leave too little space in the storage.
func (e *Engine) checkSpace(size int64) error {
	if e.opts.FreeSpace == nil {
		return nil
	}
	free, err := e.opts.FreeSpace()
	if err != nil {
		return err
	}
	if free-size < e.opts.Reserve {
		full := atelier.Errorf(atelier.CodeUnavailable, "The service has no space for the file now. Try again later.")
		full.RetryAfter = 5 * time.Minute
		return full
	}
	return nil
}

// accept adds an entry and queues its import, or finds the entry that is there.
func (e *Engine) accept(tx *store.Tx, l *store.StoredLora) error {
	if err := lockActive(tx, l.Wallet); err != nil {
		return err
	}
	earlier, err := tx.LoraOfLink(l.Wallet, l.Family, l.Link, l.Source)
	switch {
	case err == nil && earlier.Status != atelier.LoraRejected:
		*l = earlier
		return nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return err
	}
	again := err == nil
	if err := e.count(tx, l.Wallet, again); err != nil {
		return err
	}
	if !again {
		if err := e.queue(tx, l, time.Time{}); err != nil {
			return err
		}
		return tx.InsertLora(*l)
	}
	fresh := *l
	*l = earlier
	l.Name, l.ModelID, l.Link, l.Source, l.Pin, l.Tries = fresh.Name, fresh.ModelID, fresh.Link, fresh.Source, fresh.Pin, 0
	l.Provider, l.Version, l.Bytes = fresh.Provider, fresh.Version, fresh.Bytes
	if err := e.queue(tx, l, time.Time{}); err != nil {
		return err
	}
	return tx.UpdateLora(l, atelier.LoraRejected)
}

// lockActive locks an account, and refuses one that is suspended.
func lockActive(tx *store.Tx, owner atelier.Wallet) error {
	active, err := tx.LockForWork(owner)
	if err == nil && !active {
		err = &atelier.Error{Code: atelier.CodeAccountSuspended}
	}
	return err
}

// count counts an import against the limits.
func (e *Engine) count(tx *store.Tx, owner atelier.Wallet, again bool) error {
	entries, err := tx.CountLoras(owner)
	if err != nil {
		return err
	}
	if !again && entries >= e.opts.Entries {
		return atelier.Errorf(atelier.CodeLoraLibraryFull, "Your library has %d personal LoRAs, which is the limit. Remove one first.", entries).With("entries", entries)
	}
	under, err := tx.CountImports()
	if err != nil {
		return err
	}
	if under >= e.opts.Queue {
		full := atelier.Errorf(atelier.CodeUnavailable, "The import queue is full. Try again later.")
		full.RetryAfter = time.Minute
		return full
	}
	now := e.opts.Now().UTC()
	imports, err := tx.ImportsOn(owner, day(now))
	if err != nil {
		return err
	}
	if imports >= e.opts.ImportsPerDay {
		midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
		return admission.TooManyOf(midnight.Sub(now), "This account has imported %d files today, which is the limit of a UTC day.", imports)
	}
	return tx.CountImport(owner, day(now))
}

// queue sets an entry to queued and submits the job of its import. The caller writes the
// entry.
func (e *Engine) queue(tx *store.Tx, l *store.StoredLora, notBefore time.Time) error {
	l.Status, l.Reason, l.Failure, l.Progress, l.Requirements, l.UpdatedAt = atelier.LoraQueued, "", "", 0, nil, e.opts.Now()
	l.SHA256 = "" // what has a digest is stored
	j, err := e.fleet.Submit(tx, fleet.Submission{
		Wallet: l.Wallet, Owner: atelier.JobOwner{Kind: ownerKind, ID: string(l.ID)}, Network: atelier.NetworkNode, NotBefore: notBefore,
		Spec:  atelier.JobSpec{Tool: importTool, ModelID: importTool, Arguments: map[string]any{"loraId": string(l.ID)}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillTokens},
	})
	l.JobID = j.ID
	return err
}
