package compat_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// refused makes sure that err is the SDK's own, with all its fields.
func refused(t *testing.T, err error, status int, kind, code string) *openai.Error {
	t.Helper()
	var got *openai.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v, want an *openai.Error", err)
	}
	equal(t, "status", got.StatusCode, status)
	equal(t, "type", got.Type, kind)
	if code != "" {
		equal(t, "code", got.Code, code)
	}
	if got.Message == "" {
		t.Errorf("the SDK found no message in %s", got.RawJSON())
	}
	return got
}

func TestErrors(t *testing.T) {
	t.Parallel()
	empty := scripted("")
	empty.Messages = []openai.ChatCompletionMessageParamUnion{}
	unknown := scripted("say hello")
	unknown.Model = "gpt-4o"
	long := scripted("say " + strings.Repeat("word ", 4000))
	long.Model = "vendor/scripted-small"
	dear := scripted("say hello")
	dear.Model = "scripted-dear"
	for name, c := range map[string]struct {
		q       openai.ChatCompletionNewParams
		options []option.RequestOption
		status  int
		kind    string
		code    string
		param   string
	}{
		"unknown key":    {scripted("say hello"), []option.RequestOption{option.WithAPIKey("00000000-0000-4000-8000-000000000000")}, 401, "authentication_error", "", ""},
		"no messages":    {empty, nil, 400, "invalid_request_error", "", "messages"},
		"camel case":     {scripted("say hello"), []option.RequestOption{option.WithJSONSet("maxTokens", 5)}, 400, "invalid_request_error", "", "maxTokens"},
		"unknown model":  {unknown, nil, 404, "invalid_request_error", "model_not_found", "model"},
		"too long":       {long, []option.RequestOption{withoutHosted()}, 400, "invalid_request_error", "context_length_exceeded", ""},
		"cannot pay":     {dear, []option.RequestOption{option.WithAPIKey(account(t))}, 402, "insufficient_quota", "", ""},
		"model refuses":  {scripted("fail 400 9 " + unused()), nil, 400, "invalid_request_error", "", ""},
		"model fails":    {scripted("fail 500 9 " + unused()), nil, 502, "upstream_error", "", ""},
		"model hangs up": {scripted("hang up Half of"), nil, 502, "upstream_error", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t)
			_, err := client.Chat.Completions.New(t.Context(), c.q, c.options...)
			got := refused(t, err, c.status, c.kind, c.code)
			if c.param != "" {
				equal(t, "param", got.Param, c.param)
			}
			if name == "model hangs up" {
				return // a stream of it opens first
			}
			stream := client.Chat.Completions.NewStreaming(t.Context(), c.q, c.options...)
			defer stream.Close()
			if stream.Next() {
				t.Errorf("a stream opened with %s", stream.Current().RawJSON())
			}
			refused(t, stream.Err(), c.status, c.kind, c.code)
		})
	}
}

func TestUnknownModelIsNotFound(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	_, err := client.Models.Get(t.Context(), "no/such/model")
	refused(t, err, 404, "invalid_request_error", "model_not_found")
}

// What the service lacks of OpenAI's API is refused with a message that the SDK finds.
func TestMissingEndpoints(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	_, err := client.Batches.List(t.Context(), openai.BatchListParams{})
	refused(t, err, 404, "invalid_request_error", "route_not_found")
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	made, err := client.Embeddings.New(t.Context(), openai.EmbeddingNewParams{Model: "scripted", Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("a red fox")}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "vectors", len(made.Data), 1)
	equal(t, "numbers of a vector", len(made.Data[0].Embedding), 3)
	equal(t, "tokens", made.Usage.PromptTokens, 7)
}

func TestRetries(t *testing.T) {
	t.Parallel()
	key := unused()
	completion := ask(t, scripted("fail 500 3 "+key), option.WithMaxRetries(2))
	equal(t, "content", completion.Choices[0].Message.Content, "At last.")
	equal(t, "requests to the model, two for each of ours", asked(t, key), 4)

	key = unused()
	client := newClient(t, option.WithMaxRetries(2))
	_, err := client.Chat.Completions.New(t.Context(), scripted("fail 400 9 "+key))
	refused(t, err, 400, "invalid_request_error", "")
	equal(t, "requests that cannot help", asked(t, key), 1)
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	client := newClient(t, option.WithAPIKey(account(t)))
	var err error
	for n := 0; n < 2000 && err == nil; n++ {
		_, err = client.Models.List(t.Context())
	}
	got := refused(t, err, 429, "rate_limit_error", "")
	if after := got.Response.Header.Get("Retry-After"); after == "" || after == "0" {
		t.Errorf("Retry-After: got %q", after)
	}
	if _, err := client.Models.List(t.Context(), option.WithMaxRetries(3)); err != nil {
		t.Errorf("the SDK did not come back: %v", detail(err))
	}
}
