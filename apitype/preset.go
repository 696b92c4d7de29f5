package apitype

import "time"

// Preset is what an account keeps under a name, to use it again.
type Preset struct {
	Kind      string    `json:"kind"` // style or view
	Name      string    `json:"name"`
	Value     string    `json:"value"` // the words that a style adds to a prompt, or the query of a view
	UpdatedAt time.Time `json:"updatedAt"`
}

// PresetReply is one preset.
type PresetReply struct {
	Preset Preset `json:"preset"`
}

// Presets are the presets of a kind of an account, by name.
type Presets struct {
	Presets []Preset `json:"presets"`
	Limit   int      `json:"limit"` // how many of a kind an account can have
}

// DeletedPreset is a preset that was deleted.
type DeletedPreset struct {
	Deleted bool   `json:"deleted"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
}
