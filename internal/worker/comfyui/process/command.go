package process

import (
	"errors"
	"strings"
)

// split divides a command line into its words, as a POSIX shell does with quotes and
// backslashes. It expands nothing.
func split(line string) (words []string, err error) {
	var word strings.Builder
	open, quote, escaped := false, rune(0), false // open: a word has begun, perhaps an empty one
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune(`"\$`+"`", r) {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			open, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			open, quote = true, r
		case strings.ContainsRune(" \t\r\n", r):
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote is not closed")
	case escaped:
		return nil, errors.New("it ends with a backslash")
	case open:
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("it is empty")
	}
	return words, nil
}
