package catalog_test

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	v := shared.Version()
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(v) {
		t.Errorf("Version() = %q, want 64 hexadecimal digits", v)
	}
	again, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	if again.Version() != v {
		t.Errorf("two loads have versions %s and %s, want the same", v, again.Version())
	}
	if shared.UpdatedAt() == "" {
		t.Error("UpdatedAt() is empty")
	}
}

func TestEntryOnTheWire(t *testing.T) {
	t.Parallel()
	m, ok := shared.Model("minimax-h3-fl2va-fp8_i2v_turbo")
	if !ok {
		t.Fatal("no such model")
	}
	e := m.Entry
	e.Parameters, e.Weights = nil, nil
	got, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"minimax-h3-fl2va-fp8_i2v_turbo","sid":335,"name":"H3 Turbo Image to Video","mediaType":"video","tierId":"minimax-h3-turbo","tags":["new","fast","popular"],"attribution":null}`
	if string(got) != want {
		t.Errorf("entry\n got %s\nwant %s", got, want)
	}
	whole, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(whole), "selectors") || strings.Contains(string(whole), "Takes") {
		t.Errorf("a model publishes more than its entry: %s", whole)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	tests := []struct{ model, key, want string }{
		{"z_image_turbo_bf16", "type", `"image"`},
		{"z_image_turbo_bf16", "width", `{"default":1024,"max":2048,"min":256,"step":16}`},
		{"z_image_turbo_bf16", "costPerBaseRenderInUSD", `"0.008000"`},
		{"z_image_turbo_bf16", "costPerBaseRenderInSpark", `"1.600000"`},
		{"z_image_turbo_bf16", "aliases", `["z-turbo"]`},
		{"z_image_turbo_bf16", "steps", `{"default":8,"max":12,"min":4}`},
		{"gpt-image-2", "sizeConstraints", `{"maxAspectRatio":3,"maxEdge":3840,"maxPixels":8294400,"minPixels":655360,"multiple":16}`},
		{"gpt-image-2", "isExternalAPI", `true`},
		{"gpt-image-2", "premiumOnly", `true`},
		{"minimax-h3-fl2va-fp8_t2v", "duration", `{"default":5.167,"max":15.083,"min":5.167}`},
		{"minimax-h3-fl2va-fp8_t2v", "frames", `{"default":124,"max":362,"min":124,"step":17}`},
		{"minimax-h3-fl2va-fp8_t2v", "fps", `{"allowed":[24],"default":24}`},
		{"minimax-h3-ref2va-fp8_r2v", "referenceLimits", `{"audios":3,"images":9,"total":12,"videos":3}`},
		{"seedance-2-5", "referenceLimits", `{"audios":10,"images":30,"total":50,"videos":10}`},
		{"seedance-2-5", "supports", `{"imageAudioToVideo":true,"imageToVideo":true,"lastFrameExport":true,"textToVideo":true,"videoToVideo":true}`},
		{"ltx25-22b-int8_ia2v_distilled", "requiresStartingImage", `true`},
		{"ltx25-22b-int8_ia2v_distilled", "requiresReferenceAudio", `true`},
		{"minimax_music3", "duration", `{"ceiling":300,"default":30,"max":600,"min":10}`},
		{"qwen3_tts_1.7b_voice_bf16", "speaker", `{"allowed":["serena","vivian","uncle_fu","ryan","aiden","ono_anna","sohee","eric","dylan"],"default":"serena"}`},
	}
	for _, tt := range tests {
		m, ok := shared.Model(tt.model)
		if !ok {
			t.Errorf("no model %s", tt.model)
			continue
		}
		got, _ := json.Marshal(m.Parameters[tt.key])
		if string(got) != tt.want {
			t.Errorf("%s parameters.%s = %s, want %s", tt.model, tt.key, got, tt.want)
		}
	}
}

// Every media type but text has models, and every model has one of them.
func TestMediaTypes(t *testing.T) {
	t.Parallel()
	models := map[string]int{}
	for _, m := range shared.Models() {
		models[m.MediaType]++
	}
	for _, mt := range catalog.MediaTypes() {
		if models[mt] == 0 && mt != "text" {
			t.Errorf("no model has the media type %s", mt)
		}
		delete(models, mt)
	}
	if len(models) > 0 {
		t.Errorf("models have other media types: %v", models)
	}
	if _, ok := shared.Model("nope"); ok {
		t.Error("Model(nope) found something")
	}
}

func TestPlans(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(shared.Plans())
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"planId":"unlimited","tier":"unlimited","term":"monthly","interval":"month","priceUsd":20,"displayName":"Unlimited (Monthly)","vendorDiscountBps":500},` +
		`{"planId":"unlimited","tier":"unlimited","term":"annual","interval":"year","priceUsd":199,"displayName":"Unlimited (Annual)","vendorDiscountBps":500},` +
		`{"planId":"unlimited_pro","tier":"unlimited_pro","term":"monthly","interval":"month","priceUsd":50,"displayName":"Unlimited Pro (Monthly)","vendorDiscountBps":1000},` +
		`{"planId":"unlimited_pro","tier":"unlimited_pro","term":"annual","interval":"year","priceUsd":498,"displayName":"Unlimited Pro (Annual)","vendorDiscountBps":1000}]`
	if string(got) != want {
		t.Errorf("plans\n got %s\nwant %s", got, want)
	}
	pro := shared.PlansOf("unlimited_pro")
	if len(pro) != 2 || pro[0].Concurrency["h3-turbo"] != 4 || pro[0].Concurrency["h3-standard"] != 2 || pro[0].QueuedVideos != 24 {
		t.Errorf("unlimited_pro = %+v, want two terms with 4 turbo, 2 standard and 24 queued", pro)
	}
	classes := map[string]bool{}
	for _, m := range shared.Models() {
		classes[m.ConcurrencyClass] = true
	}
	for class := range pro[0].Concurrency {
		if !classes[class] {
			t.Errorf("plan limits %s, which no model belongs to", class)
		}
	}
	if f := shared.FreeSpark(); f.Grant != 400*atelier.MoneyUnit || f.Below != 800*atelier.MoneyUnit {
		t.Errorf("FreeSpark() = %+v, want 400 below 800", f)
	}
}

