package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/worktest"
)

// answers are what a server says, by method and path. What it has not, it does
// not know.
type answers map[string]string

// What the servers that tell say about a model, as they say it.
var (
	vllm = answers{"GET /v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","object":"model","created":1763236800,"owned_by":"vllm",
		"root":"Qwen/Qwen3-8B","parent":null,"max_model_len":8192,"permission":[{"id":"modelperm-1","object":"model_permission","group":null}]},
		{"id":"sql-lora","object":"model","created":1763236800,"owned_by":"vllm","root":"/loras/sql","parent":"Qwen/Qwen3-8B","max_model_len":null,"permission":[]}]}`}
	llamacpp = answers{
		"GET /v1/models": `{"models":[{"name":"../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf","model":"../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf"}],
			"object":"list","data":[{"id":"../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf","object":"model","created":1735142223,"owned_by":"llamacpp",
			"meta":{"vocab_type":2,"n_vocab":128256,"n_ctx_train":131072,"n_embd":4096,"n_params":8030261312,"size":4912898304}}]}`,
		"GET /props": `{"default_generation_settings":{"id":0,"id_task":-1,"n_ctx":1024,"speculative":false,"is_processing":false,
			"params":{"n_predict":-1,"temperature":0.800000011920929}},"total_slots":4,"model_path":"../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf",
			"chat_template":"...","modalities":{"vision":false},"build_info":"b6000-1a2b3c"}`,
	}
	ollamaList   = `{"object":"list","data":[{"id":"llama3.1:latest","object":"model","created":1686935002,"owned_by":"library"}]}`
	ollamaLoaded = `{"models":[{"name":"llama3.1:latest","model":"llama3.1:latest","size":5137025024,"digest":"2ae6f6dd","details":{"format":"gguf","family":"llama"},
		"expires_at":"2025-10-17T16:47:07.93355-07:00","size_vram":5137025024,"context_length":4096}]}`
	ollamaShow = `{"license":"…","modelfile":"# Modelfile","parameters":"%sstop                           \"<|eot_id|>\"","template":"{{ .Prompt }}",
		"details":{"parent_model":"","format":"gguf","family":"llama","families":["llama"]},"model_info":{"general.architecture":"llama",
		"general.parameter_count":8030261248,"llama.context_length":131072,"llama.rope.freq_base":500000,"tokenizer.ggml.merges":null},"capabilities":["completion"]}`
)

// serve starts a server that gives answers, and checks what it is asked with.
func (a answers) serve(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer secret" {
			t.Errorf("%s %s: authorization %q", r.Method, r.URL.Path, got)
		}
		body, ok := a[r.Method+" "+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

func newTestUpstream(t *testing.T, base, own string, configured int, log io.Writer) *Upstream {
	t.Helper()
	u := NewUpstream(UpstreamOptions{
		Name: "local", BaseURL: base, APIKey: "secret", IDs: map[string]string{"m": own}, Contexts: map[string]int{"m": configured},
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	t.Cleanup(u.Close)
	return u
}

// The context of a model is what its server serves, or what is configured where
// that is less. A larger one that is configured is warned of.
func TestContextsOfServers(t *testing.T) {
	t.Parallel()
	ollama := func(ps, parameters string) answers {
		return answers{"GET /v1/models": ollamaList, "GET /api/ps": ps, "POST /api/show": fmt.Sprintf(ollamaShow, parameters)}
	}
	const none = `{"models":[]}`
	for _, tc := range []struct {
		name       string
		says       answers
		own        string
		configured int
		want       int
		warned     string
	}{
		{name: "vLLM", says: vllm, own: "Qwen/Qwen3-8B", want: 8192},
		{name: "vLLM, configured less", says: vllm, own: "Qwen/Qwen3-8B", configured: 4096, want: 4096},
		{name: "vLLM, configured more", says: vllm, own: "Qwen/Qwen3-8B", configured: 32768, want: 8192, warned: "set context_length to 8192 or less, or raise --max-model-len on the server"},
		{name: "an adapter of vLLM", says: vllm, own: "sql-lora", want: 8192},
		{name: "another model of vLLM", says: vllm, own: "other", configured: 100, want: 100},
		{name: "llama.cpp", says: llamacpp, own: "any", want: 1024},
		{name: "llama.cpp, configured more", says: llamacpp, own: "any", configured: 4096, want: 1024, warned: "--ctx-size"},
		{name: "Ollama, loaded", says: ollama(ollamaLoaded, ""), own: "llama3.1", want: 4096},
		{name: "Ollama, loaded, configured more", says: ollama(ollamaLoaded, ""), own: "Llama3.1:latest", configured: 32768, want: 4096, warned: "OLLAMA_CONTEXT_LENGTH"},
		{name: "Ollama, set by the Modelfile", says: ollama(none, `num_ctx                        8192\n`), own: "llama3.1", configured: 9000, want: 8192, warned: "num_ctx"},
		{name: "Ollama, more than it was made for", says: ollama(none, `num_ctx                        1.048576e+06\n`), own: "llama3.1", want: 131072},
		{name: "Ollama, loaded with less than the Modelfile sets", says: ollama(ollamaLoaded, `num_ctx                        8192\n`), own: "llama3.1", want: 4096},
		{name: "Ollama, an odd list", says: ollama(`{"models":[{"model":7,"context_length":"x"}]}`, `num_ctx                        8192\n`), own: "llama3.1", want: 8192},
		{name: "Ollama, not loaded", says: ollama(none, ""), own: "llama3.1", want: 4096},
		{name: "Ollama, not loaded, configured", says: ollama(none, ""), own: "llama3.1", configured: 32768, want: 32768},
		{name: "Ollama, not loaded, configured beyond the model", says: ollama(none, ""), own: "llama3.1", configured: 200000, want: 131072, warned: "131072"},
		{name: "Ollama, another model", says: answers{"GET /v1/models": ollamaList, "GET /api/ps": ollamaLoaded}, own: "mistral", configured: 9000, want: 9000},
		{name: "Ollama's cloud", says: answers{"GET /v1/models": ollamaList, "GET /api/ps": none,
			"POST /api/show": `{"remote_host":"https://ollama.com:443","remote_model":"gpt-oss:120b","model_info":{"general.architecture":"gptoss","gptoss.context_length":131072}}`}, own: "gpt-oss:120b-cloud", want: 131072},
		{name: "a server that does not tell", says: answers{"GET /v1/models": `{"object":"list","data":[{"id":"m","object":"model"}]}`}, configured: 9000, want: 9000},
		{name: "pages for everything", says: answers{"GET /v1/models": "<html>", "GET /props": "<html>", "GET /api/ps": "<html>"}, configured: 9000, want: 9000},
		{name: "one answer for everything", says: answers{"GET /v1/models": `{"data":[]}`, "GET /props": `{"data":[]}`, "GET /api/ps": `{"data":[]}`, "POST /api/show": `{"data":[]}`}, want: 0},
		{name: "odd types", says: answers{"GET /v1/models": `{"data":[{"id":7,"max_model_len":[]},{"id":"m","max_model_len":4096.0}]}`}, want: 4096},
		{name: "a model without a name", says: answers{"GET /v1/models": `{"data":[{"max_model_len":4096}]}`}, configured: 9000, want: 9000},
		{name: "not a context", says: answers{"GET /v1/models": `{"data":[{"id":"m","max_model_len":-1}]}`, "GET /props": `{"default_generation_settings":{"n_ctx":0}}`}, configured: 9000, want: 9000},
		{name: "no context either", says: answers{"GET /v1/models": `{"data":[{"id":"m","max_model_len":1e300}]}`}, configured: 9000, want: 9000},
		{name: "another shape", says: answers{"GET /v1/models": `[]`, "GET /props": `null`, "GET /api/ps": `"x"`, "POST /api/show": `7`}, configured: 9000, want: 9000},
		{name: "without an end", says: answers{"GET /v1/models": `{"data":[{"id":"m","max_model_len":4096}],"x":"` + strings.Repeat("x", 2*maxFacts) + `"}`}, configured: 9000, want: 9000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			u := newTestUpstream(t, tc.says.serve(t).URL+"/v1", tc.own, tc.configured, &log)
			for range 2 { // what has not changed is not said again
				if err := u.readContexts(t.Context(), rereadNow); err != nil {
					t.Fatal(err)
				}
			}
			if got := u.ContextLength("m"); got != tc.want {
				t.Errorf("the context is %d, want %d", got, tc.want)
			}
			warnings := strings.Count(log.String(), "level=WARN")
			if want := min(len(tc.warned), 1); warnings != want || !strings.Contains(log.String(), tc.warned) {
				t.Errorf("%d warnings, want %d that say %q:\n%s", warnings, want, tc.warned, log.String())
			}
			if want := fmt.Sprintf("upstream=local model=m configured=%d served=%d", tc.configured, tc.want); warnings > 0 && !strings.Contains(log.String(), want) {
				t.Errorf("the warning says\n%s\nwant %s", log.String(), want)
			}
		})
	}
}

// A model of several servers has the least context of any that is known.
func TestContextOfSeveralServers(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	reporting := newTestUpstream(t, vllm.serve(t).URL+"/v1", "Qwen/Qwen3-8B", 0, &log)
	silent := newTestUpstream(t, answers{}.serve(t).URL+"/v1", "", 0, &log)
	configured := newTestUpstream(t, answers{}.serve(t).URL+"/v1", "", 16384, &log)
	models, err := NewModels([]Model{{ID: "m", ContextLength: 32768, Completer: NewRouter(silent, reporting, configured)}, {ID: "other", ContextLength: 1000}}, "")
	if err != nil {
		t.Fatal(err)
	}
	lengths := func() []int {
		found, _ := models.Find("m")
		first, _ := models.Default()
		all := models.All()
		return []int{found.ContextLength, first.ContextLength, all[0].ContextLength, all[1].ContextLength}
	}
	if got := fmt.Sprint(lengths()); got != "[16384 16384 16384 1000]" {
		t.Errorf("before a server is asked: %s", got)
	}
	if err := errors.Join(reporting.readContexts(t.Context(), rereadNow), silent.readContexts(t.Context(), rereadNow)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(lengths()); got != "[8192 8192 8192 1000]" {
		t.Errorf("afterwards: %s", got)
	}
}

// A server that leads elsewhere is not followed: the key is for it alone. One
// that cannot answer keeps what it reported before.
func TestContextsStayWithTheServer(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s went elsewhere with %v", r.Method, r.URL, r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	var status int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case status == http.StatusFound:
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		case status != 0:
			w.WriteHeader(status)
		default:
			_, _ = io.WriteString(w, vllm["GET /v1/models"])
		}
	}))
	t.Cleanup(s.Close)
	var log bytes.Buffer
	u := newTestUpstream(t, s.URL+"/v1", "Qwen/Qwen3-8B", 0, &log)
	for _, step := range []struct {
		status int
		fails  bool
		want   int
	}{{0, false, 8192}, {http.StatusServiceUnavailable, true, 8192}, {http.StatusTooManyRequests, true, 8192}, {http.StatusFound, false, 0}, {0, false, 8192}} {
		status = step.status
		err := u.readContexts(t.Context(), rereadNow)
		if got := u.ContextLength("m"); got != step.want || (err != nil) != step.fails {
			t.Errorf("status %d: the context is %d, want %d; %v", status, got, step.want, err)
		}
	}
	if n := strings.Count(log.String(), "no longer reports"); n != 1 {
		t.Errorf("that the server does not tell any more is said %d times:\n%s", n, log.String())
	}
}

// A server that lists its models but loads one still says no more of it than
// before, and is asked again.
func TestContextsOfALoadingServer(t *testing.T) {
	t.Parallel()
	loading := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if loading && r.URL.Path == "/props" {
			http.Error(w, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, llamacpp[r.Method+" "+r.URL.Path])
	}))
	t.Cleanup(s.Close)
	u := newTestUpstream(t, s.URL+"/v1", "any", 0, io.Discard)
	for _, loading = range []bool{false, true, false} {
		if err := u.readContexts(t.Context(), rereadNow); (err != nil) != loading || u.ContextLength("m") != 1024 {
			t.Errorf("loading %v: the context is %d, want 1024; %v", loading, u.ContextLength("m"), err)
		}
	}
}

// roundTrip is a server without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The server is asked at once, sooner again when it fails, from time to time, and
// when it is back after an outage.
func TestContextsAreReadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var asked []time.Duration
		begun, length := time.Now(), 0
		u := newTestUpstream(t, "http://models/v1", "", 0, io.Discard)
		u.facts.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, time.Since(begun))
			if length == 0 {
				return nil, errors.New("connection refused")
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"data":[{"id":"m","max_model_len":%d}]}`, length)))}, nil
		})
		expect := func(want ...time.Duration) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if fmt.Sprint(asked) != fmt.Sprint(want) {
				t.Errorf("asked after %v, want %v", asked, want)
			}
			asked = nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go u.Run(ctx)
		time.Sleep(time.Minute)
		expect(0, 5*time.Second, 15*time.Second, 35*time.Second)
		mu.Lock()
		length = 4096
		mu.Unlock()
		time.Sleep(30 * time.Minute)
		expect(75*time.Second, 75*time.Second+contextInterval, 75*time.Second+2*contextInterval)
		if n := u.ContextLength("m"); n != 4096 {
			t.Errorf("the context is %d, want 4096", n)
		}
		mu.Lock()
		length = 2048
		mu.Unlock()
		for range tolerated {
			u.breaker.failed()
		}
		u.breaker.succeeded()
		expect(31 * time.Minute)
		if n := u.ContextLength("m"); n != 2048 {
			t.Errorf("after an outage the context is %d, want 2048", n)
		}
	})
}

// FuzzContexts feeds a server's answers: a context that makes sense or none.
func FuzzContexts(f *testing.F) {
	f.Add(vllm["GET /v1/models"], "x", "x", "x")
	f.Add(llamacpp["GET /v1/models"], llamacpp["GET /props"], "x", "x")
	f.Add(ollamaList, "x", ollamaLoaded, fmt.Sprintf(ollamaShow, `num_ctx 8192\n`))
	f.Fuzz(func(t *testing.T, list, props, ps, show string) {
		says := map[string]string{"/v1/models": list, "/props": props, "/api/ps": ps, "/api/show": show}
		u := newTestUpstream(t, "http://models/v1", "llama3.1", 0, io.Discard)
		u.facts.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(says[r.URL.Path]))}, nil
		})
		worktest.Limit(t, len(list)+len(props)+len(ps)+len(show), worktest.Bound{Base: 1 << 20, PerByte: 512}, func() {
			if err := u.readContexts(t.Context(), rereadNow); err != nil {
				t.Error(err)
			}
		})
		if n := u.ContextLength("m"); n != 0 && (n < minContext || n > maxContext) {
			t.Errorf("a context of %d", n)
		}
	})
}
