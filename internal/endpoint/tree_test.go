package endpoint

import (
	"net/http"
	"strings"
	"testing"
)

type named string

func (named) ServeHTTP(http.ResponseWriter, *http.Request) {}

func TestTree(t *testing.T) {
	t.Parallel()
	var root tree
	for _, p := range []string{"/a", "/a/{id}", "/a/{id}/events", "/a/templates", "/a/templates/{id}", "/a/templates/{id}/fork", "/m/{id...}", "/m", "/x/{a}/y/{b}"} {
		root.add(p, named(p))
	}
	for path, want := range map[string]string{
		"/a": "/a ", "/a/1": "/a/{id} id=1", "/a/1/events": "/a/{id}/events id=1", "/a/templates": "/a/templates ",
		"/a/templates/events": "/a/templates/{id} id=events", "/a/templates/1/fork": "/a/templates/{id}/fork id=1",
		"/a/templates/1/events": "", "/a/": "", "/a//events": "", "/b": "", "/": "",
		"/m": "/m ", "/m/x": "/m/{id...} id=x", "/m/x/y%2Fz": "/m/{id...} id=x/y/z", "/m/": "/m/{id...} id=",
		"/a/x%2Fy": "/a/{id} id=x/y", "/a/%zz": "", "/x/1/y/2": "/x/{a}/y/{b} a=1 b=2", "/x/1/y": "",
	} {
		h, names, values := root.find(path)
		got := ""
		if h != nil {
			var parts []string
			for i, n := range names {
				parts = append(parts, n+"="+values[i])
			}
			got = string(h.(named)) + " " + strings.Join(parts, " ")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
