package endpoint

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// Reference is what the OpenAPI document adds to the route table.
type Reference struct {
	Schemas     map[reflect.Type]wire.Schema // of types that describe themselves
	Unions      map[reflect.Type]wire.Union  // of the types of replies whose members depend on one of them
	Requests    map[reflect.Type]wire.Union  // the same of requests
	Definitions map[string]wire.Schema       // that others refer to
	Sections    []Section                    // in their order; the last has the endpoints of no other
	Files       map[string]any               // the bodies with files, by content type
}

// Section is a section of the reference: the endpoints whose paths begin with a prefix.
type Section struct {
	Name     string
	About    string
	Prefixes []string
}

// idExample is the id in the sample of a path, of something that the reader does not have.
// An id that is no UUID is declared with its own example.
const idExample = "3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"

// describer describes the endpoints of a table.
type describer struct {
	wire.Describer
	reference Reference
	failures  map[Format]func(*atelier.Error) any
}

// SchemaPrefix is what a reference to a definition begins with.
const SchemaPrefix = "#/components/schemas/"

// Describe writes the OpenAPI 3.1 document of a route table.
func Describe(c Config, table []Route) []byte {
	r := c.Reference()
	d := &describer{
		Describer: wire.Describer{Prefix: SchemaPrefix, Definitions: map[string]wire.Schema{}, Schemas: r.Schemas, Unions: r.Unions, Requests: r.Requests},
		reference: r,
		failures:  c.Failures,
	}
	maps.Copy(d.Definitions, r.Definitions)
	paths := map[string]map[string]any{}
	for i := range table {
		rt := &table[i]
		path := openPattern(rt.Pattern)
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(rt.Method)] = d.operation(rt)
	}
	doc, err := wire.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "atelier", "version": c.Version,
			"description": "A self-hosted creative generation service: one API over your own GPUs and language models.",
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"contact":     map[string]any{"name": "The atelier project", "url": "https://github.com/atelier-project/atelier"},
		},
		"servers": []any{map[string]any{"url": c.PublicURL}},
		"tags":    r.tags(table),
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
		panic(fmt.Sprintf("endpoint: the OpenAPI document: %v", err)) // our own types
	}
	return doc
}

var wildcard = regexp.MustCompile(`\{(\w+)(\.\.\.)?\}`)

// openPattern writes a mux pattern as OpenAPI does.
func openPattern(pattern string) string { return wildcard.ReplaceAllString(pattern, "{$1}") }

func (d *describer) operation(rt *Route) map[string]any {
	op := map[string]any{
		"operationId": operationID(rt),
		"summary":     rt.About,
		"description": rt.description(),
		"tags":        []string{d.reference.section(rt.Pattern)},
		"responses":   d.responses(rt),
		"security":    security(rt.Access),
	}
	var params []any
	for _, m := range wildcard.FindAllStringSubmatch(rt.Pattern, -1) {
		param := map[string]any{"name": m[1], "in": "path", "required": true, "schema": wire.Schema{"type": "string"}, "example": idExample}
		for _, p := range rt.Handler.paths {
			if p.name == m[1] && p.example != "" {
				param["example"] = p.example
			}
		}
		params = append(params, param)
	}
	if rt.Key != NoKey {
		params = append(params, map[string]any{"name": "Idempotency-Key", "in": "header", "schema": wire.Schema{"type": "string"},
			"description": "A key of your choice for one intended action: a repeated request with the same key returns the result of the first. `X-Idempotency-Key` is an alias."})
	}
	if rt.Handler.cached {
		params = append(params, map[string]any{"name": "If-None-Match", "in": "header", "schema": wire.Schema{"type": "string"},
			"description": "The ETag of an earlier response."})
	}
	if rt.Handler.Request != nil {
		shape := wire.ShapeOf(rt.Handler.Request, rt.Names)
		if rt.Handler.readsQuery(rt.Method) {
			for _, p := range d.Parameters(shape) {
				params = append(params, p)
			}
		} else if !shape.Empty() {
			op["requestBody"] = map[string]any{"content": d.requestContent(shape)}
		}
	}
	if rt.Handler.takes == FormData && rt.Handler.Request != nil {
		op["requestBody"] = map[string]any{"content": d.formContent(rt)}
	} else if kind := rt.Handler.takes; kind != "" {
		op["requestBody"] = map[string]any{"content": map[string]any{kind: d.reference.Files[kind]}}
	}
	if params != nil {
		op["parameters"] = params
	}
	if rt.spends() {
		op["x-spends"] = true
	}
	return op
}