func TestWorkers(t *testing.T) {
	t.Parallel()
	var channels []string
	for _, r := range shared.Releases() {
		channels = append(channels, r.Channel)
		if r.ImageType == "" || r.LatestVersion == "" || !strings.HasPrefix(r.Repository, "ghcr.io/atelier-project/") || r.ReleasedAt == "" {
			t.Errorf("release %+v lacks a field", r)
		}
	}
	sameSet(t, "channels", channels, []string{"comfy", "comfy-spark", "llm", "flux", "sd"})
	tests := []struct{ name, cuda, want string }{
		{"comfy", "", "ghcr.io/atelier-project/worker-comfy:0.1.0-cuda12"},
		{"comfy", "13", "ghcr.io/atelier-project/worker-comfy:0.1.0-cuda13"},
		{"comfy", "11", "ghcr.io/atelier-project/worker-comfy:0.1.0-cuda12"},
		{"comfy-spark", "", "ghcr.io/atelier-project/worker-comfy-spark:0.1.0"},
		{"llm", "", "ghcr.io/atelier-project/worker-llm:0.1.0"},
	}
	for _, tt := range tests {
		i, ok := shared.WorkerImage(tt.name, tt.cuda)
		if !ok || i.String() != tt.want {
			t.Errorf("WorkerImage(%s, %s) = %v, want %s", tt.name, tt.cuda, i, tt.want)
		}
	}
	if _, ok := shared.WorkerImage("flux", ""); ok {
		t.Error("WorkerImage(flux) found something")
	}
}

