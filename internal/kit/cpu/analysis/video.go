package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// videoReport is the report on a video: what can be measured.
type videoReport struct {
	Query        string          `json:"query"`
	AnalysisType string          `json:"analysisType"`
	Summary      string          `json:"summary"`
	Facts        clipFacts       `json:"facts"`
	Shots        []shotFact      `json:"shots"`
	Timeline     []timelinePoint `json:"timeline"`
	Limits       string          `json:"limits"`
}

type clipFacts struct {
	DurationSeconds float64    `json:"durationSeconds"`
	Width           int        `json:"width"`
	Height          int        `json:"height"`
	FPS             float64    `json:"fps"`
	Frames          int        `json:"frames"`
	Orientation     string     `json:"orientation"`
	Brightness      float64    `json:"brightness"` // 0 to 1
	Motion          float64    `json:"motion"`     // mean change from frame to frame, 0 to 1
	Sound           *soundFact `json:"sound,omitempty"`
}

type soundFact struct {
	LUFS          float64 `json:"lufs"`
	Peak          float64 `json:"peak"`
	SilentShare   float64 `json:"silentShare"`
	Channels      int     `json:"channels"`
	Rate          int     `json:"sampleRate"`
	LoudestSecond float64 `json:"loudestSecond"`
}

// timelinePoint is half a second of the video.
type timelinePoint struct {
	At         float64 `json:"atSeconds"`
	Motion     float64 `json:"motion"`
	Brightness float64 `json:"brightness"`
	Loudness   float64 `json:"loudness"` // level, 0 to 1
}

// videoLimits is part of every report.
const videoLimits = "Measured from pixels and samples: people, objects, actions, writing and speech are not recognised. Connect a vision model for those."

// Video measures a clip.
func Video(ctx context.Context, t task.Task) ([]worker.Output, error) {
	kind := cmp.Or(t.Text("analysisType"), "general")
	if kind == "ocr" {
		return nil, worker.Failf("The CPU renderer cannot read writing in a video: connect a vision model for it.")
	}
	if len(t.Artifacts) == 0 || t.Artifacts[0].ContentType != "application/json" {
		return nil, worker.Failf("An analysis of a video is a JSON file.")
	}
	r, err := t.Video(ctx, "sourceVideoIndex")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	w := newShotDetector(r)
	for i := 0; i < r.Frames && !r.Ended; i++ {
		s, err := r.Samples(i)
		if err != nil {
			return nil, err
		}
		w.addFrame(s, i)
		if i%24 == 0 {
			t.Report(0.95*float64(i)/float64(r.Frames), "watching")
		}
	}
	a := videoReport{Query: t.Text("query"), AnalysisType: kind, Limits: videoLimits, Facts: clipFacts{
		DurationSeconds: round(r.Seconds(), 3), Width: r.Width, Height: r.Height, FPS: round(r.Rate(), 3), Frames: w.seen, Orientation: pixel.Orientation(r.Width, r.Height),
	}}
	own, err := r.Sound(ctx)
	if err != nil {
		return nil, err
	}
	w.report(&a, t.Flag("detailed", false))
	if own != nil {
		addSound(&a, footage.SoundOf(own))
	}
	a.Summary = a.summarize(kind)
	return t.WriteJSON(a, map[string]any{"summary": a.Summary, "shots": len(a.Shots)})
}

func round(v float64, places int) float64 {
	k := math.Pow(10, float64(places))
	return math.Round(v*k) / k
}

// summarize writes the facts in sentences.
func (a *videoReport) summarize(kind string) string {
	f := a.Facts
	var b strings.Builder
	fmt.Fprintf(&b, "A %s video of %.1f seconds, %d by %d pixels at %g frames a second. ", f.Orientation, f.DurationSeconds, f.Width, f.Height, f.FPS)
	switch n := len(a.Shots); {
	case n == 1:
		b.WriteString("It is one unbroken shot")
	default:
		longest := a.Shots[0]
		for _, s := range a.Shots {
			if s.End-s.Start > longest.End-longest.Start {
				longest = s
			}
		}
		fmt.Fprintf(&b, "It has %d shots; the longest lasts %.1f seconds, from %.1f on", n, longest.End-longest.Start, longest.Start)
	}
	fmt.Fprintf(&b, ", %s and %s. ", phraseFor(f.Brightness, "dark", 0.3, "of middle brightness", 0.6, "bright"),
		phraseFor(f.Motion, "nearly still", 0.008, "with some motion", 0.04, "with much motion"))
	if kind == "scene" || kind == "timeline" || kind == "action" || len(a.Shots) <= 3 {
		for i, s := range a.Shots[:min(len(a.Shots), 12)] {
			fmt.Fprintf(&b, "Shot %d (%.1f to %.1f s) is mostly %s", i+1, s.Start, s.End, colourNames(s.Palette))
			if s.Camera != "still" {
				fmt.Fprintf(&b, "; the camera %s", s.Camera)
			}
			b.WriteString(". ")
		}
	}
	switch s := f.Sound; {
	case s == nil:
		b.WriteString("There is no sound.")
	case s.SilentShare > 0.95:
		b.WriteString("The sound is silent.")
	default:
		fmt.Fprintf(&b, "The sound has %.0f LUFS and is loudest at %.1f seconds", s.LUFS, s.LoudestSecond)
		if s.SilentShare > 0.2 {
			fmt.Fprintf(&b, "; %.0f %% of it is silence", 100*s.SilentShare)
		}
		b.WriteString(".")
	}
	if kind == "action" {
		b.WriteString(" What is done in it is not recognised; motion alone is measured.")
	}
	return b.String()
}

func colourNames(p []pixel.Swatch) string {
	var out []string
	for _, s := range p[:min(len(p), 3)] {
		if len(out) == 0 || out[len(out)-1] != s.Name {
			out = append(out, s.Name)
		}
	}
	return strings.Join(out, ", ")
}
