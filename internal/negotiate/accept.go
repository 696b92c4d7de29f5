// Package negotiate chooses the form of an answer by what a client accepts, and compresses
// what many clients get.
//
//atelier:sequential
package negotiate

import (
	"bytes"
	"compress/gzip"
	"mime"
	"strconv"
	"strings"
)

// PrefersJSON reports whether an Accept header prefers JSON to a page. With equal
// weights, a type that is named wins over one that a wildcard matches, as in
// "application/json, */*"; otherwise the page wins.
func PrefersJSON(accept []string) bool {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	json, html := preferenceFor(ranges, "application", "json"), preferenceFor(ranges, "text", "html")
	if json.weight != html.weight {
		return json.weight > html.weight
	}
	return json.weight > 0 && json.precision > html.precision
}

// PrefersGzip reports whether an Accept-Encoding header prefers gzip to plain content. With
// equal weights it does. A client that names neither accepts plain content only.
func PrefersGzip(accept []string) bool {
	gzip, wildcard, identity := -1.0, 0.0, 0.0
	for _, header := range accept {
		for text := range strings.SplitSeq(header, ",") {
			name, rest, _ := strings.Cut(text, ";")
			weight := 1.0
			if rest = strings.TrimSpace(rest); len(rest) >= 2 && strings.EqualFold(rest[:2], "q=") {
				weight, _ = strconv.ParseFloat(rest[2:], 64) // an invalid weight is 0
			}
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "gzip"):
				gzip = weight
			case strings.EqualFold(name, "identity"):
				identity = weight
			case name == "*":
				wildcard = weight
			}
		}
	}
	if gzip < 0 {
		gzip = wildcard
	}
	return gzip > 0 && gzip >= identity
}

// Compress compresses what many clients get, so it takes its time.
func Compress(body []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return bytes.Clone(out.Bytes())
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
