package filetype

import (
	"encoding/base64"
	"io"
	"strings"
)

// Base64 reads the bytes of a base64 text as they are wanted, with or without
// padding.
func Base64(text string) io.Reader {
	return base64.NewDecoder(base64.RawStdEncoding, strings.NewReader(strings.TrimRight(text, "=\r\n")))
}
