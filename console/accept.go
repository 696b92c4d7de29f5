package console

import (
	"mime"
	"strconv"
	"strings"
)

// prefersJSON reports whether an Accept header would rather have JSON than a
// page. Where both are as welcome, the one that was named wins over the one
// that a wildcard lets in, as in "application/json, */*"; a page wins a tie.
func prefersJSON(accept []string) bool {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	json, html := welcome(ranges, "application", "json"), welcome(ranges, "text", "html")
	if json.weight != html.weight {
		return json.weight > html.weight
	}
	return json.weight > 0 && json.precision > html.precision
}

// regard is how welcome a media type is, and how precisely that was said.
type regard struct {
	weight    float64
	precision int
}

// welcome finds the most precise range that covers a type: that one decides.
func welcome(ranges []string, kind, subtype string) regard {
	var out regard
	for _, text := range ranges {
		pattern, params, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		precision := 0
		switch pattern {
		case kind + "/" + subtype:
			precision = 3
		case kind + "/*":
			precision = 2
		case "*/*":
			precision = 1
		}
		if precision <= out.precision {
			continue
		}
		out = regard{1, precision}
		if q, given := params["q"]; given {
			out.weight, _ = strconv.ParseFloat(q, 64) // a weight that is no number is none
		}
	}
	return out
}
