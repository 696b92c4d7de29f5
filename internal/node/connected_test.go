package node_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// modelServer is a server of one language model. It says which server it is.
type modelServer struct {
	*httptest.Server
	key  string // that it wants; any when empty
	seen atomic.Pointer[string]
}

func newModelServer(t *testing.T, model, key string) *modelServer {
	t.Helper()
	s := &modelServer{key: key}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		s.seen.Store(&auth)
		switch {
		case key != "" && auth != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			fmt.Fprintf(w, `{"data": [{"id": %q, "max_model_len": 16384}]}`, model)
		case r.URL.Path == "/v1/chat/completions":
			fmt.Fprintf(w, `{"choices": [{"message": {"role": "assistant", "content": "I am %s."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}`, model)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// newOperator is a client of an operator.
func newOperator(t *testing.T, s *ateliertest.Service) *client.Client {
	t.Helper()
	return client.New(s.URL, s.Account(t, account.NewAccount{Operator: true}, billing.Credits{Spark: 1 << 40}).Key)
}

// say asks a model, and returns the status and the answer.
func say(t *testing.T, c *client.Client, model string) (int, string) {
	t.Helper()
	body := fmt.Sprintf(`{"model": %q, "messages": [{"role": "user", "content": "Who are you?"}]}`, model)
	if model == "" {
		body = `{"messages": [{"role": "user", "content": "Who are you?"}]}`
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, answer := exchange(t, req)
	return resp.StatusCode, answer
}

func llmSettings(url string, models ...string) apitype.ConnectionSettings {
	s := &apitype.LLMConnection{BaseURL: url}
	for _, id := range models {
		s.Models = append(s.Models, apitype.LLMModel{ID: id})
	}
	return apitype.ConnectionSettings{LLM: s}
}

// A language model server is connected, answers, is changed and is removed while the service
// runs. Its key is used and never shown.
func TestConnectALanguageModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o)
		c := newOperator(t, s)
		op := c.Operator()
		server := newModelServer(t, "qwen", "sk-very-secret")

		test, err := op.TestConnectionDraft(t.Context(), apitype.ConnectionDraft{ConnectionSettings: llmSettings(server.URL)})
		if err != nil || test.Health.State != apitype.ConnectionFailing || !strings.Contains(test.Health.Message, "wants an API key") {
			t.Fatalf("a test without the key: %+v, %v", test, err)
		}
		test, err = op.TestConnectionDraft(t.Context(), apitype.ConnectionDraft{APIKey: "sk-very-secret", ConnectionSettings: llmSettings(server.URL)})
		if err != nil || test.Health.State != apitype.ConnectionHealthy || test.Health.BaseURL != server.URL+"/v1" || len(test.Health.Models) != 1 || *test.Health.Models[0].ContextLength != 16384 {
			t.Fatalf("a test with the key: %+v, %v", test, err)
		}
		made, err := op.CreateConnection(t.Context(), apitype.NewConnection{Name: "gpu", APIKey: "sk-very-secret", ConnectionSettings: llmSettings(server.URL)})
		if err != nil || made.LLM.BaseURL != server.URL+"/v1" || len(made.LLM.Models) != 1 || made.LLM.Models[0].ID != "qwen" || !made.HasKey ||
			made.Health == nil || made.Health.State != apitype.ConnectionHealthy {
			t.Fatalf("connected: %+v, %v", made, err)
		}
		if status, got := say(t, c, "qwen"); status != http.StatusOK || !strings.Contains(got, "I am qwen.") {
			t.Errorf("the connected model says %s (%d)", got, status)
		}
		if status, got := say(t, c, ""); status != http.StatusOK || !strings.Contains(got, "I am qwen.") {
			t.Errorf("the default model says %s (%d)", got, status)
		}

		// A change of another setting keeps the key, one of the server wants it again.
		name := "renamed"
		if changed, err := op.ChangeConnection(t.Context(), made.ConnectionID, apitype.ConnectionChange{Name: &name}); err != nil || changed.Name != name || !changed.HasKey {
			t.Errorf("renamed: %+v, %v", changed, err)
		}
		thief := newModelServer(t, "qwen", "")
		_, err = op.ChangeConnection(t.Context(), made.ConnectionID, apitype.ConnectionChange{ConnectionSettings: llmSettings(thief.URL+"/v1", "qwen")})
		if !client.Is(err, http.StatusBadRequest) || !strings.Contains(err.Error(), "apiKey must be given again") {
			t.Errorf("another server with the stored key: %v", err)
		}
		_, err = op.TestConnectionDraft(t.Context(), apitype.ConnectionDraft{ConnectionID: made.ConnectionID, ConnectionSettings: llmSettings(thief.URL + "/v1")})
		if seen := thief.seen.Load(); err != nil || seen == nil || *seen != "" {
			t.Errorf("a test of another server sent it %v, %v", seen, err)
		}
		test, err = op.TestConnectionDraft(t.Context(), apitype.ConnectionDraft{ConnectionID: made.ConnectionID, ConnectionSettings: llmSettings(server.URL + "/v1")})
		if err != nil || test.Health.State != apitype.ConnectionHealthy {
			t.Errorf("a test with the stored key: %+v, %v", test, err)
		}

		if _, err := op.RemoveConnection(t.Context(), made.ConnectionID, "sold"); err != nil {
			t.Fatal(err)
		}
		if status, got := say(t, c, "qwen"); status != http.StatusNotFound {
			t.Errorf("the removed model says %s (%d)", got, status)
		}
		if _, err := op.Connection(t.Context(), made.ConnectionID); !client.Is(err, http.StatusNotFound) {
			t.Errorf("the removed connection: %v", err)
		}

		// What was done is recorded, and the key is in no answer.
		status, body := s.Get(t, "/v1/operator/actions", c.Key)
		for _, want := range []string{"create connection", "change connection", "remove connection", "llm renamed at " + server.URL, "sold"} {
			if !strings.Contains(body, want) {
				t.Errorf("%d: the actions have no %q: %s", status, want, body)
			}
		}
		if strings.Contains(body, "very-secret") {
			t.Error("the actions show the key")
		}
	})
}

