package talk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// fixture is what all tests share, read-only.
type fixture struct {
	c        *catalog.Catalog
	m        *talk.Model
	families map[string][]llm.Tool
}

var shared = sync.OnceValues(func() (*fixture, error) {
	c, err := catalog.Load("")
	if err != nil {
		return nil, err
	}
	m, err := talk.New(c)
	if err != nil {
		return nil, err
	}
	r := &fixture{c, m, map[string][]llm.Tool{}}
	for _, name := range []string{catalog.CreativeTools, catalog.CreativeAgent} {
		for _, t := range c.ToolFamily(name) {
			f := t.Function()
			r.families[name] = append(r.families[name], llm.Tool{Type: "function", Function: llm.Function{Name: f.Name, Description: f.Description, Parameters: wire.Raw(f.Parameters)}})
		}
	}
	return r, nil
})

func loadModel(tb testing.TB) (*catalog.Catalog, *talk.Model) {
	tb.Helper()
	r, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return r.c, r.m
}

// hostedTools returns a family of hosted tools as chat offers them.
func hostedTools(tb testing.TB, name string) []llm.Tool {
	tb.Helper()
	r, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	list := r.families[name]
	return list[:len(list):len(list)]
}

// speak asks the model once.
func speak(tb testing.TB, m *talk.Model, r llm.Request) llm.Answer {
	tb.Helper()
	var a llm.Answer
	if err := m.Complete(context.Background(), r, func(d llm.Delta) error { a.Add(d); return nil }); err != nil {
		tb.Fatal(err)
	}
	return a
}

// session holds a conversation as the chat engine does: it lists the media in a
// system message, runs tools (or says that it did) and hands the results back.
type session struct {
	tb    testing.TB
	c     *catalog.Catalog
	m     *talk.Model
	tools []llm.Tool
	fails map[string]string // tools that fail, and their message

	history []llm.Message
	sent    []string // kinds
	made    []string // kinds, as far as earlier answers link to them
}

func newSession(tb testing.TB, sent ...string) *session {
	c, m := loadModel(tb)
	return &session{tb: tb, c: c, m: m, tools: hostedTools(tb, catalog.CreativeAgent), sent: sent}
}

// call is a call that the model made.
type call struct {
	tool string
	args map[string]any
	json string
}

func (c call) String() string { return c.tool + " " + c.json }

// ask says something and returns all calls, by round, and the last words.
func (s *session) ask(text string, images ...string) ([][]call, string) {
	s.tb.Helper()
	user := llm.Text("user", text)
	for range images {
		user.Content = append(user.Content, llm.Part{Type: "image_url"})
	}
	s.history = append(s.history, user)
	messages := append([]llm.Message(nil), s.history...)
	inline := 0
	for _, m := range s.history {
		for _, p := range m.Content {
			if p.Type == "image_url" {
				inline++
			}
		}
	}
	if note := s.note(inline); note != "" {
		messages = append(messages, llm.Text("system", note))
	}
	var rounds [][]call
	links := ""
	for range 5 {
		a := speak(s.tb, s.m, llm.Request{Messages: messages, Tools: s.tools})
		if len(a.ToolCalls) == 0 {
			s.history = append(s.history, llm.Text("assistant", links+a.Content))
			return rounds, a.Content
		}
		var calls []call
		facts := s.facts(inline)
		results := make([]map[string]any, len(a.ToolCalls))
		for i, c := range a.ToolCalls {
			one := call{tool: c.Function.Name, json: c.Function.Arguments}
			if err := json.Unmarshal([]byte(c.Function.Arguments), &one.args); err != nil {
				s.tb.Errorf("%q: arguments of %s are no JSON object: %v", text, one.tool, err)
			}
			step, err := s.c.Step(one.tool, one.args, facts)
			if err != nil {
				s.tb.Errorf("%q: %s: %v", text, one, err)
				return rounds, ""
			}
			calls = append(calls, one)
			results[i], links = s.run(one, step, links)
		}
		rounds = append(rounds, calls)
		messages = append(messages, a.Message())
		for i, c := range a.ToolCalls {
			raw, err := json.Marshal(results[i])
			if err != nil {
				s.tb.Fatal(err)
			}
			m := llm.Text("tool", string(raw))
			m.ToolCallID = c.ID
			messages = append(messages, m)
		}
	}
	s.tb.Errorf("%q: still calling tools after five rounds", text)
	return rounds, ""
}

// run pretends to run a tool.
func (s *session) run(c call, step *catalog.Step, links string) (map[string]any, string) {
	if why, ok := s.fails[c.tool]; ok {
		return map[string]any{"ok": false, "success": false, "tool": c.tool, "error_type": "GPU_WORKER_FAILED", "message": why, "retryable": false}, links
	}
	r := map[string]any{"ok": true, "success": true, "tool": c.tool, "status": "completed"}
	switch c.tool {
	case "compose_lyrics":
		r["lyrics"], r["bpm"], r["keyscale"], r["timesig"] = "[verse]\nRain on the roof\n[chorus]\nOh, rain", 92.0, "G major", 4.0
	case "enhance_prompt":
		r["prompt"] = "a much better prompt"
	case "compose_script":
		r["script"] = "SCENE 1. A cup of coffee."
	case "compose_instrumental":
		r["structure"] = []any{map[string]any{"section": "intro", "bars": 8.0}}
	case "compose_workflow", "compose_workflow_template":
		r["plan"] = map[string]any{"steps": []any{map[string]any{"toolName": "generate_image", "arguments": map[string]any{"prompt": "a dragon"}}}}
		r["estimated_capacity_units"] = 4.0
	case "analyze_image", "analyze_video", "extract_metadata":
		r["content"] = map[string]any{"summary": "A fox stands in the snow."}
	}
	var assets []any
	extension := map[string]string{"image": "png", "video": "mp4", "audio": "wav", "model": "glb"}
	if kind := string(step.Outputs.Kind); extension[kind] != "" {
		for range max(1, step.Outputs.Count) {
			index := 0
			for _, k := range s.made {
				if k == kind {
					index++
				}
			}
			s.made = append(s.made, kind)
			assets = append(assets, map[string]any{"kind": kind, "index": index})
			links += fmt.Sprintf("[%s](https://example.org/%d.%s)\n\n", kind, len(s.made), extension[kind])
		}
	}
	if assets != nil {
		r["output_assets"] = assets
	}
	return r, links
}

func (s *session) facts(inline int) catalog.Facts {
	up, made := catalog.Counts{Images: inline}, catalog.Counts{}
	for _, k := range s.sent {
		up.Add(catalog.Kind(k), 1)
	}
	for _, k := range s.made {
		made.Add(catalog.Kind(k), 1)
	}
	return catalog.Facts{Uploaded: &up, Generated: &made}
}

// note lists the media as chat does.
func (s *session) note(inline int) string {
	var lines []string
	count := map[string]int{}
	for _, k := range s.sent {
		count[k]++
		lines = append(lines, fmt.Sprintf("%s %d: sent by the user", k, -count[k]))
	}
	for range inline {
		count["image"]++
		lines = append(lines, fmt.Sprintf("image %d: shown by the user", -count["image"]))
	}
	clear(count)
	for _, k := range s.made {
		lines = append(lines, fmt.Sprintf("%s %d: made earlier", k, count[k]))
		count[k]++
	}
	if lines == nil {
		return ""
	}
	return "Media that tools can address by index:\n" + strings.Join(lines, "\n")
}
