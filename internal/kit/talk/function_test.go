package talk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

func newFunction(name, description, parameters string) llm.Tool {
	return llm.Tool{Type: "function", Function: llm.Function{Name: name, Description: description, Parameters: wire.Raw(parameters)}}
}

var callerFunctions = []llm.Tool{
	newFunction("get_weather", "Get the current weather for a location.", `{"type":"object","properties":{"location":{"type":"string","description":"City"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["location"]}`),
	newFunction("add_numbers", "Add two numbers together and return the sum.", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
	newFunction("send_email", "Send an email message to a recipient.", `{"type":"object","properties":{"to":{"type":"string","format":"email"},"subject":{"type":"string"},"body":{"type":"string"}},"required":["to","body"]}`),
	newFunction("search_products", "Search the product catalogue of the shop.", `{"type":"object","properties":{"query":{"type":"string"},"max_price":{"type":"number"},"in_stock":{"type":"boolean"}},"required":["query"]}`),
	newFunction("set_light", "Switch a light of the house on or off.", `{"type":"object","properties":{"room":{"type":"string","enum":["kitchen","living_room","bedroom"]},"state":{"type":"string","enum":["on","off"]}},"required":["room","state"]}`),
	newFunction("book_flight", "Book a flight between two cities on a date.", `{"type":"object","properties":{"origin":{"type":"string"},"destination":{"type":"string"},"date":{"type":"string"}},"required":["origin","destination","date"]}`),
	newFunction("list_tags", "Tag a photo album with labels.", `{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}},"required":["tags"]}`),
}

func TestFunctionsOfTheCaller(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	for said, want := range map[string]string{
		"What's the weather in Paris?":                              `get_weather {"location":"Paris"}`,
		"what is the weather like in New York in fahrenheit":        `get_weather {"location":"New York","unit":"fahrenheit"}`,
		"Please add the numbers 3.5 and 4":                          `add_numbers {"a":3.5,"b":4}`,
		`Send an email to ann@example.org saying "See you at noon"`: `send_email {"body":"See you at noon","to":"ann@example.org"}`,
		`search products for "red shoes" with a max price of 50`:    `search_products {"max_price":50,"query":"red shoes"}`,
		"switch the light in the living room off":                   `set_light {"room":"living_room","state":"off"}`,
		"Book a flight from Berlin to Rome on 2026-12-24":           `book_flight {"date":"2026-12-24","destination":"Rome","origin":"Berlin"}`,
		"book me a flight from San Francisco to Tokyo tomorrow":     `book_flight {"date":"tomorrow","destination":"Tokyo","origin":"San Francisco"}`,
		`list_tags "a", "b" and "c"`:                                `list_tags {"tags":["a","b","c"]}`,
		"add the numbers":                                           ``, // the numbers are missing
		"hello":                                                     ``,
		"what do you think of my haircut":                           ``,
	} {
		for _, tools := range [][]llm.Tool{callerFunctions, append(hostedTools(t, catalog.CreativeTools), callerFunctions...)} {
			a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", said)}, Tools: tools})
			got := ""
			for _, call := range a.ToolCalls {
				got += call.Function.Name + " " + call.Function.Arguments
			}
			if got != want {
				t.Errorf("%q: got %s, want %s", said, got, want)
			}
			if want == "" && strings.TrimSpace(a.Content) == "" {
				t.Errorf("%q: neither a call nor words", said)
			}
		}
	}
}

// Media is made with the tools of the service, unless a function is named.
func TestHostedToolsComeFirst(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	tools := append(hostedTools(t, catalog.CreativeTools), callerFunctions...)
	a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", "Draw the weather in Paris")}, Tools: tools})
	if len(a.ToolCalls) != 1 || a.ToolCalls[0].Function.Name != "generate_image" {
		t.Errorf("got %+v, want generate_image", a.ToolCalls)
	}
}

// A function of the caller that has the name of a hosted tool gets arguments of
// its own schema.
func TestOwnFunctionWithHostedName(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	mine := newFunction("generate_image", "My painter.", `{"type":"object","properties":{"prompt":{"type":"string"},"size":{"type":"string","enum":["small","large"]}},"required":["prompt","size"]}`)
	a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", "Draw a fox, 1024x768")}, Tools: []llm.Tool{mine}})
	if len(a.ToolCalls) != 1 || a.ToolCalls[0].Function.Arguments != `{"prompt":"a fox","size":"small"}` {
		t.Errorf("got %+v", a.ToolCalls)
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
		user := llm.Text("user", "What's the weather in Paris?")
		first := speak(t, m, llm.Request{Messages: []llm.Message{user}, Tools: callerFunctions})
		reply := llm.Text("tool", result)
		reply.ToolCallID = first.ToolCalls[0].ID
		a := speak(t, m, llm.Request{Messages: []llm.Message{user, first.Message(), reply}, Tools: callerFunctions})
		if len(a.ToolCalls) > 0 || !strings.HasPrefix(a.Content, want) {
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
		{"What about Berlin?", `{"type":"function","function":{"name":"get_weather"}}`, callerFunctions, `get_weather {"location":`},
		{"42 apples", `{"type":"function","name":"add_numbers"}`, callerFunctions, `add_numbers {"a":42,"b":0}`},
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

func TestResponseFormat(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	for _, k := range []struct{ said, format, want string }{
		{"what is 2+2", `{"type":"json_object"}`, `{"answer":"2+2 = 4"}`},
		{"what is 2+2", `{"type":"text"}`, `2+2 = 4`},
		{"My name is Ann Lee and I am 34 years old", `{"type":"json_schema","json_schema":{"name":"person","schema":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}}}`, `{"age":34,"name":"Ann Lee"}`},
		{"what is 2+2", `{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":{"answer":{"type":"string"},"confidence":{"type":"number","minimum":0,"maximum":1}},"required":["answer","confidence"]}}}`, `{"answer":"2+2 = 4","confidence":0}`},
		{"I feel happy today", `{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":{"mood":{"enum":["sad","happy"]},"reasons":{"type":"array","items":{"type":"string"}}},"required":["mood","reasons"]}}}`, `{"mood":"happy","reasons":[]}`},
		{"pick", `{"type":"json_schema","json_schema":{"schema":{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"next":{"$ref":"#/$defs/a"},"n":{"type":"integer","minimum":3}},"required":["n"]}}}}}`, `{"n":3`},
		{"hi", `{"type":"json_schema"}`, `{}`},
		{"hi", `17`, "Hello!"},
	} {
		a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", k.said)}, Params: map[string]wire.Raw{"response_format": wire.Raw(k.format)}})
		if !strings.HasPrefix(a.Content, k.want) {
			t.Errorf("%q as %s: got %s, want %s", k.said, k.format, a.Content, k.want)
		}
		if strings.Contains(k.format, `"type":"json`) && !json.Valid([]byte(a.Content)) {
			t.Errorf("%q as %s: %s is not JSON", k.said, k.format, a.Content)
		}
	}
}
