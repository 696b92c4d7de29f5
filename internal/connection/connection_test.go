package connection_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const secret = "the secret of this installation"

// newEngine makes an engine whose servers all answer with no model, unless the test says
// otherwise.
func newEngine(t *testing.T, db *store.DB, set ...func(*connection.Options)) *connection.Engine {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := connection.Options{
		Secrets: []string{secret}, Config: config.Default(), Now: func() time.Time { now = now.Add(time.Second); return now },
		VendorKey: func(config.Vendor) (string, error) { return "", nil },
		Check:     func(connection.Entry) error { return nil },
		CheckFolder: func(dir string) error {
			if dir == "/away" {
				return errors.New("there is no folder /away")
			}
			return nil
		},
		Probe:   func(context.Context, connection.Entry) (connection.Found, error) { return connection.Found{}, nil },
		Ping:    func(context.Context, connection.Entry) error { return nil },
		Changed: func(context.Context) {},
	}
	for _, f := range set {
		f(&o)
	}
	e, err := connection.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func nothing(*store.Tx, connection.Entry) error { return nil }

func llmAt(url string, models ...string) apitype.ConnectionSettings {
	s := &apitype.LLMConnection{BaseURL: url}
	for _, id := range models {
		s.Models = append(s.Models, apitype.LLMModel{ID: id})
	}
	return apitype.ConnectionSettings{LLM: s}
}

func comfyAt(dir string) apitype.ConnectionSettings {
	return apitype.ConnectionSettings{ComfyUI: &apitype.ComfyUIConnection{BaseURL: "http://c", ModelsDir: dir}}
}

// A folder of models is looked at when it is given, and not again: one that is away keeps nothing
// else from being changed or used.
func TestModelsDir(t *testing.T) {
	t.Parallel()
	away := false
	e := newEngine(t, storetest.Open(t, storetest.SQLite(t)), func(o *connection.Options) {
		o.CheckFolder = func(string) error {
			if away {
				return errors.New("there is no folder")
			}
			return nil
		}
	})
	made, err := e.Create(t.Context(), apitype.NewConnection{Name: "rig", ConnectionSettings: comfyAt("/opt/ComfyUI")}, nothing)
	if err != nil || made.ComfyUI.ModelsDir != "/opt/ComfyUI" {
		t.Fatalf("got %+v, %v", made, err)
	}
	away = true
	name := "gpu"
	if _, err := e.Update(t.Context(), made.ConnectionID, apitype.ConnectionChange{Name: &name, ConnectionSettings: comfyAt("/opt/ComfyUI")}, nothing); err != nil {
		t.Errorf("another name: %v", err)
	}
	if used, _, err := e.Used(t.Context()); err != nil || !slices.ContainsFunc(used, func(u connection.Entry) bool { return u.Name == name }) {
		t.Errorf("used: %+v, %v", used, err)
	}
	if _, err := e.Update(t.Context(), made.ConnectionID, apitype.ConnectionChange{ConnectionSettings: comfyAt("/srv/ComfyUI")}, nothing); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
		t.Errorf("another folder: %v", err)
	}
}

