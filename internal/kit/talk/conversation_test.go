package talk_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// conversation is one block of a file of testdata: what was sent, and turns.
type conversation struct {
	at   string
	sent []string
	asks []exchange
}

// exchange is a message and what is expected of the answer.
type exchange struct {
	at    string
	said  string
	shown int      // images in the message
	calls []string // "1 tool {arguments}", the number is the round
	words []string // what the answer has in it
}

// readConversations reads a file of blocks, separated by empty lines:
//
//	sent: image video
//	user: + what was said, a plus for each image in the message
//	call: 1 tool {"argument":"exactly these"}
//	says: a part of the answer
func readConversations(tb testing.TB, path string) (out []conversation) {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	fresh := true
	for n, line := range strings.Split(string(data), "\n") {
		at := fmt.Sprintf("%s:%d", filepath.Base(path), n+1)
		if line = strings.TrimSpace(line); line == "" {
			fresh = true
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		if fresh {
			out = append(out, conversation{at: at})
			fresh = false
		}
		c := &out[len(out)-1]
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "sent":
			c.sent = strings.Fields(value)
		case "user":
			e := exchange{at: at}
			for strings.HasPrefix(value, "+") {
				value = value[1:]
				e.shown++
			}
			e.said = strings.ReplaceAll(strings.TrimSpace(value), `\n`, "\n")
			c.asks = append(c.asks, e)
		case "call", "says":
			if len(c.asks) == 0 {
				tb.Fatalf("%s: nobody has said anything", at)
			}
			e := &c.asks[len(c.asks)-1]
			if key == "call" {
				e.calls = append(e.calls, value)
			} else {
				e.words = append(e.words, strings.ReplaceAll(value, `\n`, "\n"))
			}
		default:
			tb.Fatalf("%s: %q is no key", at, key)
		}
	}
	return out
}

// Every file of testdata holds conversations and what comes of them. The session
// holds every call against the catalog.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	said := 0
	for _, path := range files {
		for _, c := range readConversations(t, path) {
			s := newSession(t, c.sent...)
			for _, e := range c.asks {
				said++
				var images []string
				for range e.shown {
					images = append(images, "data:image/png;base64,AAAA")
				}
				rounds, words := s.ask(e.said, images...)
				e.check(t, rounds, words)
			}
		}
	}
	if said < 150 {
		t.Errorf("%d messages, want at least 150", said)
	}
}

func (e exchange) check(t *testing.T, rounds [][]call, words string) {
	t.Helper()
	var got []string
	for i, r := range rounds {
		for _, c := range r {
			got = append(got, fmt.Sprintf("%d %s", i+1, c))
		}
	}
	same := len(got) == len(e.calls)
	for i := 0; same && i < len(got); i++ {
		same = sameCall(got[i], e.calls[i])
	}
	if !same {
		t.Errorf("%s: %q\n got %s\nwant %s", e.at, e.said, strings.Join(got, "\n     "), strings.Join(e.calls, "\n     "))
	}
	for _, w := range e.words {
		if !strings.Contains(words, w) {
			t.Errorf("%s: %q\n got %q\nwant %q in it", e.at, e.said, words, w)
		}
	}
	if strings.TrimSpace(words) == "" {
		t.Errorf("%s: %q: nothing was said", e.at, e.said)
	}
	if strings.Contains(words, "://example.org") {
		t.Errorf("%s: %q: the answer has links of its own: %s", e.at, e.said, words)
	}
}

// sameCall compares two calls, with their arguments as values.
func sameCall(a, b string) bool {
	ahead, aargs, _ := strings.Cut(a, "{")
	bhead, bargs, _ := strings.Cut(b, "{")
	var x, y map[string]any
	if json.Unmarshal([]byte("{"+aargs), &x) != nil || json.Unmarshal([]byte("{"+bargs), &y) != nil {
		return a == b
	}
	return ahead == bhead && reflect.DeepEqual(x, y)
}
