package compose

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/wire"
)

// arguments are those of a call, checked and with their defaults.
type arguments map[string]any

// text is a string argument in one line.
func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return strings.Join(strings.Fields(s), " ")
}

// verbatim is a string argument as it was written.
func (a arguments) verbatim(name string) string {
	s, _ := a[name].(string)
	return strings.TrimSpace(s)
}

func (a arguments) number(name string) float64 {
	f, _ := a[name].(float64)
	return f
}

func (a arguments) whole(name string) int { return int(a.number(name)) }

func (a arguments) flag(name string) bool { return a[name] == true }

func (a arguments) object(name string) arguments {
	m, _ := a[name].(map[string]any)
	return m
}

func (a arguments) list(name string) []any {
	l, _ := a[name].([]any)
	return l
}

// maxText bounds the characters of one text.
const maxText = 32_000

// readable refuses texts that are blank or too long.
func (a arguments) readable(t *catalog.Tool) (Result, bool) {
	for _, in := range t.Arguments {
		s, given := a[in.Name].(string)
		switch {
		case in.Type != "string" || strings.HasSuffix(in.Name, "_data_url"):
		case in.Required && given && a.text(in.Name) == "":
			return failure(inputIncomplete, "arguments."+in.Name+" is blank; say something in words.", "provide:"+in.Name), false
		case utf8.RuneCountInString(s) > maxText:
			return failure(parameterInvalid, fmt.Sprintf("arguments.%s must have at most %d characters.", in.Name, maxText), "correct:"+in.Name), false
		}
	}
	return Result{}, true
}

// dice is a random generator seeded by the arguments.
func (a arguments) dice() *rand.Rand {
	h := fnv.New64a()
	if text, err := wire.Marshal(map[string]any(a)); err == nil { // maps are written in order
		h.Write(text)
	}
	return rand.New(rand.NewPCG(h.Sum64(), 7))
}

// pick picks an item of a list, or the zero value of an empty one.
func pick[T any](r *rand.Rand, list []T) (v T) {
	if len(list) > 0 {
		v = list[r.IntN(len(list))]
	}
	return v
}
