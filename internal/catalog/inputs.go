package catalog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Inputs is how much media a model takes. A kind that is not mentioned is not accepted.
type Inputs struct {
	Images Range `yaml:"images"`
	Videos Range `yaml:"videos"`
	Audio  Range `yaml:"audio"`
	// Total limits all kinds together; zero is no limit.
	Total Range `yaml:"total"`
	// AudioNeedsVisual refuses audio without an image or a video beside it.
	AudioNeedsVisual bool `yaml:"audioNeedsVisual"`
}

// Range is a least and a greatest count, written "3" or "1..9".
type Range struct{ Min, Max int }

// UnmarshalText reads the written form.
func (r *Range) UnmarshalText(text []byte) error {
	lo, hi, span := strings.Cut(string(text), "..")
	a, err := strconv.Atoi(lo)
	b := a
	if err == nil && span {
		b, err = strconv.Atoi(hi)
	}
	if err != nil || a < 0 || b < a {
		return errors.New("must be a count such as 1 or a range such as 1..9")
	}
	*r = Range{a, b}
	return nil
}

// Holds reports whether n lies in the range.
func (r Range) Holds(n int) bool { return n >= r.Min && n <= r.Max }

// Counts is a number of pieces of media of each kind.
type Counts struct{ Images, Videos, Audio, Models int }

// Of returns the count of one kind.
func (c Counts) Of(k Kind) int {
	switch k {
	case Image:
		return c.Images
	case Video:
		return c.Videos
	case Audio:
		return c.Audio
	case Object:
		return c.Models
	}
	return 0
}

// Add counts n more pieces of a kind.
func (c *Counts) Add(k Kind, n int) {
	switch k {
	case Image:
		c.Images += n
	case Video:
		c.Videos += n
	case Audio:
		c.Audio += n
	case Object:
		c.Models += n
	}
}

func (c Counts) total() int { return c.Images + c.Videos + c.Audio + c.Models }

func (c Counts) String() string {
	var parts []string
	for _, k := range []Kind{Image, Video, Audio} {
		if n := c.Of(k); n > 0 {
			parts = append(parts, k.count(n))
		}
	}
	if parts == nil {
		return "no media"
	}
	return strings.Join(parts, " and ")
}

// rangeOf returns the range of one kind.
func (in Inputs) rangeOf(k Kind) Range {
	switch k {
	case Image:
		return in.Images
	case Video:
		return in.Videos
	case Audio:
		return in.Audio
	}
	return Range{}
}

// fit reports whether the model can render from exactly this much media.
func (in Inputs) fit(c Counts) bool {
	return in.Images.Holds(c.Images) && in.Videos.Holds(c.Videos) && in.Audio.Holds(c.Audio) &&
		(in.Total == Range{} || in.Total.Holds(c.total())) &&
		!(in.AudioNeedsVisual && c.Audio > 0 && c.Images+c.Videos == 0)
}

// Kind is a sort of media, spelled as artifact kinds are.
type Kind string

// The kinds of artifacts that tools take and make.
const (
	Image  Kind = "image"
	Video  Kind = "video"
	Audio  Kind = "audio"
	Object Kind = "model" // a 3D model
	JSON   Kind = "json"
	Text   Kind = "text"
)

// Kinds are all kinds.
var Kinds = []Kind{Image, Video, Audio, Object, JSON, Text}

func (k Kind) count(n int) string {
	noun := string(k)
	if k == Audio {
		noun = "audio track"
	}
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
