package simulation

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"time"
)

// trace is what happened in a game, line by line. Ids are written in the order in which they
// came up.
type trace struct {
	hash  uint64
	names map[string]string
	line  func(string)
}

func newTrace(line func(string)) *trace { return &trace{names: map[string]string{}, line: line} }

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// shorten replaces every id by a short one.
func (t *trace) shorten(text string) string {
	return ids.ReplaceAllStringFunc(text, func(id string) string {
		if t.names[id] == "" {
			t.names[id] = fmt.Sprintf("#%d", len(t.names)+1)
		}
		return t.names[id]
	})
}

func (t *trace) add(at time.Time, text string) {
	text = at.Format("01-02 15:04:05.000 ") + t.shorten(text)
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %s", t.hash, text)
	t.hash = h.Sum64()
	if t.line != nil {
		t.line(text)
	}
}

func (t *trace) sum() uint64 { return t.hash }