// names lists connections as kind/name, with ! before those that are not used.
func names(t *testing.T, e *connection.Engine) (out []string) {
	t.Helper()
	list, err := e.List(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list.Connections {
		name := fmt.Sprintf("%s/%s from %s", c.Kind, c.Name, c.From)
		if c.Problem != nil {
			name = "!" + name
		}
		out = append(out, name)
	}
	return out
}

// The configuration file wins over a stored connection, which wins over a default.
func TestTheFileWins(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		e := newEngine(t, db)
		hub := apitype.ConnectionSettings{LoraSource: &apitype.LoraSourceConnection{Site: "huggingface", Host: "HuggingFace.co", BaseURL: "https://mirror.example"}}
		for _, n := range []apitype.NewConnection{
			{Name: "local", ConnectionSettings: llmAt("http://127.0.0.1:1/v1", "mine")},
			{Name: "other", ConnectionSettings: llmAt("http://127.0.0.1:1/v1", "theirs")},
			{ConnectionSettings: hub},
		} {
			if _, err := e.Create(t.Context(), n, nothing); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"lora_source/civitai.com from default", "llm/local from database", "llm/other from database", "lora_source/huggingface.co from database"}
		if got := names(t, e); !slices.Equal(got, want) {
			t.Errorf("without a file: %q", got)
		}

		fixed := newEngine(t, db, func(o *connection.Options) {
			o.Config.LLM.Upstreams = []config.Upstream{{Name: "local", BaseURL: "http://me:hunter2@127.0.0.1:2/v1", Models: []config.UpstreamModel{{ID: "theirs", Vision: true}}}}
			o.Config.Lora.Sources = []config.LoraSource{{Kind: "huggingface", Host: "HuggingFace.co", BaseURL: "https://other.example"}}
		})
		want = []string{
			"llm/local from file", "lora_source/huggingface.co from file",
			"!llm/local from database", // its name is in the file
			"!llm/other from database", // its model has other settings there
			"!lora_source/huggingface.co from database",
		}
		if got := names(t, fixed); !slices.Equal(got, want) {
			t.Errorf("with a file: %q", got)
		}
		shown, err := fixed.List(t.Context(), false)
		if text := fmt.Sprintf("%+v %+v", shown.Connections[0], shown.Connections[0].LLM); err != nil || strings.Contains(text, "hunter2") || !strings.Contains(text, "127.0.0.1:2") {
			t.Errorf("a password of the file is shown: %s, %v", text, err)
		}
		used, _, err := fixed.Used(t.Context())
		if err != nil || len(used) != 2 {
			t.Errorf("used: %+v, %v", used, err)
		}
		if _, err := fixed.Create(t.Context(), apitype.NewConnection{Name: "local", ConnectionSettings: llmAt("http://127.0.0.1:1", "new")}, nothing); !atelier.HasCode(err, atelier.CodeNameTaken) {
			t.Errorf("a name of the file: %v", err)
		}
		for _, c := range []string{"file-llm-0", "file-lora_source-1"} {
			if _, err := fixed.Delete(t.Context(), c, nothing); !atelier.HasCode(err, atelier.CodeWrongState) || !strings.Contains(err.Error(), "in the configuration file") {
				t.Errorf("removing %s: %v", c, err)
			}
		}
	})
}

