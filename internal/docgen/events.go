package main

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/atelier-project/atelier/apitype"
)

func eventsDocument() string {
	var b strings.Builder
	b.WriteString("# Events\n\n" + generated + `
The events of workflows and of chat runs, with the members of their payloads. A member in
italics may be absent. A client ignores events and members that it does not know. The shapes
named here are in the API reference at /docs and in the package ` + "`apitype`" + `.
`)
	events(&b, "Workflows", "`GET /v1/creative-agent/workflows/{id}/events` and its stream.", apitype.WorkflowEventKinds)
	events(&b, "Chat runs", "`GET /v1/chat/runs/{id}/events` and its stream. The stream also has frames that the log does not keep:\n"+
		"`run_status`, and `assistant_message_text` with what the model is writing. `content` follows that of\nthe frame before, or replaces it where `first` is true.", apitype.RunEventKinds)
	events(&b, "The account", "`GET /v1/events/stream`.", apitype.AccountEventKinds)
	return b.String()
}

func events(b *strings.Builder, title, about string, kinds []apitype.EventKind) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| event | when | payload |\n| --- | --- | --- |\n", title, about)
	for _, k := range kinds {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", k.Type, k.Doc, cmp.Or(strings.Join(memberNames(reflect.TypeOf(k.Payload)), ", "), "none"))
	}
}

// memberNames are the members of a struct with their types.
func memberNames(t reflect.Type) (out []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			out = append(out, memberNames(f.Type)...)
			continue
		}
		text := "`" + name + "`"
		if strings.Contains(opts, "omit") {
			text = "*" + text + "*"
		}
		if shape := shapeName(f.Type); shape != "" {
			text += " (" + shape + ")"
		}
		out = append(out, text)
	}
	return out
}

// shapeName is the name of the shape of a member; empty for texts and numbers.
func shapeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		if inner := shapeName(t.Elem()); inner != "" {
			return "list of " + inner
		}
		return "list"
	case reflect.Pointer:
		return shapeName(t.Elem())
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return ""
		}
		if n, ok := reflect.Zero(t).Interface().(interface{ Nullable() any }); ok {
			return shapeName(reflect.TypeOf(n.Nullable())) + " or null"
		}
		return t.Name()
	}
	return ""
}
