package talk_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk"
	"github.com/atelier-project/atelier/internal/llm"
)

func readFile(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// Every tool has its words, whether it worked or not.
func TestEveryToolHasWords(t *testing.T) {
	t.Parallel()
	c, _ := loadModel(t)
	said := readFile(t, "phrase/data/say.txt")
	for _, tool := range c.Tools() {
		if !tool.Pure() && !strings.Contains(said, "\n"+tool.Name+" | ") {
			t.Errorf("phrase/phrase/phrase/phrase/phrase/phrase/data/say.txt has no line for %s", tool.Name)
		}
	}
}

// Every topic can be asked for, and nothing in its text is left open.
func TestEveryTopicIsAnswered(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	open := regexp.MustCompile(`\{(models|tools|spark-usd|prices|free-spark|plans|lengths|sizes|voices|languages|dances|loras)\}`)
	for _, part := range strings.Split(readFile(t, "answer/data/help.md"), "\n# ")[1:] {
		id, rest, _ := strings.Cut(part, "\n")
		ask, text, _ := strings.Cut(rest, "\n")
		start := strings.TrimSpace(open.Split(strings.TrimSpace(text), 2)[0])
		told, asked := 0, 0
		for phrase := range strings.SplitSeq(strings.TrimPrefix(ask, "ask: "), ", ") {
			asked++
			a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", phrase+"?")}, Tools: hostedTools(t, catalog.CreativeTools)})
			if open.MatchString(a.Content) {
				t.Errorf("%s: %q is left open in %q", id, open.FindString(a.Content), a.Content)
			}
			if start == "" && !strings.HasPrefix(a.Content, "I cannot") && a.Content != "" || start != "" && strings.HasPrefix(a.Content, start[:min(30, len(start))]) {
				told++
			}
		}
		if told*3 < asked*2 {
			t.Errorf("%s: %d of %d phrases lead to it", id, told, asked)
		}
	}
}

// An operator's catalog is what the model speaks of: a model that was added is
// known by name, one that was removed is not.
func TestOverlay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	overlay := "models:\n  - { id: my_checkpoint, sid: 9001, base: sdxl, name: Moon Painter, selectors: { generate_image: [moon-painter] } }\n  - { id: pony-v7, removed: true }\n"
	if err := os.WriteFile(dir+"/mine.yaml", []byte(overlay), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := talk.New(c)
	if err != nil {
		t.Fatal(err)
	}
	// The tools are the overlaid ones: their schemas name the new model.
	var tools []llm.Tool
	for _, tool := range c.ToolFamily(catalog.CreativeTools) {
		f := tool.Function()
		tools = append(tools, newFunction(f.Name, f.Description, string(f.Parameters)))
	}
	a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", "draw a fox with moon painter")}, Tools: tools})
	if want := `{"model":"moon-painter","prompt":"a fox"}`; len(a.ToolCalls) != 1 || a.ToolCalls[0].Function.Arguments != want {
		t.Errorf("got %+v, want %s", a, want)
	}
	a = speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", "which image models are there?")}})
	if !strings.Contains(a.Content, "moon-painter") || strings.Contains(a.Content, "pony-v7") {
		t.Errorf("got %s", a.Content)
	}
}
