package api

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/endpoint"
)

// No route takes an application and keeps it to itself.
func TestEverySourceIsLogged(t *testing.T) {
	t.Parallel()
	count := 0
	for _, rt := range (&Server{}).routes() {
		if rt.Handler.Request == nil {
			continue
		}
		takes := false
		for _, f := range reflect.VisibleFields(rt.Handler.Request) {
			takes = takes || strings.HasPrefix(f.Tag.Get("wire"), "app_source,")
		}
		if says := reflect.PointerTo(rt.Handler.Request).Implements(reflect.TypeFor[interface{ App() string }]()); takes != says {
			t.Errorf("%s %s: takes app_source %v, logs it %v", rt.Method, rt.Pattern, takes, says)
		}
		if takes {
			count++
		}
	}
	if count < 5 {
		t.Errorf("%d routes take app_source, want chat, tools, and start, resume and reseed of workflows", count)
	}
}

// Every endpoint with a version has a section of its own in the reference: what is left
// is for operators.
func TestEndpointsHaveASection(t *testing.T) {
	t.Parallel()
	for _, rt := range (&Server{}).routes() {
		has := slices.ContainsFunc(sections, func(section endpoint.Section) bool {
			return slices.ContainsFunc(section.Prefixes, func(prefix string) bool { return strings.HasPrefix(rt.Pattern, prefix) })
		})
		if strings.HasPrefix(rt.Pattern, "/v") && !has {
			t.Errorf("%s is under Operations", rt.Pattern)
		}
	}
}
