package account

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// The limits of presets. MostPresets counts those of a kind.
const (
	MostPresets      = 100
	MostPresetName   = 60
	MostPresetLength = 1000
)

// PresetsMemory is what the presets of a kind take at most while they are read and shown.
const PresetsMemory = 2 * MostPresets * (MostPresetName + MostPresetLength) * utf8.UTFMax

// presetKinds are what presets are for: words that are added to prompts, and filters of a list of workflows.
var presetKinds = []string{"style", "view"}

func checkPresetKind(kind string) error {
	if !slices.Contains(presetKinds, kind) {
		return atelier.Missing("kind", kind, "kind of presets")
	}
	return nil
}

// presetName reads a name as it is kept.
func presetName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	switch {
	case name == "":
		return "", atelier.Refuse("name", "must not be blank.")
	case utf8.RuneCountInString(name) > MostPresetName:
		return "", atelier.Refuse("name", "must have at most %d characters.", MostPresetName)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) && r != '\u200d' }): // the joiner is a part of emoji
		return "", atelier.Refuse("name", "must not have control characters.")
	}
	return name, nil
}

func shownPreset(p store.Preset) apitype.Preset {
	return apitype.Preset{Kind: p.Kind, Name: p.Name, Value: p.Value, UpdatedAt: p.UpdatedAt}
}

// Presets lists the presets of a kind of an account by name.
func (e *Engine) Presets(ctx context.Context, w atelier.Wallet, kind string) (apitype.Presets, error) {
	out := apitype.Presets{Presets: []apitype.Preset{}, Limit: MostPresets}
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.Presets(w, kind)
		for _, p := range found {
			out.Presets = append(out.Presets, shownPreset(p))
		}
		return err
	})
	return out, err
}

// PutPreset keeps a value under a name, instead of the one that had the name.
func (e *Engine) PutPreset(ctx context.Context, w atelier.Wallet, kind, name, value string) (apitype.Preset, error) {
	if err := checkPresetKind(kind); err != nil {
		return apitype.Preset{}, err
	}
	name, err := presetName(name)
	if err != nil {
		return apitype.Preset{}, err
	}
	p := store.Preset{Kind: kind, Name: name, Value: strings.TrimSpace(value), UpdatedAt: e.now()}
	if p.Value == "" {
		return apitype.Preset{}, atelier.Refuse("value", "must not be blank.")
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil { // two concurrent calls would both be within the limit
			return err
		}
		n, err := tx.CountOtherPresets(w, kind, name)
		if err != nil {
			return err
		}
		if n >= MostPresets {
			return atelier.Errorf(atelier.CodeWrongState, "An account can have %d presets of the kind %s. Delete one first.", MostPresets, kind).With("presets", MostPresets)
		}
		return tx.PutPreset(w, p)
	})
	return shownPreset(p), err
}

// DeletePreset deletes a preset of an account.
func (e *Engine) DeletePreset(ctx context.Context, w atelier.Wallet, kind, name string) (apitype.DeletedPreset, error) {
	if err := checkPresetKind(kind); err != nil {
		return apitype.DeletedPreset{}, err
	}
	name, err := presetName(name)
	if err != nil {
		return apitype.DeletedPreset{}, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error { return tx.DeletePreset(w, kind, name) })
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Missing("name", name, "preset")
	}
	return apitype.DeletedPreset{Deleted: true, Kind: kind, Name: name}, err
}