// requestContent is the body of a request, with a valid example.
func (d *describer) requestContent(shape *wire.Shape) map[string]any {
	kind := map[string]any{"schema": d.Request(shape)}
	if text := shape.Example(); text != "" {
		kind["example"] = wire.Raw(text)
	}
	return map[string]any{"application/json": kind}
}

// formContent is the body of a form: its texts and its files.
func (d *describer) formContent(rt *Route) map[string]any {
	properties := wire.Schema{}
	files := wire.Schema{"type": "object", "properties": properties}
	for i, f := range rt.Handler.files {
		name, optional := strings.CutSuffix(f, "?")
		properties[name] = wire.Schema{"type": "string", "format": "binary"}
		if i == 0 && !optional {
			files["required"] = []string{name}
		}
	}
	shape := wire.ShapeOf(rt.Handler.Request, rt.Names)
	kind := map[string]any{"schema": wire.Schema{"allOf": []any{d.Request(shape), files}}}
	if text := shape.Example(); text != "" {
		kind["example"] = wire.Raw(text)
	}
	return map[string]any{FormData: kind}
}

// description says what the table has beside the summary: who may call an endpoint, what
// counts its calls, and what they cost.
func (rt *Route) description() string {
	parts := []string{callers[rt.Access]}
	if counts := counting[rt.Limit]; counts != "" {
		parts = append(parts, "It counts against the limit of "+counts+".")
	}
	if rt.spends() {
		parts = append(parts, "It can spend from the balance.")
	}
	if rt.Key != NoKey {
		parts = append(parts, "A repeated request with the same Idempotency-Key has the result of the first.")
	}
	if rt.Handler.cached {
		parts = append(parts, "The answer has an ETag, and may be kept for as long as Cache-Control says.")
	}
	if len(rt.Handler.frames) > 0 {
		parts = append(parts, "The answer is a stream of server-sent events.")
	}
	return strings.Join(parts, " ")
}

func (rt *Route) spends() bool {
	return rt.Handler.spends || slices.Contains(rt.Handler.fails, atelier.KindPaymentRequired)
}

// callers say which credential an endpoint needs.
var callers = map[Access]string{
	Public:        "No credential is needed.",
	Authenticated: "It needs an API key or a session token.",
	APIKeyOnly:    "It needs an API key.",
	WorkerOnly:    "It needs an API key of an account with the worker role.",
	OperatorOnly:  "It needs an API key of an account with the operator role.",
}

// counting says what a rate limit counts. The limits are settings of the service.
var counting = map[LimitClass]string{
	PublicReads: "public reads of the client's address", AccountReads: "requests of the account", LLMRequests: "requests to language models of the account",
	MediaURLs: "signed URLs of the account", WorkflowStarts: "started workflows of the account", RunStarts: "started chat runs of the account",
	ToolExecutions: "tool executions of the account", TemplateChanges: "changes of the account", Credentials: "changes of credentials of the key and address",
	Confirms: "confirmations of the account", LoraReads: "LoRA reads of the account", LoraImports: "LoRA imports of the account",
	WorkerConnects: "connections of workers of the account",
}

