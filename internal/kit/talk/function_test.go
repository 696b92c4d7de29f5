package talk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

func newFunction(name, description, parameters string) llm.Tool {
	return llm.Tool{Type: "function", Function: llm.Function{Name: name, Description: description, Parameters: wire.Raw(parameters)}}
}

var callerFunctions = []llm.Tool{
	newFunction("get_weather", "Get the current weather for a location.", `{"type":"object","properties":{"location":{"type":"string","description":"City"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["location"]}`),
	newFunction("add_numbers", "Add two numbers together and return the sum.", `{"type":"object","properties":{"a":{"type":"number","minimum":3.5},"b":{"type":["integer","null"],"maximum":-2},"c":{"$ref":"#/$defs/c"}},"required":["a","b","c"],"$defs":{"c":{"anyOf":[{"type":"boolean"}]}}}`),
	newFunction("set_light", "Switch a light of the house on or off.", `{"type":"object","properties":{"room":{"type":"string","enum":["kitchen","bedroom"]},"state":{"const":"on"},"level":{"type":"integer","default":7}},"required":["room","state","level"]}`),
	newFunction("list_tags", "Tag a photo album with labels.", `{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string","maxLength":5,"minLength":3},"minItems":2}},"required":["tags"]}`),
	newFunction("open_door", "Open a door.", `{"$ref":"#/$defs/x","$defs":{"x":{"type":"object","properties":{"x":{"$ref":"#/$defs/x"}},"required":["x"]}}}`),
	newFunction("ring", "Ring the bell.", ``),
}

// Functions of the caller are not called unless tool_choice forces it.
func TestFunctionsOfTheCaller(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	for _, tools := range [][]llm.Tool{callerFunctions, append(hostedTools(t, catalog.CreativeTools), callerFunctions...)} {
		for _, said := range []string{"What's the weather in Paris?", "list_tags", "hello"} {
			a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", said)}, Tools: tools})
			if len(a.ToolCalls) > 0 || strings.TrimSpace(a.Content) == "" {
				t.Errorf("%q: got %+v, want words", said, a)
			}
		}
	}
}

