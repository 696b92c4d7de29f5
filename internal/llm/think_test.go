package llm_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/llm"
)

func stripped(pieces ...string) string {
	var (
		t   llm.Thinking
		out strings.Builder
	)
	for _, p := range pieces {
		out.WriteString(t.Filter(p))
	}
	out.WriteString(t.Rest())
	return out.String()
}

func TestThinking(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Hello.":                                "Hello.",
		"<think>hm</think>Hello.":               "Hello.",
		"<think>hm</think>\n\nHello.":           "Hello.",
		"<thinking>\nhm\n</thinking>\nHello.":   "Hello.",
		"a <think>b</think> c":                  "a  c",
		"<think>never ends":                     "",
		"hm</think>Hello.":                      "hmHello.",
		"1 < 2 and <b>bold</b>":                 "1 < 2 and <b>bold</b>",
		"<thin ice>":                            "<thin ice>",
		"<think>a</think>b<think>c</think>d":    "bd",
		"ends with <":                           "ends with <",
		"ends with <thi":                        "ends with <thi",
		"<think></think>":                       "",
		"<think>a < b </thin </think>x":         "x",
		"日本 <think>考え</think>語":                 "日本 語",
		"<think>nested <think> x</think> rest":  "rest",
		"\n\n<think>x</think>\n\n\n  indented?": "indented?",
	} {
		if got := stripped(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		// However it is cut, it is the same.
		for i := range len(in) {
			if got := stripped(in[:i], in[i:]); got != want {
				t.Errorf("%q | %q: got %q, want %q", in[:i], in[i:], got, want)
			}
		}
		if got := stripped(strings.Split(in, "")...); got != want {
			t.Errorf("%q in pieces: got %q, want %q", in, got, want)
		}
	}
}

func FuzzThinking(f *testing.F) {
	f.Add("<think>a</think>b", 3)
	f.Add("a<thinking>b", 5)
	f.Fuzz(func(t *testing.T, s string, cut int) {
		whole := stripped(s)
		if cut < 0 || cut > len(s) {
			return
		}
		if got := stripped(s[:cut], s[cut:]); got != whole {
			t.Errorf("%q cut at %d: got %q, want %q", s, cut, got, whole)
		}
		if !strings.Contains(s, "<") && whole != strings.TrimLeft(s, " \r\n\t") {
			t.Errorf("%q became %q", s, whole)
		}
	})
}
