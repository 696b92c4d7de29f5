package compat_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// asking is a request whose model wants to know the weather of two cities.
func asking() openai.ChatCompletionNewParams {
	q := scripted("call weather {\"city\": \"Oslo\"}\ncall weather {\"city\": \"Łódź\"}")
	q.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: "weather", Description: openai.String("Tells the weather of a city"), Strict: openai.Bool(true),
		Parameters: shared.FunctionParameters{
			"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"}, "additionalProperties": false,
		},
	})}
	return q
}

// families are the ways that calls take through the service: with hosted tools
// beside the caller's own, and without.
var families = map[string][]option.RequestOption{
	"beside hosted tools": nil, "alone": {withoutHosted()},
}

func TestToolsOfTheCaller(t *testing.T) {
	t.Parallel()
	for name, options := range families {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", name, streamed), func(t *testing.T) {
				t.Parallel()
				answer := func(q openai.ChatCompletionNewParams) openai.ChatCompletionChoice {
					if !streamed {
						return ask(t, q, options...).Choices[0]
					}
					all, _ := gather(t, q, options...)
					return all.Choices[0]
				}
				q := asking()
				choice := answer(q)
				equal(t, "finish reason", choice.FinishReason, "tool_calls")
				q.Messages = append(q.Messages, choice.Message.ToParam())
				if len(choice.Message.ToolCalls) != 2 {
					t.Fatalf("got %d calls, want 2: %s", len(choice.Message.ToolCalls), choice.Message.RawJSON())
				}
				for i, call := range choice.Message.ToolCalls {
					equal(t, "id", call.ID, fmt.Sprint("call_", i+1))
					equal(t, "type", call.Type, "function")
					equal(t, "name", call.Function.Name, "weather")
					var args struct{ City string }
					if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil {
						t.Fatalf("arguments %q: %v", call.Function.Arguments, err)
					}
					q.Messages = append(q.Messages, openai.ToolMessage(args.City+" is sunny", call.ID))
				}
				choice = answer(q)
				equal(t, "content", choice.Message.Content, "The tools said: Oslo is sunny; Łódź is sunny")
				equal(t, "last finish reason", choice.FinishReason, "stop")
			})
		}
	}
}

func TestCallsAreFinishedOneByOne(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	stream := client.Chat.Completions.NewStreaming(t.Context(), asking(), withoutHosted())
	defer stream.Close()
	var all openai.ChatCompletionAccumulator
	var finished []string
	for stream.Next() {
		all.AddChunk(stream.Current())
		if call, ok := all.JustFinishedToolCall(); ok {
			finished = append(finished, call.ID+" "+call.Arguments)
		}
	}
	equal(t, "finished calls", fmt.Sprint(finished), `[call_1 {"city": "Oslo"} call_2 {"city": "Łódź"}]`)
}
