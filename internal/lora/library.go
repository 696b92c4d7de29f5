package lora

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/store"
)

func (e *Engine) record(l atelier.PersonalLora) apitype.PersonalLora {
	r := apitype.PersonalLora{
		ID: l.ID, Name: l.Name, ModelID: l.ModelID, ModelIDs: e.familyModels(l.Family), Source: l.Source, Status: l.Status,
		CreatedAt: l.CreatedAt.UnixMilli(), UpdatedAt: l.UpdatedAt.UnixMilli(), Bytes: l.Bytes, Reason: l.Reason, FailureCode: l.Failure,
	}
	if l.Status == atelier.LoraReady {
		r.Requirements = l.Requirements
	}
	if l.Status == atelier.LoraValidating {
		r.Progress = &l.Progress
	}
	return r
}

// Library lists the entries of an account, newest first. It needs no plan.
func (e *Engine) Library(ctx context.Context, owner atelier.Wallet) (apitype.LoraLibrary, error) {
	lib := apitype.LoraLibrary{Loras: []apitype.PersonalLora{}, Models: e.catalog.ImportableModels(), Hosts: e.sources.Load().Hosts(), Limits: apitype.LoraLimits{
		Entries: e.opts.Entries, ImportsPerDay: e.opts.ImportsPerDay, PerGeneration: catalog.MaxLoras,
	}}
	if e.checkSpace(1) == nil {
		lib.Limits.FileBytes = &e.opts.FileBytes
	}
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		rows, err := tx.Loras(owner)
		for _, l := range rows {
			lib.Loras = append(lib.Loras, e.record(l.PersonalLora))
		}
		return err
	})
	return lib, err
}

// Read shows one entry of an account. It needs no plan.
func (e *Engine) Read(ctx context.Context, owner atelier.Wallet, id atelier.LoraID) (apitype.PersonalLora, error) {
	l, err := e.read(ctx, owner, id)
	if err != nil {
		return apitype.PersonalLora{}, err
	}
	return e.record(l.PersonalLora), nil
}

func (e *Engine) read(ctx context.Context, owner atelier.Wallet, id atelier.LoraID) (l store.StoredLora, err error) {
	if !id.Valid() {
		return l, atelier.Refuse("id", "must be personal- and a UUID.")
	}
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		l, err = tx.Lora(owner, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errNotFound(id)
	}
	return l, err
}

// Catalog lists the ready entries of an account. It needs a plan.
func (e *Engine) Catalog(ctx context.Context, owner atelier.Wallet) ([]Row, error) {
	rows := []Row{}
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		if err := requirePlan(tx, owner, e.opts.Now()); err != nil {
			return err
		}
		loras, err := tx.Loras(owner)
		for _, l := range loras {
			if models := e.familyModels(l.Family); l.Status == atelier.LoraReady && len(models) > 0 {
				rows = append(rows, rowOf(l.PersonalLora, models))
			}
		}
		return err
	})
	return rows, err
}

func rowOf(l atelier.PersonalLora, models []string) Row {
	creator := "Imported by you"
	if l.Uploaded() {
		creator = "Uploaded by you"
	}
	return Row{
		LoraID: l.ID, Slug: slug(l.Name), Name: l.Name, Description: strings.Join(l.Requirements, " "), ModelIDs: models, Requirements: l.Requirements,
		UI: catalog.LoraUI{
			Category: "personal", Label: l.Name, Min: 0, Max: 1, Default: 1, Step: 0.05, RecommendedMin: 0.5, RecommendedMax: 1,
			NSFW: true, Creator: creator, SourceURL: l.Source,
		},
	}
}

// slug is a name in lower case, with hyphens between its words.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "personal"
	}
	return strings.Join(words, "-")
}

// deleteTries is how often a removal that met another change is tried: an import
// changes its entry twice.
const deleteTries = 3

// Delete removes an entry of an account, and cancels the queued jobs that would load
// it. It needs no plan. The file is removed when no render needs it any more.
func (e *Engine) Delete(ctx context.Context, owner atelier.Wallet, id atelier.LoraID) error {
	for range deleteTries {
		l, err := e.read(ctx, owner, id)
		if err != nil {
			return err
		}
		err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
			if err := tx.LockAccount(owner); err != nil { // lock order: account, then jobs
				return err
			}
			if err := tx.DeleteLora(l); err != nil {
				return err
			}
			if err := e.withdraw(tx, l, "was removed"); err != nil {
				return err
			}
			return tx.DeleteEndedJobs(atelier.JobOwner{Kind: ownerKind, ID: string(id)}, "")
		})
		if !errors.Is(err, store.ErrNotFound) {
			if err == nil {
				e.discard(ctx, l.Key)
			}
			return err
		}
	}
	return atelier.Errorf(atelier.CodeLoraChanged, "The personal LoRA changed while it was being removed. Try again.")
}

// withdraw cancels the import of an entry that is no longer there or no longer to be
// imported, and the queued jobs that would load it.
func (e *Engine) withdraw(tx *store.Tx, l store.StoredLora, what string) error {
	if l.Status.Importing() {
		if _, err := e.fleet.Cancel(tx, l.JobID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return e.fleet.CancelWithLora(tx, l.ID, "The personal LoRA "+quoted(l.Name)+" "+what+".")
}

// quoted puts a name into quotation marks.
func quoted(name string) string { return "“" + name + "”" }

// discard removes an object unless a row or a job names it. The sweeper removes those
// that this cannot.
func (e *Engine) discard(ctx context.Context, key string) {
	if key == "" {
		return
	}
	named := true
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		named, err = tx.KeyNamed(key)
		return err
	})
	if err == nil && !named {
		_ = e.blobs.Delete(ctx, key)
	}
}

// Row is an entry as a row of a LoRA catalog.
type Row struct {
	LoraID         atelier.LoraID `json:"loraId"`
	Slug           string         `json:"slug"`
	Name           string         `json:"name"`
	Description    string         `json:"description"`
	RelatedLoraIDs []string       `json:"relatedLoraIds"`
	ModelIDs       []string       `json:"modelIds"`
	UI             catalog.LoraUI `json:"ui"`
	Requirements   []string       `json:"requirements"`
}
