package api

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

// describe writes the OpenAPI 3.1 document of a route table.
func describe(table []route, publicURL, version string) []byte {
	d := &wire.Describer{Prefix: "#/components/schemas/", Definitions: map[string]wire.Schema{}, Schemas: template.WireSchemas}
	paths := map[string]map[string]any{}
	for i := range table {
		rt := &table[i]
		path := openPattern(rt.pattern)
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(rt.method)] = operation(d, rt)
	}
	for _, f := range []any{failure{}, llmFailure{}, bareFailure{}} {
		d.Reply(reflect.TypeOf(f))
	}
	doc, err := wire.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "atelier", "version": version,
			"description": "A self-hosted creative generation service: one API over your own GPUs and language models.",
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []any{map[string]any{"url": publicURL}},
		"tags":    tags(table),
		"paths":   paths,
		"components": map[string]any{
			"schemas": d.Definitions,
			"securitySchemes": map[string]any{
				"bearer": map[string]any{"type": "http", "scheme": "bearer", "description": "An API key (a UUID) or a session token (a JWT)."},
				"legacy": map[string]any{"type": "apiKey", "in": "header", "name": "api-key", "description": "The legacy header for the same credentials."},
			},
		},
	})
	if err != nil {
		panic(fmt.Sprintf("api: the OpenAPI document: %v", err)) // our own types
	}
	return doc
}

var wildcard = regexp.MustCompile(`\{(\w+)(\.\.\.)?\}`)

// openPattern writes a mux pattern as OpenAPI does.
func openPattern(pattern string) string { return wildcard.ReplaceAllString(pattern, "{$1}") }

func operation(d *wire.Describer, rt *route) map[string]any {
	op := map[string]any{
		"operationId": operationID(rt),
		"summary":     rt.about,
		"tags":        []string{tagOf(rt.pattern)},
		"responses":   responses(d, rt),
		"security":    security(rt.who),
	}
	var params []any
	for _, m := range wildcard.FindAllStringSubmatch(rt.pattern, -1) {
		param := map[string]any{"name": m[1], "in": "path", "required": true, "schema": wire.Schema{"type": "string"}, "example": idExample}
		for _, p := range rt.handler.paths {
			if p.name == m[1] && p.example != "" {
				param["example"] = p.example
			}
		}
		params = append(params, param)
	}
	if rt.key != ignored {
		params = append(params, map[string]any{"name": "Idempotency-Key", "in": "header", "schema": wire.Schema{"type": "string"},
			"description": "A key of your choice for one intended action: a repeated request with the same key returns the result of the first. `X-Idempotency-Key` is an alias."})
	}
	if rt.handler.cached {
		params = append(params, map[string]any{"name": "If-None-Match", "in": "header", "schema": wire.Schema{"type": "string"},
			"description": "The ETag of an earlier response."})
	}
	if rt.handler.request != nil {
		shape := wire.ShapeOf(rt.handler.request, rt.names)
		if rt.method == "GET" || rt.method == "DELETE" {
			for _, p := range d.Parameters(shape) {
				params = append(params, p)
			}
		} else if !shape.Empty() {
			op["requestBody"] = map[string]any{"content": requestContent(d, shape)}
		}
	}
	if kind := rt.handler.takes; kind != "" {
		op["requestBody"] = map[string]any{"content": map[string]any{kind: fileExamples[kind]}}
	}
	if params != nil {
		op["parameters"] = params
	}
	if spends(rt) {
		op["x-spends"] = true
	}
	return op
}

// spends reports whether a call may spend money of the account, at once or later. A run
// that cannot be paid for is accepted and ends with the error.
func spends(rt *route) bool {
	return slices.Contains(rt.handler.fails, atelier.KindPaymentRequired) || rt.limit == runStarts || strings.HasSuffix(rt.pattern, "/resume")
}

// requestContent is the body of a request, with a valid example.
func requestContent(d *wire.Describer, shape *wire.Shape) map[string]any {
	kind := map[string]any{"schema": d.Request(shape)}
	if text := shape.Example(); text != "" {
		kind["example"] = wire.Raw(text)
	}
	return map[string]any{"application/json": kind}
}

