package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Preset is what an account keeps under a name.
type Preset struct {
	Kind, Name, Value string
	UpdatedAt         time.Time
}

// Presets lists the presets of a kind of an account by name.
func (tx *Tx) Presets(w atelier.Wallet, kind string) (out []Preset, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		p := Preset{Kind: kind}
		var updated int64
		err := scan(&p.Name, &p.Value, &updated)
		p.UpdatedAt = database.FromMillis(updated)
		out = append(out, p)
		return err
	}, `SELECT name, value, updated_at FROM preset WHERE wallet = $1 AND kind = $2 ORDER BY name`+tx.Dialect.Bytewise, string(w), kind)
	return out, err
}

// CountOtherPresets counts the presets of a kind of an account that have another name.
func (tx *Tx) CountOtherPresets(w atelier.Wallet, kind, name string) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM preset WHERE wallet = $1 AND kind = $2 AND name <> $3`, string(w), kind, name).Scan(&n)
	return n, err
}

// PutPreset stores a preset of an account, instead of one of the same kind and name.
func (tx *Tx) PutPreset(w atelier.Wallet, p Preset) error {
	_, err := tx.Exec(`INSERT INTO preset (wallet, kind, name, value, updated_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (wallet, kind, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
		string(w), p.Kind, p.Name, p.Value, database.Millis(p.UpdatedAt))
	return err
}

// DeletePreset deletes a preset of an account. ErrNotFound means that it has none of that kind and name.
func (tx *Tx) DeletePreset(w atelier.Wallet, kind, name string) error {
	return tx.Must(`DELETE FROM preset WHERE wallet = $1 AND kind = $2 AND name = $3`, string(w), kind, name)
}
