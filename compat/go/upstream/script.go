package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

type object = map[string]any

// part is what the model is to do for one request.
type part struct {
	thoughts string // in a field of their own
	words    string
	calls    []call
	finish   string

	status int // to answer with, for the first requests of the key
	times  int
	key    string

	breaks  bool // with an error in the stream
	hangsUp bool
	endless bool
	steps   []string // of the words
}

// call is a call of a tool.
type call struct{ id, name, arguments string }

// read finds what a conversation tells the model to do.
func read(q request, raw map[string]json.RawMessage) (part, error) {
	if results := lastResults(q.Messages); results != nil {
		return part{words: "The tools said: " + strings.Join(results, "; "), finish: "stop"}, nil
	}
	script := ""
	for _, m := range q.Messages {
		if m.Role == "user" {
			script = m.text()
		}
	}
	p := part{finish: "stop"}
	verb, rest, _ := strings.Cut(script, " ")
	switch verb {
	case "say":
		p.words = rest
	case "steps":
		key, text, _ := strings.Cut(rest, " ")
		p.key, p.steps = key, strings.Split(text, "|")
		p.words = strings.Join(p.steps, "")
	case "think":
		p.thoughts, p.words = "The field has a thought.", "<think>The text has another.</think>"+rest
	case "call", "call!":
		return readCalls(script)
	case "echo":
		delete(raw, "messages")
		text, err := json.Marshal(raw)
		p.words = string(text)
		return p, err
	case "hear":
		p.words = string(raw["messages"])
	case "cut":
		p.words, p.finish = rest, "length"
	case "fail":
		_, err := fmt.Sscanf(rest, "%d %d %s", &p.status, &p.times, &p.key)
		p.words = "At last."
		return p, err
	case "break":
		p.words, p.breaks = rest, true
	case "hang":
		p.words, p.hangsUp = strings.TrimPrefix(rest, "up "), true
	case "endless":
		p.key, p.endless = rest, true
	default:
		return p, fmt.Errorf("no script begins with %q", verb)
	}
	return p, nil
}

// lastResults are the results of tools that a conversation ends with. What the
// service itself adds behind them is not part of it.
func lastResults(messages []message) []string {
	var results []string
	for _, m := range messages {
		switch m.Role {
		case "tool":
			results = append(results, m.text())
		case "user", "assistant":
			results = nil
		}
	}
	return results
}

func readCalls(script string) (part, error) {
	p := part{finish: "tool_calls"}
	for line := range strings.Lines(script) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(words) != 3 || strings.TrimSuffix(words[0], "!") != "call" {
			return p, fmt.Errorf("%q is not a call", line)
		}
		c := call{id: "call_" + strconv.Itoa(len(p.calls)+1), name: words[1], arguments: words[2]}
		if words[0] == "call!" {
			c.id = ""
		}
		p.calls = append(p.calls, c)
	}
	return p, nil
}

// usage counts words as if they were tokens.
func (p part) usage() object {
	said := len(strings.Fields(p.words)) + len(p.calls)
	return object{
		"prompt_tokens": 11, "completion_tokens": said, "total_tokens": 11 + said,
		"prompt_tokens_details": object{"cached_tokens": 3},
	}
}

// broken is the answer of a server that fails midway.
var broken = object{"error": object{"message": "The script fails here.", "type": "scripted", "code": 500}}

// whole is the answer in one piece.
func (p part) whole(model string) object {
	if p.breaks {
		return broken
	}
	said := object{"role": "assistant", "content": p.words}
	if p.thoughts != "" {
		said["reasoning_content"] = p.thoughts
	}
	if p.calls != nil {
		var calls []object
		for _, c := range p.calls {
			calls = append(calls, object{"id": c.id, "type": "function", "function": object{"name": c.name, "arguments": c.arguments}})
		}
		said["content"], said["tool_calls"] = nil, calls
	}
	return object{
		"id": "scripted", "object": "chat.completion", "created": 1, "model": model, "usage": p.usage(),
		"choices": []object{{"index": 0, "finish_reason": p.finish, "message": said}},
	}
}