// A function of the caller that has the name of a hosted tool is not the hosted one.
func TestOwnFunctionWithHostedName(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	mine := newFunction("generate_image", "My painter.", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`)
	a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", "Draw a fox")}, Tools: []llm.Tool{mine}})
	if want := "The picture of a fox could not be made"; len(a.ToolCalls) > 0 || !strings.HasPrefix(a.Content, want) {
		t.Errorf("got %+v, want %q", a, want)
	}
}

func TestResultsOfFunctions(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	for result, want := range map[string]string{
		`{"temperature":21,"sky":"clear"}`:      "get_weather says:\n\n- sky: clear\n- temperature: 21",
		`{"summary":"Sunny, 21 degrees."}`:      "Sunny, 21 degrees.",
		`Sunny`:                                 "Sunny",
		`{"error":"no such city"}`:              "get_weather did not work: no such city.",
		`{"ok":false,"message":"out of order"}`: "get_weather did not work: out of order.",
		``:                                      "I cannot help with that",
	} {
		r := llm.Request{Messages: []llm.Message{llm.Text("user", "What's the weather in Paris?")}, Tools: callerFunctions, ToolChoice: wire.Raw(`{"type":"function","function":{"name":"get_weather"}}`)}
		first := speak(t, m, r)
		reply := llm.Text("tool", result)
		reply.ToolCallID = first.ToolCalls[0].ID
		r.Messages = append(r.Messages, first.Message(), reply)
		if a := speak(t, m, r); len(a.ToolCalls) > 0 || !strings.HasPrefix(a.Content, want) {
			t.Errorf("%s: got %+v, want %q", result, a, want)
		}
	}
}

func TestToolChoice(t *testing.T) {
	t.Parallel()
	c, m := loadModel(t)
	agent := hostedTools(t, catalog.CreativeAgent)
	for _, k := range []struct {
		said, choice string
		tools        []llm.Tool
		want         string // call, or the beginning of the words
	}{
		{"Draw a fox", `"none"`, agent, "The picture of a fox could not be made: the request says that no tool may be called."},
		{"Draw a fox", `"auto"`, agent, `generate_image {"prompt":"a fox"}`},
		{"Draw a fox", `"required"`, agent, `generate_image {"prompt":"a fox"}`},
		{"hello", `"required"`, agent, `ask_clarifying_question {"question":"Hello! Tell me what to make`},
		{"the weather", `"required"`, callerFunctions, `get_weather {"location":"the weather"}`},
		{"a fox in the snow", `{"type":"function","function":{"name":"generate_video"}}`, agent, `generate_video {"prompt":"a fox in the snow"}`},
		{"a fox in the snow, 8 seconds", `{"type":"function","function":{"name":"generate_video"}}`, agent, `generate_video {"duration":8,"prompt":"a fox in the snow"}`},
		{"a fox", `{"type":"function","function":{"name":"enhance_prompt"}}`, agent, `enhance_prompt {"destination_model":"z-turbo","prompt":"a fox","target_output":"image_prompt"}`},
		{"Draw a fox", `"auto"`, append(agent, callerFunctions...), `generate_image {"prompt":"a fox"}`},
		{"What about Berlin?", `{"type":"function","function":{"name":"get_weather"}}`, callerFunctions, `get_weather {"location":"What about Berlin?"}`},
		{"42 apples", `{"type":"function","name":"add_numbers"}`, callerFunctions, `add_numbers {"a":4,"b":-2,"c":false}`},
		{"hello", `{"type":"function","name":"set_light"}`, callerFunctions, `set_light {"level":7,"room":"kitchen","state":"on"}`},
		{"hello there", `{"type":"function","name":"list_tags"}`, callerFunctions, `list_tags {"tags":["hello","hello"]}`},
		{"a", `{"type":"function","name":"list_tags"}`, callerFunctions, `list_tags {"tags":["a--","a--"]}`},
		{"hello", `{"type":"function","name":"open_door"}`, callerFunctions, `open_door {"x":{"x":{`},
		{"hello", `{"type":"function","name":"ring"}`, callerFunctions, `ring {}`},
		{"all done", `{"type":"function","function":{"name":"finalize_response"}}`, agent, `finalize_response {"outcome":"success"`},
		{"Draw a fox", `{"type":"function","function":{"name":"no_such_tool"}}`, agent, `generate_image {"prompt":"a fox"}`},
		{"Draw a fox", `[1]`, agent, `generate_image {"prompt":"a fox"}`},
		{"Draw a fox", ``, nil, "The picture of a fox could not be made: this request offers me no tools"},
		{"plan a workflow for a dragon film", ``, hostedTools(t, catalog.CreativeTools), "The workflow could not be planned: compose_workflow is only offered with `svc_tools` set to `creative-agent`."},
	} {
		r := llm.Request{Messages: []llm.Message{llm.Text("user", k.said)}, Tools: k.tools, ToolChoice: wire.Raw(k.choice)}
		a := speak(t, m, r)
		got := a.Content
		for _, call := range a.ToolCalls {
			got += call.Function.Name + " " + call.Function.Arguments
			if _, hosted := c.Tool(call.Function.Name); hosted {
				var args map[string]any
				if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil {
					t.Error(err)
				}
				if _, err := c.Step(call.Function.Name, args, catalog.Facts{}); err != nil {
					t.Errorf("%q with %s: %v", k.said, k.choice, err)
				}
			}
		}
		if !strings.HasPrefix(got, k.want) {
			t.Errorf("%q with %s: got %s, want %s", k.said, k.choice, got, k.want)
		}
	}
}

// JSON is refused, whatever is asked for, and other formats are words.
func TestResponseFormat(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	for format, refused := range map[string]bool{
		`{"type":"json_object"}`: true, `{"type":"json_schema","json_schema":{"name":"person","schema":{"type":"object"}}}`: true, `{"type":"json_schema"}`: true,
		`{"type":"text"}`: false, `17`: false, `{}`: false,
	} {
		for _, said := range []string{"hi", "draw a fox"} {
			r := llm.Request{Messages: []llm.Message{llm.Text("user", said)}, Tools: hostedTools(t, catalog.CreativeTools), Params: map[string]wire.Raw{"response_format": wire.Raw(format)}}
			var got llm.Answer
			err := m.Complete(t.Context(), r, func(d llm.Delta) error { got.Add(d); return nil })
			if refused && (!atelier.HasCode(err, atelier.CodeInvalidRequest) || !strings.Contains(err.Error(), "response_format asks for JSON") || got.Content != "") {
				t.Errorf("%q as %s: got %+v, %v, want a refusal", said, format, got, err)
			}
			if !refused && (err != nil || got.Content == "" && len(got.ToolCalls) == 0) {
				t.Errorf("%q as %s: got %+v, %v, want an answer", said, format, got, err)
			}
		}
	}
}
