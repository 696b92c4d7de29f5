//go:build linux

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/worktest"
)

// What a hostile request may cost. The base is what the service holds after
// ordinary requests.
const (
	bodySize  = 1 << 20
	maxGrowth = 20 // times the body
)

// patient is a client with a long timeout, for large bodies.
var patient = &http.Client{Timeout: 2 * time.Minute}

// TestMemory sends the worst bodies to every route that takes one. They are made
// from the schemas of the OpenAPI document, so new routes and fields are tested
// too. The service must accept or refuse each, in the envelope of the route, and
// its memory must not grow by more than a small multiple of the body.
//
//atelier:norace
func TestMemory(t *testing.T) {
	worktest.NeedExhaustive(t)
	s := startMeasured(t)
	s.warmUp()
	t.Logf("warmed up: %d MB", s.base>>20)
	for _, r := range s.routes {
		var worst int64
		var how string
		for _, b := range hostileBodies(r.schema, bodySize) {
			grown := s.send(r, b.name, b.text) - s.base
			if grown > maxGrowth*bodySize { // earlier requests may have left garbage, or filled caches
				held := s.harmless()
				grown = s.send(r, b.name, b.text) - held
			}
			if grown > worst {
				worst, how = grown, b.name
			}
		}
		s.bounded(r.method+" "+r.path, how, worst, bodySize)
	}
	s.conversations()
	s.plans()
	s.settles()
}

// warmUp sends every route a body that it refuses at once, and those that store large records their hostile bodies,
// which fills the caches of the database. What the service holds then, garbage included, is its base.
func (s *measured) warmUp() {
	for _, body := range []string{`{}`, `[1,2,3]`, objects(4 << 10)} {
		for _, r := range s.routes {
			s.send(r, "warming up", []byte(body))
		}
	}
	for _, path := range []string{"/v1/replay/records", "/v1/responses"} {
		stores := s.route(path)
		for _, b := range hostileBodies(stores.schema, bodySize) {
			s.send(stores, "warming up", b.text)
		}
	}
	s.base = s.harmless()
}

// harmless is the peak of the service's memory during harmless requests, after others that let it collect its garbage.
func (s *measured) harmless() (peak int64) {
	for range 50 {
		s.send(s.chat(), "collecting garbage", harmless)
	}
	for range 50 {
		peak = max(peak, s.send(s.chat(), "a harmless body", harmless))
	}
	return peak
}

// harmless is a body that costs no more than its size.
var harmless = []byte(`{"model":"` + strings.Repeat("x", bodySize-20) + `"}`)