// What is wrong with a connection is refused with the field, as the file is.
func TestRefusals(t *testing.T) {
	t.Parallel()
	e := newEngine(t, storetest.Open(t, storetest.SQLite(t)), func(o *connection.Options) {
		o.Check = func(e connection.Entry) error {
			if e.Kind == apitype.ConnectionComfyUI {
				return errors.New(`models[0]: "m" is not a model`)
			}
			return nil
		}
		o.Probe = func(_ context.Context, e connection.Entry) (connection.Found, error) {
			if strings.Contains(e.BaseURL(), "full") {
				return connection.Found{}, nil
			}
			return connection.Found{}, errors.New("no server answers")
		}
	})
	if _, err := e.Create(t.Context(), apitype.NewConnection{Name: "first", ConnectionSettings: llmAt("http://a/v1", "m")}, nothing); err != nil {
		t.Fatal(err)
	}
	negative := llmAt("http://a/v1", "x")
	negative.LLM.Models[0].PriceInput = -1
	clash := llmAt("http://b/v1", "m")
	clash.LLM.Models[0].Vision = true
	params := llmAt("http://b/v1", "n")
	params.LLM.ExtraParams = []string{"max_tokens"}
	both := llmAt("http://b/v1", "n")
	both.ComfyUI = &apitype.ComfyUIConnection{}
	vendor := func(change func(*apitype.VendorConnection)) apitype.ConnectionSettings {
		v := &apitype.VendorConnection{Protocol: "openai-images", BaseURL: "https://v.example", Models: []apitype.RenderedModel{{ID: "m"}}}
		change(v)
		return apitype.ConnectionSettings{Vendor: v}
	}
	for want, n := range map[string]apitype.NewConnection{
		"Give exactly one of":                    {},
		"Give exactly one of llm":                {ConnectionSettings: both},
		"llm.baseUrl must be an http":            {ConnectionSettings: llmAt("127.0.0.1:8000", "n")},
		"llm.baseUrl must not hold a user":       {ConnectionSettings: llmAt("http://ann:pw@a", "n")},
		"llm.baseUrl must be an http or https":   {ConnectionSettings: llmAt("http://a/v1?key=1", "n")},
		"name must be 1 to 40":                   {Name: "../x", ConnectionSettings: llmAt("http://a/v1", "n")},
		"apiKey must be one line":                {APIKey: "a\nb", ConnectionSettings: llmAt("http://a/v1", "n")},
		"llm.models must be given: the server c": {ConnectionSettings: llmAt("http://a/v1")},
		"llm.models must be given: the server l": {ConnectionSettings: llmAt("http://full/v1")},
		"llm.models[0] prices must not be":       {ConnectionSettings: negative},
		"llm.models[0] the servers of m must have the same settings except upstream_id and context_length, as in models[0] of first": {ConnectionSettings: clash},
		"llm.extraParams[0] max_tokens is set by the service":                                                                        {ConnectionSettings: params},
		"There is a connection of this kind with the name first":                                                                     {Name: "first", ConnectionSettings: llmAt("http://c/v1", "n")},
		`comfyui.models[0] "m" is not a model`:                                                                                       {ConnectionSettings: apitype.ConnectionSettings{ComfyUI: &apitype.ComfyUIConnection{BaseURL: "http://c"}}},
		"comfyui.modelsDir must be an absolute path":                                                                                 {ConnectionSettings: comfyAt("models")},
		"comfyui.modelsDir must be an absolute path without":                                                                         {ConnectionSettings: comfyAt("/opt/../models")},
		"comfyui.modelsDir cannot be used: there is no folder /away.":                                                                {ConnectionSettings: comfyAt("/away")},
		"vendor.adapter must be the name of a built-in adapter":                                                                      {Name: "v", ConnectionSettings: vendor(func(v *apitype.VendorConnection) { v.Protocol, v.Adapter = "queue", "/etc/passwd" })},
		"vendor.headers.X-Key has {{key}}, but there is no key":                                                                      {Name: "v", ConnectionSettings: vendor(func(v *apitype.VendorConnection) { v.Headers = map[string]string{"X-Key": "{{key}}"} })},
		"vendor.headers.X-Key must not hold a secret":                                                                                {Name: "v", ConnectionSettings: vendor(func(v *apitype.VendorConnection) { v.Headers = map[string]string{"X-Key": "sk"} })},
		"name must be left out: a hosting site": {Name: "v", ConnectionSettings: apitype.ConnectionSettings{
			LoraSource: &apitype.LoraSourceConnection{Site: "civitai", Host: "c.example", BaseURL: "https://c.example"}}},
	} {
		_, err := e.Create(t.Context(), n, nothing)
		var refused *atelier.Error
		if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if got := names(t, e); len(got) != 3 {
		t.Errorf("something was stored: %q", got)
	}
}

// A key that another secret has sealed must be entered again. Until then the connection is not
// used, and what it had is kept.
func TestAKeyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		made, err := newEngine(t, db).Create(t.Context(), apitype.NewConnection{Name: "gpu", APIKey: "sk-old", ConnectionSettings: llmAt("http://a/v1", "m")}, nothing)
		if err != nil {
			t.Fatal(err)
		}
		e := newEngine(t, db, func(o *connection.Options) { o.Secrets = []string{"another secret than before"} })
		c, err := e.Read(t.Context(), made.ConnectionID, true)
		if err != nil || c.Problem == nil || !strings.Contains(*c.Problem, "enter it again") || !c.HasKey || c.Health != nil {
			t.Errorf("got %+v, %v", c, err)
		}
		if used, _, err := e.Used(t.Context()); err != nil || slices.ContainsFunc(used, func(u connection.Entry) bool { return u.ID == made.ConnectionID }) {
			t.Errorf("used: %+v, %v", used, err)
		}
		name := "renamed"
		if _, err := e.Update(t.Context(), made.ConnectionID, apitype.ConnectionChange{Name: &name}, nothing); err == nil || !strings.HasPrefix(err.Error(), "apiKey must be given") {
			t.Errorf("a change without the key: %v", err)
		}
		key := "sk-new"
		if c, err := e.Update(t.Context(), made.ConnectionID, apitype.ConnectionChange{APIKey: &key}, nothing); err != nil || c.Problem != nil || c.Health == nil {
			t.Errorf("a change with the key: %+v, %v", c, err)
		}
		used, _, err := e.Used(t.Context())
		if err != nil || !slices.ContainsFunc(used, func(u connection.Entry) bool { return u.ID == made.ConnectionID && u.Key == "sk-new" }) {
			t.Errorf("used: %+v, %v", used, err)
		}
		var rows []store.Connection
		err = db.Read(t.Context(), func(tx *store.Tx) error { rows, err = tx.Connections(); return err })
		if err != nil || len(rows) != 1 || strings.Contains(rows[0].Sealed+string(rows[0].Settings), "sk-") {
			t.Errorf("the row is %+v, %v", rows, err)
		}
	})
}

