package apitype_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

var all = slices.Concat(apitype.WorkflowEventKinds, apitype.RunEventKinds, apitype.AccountEventKinds)

// Every type of event that the root package declares has one payload.
func TestEveryEventHasAPayload(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../event.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, m := range regexp.MustCompile(`EventType = "(\w+)"`).FindAllSubmatch(source, -1) {
		declared = append(declared, string(m[1]))
	}
	var known []string
	for _, k := range all {
		known = append(known, string(k.Type))
	}
	slices.Sort(declared)
	slices.Sort(known)
	if len(declared) == 0 || !slices.Equal(declared, known) {
		t.Errorf("declared are %q, and the tables have %q", declared, known)
	}
}

// filled is a value whose texts, numbers and lists are not empty. Texts say where they are.
func filled(v reflect.Value, at string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(at)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), at)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0), at)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"member": "text"}))
	case reflect.Interface:
		v.Set(reflect.ValueOf("text"))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				filled(v.Field(i), f.Name)
			}
		}
	}
}

// A payload is read as it was written, and the URLs of stored files in it are mapped, wherever
// they are.
func TestPayloads(t *testing.T) {
	t.Parallel()
	for _, k := range all {
		v := reflect.New(reflect.TypeOf(k.Payload)).Elem()
		filled(v, "")
		want := v.Interface().(atelier.Payload)
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := apitype.ReadPayload(k.Type, text, json.Unmarshal)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", k.Type, got, err, want)
		}
		mapped, err := json.Marshal(apitype.MapURLs(want, func(string) string { return "signed" }))
		if err != nil {
			t.Fatal(err)
		}
		urls := strings.Count(string(text), `"URL"`) + strings.Count(string(text), `"PreviewURL"`) + strings.Count(string(text), `"Images"`) + strings.Count(string(text), `"Videos"`) +
			strings.Count(string(text), `"Audio"`) + strings.Count(string(text), `"Uploaded`)
		if k.Type == atelier.EventCallProgress {
			urls = 0 // it has one that is signed when it is stored
		}
		if n := strings.Count(string(mapped), `"signed"`); n != urls {
			t.Errorf("%s: %d URLs are mapped, want %d: %s", k.Type, n, urls, mapped)
		}
	}
}

// A client reads events of a newer service.
func TestAnUnknownEvent(t *testing.T) {
	t.Parallel()
	const text = `{"sequence":3,"type":"step_danced","at":"2026-01-31T12:00:00Z","payload":{"n":1},"id":"run_1:3","runId":"run_1"}`
	var e apitype.RunEvent
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	if p, ok := e.Payload.(apitype.OtherPayload); !ok || p.Type != "step_danced" || p.Members["n"] != 1.0 || e.Sequence != 3 || e.RunID != "run_1" {
		t.Errorf("got %+v", e)
	}
	if again, err := json.Marshal(e); err != nil || string(again) != text {
		t.Errorf("got %s, %v", again, err)
	}
}
