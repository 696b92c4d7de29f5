package endpoint

import (
	"net/http"
	"net/url"
	"strings"
)

// tree finds the handler of a path, segment by segment: a literal segment wins over a
// wildcard, and {name...} matches what no other pattern does. The mux of net/http refuses
// two patterns when neither is more specific, such as templates/{id} and {id}/events; here
// the first segment that differs decides.
type tree struct {
	literal map[string]*tree
	any     *tree // {name}
	handler http.Handler
	rest    http.Handler // {name...}
	names   []string     // names of the wildcards on the way to handler
	tail    []string     // and to rest
}

// add adds a handler for a pattern.
func (t *tree) add(pattern string, h http.Handler) {
	var names []string
	for segment := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
		name, wild := strings.CutPrefix(segment, "{")
		if !wild {
			if t.literal == nil {
				t.literal = map[string]*tree{}
			}
			if t.literal[segment] == nil {
				t.literal[segment] = &tree{}
			}
			t = t.literal[segment]
			continue
		}
		name = strings.TrimSuffix(name, "}")
		if name, all := strings.CutSuffix(name, "..."); all {
			t.rest, t.tail = h, append(names, name)
			return
		}
		names = append(names, name)
		if t.any == nil {
			t.any = &tree{}
		}
		t = t.any
	}
	t.handler, t.names = h, names
}

// find returns the handler of an escaped path, and the names and values of its
// wildcards.
func (t *tree) find(path string) (http.Handler, []string, []string) {
	return t.walk(strings.TrimPrefix(path, "/"), nil)
}

func (t *tree) walk(path string, values []string) (http.Handler, []string, []string) {
	segment, rest, more := strings.Cut(path, "/")
	if next := t.literal[segment]; next != nil {
		if h, names, found := next.step(rest, more, values); h != nil {
			return h, names, found
		}
	}
	if t.any != nil && segment != "" {
		if value, err := url.PathUnescape(segment); err == nil {
			if h, names, found := t.any.step(rest, more, append(values, value)); h != nil {
				return h, names, found
			}
		}
	}
	if t.rest != nil {
		if value, err := url.PathUnescape(path); err == nil {
			return t.rest, t.tail, append(values, value)
		}
	}
	return nil, nil, nil
}

// step continues below a segment, or ends at it.
func (t *tree) step(rest string, more bool, values []string) (http.Handler, []string, []string) {
	if more {
		return t.walk(rest, values)
	}
	return t.handler, t.names, values
}

// ServeHTTP serves a request with the handler of its path, or with other.
func (t *tree) serve(w http.ResponseWriter, r *http.Request, other http.HandlerFunc) {
	h, names, values := t.find(r.URL.EscapedPath())
	if h == nil {
		other(w, r)
		return
	}
	for i, name := range names {
		r.SetPathValue(name, values[i])
	}
	h.ServeHTTP(w, r)
}