func TestLLMFacts(t *testing.T) {
	t.Parallel()
	def := shared.LLMs()[0]
	if def.ID != "qwen3.6-35b-a3b-gguf-iq4xs" || def.ContextLength != 262144 || !def.Reasoning || !def.Vision || def.InputUSD != 300_000 || def.OutputUSD != 900_000 {
		t.Errorf("default language model = %+v", def)
	}
	if m, ok := shared.LLM("qwen3.5-35b-a3b-gguf-q4km"); !ok || m != def {
		t.Errorf("the retired id resolves to %v, want the default model", m)
	}
	if m, ok := shared.LLM("deepseek-v4-flash-vision-exp-dspark-1m"); !ok || m.ContextLength != 1048576 {
		t.Errorf("the 1M model = %+v", m)
	}
	if _, ok := shared.LLM("nope"); ok {
		t.Error("LLM(nope) found something")
	}
}

func TestGallery(t *testing.T) {
	t.Parallel()
	for _, s := range shared.Samples() {
		if _, err := fs.Stat(shared.Gallery(), s.File); err != nil {
			t.Errorf("sample of %s: %v", s.ModelID, err)
		}
		if s.PositivePrompt == "" {
			t.Errorf("sample %s has no prompt", s.File)
		}
	}
	if got := shared.SamplesOf("nope"); len(got) != 0 {
		t.Errorf("SamplesOf(nope) = %v, want none", got)
	}
}

// The schemas for language models list only what they need.
func TestFunction(t *testing.T) {
	t.Parallel()
	for _, tool := range shared.Tools() {
		full, compact := properties(t, tool.Function()), properties(t, tool.CompactFunction())
		for _, a := range tool.Arguments {
			if (a.Required || !a.Advanced) != full[a.Name] {
				t.Errorf("%s: %s is in the schema: %v", tool.Name, a.Name, full[a.Name])
			}
			if a.Required && !compact[a.Name] {
				t.Errorf("%s: %s is required and not in the compact schema", tool.Name, a.Name)
			}
		}
	}
	tool, _ := shared.Tool("extend_video")
	want := `{"properties":{` +
		`"duration":{"description":"Seconds to add.","maximum":30,"minimum":2,"type":"number"},` +
		`"keepOriginalAudio":{"type":"boolean"},` +
		`"prompt":{"description":"What happens next.","type":"string"},` +
		`"videoIndex":{"description":"The video: 0 up are results, -1 the first sent.","type":"integer"},` +
		`"videoModel":{"description":"Leave out unless the user names one.","enum":["ltx25","auto","ltx23","seedance2","seedance2-mini","seedance2-5"],"type":"string"}},` +
		`"required":["duration"],"type":"object"}`
	if got := string(tool.Function().Parameters); got != want {
		t.Errorf("extend_video schema\n got %s\nwant %s", got, want)
	}
	want = `{"properties":{"duration":{"type":"number"},"prompt":{"type":"string"},"videoIndex":{"type":"integer"}},"required":["duration"],"type":"object"}`
	if got := string(tool.CompactFunction().Parameters); got != want {
		t.Errorf("extend_video compact schema\n got %s\nwant %s", got, want)
	}
}

// properties are the names in the schema of a function.
func properties(t *testing.T, f catalog.Function) map[string]bool {
	t.Helper()
	var s struct {
		Type       string
		Properties map[string]map[string]any
		Required   []string
	}
	if err := json.Unmarshal(f.Parameters, &s); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if len(f.Description) < 12 || s.Type != "object" {
		t.Errorf("%s: %s %s is not an object schema with a description", f.Name, f.Description, f.Parameters)
	}
	out := map[string]bool{}
	for name := range s.Properties {
		out[name] = true
	}
	for _, name := range s.Required {
		if !out[name] {
			t.Errorf("%s requires %s, which it does not have", f.Name, name)
		}
	}
	return out
}