// A secret is replaced in steps, and no key has to be entered again.
func TestReseal(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.SQLite(t))
	with := func(secrets ...string) *connection.Engine {
		return newEngine(t, db, func(o *connection.Options) { o.Secrets = secrets })
	}
	const next = "the next secret of this installation"
	if _, err := with(secret).Create(t.Context(), apitype.NewConnection{APIKey: "sk-1", ConnectionSettings: llmAt("http://a/v1", "m")}, nothing); err != nil {
		t.Fatal(err)
	}
	if err := with(next, secret).Reseal(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, secrets := range map[string][]string{"the new one": {next}, "both": {secret, next}} {
		used, _, err := with(secrets...).Used(t.Context())
		if err != nil || !slices.ContainsFunc(used, func(u connection.Entry) bool { return u.Key == "sk-1" }) {
			t.Errorf("with %s: %+v, %v", name, used, err)
		}
	}
	if used, _, err := with(secret).Used(t.Context()); err != nil || slices.ContainsFunc(used, func(u connection.Entry) bool { return u.Key == "sk-1" }) {
		t.Errorf("with the old one alone: %+v, %v", used, err)
	}
}

// The operator's own servers are watched: whether they answer often, what they have less often.
// Vendors and hosting sites are asked only on request.
func TestWatch(t *testing.T) {
	t.Parallel()
	var asked []string
	gone := false
	e := newEngine(t, storetest.Open(t, storetest.SQLite(t)), func(o *connection.Options) {
		o.Probe = func(_ context.Context, e connection.Entry) (connection.Found, error) {
			asked = append(asked, "probe "+e.Name)
			if gone {
				return connection.Found{}, errors.New("no server answers")
			}
			return connection.Found{Message: "1 model."}, nil
		}
		o.Ping = func(_ context.Context, e connection.Entry) error {
			asked = append(asked, "ping "+e.Name)
			if gone {
				return errors.New("gone")
			}
			return nil
		}
	})
	made, err := e.Create(t.Context(), apitype.NewConnection{Name: "gpu", ConnectionSettings: llmAt("http://a/v1", "m")}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		whole, gone bool
		want        []string
		state       apitype.ConnectionState
	}{
		{false, false, []string{"ping gpu"}, apitype.ConnectionHealthy},
		{true, false, []string{"probe gpu"}, apitype.ConnectionHealthy},
		{false, true, []string{"ping gpu", "probe gpu"}, apitype.ConnectionFailing},
		{false, true, []string{"probe gpu"}, apitype.ConnectionFailing},
		{false, false, []string{"probe gpu"}, apitype.ConnectionHealthy},
	} {
		asked, gone = nil, step.gone
		if err := e.Watch(t.Context(), step.whole); err != nil {
			t.Fatal(err)
		}
		c, err := e.Read(t.Context(), made.ConnectionID, false)
		if err != nil || !slices.Equal(asked, step.want) || c.Health == nil || c.Health.State != step.state {
			t.Errorf("%+v: asked %q, %+v, %v", step, asked, c.Health, err)
		}
	}
}

// A server that accepts a request and never answers is given up.
func TestASilentServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, nil, func(o *connection.Options) {
			o.Probe = func(ctx context.Context, _ connection.Entry) (connection.Found, error) {
				<-ctx.Done()
				return connection.Found{}, ctx.Err()
			}
		})
		test, err := e.TestDraft(t.Context(), apitype.ConnectionDraft{ConnectionSettings: llmAt("http://a/v1")})
		if err != nil || test.Health.State != apitype.ConnectionFailing || test.Health.Message != "The server did not answer in time." {
			t.Errorf("got %+v, %v", test, err)
		}
	})
}

