package cpu

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

// description is what a file says of itself.
type description struct {
	File  fileFacts      `json:"file"`
	Image *imageFacts    `json:"image,omitempty"`
	Video *videoFacts    `json:"video,omitempty"`
	Audio *audioFacts    `json:"audio,omitempty"`
	Model *modelFacts    `json:"model,omitempty"`
	Tags  map[string]any `json:"tags,omitempty"` // texts and camera data in the file
	Notes []string       `json:"notes,omitempty"`

	exifRead bool // there is one in a file, and reading it takes many times its length
}

type fileFacts struct {
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

// videoFacts are read from the index of a clip.
type videoFacts struct {
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

// errUnreadable says that a file is not what it begins as.
var errUnreadable = errors.New("the file ends or contradicts itself before its headers are complete")

// mediaArguments are the arguments that can name the file, and the kind each is
// for.
var mediaArguments = []struct{ name, kind string }{
	{"sourceImageIndex", "image"}, {"sourceVideoIndex", "video"}, {"audioSourceIndex", "audio"}, {"fileIndex", ""},
}

// extractMetadata writes down what a file says of itself.
func extractMetadata(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	wanted := text(t, "mediaType")
	path, argument := "", ""
	for _, a := range mediaArguments {
		if p, ok := t.Files[a.name]; ok && (path == "" || a.kind == wanted) {
			path, argument = p, a.name
		}
	}
	if path == "" {
		return nil, worker.Failf("extract_metadata needs a file: an image, a video or a recording.")
	}
	t.Report(0.2, "reading")
	d, err := describe(ctx, path)
	if err != nil {
		return nil, plainly(err)
	}
	if wanted != "" && d.File.Kind != wanted {
		return nil, worker.Failf("The input %s is of the kind %s, not %s.", argument, d.File.Kind, wanted)
	}
	return document(t, d, map[string]any{"method": "read from the file's headers", "contentType": d.File.ContentType})
}

// document writes a value as the JSON artifact of a job.
func document(t worker.Task, v any, meta map[string]any) ([]worker.Output, error) {
	var out []worker.Output
	for _, slot := range t.Artifacts {
		if slot.ContentType != "application/json" {
			return nil, worker.Failf("%s makes JSON, not %s.", t.ToolName, slot.ContentType)
		}
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, err
		}
		path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
		if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
			return nil, err
		}
		out = append(out, worker.Output{ID: slot.ID, Path: path, Seed: t.Seed, Metadata: meta})
	}
	t.Report(1, "done")
	return out, nil
}

// describe reads the headers of a file, whatever it is.
func describe(ctx context.Context, path string) (description, error) {
	var d description
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
		return d, worker.Failf("The file is of no kind that is known here.")
	}
	d.File = fileFacts{Kind: filetype.Kind(kind), ContentType: kind, Format: formatOf(kind), SizeBytes: info.Size()}
	if d.File.SHA256, err = digest(ctx, f); err != nil {
		return d, err
	}
	d.Tags = map[string]any{}
	in := &pages{ctx: ctx, f: f}
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
		err = d.reel(ctx, path)
	default:
		d.Notes = append(d.Notes, "only the kind of this file is known here")
	}
	if len(d.Tags) == 0 {
		d.Tags = nil
	}
	if ctx.Err() != nil { // which parsers take for the end of the file
		return d, ctx.Err()
	}
	if err != nil {
		err = worker.Failf("The file begins as %s but cannot be read: %v.", d.File.Format, err)
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

// digest is the SHA-256 of a whole file.
func digest(ctx context.Context, f io.ReaderAt) (string, error) {
	h := sha256.New()
	buf := make([]byte, 1<<20)
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.ReadAt(buf, at)
		h.Write(buf[:n])
		at += int64(n)
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// pages reads a file through a window, so that the many small reads of a
// parser cost little, and until its context ends. All that is said of a file is
// read through it, so no loop over foreign bytes outlives its job.
type pages struct {
	ctx context.Context
	f   io.ReaderAt
	at  int64
	buf []byte // what the file has there
}

// pageSize is the window. Larger reads pass it by.
const pageSize = 64 << 10

// ReadAt implements io.ReaderAt.
func (p *pages) ReadAt(b []byte, off int64) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	if len(b) > pageSize/4 || off < 0 {
		return p.f.ReadAt(b, off)
	}
	if off < p.at || off+int64(len(b)) > p.at+int64(len(p.buf)) {
		if p.buf == nil {
			p.buf = make([]byte, pageSize)
		}
		n, err := p.f.ReadAt(p.buf[:pageSize], off)
		if p.at, p.buf = off, p.buf[:n]; err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	n := copy(b, p.buf[min(off-p.at, int64(len(p.buf))):])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// piece reads n bytes of a file, all or an error.
func piece(f io.ReaderAt, at int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if m, err := f.ReadAt(b, at); m < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = errUnreadable
		}
		return nil, err
	}
	return b, nil
}

// What is told of a file at most: texts, and the length of each.
const (
	maxTags = 100
	maxText = 4096
)

// note keeps a text of the file under its name, cut to a bearable length.
func (d *description) note(name string, value string) {
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
