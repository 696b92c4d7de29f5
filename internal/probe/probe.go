package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/atelier-project/atelier/internal/filetype"
)

// Description is what the headers of a file say.
type Description struct {
	File  FileFacts      `json:"file"`
	Image *imageFacts    `json:"image,omitempty"`
	Video *VideoFacts    `json:"video,omitempty"`
	Audio *audioFacts    `json:"audio,omitempty"`
	Model *modelFacts    `json:"model,omitempty"`
	Tags  map[string]any `json:"tags,omitempty"` // texts and camera data in the file
	Notes []string       `json:"notes,omitempty"`

	exifRead bool // there is one in a file, and reading it takes many times its length
}

type FileFacts struct {
	Kind        string `json:"kind"` // image, video, audio, model
	ContentType string `json:"contentType"`
	Format      string `json:"format"`
	SizeBytes   int64  `json:"sizeBytes"`
	SHA256      string `json:"sha256"`
}

// imageFacts are read from the headers of a picture.
type imageFacts struct {
	Width       int     `json:"width"`
	Height      int     `json:"height"`
	BitDepth    int     `json:"bitDepth,omitempty"`
	Colour      string  `json:"colour,omitempty"`
	Alpha       bool    `json:"alpha"`
	Progressive bool    `json:"progressive,omitempty"` // or interlaced
	Frames      int     `json:"frames,omitempty"`
	Seconds     float64 `json:"durationSeconds,omitempty"`
	Orientation int     `json:"orientation,omitempty"`
	DotsPerInch float64 `json:"dotsPerInch,omitempty"`
	Profile     bool    `json:"colourProfile,omitempty"`
}

// VideoFacts are read from the index of a clip.
type VideoFacts struct {
	Width     int     `json:"width"`
	Height    int     `json:"height"`
	Seconds   float64 `json:"durationSeconds,omitempty"`
	FrameRate float64 `json:"frameRate,omitempty"`
	Frames    int     `json:"frames,omitempty"`
	Codec     string  `json:"codec,omitempty"`
	Brand     string  `json:"brand,omitempty"`
	Sound     bool    `json:"hasAudio"`
}

// audioFacts are read from the headers of a recording.
type audioFacts struct {
	Seconds       float64 `json:"durationSeconds,omitempty"`
	Rate          int     `json:"sampleRate,omitempty"`
	Channels      int     `json:"channels,omitempty"`
	BitsPerSample int     `json:"bitsPerSample,omitempty"`
	BitRate       int     `json:"bitRate,omitempty"`
	Codec         string  `json:"codec,omitempty"`
	Estimated     bool    `json:"durationEstimated,omitempty"`
}

// ErrUnreadable is wrapped by the errors of Measure, and is returned for a file whose headers are cut off or contradict
// each other.
var ErrUnreadable = errors.New("the file ends or contradicts itself before its headers are complete")

// Describe reads the headers of a file, whatever it is.
func Describe(ctx context.Context, path string) (Description, error) {
	var d Description
	f, err := os.Open(path)
	if err != nil {
		return d, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return d, err
	}
	head := make([]byte, filetype.HeadSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return d, err
	}
	kind := filetype.Detect(head[:n])
	if kind == "" {
		return d, errors.New("the file is of no kind that is known here")
	}
	d.File = FileFacts{Kind: filetype.Kind(kind), ContentType: kind, Format: formatOf(kind), SizeBytes: info.Size()}
	if d.File.SHA256, err = digest(ctx, f); err != nil {
		return d, err
	}
	d.Tags = map[string]any{}
	in := &windowReader{ctx: ctx, f: f}
	switch kind {
	case "image/png":
		err = d.png(in)
	case "image/jpeg":
		err = d.jpeg(in)
	case "image/gif":
		err = d.gif(in)
	case "image/webp":
		err = d.webp(in)
	case "audio/wav":
		err = d.wav(in, info.Size())
	case "audio/flac":
		err = d.flac(in, info.Size())
	case "audio/mpeg":
		err = d.mp3(in, info.Size())
	case "model/gltf-binary":
		err = d.glb(in, info.Size())
	case "video/mp4", "video/quicktime", "audio/mp4":
		err = d.movie(in, info.Size())
	case "video/webm", "video/x-matroska":
		// The index of these is read by package film.
	default:
		d.Notes = append(d.Notes, "only the kind of this file is known here")
	}
	if len(d.Tags) == 0 {
		d.Tags = nil
	}
	if ctx.Err() != nil { // a parser sees it as the end of the file
		return d, ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("the file begins as %s but cannot be read: %v", d.File.Format, err)
	}
	return d, err
}

func formatOf(contentType string) string {
	_, name, _ := strings.Cut(contentType, "/")
	switch name {
	case "quicktime":
		return "MOV"
	case "gltf-binary":
		return "GLB"
	case "mpeg":
		return "MP3"
	case "webm", "webp":
		return map[string]string{"webm": "WebM", "webp": "WebP"}[name]
	}
	return strings.ToUpper(strings.TrimPrefix(name, "x-"))
}

// Limits of what is reported: the number of texts, and the length of each.
const (
	maxTags = 100
	maxText = 4096
)

// addTag adds a text of the file under its name, truncated.
func (d *Description) addTag(name string, value string) {
	value = strings.TrimSpace(strings.ToValidUTF8(strings.Trim(value, "\x00"), "?"))
	if name == "" || value == "" || len(d.Tags) >= maxTags {
		return
	}
	if len(value) > maxText {
		value = strings.ToValidUTF8(value[:maxText], "") + "…"
	}
	for n, key := 2, name; ; n++ {
		if _, taken := d.Tags[key]; !taken {
			d.Tags[key] = value
			return
		}
		key = fmt.Sprintf("%s#%d", name, n)
	}
}
