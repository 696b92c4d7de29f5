package talk_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// vocabulary is every phrase of the data files, and what stands between them.
func vocabulary(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("*/data/*.txt")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no data: %v", err)
	}
	var out []string
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			if _, phrases, found := strings.Cut(line, ": "); found && !strings.HasPrefix(line, "//") {
				out = append(out, strings.Split(regexp.MustCompile(`[(|)]`).ReplaceAllString(phrases, ""), ", ")...)
			}
		}
	}
	common := []string{
		",", ".", "?", "and", "then", ":", "\n- ", "\n", "0", "1", "2", "4", "16", "600", "99999", "1024x768", "16:9", "0:05", "-1", "seconds", `"hello there my friends"`, `""`, "'x'", "https://example.org/a.png", "fox", "castle",
		"of", "with", "the", "a", "it", "my photo", "the second one", "animate", "draw", "make", "krea 2 turbo", "ltx25", "h3 turbo", "seedance 2.5", "gpt image 2", "1080p", "4k", "bpm", "A minor", "3/4", "seed", "without", "no", "lora", "smile",
	}
	for range 40 { // so that sentences look like sentences
		out = append(out, common...)
	}
	return out
}

// Sentences of random known words combine rules that were never
// written for each other. Every call must still be one that the catalog takes.
func TestRandomWords(t *testing.T) {
	t.Parallel()
	c, m := loadModel(t)
	words := vocabulary(t)
	rng := rand.New(rand.NewPCG(1, 2))
	count := 1000
	if testing.Short() {
		count = 300
	}
	calls := 0
	for range count {
		var messages []llm.Message
		for turn := range 1 + rng.IntN(3) {
			if turn > 0 {
				messages = append(messages, llm.Text("assistant", []string{"What should the picture show?", "![a](https://e.org/a.png)", "[v](https://e.org/v.mp4) [a](https://e.org/a.wav)", "Which picture should I animate? Send one with your message, or ask me to draw one first."}[rng.IntN(4)]))
			}
			var said []string
			for range 1 + rng.IntN(18) {
				said = append(said, words[rng.IntN(len(words))])
			}
			messages = append(messages, llm.Text("user", strings.Join(said, " ")))
		}
		var note []string
		for _, kind := range []string{"image", "video", "audio", "model"} {
			for i := range rng.IntN(3) {
				note = append(note, fmt.Sprintf("%s %d: sent by the user", kind, -i-1))
			}
			for i := range rng.IntN(3) {
				note = append(note, fmt.Sprintf("%s %d: made earlier", kind, i))
			}
		}
		messages = append(messages, llm.Text("system", strings.Join(note, "\n")))
		r := llm.Request{Messages: messages, Tools: hostedTools(t, catalog.CreativeAgent)}
		for round := 0; round < 15; round++ {
			a := speak(t, m, r)
			checkAnswer(t, c, r, a)
			calls += len(a.ToolCalls)
			if len(a.ToolCalls) == 0 {
				break
			}
			if round == 14 {
				t.Fatalf("%+v: calls without an end", messages)
			}
			r.Messages = append(r.Messages, a.Message())
			for _, call := range a.ToolCalls {
				reply := llm.Text("tool", `{"ok":true,"lyrics":"la la","bpm":90,"duration":9999,"output_assets":[{"kind":"image"},{"kind":"video"},{"kind":"audio"}]}`)
				reply.ToolCallID = call.ID
				r.Messages = append(r.Messages, reply)
			}
		}
	}
	if calls < count/2 {
		t.Errorf("%d calls in %d conversations: the random words are hardly understood", calls, count)
	}
}
