package compat_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// setting reads what scripts/with-server has set.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set: run the tests with scripts/with-server --upstream", name)
	}
	return value
}

// newClient makes a client as the SDK's documentation says to for another
// server. Options may change its key.
func newClient(t *testing.T, options ...option.RequestOption) openai.Client {
	t.Helper()
	return openai.NewClient(append([]option.RequestOption{
		option.WithBaseURL(setting(t, "ATELIER_URL") + "/v1/"), option.WithAPIKey(setting(t, "ATELIER_API_KEY")), option.WithMaxRetries(0),
	}, options...)...)
}

// account makes an account and returns its API key.
func account(t *testing.T, flags ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "atelier", append([]string{"account", "create", "--json"}, flags...)...).Output()
	if err != nil {
		t.Fatalf("account create: %v", err)
	}
	var created struct {
		APIKey string `json:"apiKey"`
	}
	if err := json.Unmarshal(out, &created); err != nil {
		t.Fatalf("account create printed %s: %v", out, err)
	}
	return created.APIKey
}

// scripted is a request to the scripted model, which does what it is told.
func scripted(script string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "scripted", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(script)}}
}

// withoutHosted asks for no hosted tools: a field of this service.
func withoutHosted() option.RequestOption { return option.WithJSONSet("svc_tools", "none") }

// ask asks for a completion that must come.
func ask(t *testing.T, q openai.ChatCompletionNewParams, options ...option.RequestOption) *openai.ChatCompletion {
	t.Helper()
	client := newClient(t)
	completion, err := client.Chat.Completions.New(t.Context(), q, options...)
	if err != nil {
		t.Fatalf("chat completion: %v", detail(err))
	}
	if len(completion.Choices) != 1 {
		t.Fatalf("there are %d choices, want 1", len(completion.Choices))
	}
	return completion
}

// detail is an error with what the SDK leaves out of its text.
func detail(err error) any {
	var refused *openai.Error
	if errors.As(err, &refused) {
		return refused.RawJSON()
	}
	return err
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// unused is a key that no other test has used.
func unused() string { return rand.Text() }

// upstream asks the scripted model server something beside the service.
func upstream(t *testing.T, path string) string {
	t.Helper()
	response, err := http.Get(setting(t, "ATELIER_TEST_UPSTREAM_URL") + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s %v", path, response.Status, text, err)
	}
	return string(text)
}

// asked is how many requests of a key came to the model server.
func asked(t *testing.T, key string) int {
	t.Helper()
	n, err := strconv.Atoi(upstream(t, "/asked/"+key))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
