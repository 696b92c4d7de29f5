package responses_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/responses"
)

// round is a way in which the text of a round reaches a reader: pieces, of which one that begins with ^ is the start of
// another attempt.
type round []string

// play makes the events of a response whose model writes a text and calls a function.
func play(after int64, r round, whole string) []responses.Event {
	s := responses.NewStreamer("resp_1", responses.Note{}, after)
	response := &responses.Response{ID: "resp_1", Status: "completed"}
	s.Begin(response)
	for _, piece := range r {
		text, isFirst := strings.CutPrefix(piece, "^")
		s.AddText(text, isFirst)
	}
	s.AddRound(whole, []llm.ToolCall{{ID: "c1", Function: llm.FunctionCall{Name: "f", Arguments: "{}"}}})
	s.End(response)
	return s.Take()
}

// texts are the texts of the messages as a client puts them together.
func texts(events []responses.Event) (out []string) {
	var text string
	for _, ev := range events {
		switch ev.Type {
		case "response.output_text.delta":
			text += *ev.Delta
		case "response.output_text.done":
			out = append(out, text)
			text = ""
		}
	}
	return out
}

// A client gets the text of the model, in whatever pieces and attempts it comes.
func TestText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pieces round
		whole  string
		want   []string
	}{
		{nil, "Hello, you.", []string{"Hello, you."}},
		{round{"^Hello, you."}, "Hello, you.", []string{"Hello, you."}},
		{round{"^ \n", "Hel", "lo, ", " you.", " \n"}, "Hello,  you.", []string{"Hello,  you."}},
		{round{"^Hello"}, "Hello, you.", []string{"Hello, you."}},
		{round{"^Hello,", "^", "Hel", "lo, you."}, "Hello, you.", []string{"Hello, you."}},
		{round{"^Hello,", "^Hel"}, "Hello, you.", []string{"Hello, you."}},
		{round{"^Hello,", "^Good ", "day."}, "Good day.", []string{"Hello,", "Good day."}},
		{round{"^Hello,"}, "Good day.", []string{"Hello,", "Good day."}},
		{round{"^ "}, "", nil},
	} {
		if got := texts(play(-1, test.pieces, test.whole)); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", test.want) {
			t.Errorf("%q: got %q, want %q", test.pieces, got, test.want)
		}
	}
}

// A reader who comes back after any event gets the rest, in whatever pieces the text came before.
func TestComeBack(t *testing.T) {
	t.Parallel()
	const whole = "Grüße, you."
	first := play(-1, round{"^Grü", "ße", ", you."}, whole)
	last := first[len(first)-1].Sequence
	for i, ev := range first {
		rest := play(ev.Sequence, round{"^Gr", "üße, you."}, whole)
		read := append(append([]responses.Event(nil), first[:i+1]...), rest...)
		if got := strings.Join(texts(read), "|"); got != whole {
			t.Errorf("after %d: got %q", ev.Sequence, got)
		}
		if len(rest) > 0 && (rest[0].Sequence <= ev.Sequence || rest[len(rest)-1].Sequence != last) {
			t.Errorf("after %d: numbers from %d to %d, want up to %d", ev.Sequence, rest[0].Sequence, rest[len(rest)-1].Sequence, last)
		}
	}
}

// Pictures and other results of the service's tools are items, whose places are those of their calls.
func TestHostedTools(t *testing.T) {
	t.Parallel()
	s := responses.NewStreamer("resp_1", responses.Note{Pictures: []string{"generate_image"}, Hosted: true, Partial: 1}, -1)
	s.AddRound("", []llm.ToolCall{{ID: "a", Function: llm.FunctionCall{Name: "generate_image"}}, {ID: "b", Function: llm.FunctionCall{Name: "generate_music"}}})
	if preview := s.AddProgress(apitype.CallProgress{ToolCallID: "a", PreviewURL: "http://x/1"}); preview != "http://x/1" {
		t.Errorf("the preview is %q", preview)
	}
	s.AddPreview("a", []byte("jpeg"))
	if preview := s.AddProgress(apitype.CallProgress{ToolCallID: "a", PreviewURL: "http://x/2"}); preview != "" {
		t.Errorf("a second preview: %q", preview)
	}
	s.AddResult(apitype.CallResolved{ToolCallID: "b", Status: "err", Summary: "No worker."})
	s.AddResult(apitype.CallResolved{ToolCallID: "a", Status: "ok", Artifacts: []apitype.RunArtifact{{URL: "http://x/a"}, {URL: "http://x/b"}}})
	var got []string
	for _, ev := range s.Take() {
		line := fmt.Sprintf("%s %d", strings.TrimPrefix(ev.Type, "response."), *ev.OutputIndex)
		for _, f := range ev.Files() {
			line += " " + f.URL
		}
		got = append(got, line)
	}
	want := []string{
		"output_item.added 0", "image_generation_call.in_progress 0",
		"output_item.added 1", "mcp_call.in_progress 1", "mcp_call_arguments.delta 1", "mcp_call_arguments.done 1",
		"image_generation_call.generating 0", "image_generation_call.partial_image 0",
		"mcp_call.failed 1", "output_item.done 1",
		"image_generation_call.completed 0", "output_item.done 0 http://x/a", "output_item.added 2 http://x/b", "output_item.done 2 http://x/b",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
