package mediameta

import (
	"bufio"
	"errors"
	"io"
	"slices"

	"github.com/atelier-project/atelier/internal/filetype"
)

// MaxBytes is how many bytes of texts are read from a file, and written to one.
const MaxBytes = 1 << 20

// maxTags is how many bytes of texts a clip or a recording may have before Write. They are in memory.
const maxTags = 4 * MaxBytes

var (
	// ErrFormat means that a file is not of a format that has settings, or is damaged.
	ErrFormat = errors.New("mediameta: a file in which settings cannot be")

	// ErrNone means that a file has no settings.
	ErrNone = errors.New("mediameta: the file has no settings")

	// ErrTooLarge means that settings do not fit into a file.
	ErrTooLarge = errors.New("mediameta: the settings are too large")
)

// maxParts bounds how many parts of a file are looked at for settings.
const maxParts = 1 << 16

// source is a file that is read.
type source struct {
	r     io.ReaderAt
	size  int64
	left  int64 // how many bytes of texts may be read
	parts int   // how many boxes were looked at
}

// bytes reads n bytes at an offset.
func (f *source) bytes(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > f.size || n > f.size-at {
		return nil, ErrFormat
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// text reads a part that may hold settings. Nil, without an error, means that it is too large.
func (f *source) text(at, n int64) ([]byte, error) {
	if n > f.left {
		return nil, nil
	}
	f.left -= n
	return f.bytes(at, n)
}

// tags reads a part that Write changes.
func (f *source) tags(at, n int64) ([]byte, error) {
	if n > maxTags {
		return nil, ErrTooLarge
	}
	return f.bytes(at, n)
}

// startsWith reports whether a part begins with a text.
func (f *source) startsWith(at, size int64, text string) bool {
	head, err := f.bytes(at, min(size, int64(len(text))))
	return err == nil && string(head) == text
}

// copy writes a part of the file as it is.
func (f *source) copy(w io.Writer, at, n int64) error {
	if at < 0 || n < 0 || at > f.size || n > f.size-at {
		return ErrFormat
	}
	_, err := io.Copy(w, io.NewSectionReader(f.r, at, n))
	return err
}

// format is how a file of one kind is read and written.
type format struct {
	read  func(*source) (map[string]string, error)
	write func(*source, io.Writer, *texts) error // nil texts remove those that are there
}

// formats are the formats that have settings, by their types.
var formats = map[string]format{
	"image/png":       {readPNG, writePNG},
	"image/jpeg":      {readJPEG, writeJPEG},
	"image/webp":      {readWebP, writeWebP},
	"video/mp4":       {readMP4, writeMP4},
	"video/quicktime": {readMP4, writeMP4},
	"audio/mp4":       {readMP4, writeMP4},
	"audio/mpeg":      {readMP3, writeMP3},
	"audio/wav":       {readWAV, writeWAV},
	"audio/flac":      {readFLAC, writeFLAC},
}

func (f *source) format() (format, error) {
	head, err := f.bytes(0, min(filetype.HeadSize, f.size))
	if err != nil {
		return format{}, err
	}
	kind, ok := formats[filetype.Detect(head)]
	if !ok {
		return format{}, ErrFormat
	}
	return kind, nil
}

// Read reads the settings of a file that has size bytes.
func Read(r io.ReaderAt, size int64) (Settings, error) {
	f := &source{r: r, size: size, left: MaxBytes}
	kind, err := f.format()
	if err != nil {
		return Settings{}, err
	}
	found, err := kind.read(f)
	if s, ok := parse(found); ok {
		return s, nil // also of a file that is damaged after them
	}
	if err == nil {
		err = ErrNone
	}
	return Settings{}, err
}

// Texts reads the texts that settings are in, by their names.
func Texts(r io.ReaderAt, size int64) (map[string]string, error) {
	f := &source{r: r, size: size, left: MaxBytes}
	kind, err := f.format()
	if err != nil {
		return nil, err
	}
	found, err := kind.read(f)
	if len(found) > 0 {
		err = nil // also of a file that is damaged after them
	}
	return found, err
}

// Write copies a file that has size bytes, with the settings instead of those that it has.
// Without settings, it only leaves those out.
func Write(w io.Writer, r io.ReaderAt, size int64, s *Settings) error {
	f := &source{r: r, size: size}
	kind, err := f.format()
	if err != nil {
		return err
	}
	var t *texts
	if s != nil {
		made, err := s.texts()
		if err != nil {
			return err
		}
		if len(made.document)+len(made.parameters) > MaxBytes/2 {
			return ErrTooLarge
		}
		t = &made
	}
	out := bufio.NewWriter(w)
	if err := kind.write(f, out, t); err != nil {
		return err
	}
	return out.Flush()
}

// isOurs reports whether a text is one that Write replaces.
func isOurs(key string) bool { return slices.Contains(keys, key) }
