package console

import (
	"mime"
	"strconv"
	"strings"
)

// prefersJSON reports whether an Accept header prefers JSON to a page. With equal
// weights, a type that is named wins over one that a wildcard matches, as in
// "application/json, */*"; otherwise the page wins.
func prefersJSON(accept []string) bool {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	json, html := preferenceFor(ranges, "application", "json"), preferenceFor(ranges, "text", "html")
	if json.weight != html.weight {
		return json.weight > html.weight
	}
	return json.weight > 0 && json.precision > html.precision
}

// prefersGzip reports whether an Accept-Encoding header prefers gzip to plain content. With
// equal weights it does. A client that names neither accepts plain content only.
func prefersGzip(accept []string) bool {
	weights := map[string]float64{}
	for text := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, rest, _ := strings.Cut(text, ";")
		weight := 1.0
		if q, given := strings.CutPrefix(strings.ToLower(strings.TrimSpace(rest)), "q="); given {
			weight, _ = strconv.ParseFloat(q, 64) // an invalid weight is 0
		}
		weights[strings.ToLower(strings.TrimSpace(name))] = weight
	}
	gzip, ok := weights["gzip"]
	if !ok {
		gzip = weights["*"]
	}
	return gzip > 0 && gzip >= weights["identity"]
}

// preference is the weight of a media type, and the precision of the range that
// gives it.
type preference struct {
	weight    float64
	precision int
}

// preferenceFor finds the most precise range that matches a type: that one decides.
func preferenceFor(ranges []string, kind, subtype string) preference {
	var out preference
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
		out = preference{1, precision}
		if q, given := params["q"]; given {
			out.weight, _ = strconv.ParseFloat(q, 64) // an invalid weight is 0
		}
	}
	return out
}
