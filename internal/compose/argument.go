package compose

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
)

// arguments are those of a call.
type arguments = draft.Arguments

// maxText bounds the characters of one text.
const maxText = 32_000

// readable refuses texts that are blank or too long.
func readable(a arguments, t *catalog.Tool) (Result, bool) {
	for _, in := range t.Arguments {
		s, given := a[in.Name].(string)
		switch {
		case in.Type != "string" || strings.HasSuffix(in.Name, "_data_url"):
		case in.Required && given && a.Text(in.Name) == "":
			return failure(draft.InputIncomplete, "arguments."+in.Name+" is blank; say something in words.", "provide:"+in.Name), false
		case utf8.RuneCountInString(s) > maxText:
			return failure(draft.ParameterInvalid, fmt.Sprintf("arguments.%s must have at most %d characters.", in.Name, maxText), "correct:"+in.Name), false
		}
	}
	return Result{}, true
}