func operationID(rt *route) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(rt.method))
	for part := range strings.FieldsFuncSeq(rt.pattern, func(c rune) bool { return strings.ContainsRune("/{}.-", c) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func security(who access) []any {
	if who == public {
		return []any{}
	}
	return []any{map[string]any{"bearer": []string{}}, map[string]any{"legacy": []string{}}}
}

func responses(d *wire.Describer, rt *route) map[string]any {
	out := map[string]any{strconv.Itoa(rt.status): map[string]any{"description": "Success", "content": successContent(d, rt)}}
	if rt.handler.cached {
		out["304"] = map[string]any{"description": "The response named by If-None-Match is still current."}
	}
	if rt.handler.content == anyFile && rt.method == "GET" {
		out["206"] = map[string]any{"description": "The requested range.", "content": content(anyFile, wire.Schema{})}
		out["304"] = map[string]any{"description": "The file has not changed."}
	}
	fail := func(kinds ...atelier.Kind) {
		for _, k := range kinds {
			out[strconv.Itoa(Status(k))] = map[string]any{
				"description": failureDescriptions[k],
				"content":     content("application/json", wire.Schema{"$ref": d.Prefix + failureSchema(rt.format, k)}),
			}
		}
	}
	fail(atelier.KindInternal, atelier.KindUnavailable)
	if rt.handler.request != nil {
		fail(atelier.KindInvalid)
	}
	if rt.method != "GET" && rt.method != "DELETE" {
		fail(atelier.KindTooLarge, atelier.KindUnsupportedMedia)
	}
	if rt.who != public {
		fail(atelier.KindUnauthenticated, atelier.KindForbidden)
	}
	if rt.who != public || rt.limit != unlimited {
		fail(atelier.KindTooMany)
	}
	if wildcard.MatchString(rt.pattern) {
		fail(atelier.KindNotFound)
	}
	fail(rt.handler.fails...)
	for _, status := range rt.handler.also {
		out[strconv.Itoa(status)] = map[string]any{"description": "Success", "content": successContent(d, rt)}
	}
	if rt.key != ignored && rt.status != 200 {
		out["200"] = map[string]any{"description": "The result of an earlier request with the same key.", "content": successContent(d, rt)}
	}
	if strings.HasSuffix(rt.pattern, "/claim") {
		out["204"] = map[string]any{"description": "No job was available in time."}
	}
	return out
}

var failureDescriptions = map[atelier.Kind]string{
	atelier.KindInvalid:          "The body or query is not valid; the message names the field.",
	atelier.KindUnauthenticated:  "The credential is missing or not valid.",
	atelier.KindPaymentRequired:  "The balance is too low.",
	atelier.KindForbidden:        "This credential may not do that.",
	atelier.KindNotFound:         "It does not exist, or it is not yours.",
	atelier.KindConflict:         "The state of the resource does not allow it.",
	atelier.KindGone:             "It has expired.",
	atelier.KindUnprocessable:    "A template does not validate or compile.",
	atelier.KindPrecondition:     "It already exists.",
	atelier.KindBusy:             "Another request is changing it.",
	atelier.KindTooLarge:         "The body is too large.",
	atelier.KindUnsupportedMedia: "The body is not JSON.",
	atelier.KindTooMany:          "Too many requests; wait as long as Retry-After says.",
	atelier.KindInternal:         "The service failed.",
	atelier.KindUnavailable:      "A part of the service is not available now.",
	atelier.KindUpstream:         "The model server failed.",
	atelier.KindUpstreamTimeout:  "The model server did not answer in time.",
}

func failureSchema(f format, k atelier.Kind) string {
	switch {
	case f == openAI:
		return "LlmFailure"
	case f == shared && k == atelier.KindTooMany:
		return "BareFailure"
	}
	return "Failure"
}

func successContent(d *wire.Describer, rt *route) map[string]any {
	if rt.handler.content != "" {
		return content(rt.handler.content, wire.Schema{})
	}
	schema := d.Reply(rt.handler.reply)
	if rt.format == standard || rt.format == shared || rt.format == doubled {
		data := schema
		schema = wire.Schema{
			"type":     "object",
			"required": []string{"status", "data"},
			"properties": wire.Schema{
				"status": wire.Schema{"type": "string", "const": "success"},
				"data":   data,
			},
		}
		if r, ok := reflect.Zero(rt.handler.reply).Interface().(hasMetadata); ok {
			schema["properties"].(wire.Schema)["metadata"] = d.Reply(reflect.TypeOf(r.metadata()))
		}
		if rt.format == doubled {
			schema["allOf"] = []any{data}
		}
	}
	out := content("application/json", schema)
	if rt.handler.streams {
		out[eventStream] = map[string]any{"schema": wire.Schema{"type": "string"}}
	}
	return out
}

func content(kind string, schema wire.Schema) map[string]any {
	return map[string]any{kind: map[string]any{"schema": schema}}
}

// tagOf is the section of the reference for an endpoint.
func tagOf(pattern string) string {
	for _, g := range tagGroups {
		for _, prefix := range g.prefixes {
			if strings.HasPrefix(pattern, prefix) {
				return g.name
			}
		}
	}
	return "Operations"
}

var tagGroups = []struct {
	name     string
	about    string
	prefixes []string
}{
	{"Account and usage", "Identity, balance, plan and usage.", []string{"/v2/account", "/v4/account", "/v1/subscriptions", "/v2/wallet"}},
	{"Keys and ledger", "API keys, session tokens, and every change of the balance.", []string{"/v1/account"}},
	{"Console sessions", "How the web console signs in: a cookie and the header Atelier-Console, which work only together and for its own pages.", []string{"/v1/console"}},
	{"Media and image URLs", "Signed uploads and downloads.", []string{"/v2/media", "/v2/image", "/storage"}},
	{"Saved assets", "Uploads that are kept for reuse.", []string{"/v1/assets"}},
	{"Workflow templates", "Saved plans with declared inputs.", []string{"/v1/creative-agent/workflows/templates"}},
	{"Creative workflows", "Durable workflows of media tools, with an event log.", []string{"/v1/creative-agent/workflows"}},
	{"Library", "What workflows have made.", []string{"/v1/artifacts"}},
	{"Events of an account", "What changes of an account, in one stream.", []string{"/v1/events"}},
	{"Network", "Connected workers, their jobs and the queues.", []string{"/v1/network"}},
	{"Projects", "Submitted generations.", []string{"/v2/projects"}},
	{"Workers", "The protocol between the service and programs that render.", []string{"/v1/worker/sessions"}},
	{"Worker analytics", "What workers have done, by UTC day and over the lifetime. Public.", []string{"/v1/analytics", "/v1/model-renders"}},
	{"Model discovery", "Models, tools, demand, samples and releases. Public.", []string{"/v1/model-", "/v1/tool-", "/v1/worker", "/v1/loras/comfy"}},
	{"Personal LoRAs", "LoRA files that an account imports for its own renders.", []string{"/v1/loras/personal"}},
	{"Chat completions", "Conversations with models that can make media.", []string{"/v1/chat/completions"}},
	{"Durable chat runs", "Turns of a conversation that outlive a connection, pause for money and survive a crash.", []string{"/v1/chat/runs"}},
	{"Conversations", "The chat runs of a session together.", []string{"/v1/chat/conversations"}},
	{"Direct tool execution", "Composition and planning tools that answer at once.", []string{"/v1/creative-agent/tools"}},
	{"Replay records", "What runs of an agent did, as its client recorded it.", []string{"/v1/replay"}},
	{"Language models", "The models that chat completions take.", []string{"/v1/models"}},
	{"Operators", "The installation: accounts, workers, jobs, LoRAs and reviews. These need an API key of an account with the operator role.", []string{"/v1/operator"}},
	{"Operations", "Health, metrics and this document.", nil},
}

func tags(table []route) []any {
	used := map[string]bool{}
	for i := range table {
		used[tagOf(table[i].pattern)] = true
	}
	out := []any{}
	for _, g := range tagGroups {
		if used[g.name] {
			out = append(out, map[string]any{"name": g.name, "description": g.about})
		}
	}
	return out
}