// Discovery lists the servers that answer at the usual places, and which of them are connected.
func TestDiscover(t *testing.T) {
	t.Parallel()
	serve := func(body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			fmt.Fprint(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	ollama, vllm, other := serve(`{"data": [{"id": "llama"}]}`), serve(`{"data": [{"id": "qwen", "max_model_len": 4096}]}`), serve(`<html>`)
	e := newEngine(t, storetest.Open(t, storetest.SQLite(t)), func(o *connection.Options) {
		o.Places = []connection.Place{
			{Program: "Ollama", Kind: apitype.ConnectionLLM, BaseURL: ollama + "/v1"},
			{Program: "llama.cpp", Kind: apitype.ConnectionLLM, BaseURL: other + "/v1"},
			{Program: "vLLM", Kind: apitype.ConnectionLLM, BaseURL: vllm + "/v1"},
			{Program: "LM Studio", Kind: apitype.ConnectionLLM, BaseURL: "http://127.0.0.1:1/v1"},
		}
		o.Probe = func(ctx context.Context, e connection.Entry) (found connection.Found, err error) {
			list, _, err := llm.Probe(context.WithoutCancel(ctx), "", e.BaseURL(), e.Key) // a busy machine may take long
			for _, m := range list {
				found.Models = append(found.Models, apitype.FoundModel{ID: m.ID})
			}
			return found, err
		}
	})
	if _, err := e.Create(t.Context(), apitype.NewConnection{ConnectionSettings: llmAt(strings.Replace(vllm, "127.0.0.1", "localhost", 1))}, nothing); err != nil {
		t.Fatal(err)
	}
	found, err := e.Discover(t.Context())
	if err != nil || len(found.Servers) != 2 {
		t.Fatalf("found %+v, %v", found, err)
	}
	if s := found.Servers[0]; s.Program != "Ollama" || s.Connected || len(s.Models) != 1 || s.Models[0].ID != "llama" {
		t.Errorf("found %+v", s)
	}
	if s := found.Servers[1]; s.Program != "vLLM" || !s.Connected {
		t.Errorf("found %+v", s)
	}
}

// The service does not look for itself.
func TestPlaces(t *testing.T) {
	t.Parallel()
	own := func(listen string) bool {
		return slices.ContainsFunc(connection.Places(listen), func(p connection.Place) bool { return p.BaseURL == "http://127.0.0.1:8080/v1" })
	}
	if own("127.0.0.1:8080") || own(":8080") || !own("127.0.0.1:9999") {
		t.Error("port 8080 is a place exactly when the service has another")
	}
}

// What the network says about a server is put into words, in a refusal as in a test.
func TestAnUnreachableServer(t *testing.T) {
	t.Parallel()
	for want, cause := range map[string]error{
		"No server answers at http://a/v1. Is it running?":                   syscall.ECONNREFUSED,
		"No server answers at http://a/v1: the network does not lead there.": syscall.EHOSTUNREACH,
		"No server answers at http://a/v1: the host a was not found.":        &net.DNSError{Name: "a"},
		"No server answers at http://a/v1: dial tcp: something else.":        errors.New("something else"),
	} {
		e := newEngine(t, storetest.Open(t, storetest.SQLite(t)), func(o *connection.Options) {
			o.Probe = func(context.Context, connection.Entry) (connection.Found, error) {
				return connection.Found{}, fmt.Errorf("no server answers at http://a/v1: %w", &net.OpError{Op: "dial", Net: "tcp", Err: cause})
			}
		})
		settings := llmAt("http://a/v1")
		test, err := e.TestDraft(t.Context(), apitype.ConnectionDraft{ConnectionSettings: settings})
		if err != nil || test.Health.Message != want {
			t.Errorf("the test says %q (%v), want %q", test.Health.Message, err, want)
		}
		if _, err := e.Create(t.Context(), apitype.NewConnection{ConnectionSettings: settings}, nothing); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("the refusal is %v, want %q", err, want)
		}
	}
}
