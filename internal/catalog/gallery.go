package catalog

import (
	"io/fs"
	"path"
)

// Sample is one picture or clip of the gallery, with the JSON names of the API. File and
// VideoFile are paths below the gallery; the API makes ImageURL and VideoURL from them.
type Sample struct {
	ModelID        string  `json:"modelId" yaml:"modelId"`
	PositivePrompt string  `json:"positivePrompt" yaml:"positivePrompt"`
	NegativePrompt string  `json:"negativePrompt" yaml:"negativePrompt"`
	StylePrompt    string  `json:"stylePrompt" yaml:"stylePrompt"`
	Seed           int64   `json:"seed" yaml:"seed"`
	Steps          int     `json:"steps" yaml:"steps"`
	Guidance       float64 `json:"guidance" yaml:"guidance"`
	ImageURL       string  `json:"imageURL" yaml:"-"`
	IsMature       bool    `json:"isMature" yaml:"isMature"`
	Scheduler      string  `json:"scheduler,omitempty" yaml:"scheduler"`
	Sampler        string  `json:"sampler,omitempty" yaml:"sampler"`
	Width          int     `json:"width,omitempty" yaml:"width"`
	Height         int     `json:"height,omitempty" yaml:"height"`
	VideoURL       string  `json:"videoURL,omitempty" yaml:"-"`
	Preview        bool    `json:"preview,omitempty" yaml:"preview"` // the built-in CPU renderer drew it, not the model

	File      string `json:"-" yaml:"file"`
	VideoFile string `json:"-" yaml:"videoFile"`
	Removed   bool   `json:"-" yaml:"removed"`
}

// Samples lists the gallery: every sample whose file exists.
func (c *Catalog) Samples() []*Sample { return c.read().samples }

// SamplesOf lists the samples of one model.
func (c *Catalog) SamplesOf(modelID string) []*Sample {
	var list []*Sample
	for _, s := range c.read().samples {
		if s.ModelID == modelID {
			list = append(list, s)
		}
	}
	return list
}

// Gallery is the tree that Sample.File and Sample.VideoFile are paths in.
func (c *Catalog) Gallery() fs.FS { return c.read().gallery }

// layered is the operator's gallery on top of the program's own.
type layered struct{ over, under fs.FS }

func (l layered) Open(name string) (fs.File, error) {
	if l.over != nil {
		if f, err := l.over.Open(name); err == nil {
			return f, nil
		}
	}
	return l.under.Open(name)
}

// exists reports whether a gallery file can be opened.
func exists(tree fs.FS, name string) bool {
	if !fs.ValidPath(name) || path.Ext(name) == "" {
		return false
	}
	f, err := tree.Open(name)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	_ = f.Close()
	return err == nil && info.Mode().IsRegular()
}
