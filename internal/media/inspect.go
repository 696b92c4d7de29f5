package media

import (
	"bufio"
	"encoding/json"
	"errors"
	"image"
	_ "image/gif" // decoders of what may be uploaded
	_ "image/jpeg"
	_ "image/png"
	"io"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filetype"
	_ "golang.org/x/image/webp"
)

// MaxPixels bounds the pictures that are taken: a picture of 8K.
const MaxPixels = 7680 * 4320

// decoding bounds how many pictures are held in memory to be checked.
var decoding = make(chan struct{}, 1)

// Inspect checks that a file is what its type says: by its first bytes, and a
// picture also by decoding it, once its size is known to be bearable.
func Inspect(contentType string, file io.ReadSeeker, _ int64) error {
	head := make([]byte, filetype.HeadSize)
	if err := rewind(file); err != nil {
		return err
	}
	n, err := io.ReadFull(file, head)
	if err != nil && n == 0 {
		return atelier.Refuse("file", "is empty.")
	}
	switch contentType {
	case "application/json":
		return inspectJSON(file)
	case "text/plain":
		return inspectText(file)
	}
	detected := filetype.Detect(head[:n])
	if !filetype.Fits(contentType, detected) {
		if detected == "" {
			return atelier.Refuse("file", "is not %s: its content is of no type that is taken here.", contentType)
		}
		return atelier.Refuse("file", "is not %s: its content is %s.", contentType, detected)
	}
	if filetype.Kind(contentType) != "image" {
		return nil
	}
	return inspectPicture(file)
}

// inspectJSON checks that a file is one JSON value, without holding it.
func inspectJSON(file io.ReadSeeker) error {
	if err := rewind(file); err != nil {
		return err
	}
	d := json.NewDecoder(bufio.NewReader(file))
	for depth := 0; ; {
		token, err := d.Token()
		if err == io.EOF && depth == 0 {
			return nil
		}
		if err != nil || depth > 100 {
			return atelier.Refuse("file", "is not valid JSON.")
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// inspectText checks that a file is text in UTF-8.
func inspectText(file io.ReadSeeker) error {
	if err := rewind(file); err != nil {
		return err
	}
	for r := bufio.NewReader(file); ; {
		c, size, err := r.ReadRune()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if (c == utf8.RuneError && size == 1) || c == 0 {
			return atelier.Refuse("file", "is not text in UTF-8.")
		}
	}
}

func inspectPicture(file io.ReadSeeker) error {
	if err := rewind(file); err != nil {
		return err
	}
	config, _, err := image.DecodeConfig(bufio.NewReader(file))
	if err != nil {
		return atelier.Refuse("file", "is not a picture that can be read.")
	}
	if config.Width < 1 || config.Height < 1 || int64(config.Width)*int64(config.Height) > MaxPixels {
		return atelier.Refuse("file", "is a picture of %d by %d pixels; at most %d pixels are taken.", config.Width, config.Height, MaxPixels)
	}
	decoding <- struct{}{}
	defer func() { <-decoding }()
	if err := rewind(file); err != nil {
		return err
	}
	if _, _, err := image.Decode(filetype.LimitScans(bufio.NewReader(file))); err != nil {
		if errors.Is(err, filetype.ErrScans) {
			return atelier.Refuse("file", "is a JPEG of more than %d scans: save it with fewer, or as PNG.", filetype.MaxScans)
		}
		return atelier.Refuse("file", "is a picture that cannot be read to its end.")
	}
	return nil
}

func rewind(file io.Seeker) error {
	_, err := file.Seek(0, io.SeekStart)
	return err
}
