package api

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
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

// Every endpoint with a version has its own section in the reference: what is left
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

// withoutSpace are the requests that change something and are taken when the disk is almost
// full, with the reason.
var withoutSpace = map[string]string{
	"POST /v1/account/keys":                                     "few small rows; a key that was stolen has to be replaced",
	"PATCH /v1/account/keys/{id}":                               "replaces a name",
	"POST /v1/account/tokens":                                   "stores nothing",
	"PATCH /v1/account/members/{id}":                            "replaces a role and a budget",
	"PATCH /v1/console/session":                                 "few small rows, in the place of others",
	"POST /v1/console/sessions":                                 "few small rows; without a session the user cannot delete anything",
	"POST /v1/assets/{id}/finalize":                             "the upload was admitted",
	"POST /v1/artifacts/delete":                                 "deletes",
	"PATCH /v1/chat/conversations/{sessionId}":                  "replaces a name",
	"PATCH /v1/library/boards/{id}":                             "replaces a name",
	"PATCH /v1/webhooks/{id}":                                   "replaces an address",
	"POST /v1/webhooks/{id}/rotate-secret":                      "replaces a secret",
	"POST /v1/creative-agent/tools/execute":                     "stores its payment alone",
	"POST /sdapi/v1/png-info":                                   "stores nothing",
	"POST /sdapi/v1/interrupt":                                  "cancels",
	"POST /sdapi/v1/skip":                                       "cancels",
	"POST /sdapi/v1/options":                                    "one small row an account",
	"POST /v1/moderations":                                      "stores nothing",
	"POST /v1/audio/transcriptions":                             "stores its payment alone",
	"POST /v1/audio/translations":                               "stores its payment alone",
	"POST /v1/completions":                                      "stores its payment alone",
	"POST /v1/embeddings":                                       "stores its payment alone",
	"POST /v1/messages":                                         "stores its payment alone",
	"POST /v1/messages/count_tokens":                            "stores nothing",
	"POST /v1/creative-agent/workflows/estimate":                "stores nothing",
	"POST /v1/creative-agent/workflows/templates/validate":      "stores nothing",
	"POST /v1/creative-agent/workflows/{id}/cancel":             "cancels",
	"POST /v1/chat/runs/{id}/cancel":                            "cancels",
	"POST /v1/responses/{id}/cancel":                            "cancels",
	"POST /replicate/v1/predictions/{id}/cancel":                "cancels",
	"POST /v1/creative-agent/workflows/{id}/resume":             "was accepted before",
	"POST /v1/creative-agent/workflows/{id}/confirm-cost":       "was accepted before, and declines too",
	"POST /v1/chat/runs/{id}/confirm-cost":                      "was accepted before, and declines too",
	"POST /v1/subscriptions/worker/earnings/claim":              "stores a payment alone",
	"POST /v1/worker/sessions":                                  "delivers what was ordered",
	"POST /v1/worker/sessions/{workerId}/claim":                 "delivers what was ordered",
	"POST /v1/worker/sessions/{workerId}/heartbeat":             "delivers what was ordered",
	"POST /v1/worker/sessions/{workerId}/jobs/{jobId}/progress": "delivers what was ordered",
	"POST /v1/worker/sessions/{workerId}/jobs/{jobId}/complete": "delivers what was ordered",
	"POST /v1/worker/sessions/{workerId}/jobs/{jobId}/fail":     "delivers what was ordered",
	"POST /storage":                                             "package media decides by the key: results are taken, uploads are not",
	"PUT /storage/{key...}":                                     "package media decides by the key: results are taken, uploads are not",
}

// Every request that may store something is marked in the table, or has a reason not to, so
// that a new one is not forgotten when the disk is almost full. Operators are trusted.
func TestStoringRoutesAreMarked(t *testing.T) {
	t.Parallel()
	excused := 0
	for _, rt := range (&Server{storage: func(http.ResponseWriter, *http.Request, string) error { return nil }}).routes() {
		name := rt.Method + " " + rt.Pattern
		stores := rt.Handler.Storage != endpoint.StoresNothing
		why := withoutSpace[name]
		if why != "" {
			excused++
		}
		switch changes := rt.Method == "POST" || rt.Method == "PUT" || rt.Method == "PATCH"; {
		case stores && (why != "" || rt.Method == "DELETE"):
			t.Errorf("%s is refused without space, although it %s", name, cmp.Or(why, "deletes"))
		case changes && !stores && why == "" && rt.Access != endpoint.OperatorOnly:
			t.Errorf("%s changes something: say what it stores in the table, or why it needs no space in this test", name)
		}
	}
	if excused != len(withoutSpace) {
		t.Errorf("%d of %d routes with a reason are in the table", excused, len(withoutSpace))
	}
}

// Every endpoint with a credential has groups, for keys that are limited to some, and says whether it changes
// something and which role a member needs: testdata/key_groups.txt lists them, so that none is chosen by accident. What
// the table names is there.
func TestKeyGroupsOfRoutes(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	paths, exceptions := map[string]bool{}, map[string]bool{}
	for _, rt := range (&Server{}).table() {
		exceptions[rt.Pattern] = true
		exceptions[rt.Method+" "+rt.Pattern] = true
		for path := range keyGroups {
			if rt.Pattern == path || strings.HasPrefix(rt.Pattern, path+"/") {
				paths[path] = true
			}
		}
		if rt.Access == endpoint.Public {
			continue
		}
		groups, reads := rt.Handler.Groups()
		if groups != nil && len(groups) == 0 {
			t.Errorf("%s %s is in no group: name its path in keyGroups", rt.Method, rt.Pattern)
		}
		names := "any"
		for i, g := range groups {
			if names += "," + string(g); i == 0 {
				names = string(g)
			}
		}
		does := "changes"
		if reads {
			does = "reads"
		}
		fmt.Fprintln(&got, rt.Method, strings.ReplaceAll(rt.Pattern, "...", ""), does, names, rt.Handler.Least())
	}
	for path := range keyGroups {
		if !paths[path] {
			t.Errorf("there is no endpoint at or below %s", path)
		}
	}
	for _, set := range []map[string]bool{forAnyKey, readsByPost, changesByGet, byMembers} {
		for pattern := range set {
			if !exceptions[pattern] {
				t.Errorf("there is no endpoint %s", pattern)
			}
		}
	}
	want, err := os.ReadFile("testdata/key_groups.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("testdata/key_groups.txt has other lines: check them, and replace it by\n%s", got.String())
	}
}