func operationID(rt *Route) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(rt.Method))
	for part := range strings.FieldsFuncSeq(rt.Pattern, func(c rune) bool { return strings.ContainsRune("/{}.-", c) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func security(who Access) []any {
	if who == Public {
		return []any{}
	}
	return []any{map[string]any{"bearer": []string{}}, map[string]any{"legacy": []string{}}}
}

func (d *describer) responses(rt *Route) map[string]any {
	out := map[string]any{strconv.Itoa(rt.Status): map[string]any{"description": "Success", "content": d.successContent(rt)}}
	if rt.Handler.cached {
		out["304"] = map[string]any{"description": "The response named by If-None-Match is still current."}
	}
	if rt.Handler.content == AnyFile && rt.Method == "GET" {
		out["206"] = map[string]any{"description": "The requested range.", "content": content(AnyFile, wire.Schema{})}
		out["304"] = map[string]any{"description": "The file has not changed."}
	}
	fail := func(kinds ...atelier.Kind) {
		for _, k := range kinds {
			out[strconv.Itoa(rt.Format.Status(k))] = map[string]any{
				"description": failureDescriptions[k],
				"content":     content("application/json", d.Reply(d.failure(rt.Format, k))),
			}
		}
	}
	fail(atelier.KindInternal, atelier.KindUnavailable)
	if rt.Handler.Request != nil {
		fail(atelier.KindInvalid)
	}
	if rt.Method != "GET" && rt.Method != "DELETE" {
		fail(atelier.KindTooLarge, atelier.KindUnsupportedMedia)
	}
	if rt.Access != Public {
		fail(atelier.KindUnauthenticated, atelier.KindForbidden)
	}
	if rt.Access != Public || rt.Limit != Unlimited {
		fail(atelier.KindTooMany)
	}
	if wildcard.MatchString(rt.Pattern) {
		fail(atelier.KindNotFound)
	}
	fail(rt.Handler.fails...)
	for _, status := range rt.Handler.also {
		out[strconv.Itoa(status)] = map[string]any{"description": "Success", "content": d.successContent(rt)}
	}
	if rt.Key != NoKey && rt.Status != 200 {
		out["200"] = map[string]any{"description": "The result of an earlier request with the same key.", "content": d.successContent(rt)}
	}
	if rt.Handler.nothing != "" {
		out["204"] = map[string]any{"description": rt.Handler.nothing}
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
	atelier.KindUnsupportedMedia: "The body has another content type than the endpoint takes.",
	atelier.KindTooMany:          "Too many requests; wait as long as Retry-After says.",
	atelier.KindInternal:         "The service failed.",
	atelier.KindUnavailable:      "A part of the service is not available now.",
	atelier.KindUpstream:         "The model server failed.",
	atelier.KindUpstreamTimeout:  "The model server did not answer in time.",
}

// failure is the type of the envelope of an error.
func (d *describer) failure(f Format, k atelier.Kind) reflect.Type {
	own := d.failures[f]
	switch {
	case own != nil:
		return reflect.TypeOf(own(atelier.Errorf(atelier.CodeInternal, "")))
	case f == Shared && k == atelier.KindTooMany:
		return reflect.TypeFor[bareFailure]()
	}
	return reflect.TypeFor[failure]()
}

func (d *describer) successContent(rt *Route) map[string]any {
	if rt.Handler.content != "" {
		schema := wire.Schema{}
		if len(rt.Handler.frames) > 0 {
			var frames []any
			for _, t := range rt.Handler.frames {
				frames = append(frames, d.Reply(t))
			}
			schema = wire.Schema{"description": "The data of each event.", "anyOf": frames}
		}
		return content(rt.Handler.content, schema)
	}
	schema := d.Reply(rt.Handler.reply)
	if rt.Format == Standard || rt.Format == Shared || rt.Format == Doubled {
		data := schema
		schema = wire.Schema{
			"type":     "object",
			"required": []string{"status", "data"},
			"properties": wire.Schema{
				"status": wire.Schema{"type": "string", "const": "success"},
				"data":   data,
			},
		}
		if r, ok := reflect.Zero(rt.Handler.reply).Interface().(hasMetadata); ok {
			schema["properties"].(wire.Schema)["metadata"] = d.Reply(reflect.TypeOf(r.Metadata()))
		}
		if rt.Format == Doubled {
			schema["allOf"] = []any{data}
		}
	}
	out := content("application/json", schema)
	if rt.Handler.streams {
		out[eventStreamType] = map[string]any{"schema": wire.Schema{"type": "string"}}
	}
	return out
}

func content(kind string, schema wire.Schema) map[string]any {
	return map[string]any{kind: map[string]any{"schema": schema}}
}

// section is the section of an endpoint.
func (r Reference) section(pattern string) string {
	for _, section := range r.Sections {
		for _, prefix := range section.Prefixes {
			if strings.HasPrefix(pattern, prefix) {
				return section.Name
			}
		}
	}
	return r.Sections[len(r.Sections)-1].Name
}

// tags are the sections that have endpoints.
func (r Reference) tags(table []Route) []any {
	used := map[string]bool{}
	for i := range table {
		used[r.section(table[i].Pattern)] = true
	}
	out := []any{}
	for _, section := range r.Sections {
		if used[section.Name] {
			out = append(out, map[string]any{"name": section.Name, "description": section.About})
		}
	}
	return out
}