// bounded fails the test when a body made the service grow by too much.
func (s *measured) bounded(what, how string, grown int64, body int) {
	s.Helper()
	s.Logf("%-64s %6.1f MB sent, %6.1f MB more held, %4.1f times: %s", what, megabytes(int64(body)), megabytes(grown), float64(grown)/float64(body), how)
	if grown > maxGrowth*int64(body) {
		s.Errorf("%s: %s: %d bytes made the service grow by %d", what, how, body, grown)
	}
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

func (s *measured) chat() bodyRoute { return s.route("/v1/chat/completions") }

// route is the first route of a path.
func (s *measured) route(path string) bodyRoute {
	return s.routes[slices.IndexFunc(s.routes, func(r bodyRoute) bool { return r.path == path })]
}

// conversations sends large chat requests: 20 MB and 280 MB that are not media, in
// every field of a message, and many images.
func (s *measured) conversations() {
	const large = 20 << 20
	message := func(inside string) string { return `{"messages":[{"role":"user",` + inside + `}]}` }
	for _, b := range []struct{ name, text string }{
		{"content parts", message(`"content":` + objects(large))},
		{"tool calls", message(`"tool_calls":` + objects(large))},
		{"an image", message(`"content":[{"type":"image_url","image_url":` + objects(large) + `}]`)},
		{"messages", `{"messages":` + objects(large) + `}`},
		{"tools", `{"messages":[{"role":"user","content":"x"}],"tools":` + objects(large) + `}`},
		{"parameters of a tool", `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"x":` + objects(large) + `}}}]}`},
		{"a choice", `{"messages":[{"role":"user","content":"x"}],"tool_choice":` + objects(large) + `}`},
		{"words", message(`"content":"` + strings.Repeat("word ", large/5) + `"`)},
		{"words as media", message(`"content":"data:` + strings.Repeat("word ", large/5) + `"`)},
		{"links", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"` + strings.Repeat("[](http://a.png)", 4<<20/16-100) + `"},{"role":"user","content":"x"}]}`},
		{"many messages", `{"messages":` + fill(3<<20, "[", `{"role":"user","content":"x"},`, "]") + `}`},
		{"many parts", message(`"content":` + fill(3<<20, "[", `{"type":"text","text":"x"},`, "]"))},
		{"8 images", message(`"content":[` + strings.TrimSuffix(strings.Repeat(picture(10<<20)+",", 8), ",") + `]`)},
		{"280 MB of content parts", message(`"content":` + objects(280<<20))},
	} {
		s.settles()
		s.bounded("POST /v1/chat/completions", b.name, s.send(s.chat(), b.name, []byte(b.text))-s.base, len(b.text))
	}
}

// picture is a part that shows an image of size bytes.
func picture(size int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		panic(err)
	}
	b.Write(make([]byte, size-b.Len()))
	return `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"}}`
}

// plans starts workflows of a free tool with as many and as large media references
// as allowed, and lists them.
func (s *measured) plans() {
	i := slices.IndexFunc(s.routes, func(r bodyRoute) bool { return r.path == "/v1/creative-agent/workflows" })
	plan := func(references, size int) []byte {
		one := `{"kind":"image","url":"https://nosuch.invalid/x.png","x":` + objects(min(size, 200)) + `,"y":"` + strings.Repeat("y", size) + `"}`
		return []byte(`{"input":{"steps":[{"id":"a","toolName":"extract_metadata","arguments":{"sourceImageIndex":-1}}]},"media_references":[` +
			strings.TrimSuffix(strings.Repeat(one+",", references), ",") + `]}`)
	}
	s.settles()
	var peak int64
	refused := plan(1, 1900<<10)
	for range 60 {
		peak = max(peak, s.send(s.routes[i], "a large plan", refused))
	}
	s.bounded("POST /v1/creative-agent/workflows", "60 plans of 1.9 MB", peak-s.base, 60*len(refused)/maxGrowth)
	s.settles()
	sent := 0
	peak = 0
	for range 60 {
		body := plan(60, 3500)
		peak, sent = max(peak, s.send(s.routes[i], "a plan", body)), sent+len(body)
	}
	s.bounded("POST /v1/creative-agent/workflows", "60 plans as large as they may be", peak-s.base, sent)
	s.settles()
	before := max(s.base, s.memory("VmRSS")) // recently used plans are cached
	offset, pages, listed, answered := 0, 0, 0, 0
	for peak = 0; ; pages++ {
		s.forgetPeak()
		_, text, err := get(fmt.Sprintf("%s/v1/creative-agent/workflows?limit=100&offset=%d", s.process.URL, offset), s.key)
		if err != nil {
			s.Fatal(err)
		}
		peak, answered = max(peak, s.memory("VmHWM")), answered+len(text)
		var page struct {
			Data struct {
				Workflows []json.RawMessage
				Next      *int
			}
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			s.Fatal(err)
		}
		listed += len(page.Data.Workflows)
		if page.Data.Next == nil {
			break
		}
		offset = *page.Data.Next
	}
	s.bounded("GET /v1/creative-agent/workflows", fmt.Sprintf("%d listed in %d pages", listed, pages+1), peak-before, answered)
}

// settles waits until the service has released the memory of the load. It sends
// harmless requests meanwhile, so that the collector runs.
func (s *measured) settles() {
	s.Helper()
	deadline := time.Now().Add(patience)
	for s.memory("VmRSS") > s.base+32<<20 {
		if time.Now().After(deadline) {
			s.Errorf("%v after the load the service still holds %.0f MB, and held %.0f MB before", patience, megabytes(s.memory("VmRSS")), megabytes(s.base))
			return
		}
		s.send(s.chat(), "afterwards", harmless)
	}
}

// measured is a running service whose memory is watched.
type measured struct {
	*testing.T
	process *process
	key     string
	routes  []bodyRoute
	base    int64 // what it holds after harmless requests
}

// bodyRoute is a route that takes a body.
type bodyRoute struct {
	method, path string
	schema       map[string]any
}

// startMeasured builds the service as it is shipped, without the race detector, and
// starts it for an account that has neither money nor a plan.
func startMeasured(t *testing.T) *measured {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "atelier")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=") // the flags of make check compile quickly, not well
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	env := append(clean(), "ATELIER_WORKERS_EMBEDDED=false", "GOMEMLIMIT=128MiB", "ATELIER_LIMITS_ACTIVE_WORKFLOWS=1000000")
	for _, limit := range []string{
		"WORKFLOW_STARTS", "CHAT_RUN_STARTS", "LORA_READS", "LORA_IMPORTS", "CONFIRMS", "TEMPLATE_CHANGES", "LLM_REQUESTS", "TOOL_EXECUTIONS", "MEDIA_URLS", "ACCOUNT_READS", "PUBLIC_READS",
	} {
		env = append(env, "ATELIER_LIMITS_"+limit+"_PER_MINUTE=1000000")
	}
	create := exec.Command(program, "account", "create", "--worker", "--json", "--data", "d")
	create.Dir, create.Env = dir, env
	out, err := create.Output()
	if err != nil {
		t.Fatalf("account create: %v", err)
	}
	var account struct {
		Key string `json:"apiKey"`
	}
	if err := json.Unmarshal(out, &account); err != nil {
		t.Fatal(err)
	}
	p, err := launchCommand(exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--data", "d"), dir, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	if err := p.await(&p.stdout, "atelier is ready."); err != nil {
		t.Fatal(err)
	}
	p.URL = greetedURL.FindStringSubmatch(p.stdout.String())[1]
	s := &measured{T: t, process: p, key: account.Key}
	s.readRoutes()
	return s
}

// readRoutes finds the routes that take a body in the service's OpenAPI document.
func (s *measured) readRoutes() {
	_, text, err := get(s.process.URL+"/openapi.json", "")
	if err != nil {
		s.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody *struct {
				Content map[string]struct {
					Schema map[string]any `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		s.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			if op := document.Paths[path][method]; op.RequestBody != nil {
				if content, ok := op.RequestBody.Content["application/json"]; ok {
					s.routes = append(s.routes, bodyRoute{strings.ToUpper(method), path, content.Schema})
				}
			}
		}
	}
	if len(s.routes) < 15 {
		s.Fatalf("the document names %d routes with a body", len(s.routes))
	}
}

// memory reads a line of the status of the process: VmRSS or VmHWM, its peak.
func (s *measured) memory(name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		s.Fatalf("the service is gone: %v\n%s", err, &s.process.stderr)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				s.Fatal(err)
			}
			return n << 10
		}
	}
	s.Fatalf("the status has no %s", name)
	return 0
}

// forgetPeak makes the kernel reset the peak.
func (s *measured) forgetPeak() {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.process.Process.Pid), []byte("5"), 0); err != nil {
		s.Fatal(err)
	}
}

// send sends a body and returns the peak of the service's memory meanwhile.
func (s *measured) send(r bodyRoute, name string, body []byte) (peak int64) {
	s.Helper()
	s.forgetPeak()
	path := strings.NewReplacer("{", "", "}", "").Replace(r.path)
	req, err := http.NewRequest(r.method, s.process.URL+path, bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := patient.Do(req)
	if err != nil {
		s.Fatalf("%s %s: %s: %v", r.method, r.path, name, err)
	}
	answer, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		s.Fatalf("%s %s: %s: %v", r.method, r.path, name, err)
	}
	if resp.StatusCode >= 500 || (resp.StatusCode >= 400 && !bytes.HasPrefix(answer, []byte(envelopeOf(r.path)))) {
		s.Errorf("%s %s: %s: got %d %.200s", r.method, r.path, name, resp.StatusCode, answer)
	}
	return s.memory("VmHWM")
}

// envelopes are how errors begin, by the beginning of the path: in the form of OpenAI's API, of Anthropic's, of
// Replicate's, of AUTOMATIC1111's, and of the Model Context Protocol, whose library refuses what is not a message with
// a plain text.
var envelopes = []struct{ path, begins string }{
	{"/v1/chat/completions", `{"error":`}, {"/v1/images/", `{"error":`}, {"/v1/videos", `{"error":`}, {"/v1/files", `{"error":`}, {"/v1/audio/", `{"error":`},
	{"/v1/responses", `{"error":`}, {"/v1/completions", `{"error":`}, {"/v1/embeddings", `{"error":`}, {"/v1/moderations", `{"error":`}, {"/v1/messages", `{"type":"error"`}, {"/replicate/", `{"title":`}, {"/sdapi/", `{"error":`}, {"/mcp", ""},
}

func envelopeOf(path string) string {
	for _, e := range envelopes {
		if strings.HasPrefix(path, e.path) {
			return e.begins
		}
	}
	return `{"status":`
}

// forScalars names the hostile values for fields that take a string, a number or a
// boolean: such fields refuse all others in the same way.
var forScalars = []string{"objects", "a long number", "a long text"}

// hostileBody is a body that costs as much as it can.
type hostileBody struct {
	name string
	text []byte
}

func fill(size int, begin, each, end string) string {
	return begin + strings.Repeat(each, max(1, (size-len(begin)-len(end))/len(each))-1) + strings.TrimSuffix(each, ",") + end
}

func objects(size int) string { return fill(size, "[", "{},", "]") }

// members is an object of many members.
func members(size int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; b.Len() < size-20; i++ {
		fmt.Fprintf(&b, `"k%d":0,`, i)
	}
	b.WriteString(`"k":0}`)
	return b.String()
}

// hostileValues are the values that the test puts into a field.
func hostileValues(size int) map[string]string {
	return map[string]string{
		"objects":       objects(size),
		"arrays":        fill(size, "[", "[1],", "]"),
		"texts":         fill(size, "[", `"0123456789abcdef",`, "]"),
		"members":       members(size),
		"a long name":   `{"` + strings.Repeat("n", size-10) + `":0}`,
		"a long number": strings.Repeat("1", size),
		"a long text":   fill(size, `"`, `tt\u00e9`, `"`),
		"a data URI":    `"data:image/png;base64,` + strings.Repeat("A", size-30) + `"`,
		"deep":          strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"a few values":  fill(size/8, "[", strings.Repeat(`{"a":`, 40)+"0"+strings.Repeat("}", 40)+",", "]"),
	}
}

// hostileBodies puts every hostile value into every field of a schema.
func hostileBodies(schema map[string]any, size int) (out []hostileBody) {
	values := hostileValues(size - 2<<10)
	add := func(at string, scalar bool, wrap func(string) string) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if scalar && !slices.Contains(forScalars, name) {
				continue
			}
			out = append(out, hostileBody{name + " in " + at, []byte(wrap(values[name]))})
		}
	}
	add("the whole body", false, func(v string) string { return v })
	eachField(schema, "", func(v string) string { return v }, add)
	return out
}

// eachField calls add for every field below a schema, and for an unknown field.
// wrap makes a body of a value for the field, with all other required fields.
func eachField(schema map[string]any, at string, wrap func(string) string, add func(at string, scalar bool, wrap func(string) string)) {
	properties, _ := schema["properties"].(map[string]any)
	if schema["type"] == "array" {
		items, _ := schema["items"].(map[string]any)
		eachField(items, at+"[0]", func(v string) string { return wrap("[" + v + "]") }, add)
		return
	}
	if schema["type"] != "object" {
		return
	}
	for _, name := range append(slices.Sorted(maps.Keys(properties)), "another") {
		field, _ := properties[name].(map[string]any)
		if field["allOf"] != nil {
			continue // another spelling of the same
		}
		here := func(v string) string {
			parts := []string{strconv.Quote(name) + ":" + v}
			for _, other := range required(schema) {
				if other != name {
					parts = append(parts, strconv.Quote(other)+":"+example(properties[other]))
				}
			}
			return wrap("{" + strings.Join(parts, ",") + "}")
		}
		kind, _ := field["type"].(string)
		add(strings.TrimPrefix(at+"."+name, "."), kind != "" && kind != "array" && kind != "object", here)
		eachField(field, strings.TrimPrefix(at+"."+name, "."), here, add)
	}
}

func required(schema map[string]any) (names []string) {
	list, _ := schema["required"].([]any)
	for _, name := range list {
		names = append(names, name.(string))
	}
	return names
}

// example is a value that a schema takes.
func example(schema any) string {
	s, _ := schema.(map[string]any)
	if enum, ok := s["enum"].([]any); ok {
		text, _ := json.Marshal(enum[0])
		return string(text)
	}
	switch s["type"] {
	case "integer", "number":
		return "1"
	case "boolean":
		return "true"
	case "array":
		return "[" + example(s["items"]) + "]"
	case "object":
		properties, _ := s["properties"].(map[string]any)
		var parts []string
		for _, name := range required(s) {
			parts = append(parts, strconv.Quote(name)+":"+example(properties[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return `"x"`
}
