package compat_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

func TestBuiltinModelAnswers(t *testing.T) {
	t.Parallel()
	completion := ask(t, openai.ChatCompletionNewParams{
		Model: "atelier-builtin", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("How long can a video be?")},
	})
	if !regexp.MustCompile(`^chatcmpl-[0-9a-f-]{36}$`).MatchString(completion.ID) {
		t.Errorf("id: got %s", completion.ID)
	}
	equal(t, "object", string(completion.Object), "chat.completion")
	equal(t, "model", completion.Model, "atelier-builtin")
	equal(t, "finish reason", completion.Choices[0].FinishReason, "stop")
	if text := completion.Choices[0].Message.Content; !strings.Contains(text, "second") {
		t.Errorf("content: got %q", text)
	}
}

func TestUpstreamModelAnswers(t *testing.T) {
	t.Parallel()
	completion := ask(t, scripted("say Good morning to you"))
	equal(t, "content", completion.Choices[0].Message.Content, "Good morning to you")
	equal(t, "model", completion.Model, "scripted")
	equal(t, "prompt tokens", completion.Usage.PromptTokens, 11)
	equal(t, "completion tokens", completion.Usage.CompletionTokens, 4)
	equal(t, "total tokens", completion.Usage.TotalTokens, 15)
	equal(t, "cached tokens", completion.Usage.PromptTokensDetails.CachedTokens, 3)
	equal(t, "thoughtful content", ask(t, scripted("think Still water.")).Choices[0].Message.Content, "Still water.")
	equal(t, "reason of an answer cut short", ask(t, scripted("cut Once upon")).Choices[0].FinishReason, "length")
}

func TestParametersReachTheModel(t *testing.T) {
	t.Parallel()
	q := scripted("echo")
	q.Temperature, q.TopP, q.Seed, q.MaxCompletionTokens = openai.Float(0.25), openai.Float(0.5), openai.Int(7), openai.Int(123)
	q.Stop = openai.ChatCompletionNewParamsStopUnion{OfStringArray: []string{"END"}}
	schema := map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}}
	q.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "city", Schema: schema, Strict: openai.Bool(true)},
	}}
	var got map[string]any
	if err := json.Unmarshal([]byte(ask(t, q, withoutHosted()).Choices[0].Message.Content), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"model": "scripted-upstream", "temperature": 0.25, "top_p": 0.5, "seed": 7.0, "max_tokens": 123.0, "stop": []any{"END"},
		"response_format":      map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "city", "schema": schema, "strict": true}},
		"chat_template_kwargs": map[string]any{"enable_thinking": true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the model was sent\n%v, want\n%v", got, want)
	}
}

func TestDeveloperIsSystem(t *testing.T) {
	t.Parallel()
	q := scripted("hear")
	q.Messages = append([]openai.ChatCompletionMessageParamUnion{openai.DeveloperMessage("Be brief.")}, q.Messages...)
	got := ask(t, q, withoutHosted()).Choices[0].Message.Content
	equal(t, "messages", got, `[{"role":"system","content":"Be brief."},{"role":"user","content":"hear"}]`)
}

func TestModels(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	ids := map[string]bool{}
	models := client.Models.ListAutoPaging(t.Context())
	for models.Next() {
		m := models.Current()
		ids[m.ID] = true
		got, err := client.Models.Get(t.Context(), m.ID)
		if err != nil {
			t.Fatalf("model %s: %v", m.ID, detail(err))
		}
		equal(t, "record of "+m.ID, got.RawJSON(), m.RawJSON())
		equal(t, "object of "+m.ID, string(m.Object), "model")
	}
	if err := models.Err(); err != nil {
		t.Fatal(detail(err))
	}
	want := map[string]bool{"atelier-builtin": true, "scripted": true, "scripted-dear": true, "vendor/scripted-small": true}
	if !reflect.DeepEqual(ids, want) {
		t.Errorf("models: got %v, want %v", ids, want)
	}
	replaced, err := client.Models.Get(t.Context(), "scripted-old")
	if err != nil {
		t.Fatal(detail(err))
	}
	equal(t, "replacement of scripted-old", replaced.ID, "scripted")
}

func TestPictureIsMade(t *testing.T) {
	t.Parallel()
	completion := ask(t, openai.ChatCompletionNewParams{
		Model: "atelier-builtin", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("make an image of a red fox")},
	})
	checkPicture(t, completion.Choices[0].Message.Content)
	var workflows []struct{ WorkflowID, Status string }
	if err := json.Unmarshal([]byte(completion.JSON.ExtraFields["creative_workflows"].Raw()), &workflows); err != nil {
		t.Fatal(err)
	}
	if len(workflows) != 1 || workflows[0].Status != "completed" {
		t.Errorf("creative_workflows: got %+v, want one that is completed", workflows)
	}
}

func TestOlderHeader(t *testing.T) {
	t.Parallel()
	client := newClient(t, option.WithHeaderDel("Authorization"), option.WithHeader("api-key", setting(t, "ATELIER_API_KEY")))
	if _, err := client.Models.List(t.Context()); err != nil {
		t.Errorf("with the header api-key: %v", detail(err))
	}
}
