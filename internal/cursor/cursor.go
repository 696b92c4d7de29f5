// Package cursor writes the place of a row in a list as an opaque text, and reads it again.
// A cursor names its list, so that the cursor of one list is refused by another.
//
//atelier:sequential
package cursor

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
)

// separator is between the name of the list and the values of a key. The last value may
// contain it.
const separator = "\n"

// maxTime is the end of the year 9999, in milliseconds.
const maxTime = 253402300800000

// Place is the key of the last row of a page: the values by which its list is ordered. The
// place before the first page is nil.
type Place []string

// Encode writes the place after a row.
func Encode(list string, key ...string) *string {
	text := base64.RawURLEncoding.EncodeToString([]byte(list + separator + strings.Join(key, separator)))
	return &text
}

// Time is a time as a value of a key.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}

// Decode reads a cursor of a list whose keys have a number of values. An empty one is the
// beginning.
func Decode(list, text string, values int) (Place, error) {
	if text == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	fields := strings.SplitN(string(raw), separator, values+1)
	if err != nil || len(fields) != values+1 || fields[0] != list || !utf8.Valid(raw) || strings.ContainsRune(string(raw), 0) {
		return nil, refusal()
	}
	return fields[1:], nil
}

func refusal() error { return atelier.Refuse("cursor", "is not a cursor of this list.") }

// Text is a value of the key; empty at the beginning.
func (p Place) Text(i int) string {
	if p == nil {
		return ""
	}
	return p[i]
}

// Time is a value of the key that is a time; zero at the beginning.
func (p Place) Time(i int) (time.Time, error) {
	if p == nil || p[i] == "" {
		return time.Time{}, nil
	}
	ms, err := strconv.ParseInt(p[i], 10, 64)
	if err != nil || ms < 0 || ms > maxTime {
		return time.Time{}, refusal()
	}
	return time.UnixMilli(ms).UTC(), nil
}