// A change on one node reaches the other, and so does one that a command makes in the database.
func TestConnectionsOfTwoNodes(t *testing.T) {
	t.Parallel()
	database, data := storetest.Postgres(t), t.TempDir()
	join := func() *ateliertest.Service {
		return ateliertest.Start(t, database, func(c *config.Config) { c.DataDir, c.SessionSecret = data, oldSecret })
	}
	a, b := join(), join()
	op := newOperator(t, a).Operator()
	made, err := op.CreateConnection(t.Context(), apitype.NewConnection{APIKey: "k", ConnectionSettings: llmSettings(newModelServer(t, "qwen", "k").URL)})
	if err != nil {
		t.Fatal(err)
	}
	b.Logged(t, "connections changed")
	other := newOperator(t, b)
	if status, got := say(t, other, "qwen"); status != http.StatusOK || !strings.Contains(got, "I am qwen.") {
		t.Errorf("the other node says %s (%d)", got, status)
	}
	if list, err := other.Operator().Connections(t.Context(), true); err != nil || !slices.ContainsFunc(list.Connections, func(c apitype.Connection) bool {
		return c.ConnectionID == made.ConnectionID && c.Health != nil && c.Health.State == apitype.ConnectionHealthy
	}) {
		t.Errorf("the other node lists %+v, %v", list, err)
	}
}

// A connection is there after a restart, with its key, and may have the default model. When it is
// removed, another model is the default, and the service starts.
func TestConnectionsStay(t *testing.T) {
	t.Parallel()
	database := storetest.SQLite(t)
	server := newModelServer(t, "qwen", "k")
	first := ateliertest.Start(t, database)
	made, err := newOperator(t, first).Operator().CreateConnection(t.Context(), apitype.NewConnection{APIKey: "k", ConnectionSettings: llmSettings(server.URL)})
	if err != nil {
		t.Fatal(err)
	}
	first.Stop()
	named := func(c *config.Config) { c.LLM.DefaultModel = "qwen" }
	second := ateliertest.Start(t, database, named)
	c := newOperator(t, second)
	if status, got := say(t, c, ""); status != http.StatusOK || !strings.Contains(got, "I am qwen.") {
		t.Errorf("after a restart it says %s (%d)", got, status)
	}
	if _, err := c.Operator().RemoveConnection(t.Context(), made.ConnectionID, ""); err != nil {
		t.Fatal(err)
	}
	second.Logged(t, "default language model is not offered")
	if status, got := say(t, c, ""); status != http.StatusOK || !strings.Contains(got, `"model":"atelier-builtin"`) {
		t.Errorf("without the connection it says %s (%d)", got, status)
	}
	second.Stop()
	ateliertest.Start(t, database, named).Logged(t, "default language model is not offered")
}
