package talk_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// What fails is told, with its reason, and what needs it is not tried.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, k := range []struct {
		said  string
		fails map[string]string
		calls string
		words []string
	}{
		{"draw a fox and animate it", map[string]string{"generate_image": "The paint has run out."}, "generate_image",
			[]string{"The picture of a fox could not be made: The paint has run out.", "The picture could not be animated: it needs a result that did not come."}},
		{"draw a fox and animate it", map[string]string{"animate_photo": "It will not move"}, "generate_image animate_photo",
			[]string{"Here is your picture: a fox.", "The picture could not be animated: It will not move."}},
		{"draw a fox and compose calm music", map[string]string{"generate_image": "No."}, "generate_image generate_music",
			[]string{"could not be made: No.", "Here is your music: calm music."}},
		{"make a folk song about rain", map[string]string{"compose_lyrics": "No rhyme."}, "compose_lyrics generate_music",
			[]string{"The lyrics could not be written: No rhyme.", "Here is your music: folk song about rain.", "It has no words, because they could not be written."}},
	} {
		s := newSession(t)
		s.fails = k.fails
		rounds, words := s.ask(k.said)
		var names []string
		for _, r := range rounds {
			for _, c := range r {
				names = append(names, c.tool)
			}
		}
		if got := strings.Join(names, " "); got != k.calls {
			t.Errorf("%q: got %s, want %s", k.said, got, k.calls)
		}
		for _, w := range k.words {
			if !strings.Contains(words, w) {
				t.Errorf("%q: got %q, want %q in it", k.said, words, w)
			}
		}
	}
}

// What was changed to fit is told.
func TestNotes(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"make a 60 second video of a city":            "so I asked for",
		"draw a fox at 5000x3000":                     "Z-Image Turbo makes edges of 256 to 2048 pixels, so I asked for 2048 by 1232.",
		"draw a fox with midjourney":                  "midjourney cannot be used for this here",
		"make 20 pictures of stars":                   "I asked for 16 instead of 20",
		"make a clip of a fox in 1440p with wan 2.2":  "Wan 2.2 Text to Video does not render 1440p, so I asked for 1080p.",
		"make a 3 second clip of a fox with seedance": "Seedance 2.0 makes 4 to 15 seconds, so I asked for 4.",
	} {
		s := newSession(t)
		if _, words := s.ask(said); !strings.Contains(words, want) {
			t.Errorf("%q: got %q, want %q in it", said, words, want)
		}
	}
}

// What tools found is told in words, whatever shape it has.
func TestToolResultSummaries(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	for result, want := range map[string]string{
		`{"ok":true,"content":{"summary":"A fox."}}`:   "A fox.",
		`{"ok":true,"content":"A fox in the snow."}`:   "A fox in the snow.",
		`{"ok":true,"metadata":{"answer":"Red."}}`:     "Red.",
		`{"ok":true,"content":{"a":1,"b":[true,"x"]}}`: "- a: 1\n- b:\n  - true\n  - x",
		`{"ok":true}`: "That is done",
		`{"ok":true,"content":{"file":{"format":"MP4","kind":"video","sizeBytes":730694},"video":{"width":1280,"height":720,"durationSeconds":2.02,"frameRate":24,"hasAudio":true}}}`: "A MP4 file, 1280 by 720 pixels, 2.02 seconds long, 24 frames a second, with sound, 730694 bytes.",
	} {
		user := llm.Text("user", "what is in the picture?")
		messages := []llm.Message{user, llm.Text("system", "image 0: made earlier")}
		first := speak(t, m, llm.Request{Messages: messages, Tools: hostedTools(t, catalog.CreativeTools)})
		reply := llm.Text("tool", result)
		reply.ToolCallID = first.ToolCalls[0].ID
		a := speak(t, m, llm.Request{Messages: append(messages, first.Message(), reply), Tools: hostedTools(t, catalog.CreativeTools)})
		if !strings.HasPrefix(a.Content, want) {
			t.Errorf("%s: got %q, want %q", result, a.Content, want)
		}
	}
}

// The ids of calls are the conversation's own: the same for the same one,
// different within it.
func TestCallsHaveIds(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	r := llm.Request{Messages: []llm.Message{llm.Text("user", "draw a cat; draw a cat")}, Tools: hostedTools(t, catalog.CreativeTools)}
	a, b := speak(t, m, r), speak(t, m, r)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("twice: got %+v and %+v", a, b)
	}
	if len(a.ToolCalls) != 2 || a.ToolCalls[0].ID == a.ToolCalls[1].ID || !strings.HasPrefix(a.ToolCalls[0].ID, "call_") || a.FinishReason != "tool_calls" {
		t.Errorf("got %+v", a)
	}
	r.Messages[0] = llm.Text("user", "draw a dog; draw a cat")
	if c := speak(t, m, r); c.ToolCalls[0].ID == a.ToolCalls[0].ID {
		t.Error("another conversation has the same ids")
	}
}

// Results are found by the ids of their calls, and by the tool's name when
// somebody gave the calls other ids.
func TestResultsAreFound(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	for _, id := range []string{"", "another"} {
		user := llm.Text("user", "draw a fox and animate it")
		first := speak(t, m, llm.Request{Messages: []llm.Message{user}, Tools: hostedTools(t, catalog.CreativeTools)})
		said := first.Message()
		if id != "" {
			said.ToolCalls[0].ID = id
		}
		result := llm.Text("tool", `{"ok":true,"output_assets":[{"kind":"image"}]}`) // without an index
		result.ToolCallID = said.ToolCalls[0].ID
		second := speak(t, m, llm.Request{Messages: []llm.Message{user, said, result}, Tools: hostedTools(t, catalog.CreativeTools)})
		if len(second.ToolCalls) != 1 || second.ToolCalls[0].Function.Name != "animate_photo" || !strings.Contains(second.ToolCalls[0].Function.Arguments, `"sourceImageIndex":0`) {
			t.Errorf("id %q: got %+v", id, second)
		}
	}
}

// A call whose result never comes is not made again.
func TestNoResult(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	user := llm.Text("user", "draw a fox")
	first := speak(t, m, llm.Request{Messages: []llm.Message{user}, Tools: hostedTools(t, catalog.CreativeTools)})
	a := speak(t, m, llm.Request{Messages: []llm.Message{user, first.Message()}, Tools: hostedTools(t, catalog.CreativeTools)})
	if want := "The picture of a fox could not be made: no result came back."; len(a.ToolCalls) > 0 || a.Content != want {
		t.Errorf("got %+v, want %q", a, want)
	}
}

// Calls of earlier turns, whoever made them, are what follow-ups go on from.
func TestEarlierCalls(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	called := llm.Message{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "x", Type: "function", Function: llm.FunctionCall{Name: "generate_image", Arguments: `{"prompt":"a noble stag, golden light","model":"krea-2-turbo","seed":7}`}}}}
	result := llm.Text("tool", `{"ok":true,"output_assets":[{"kind":"image","index":0}]}`)
	result.ToolCallID = "x"
	for said, want := range map[string]string{
		"again but at night":     `generate_image {"model":"krea-2-turbo","prompt":"a noble stag, golden light, at night"}`,
		"animate it":             `animate_photo {"prompt":"a noble stag, golden light, gentle natural motion","sourceImageIndex":0}`,
		"upscale the stag to 4k": `upscale_image {"sourceImageIndex":0,"targetLongestEdge":3840}`,
	} {
		a := speak(t, m, llm.Request{Tools: hostedTools(t, catalog.CreativeTools), Messages: []llm.Message{
			llm.Text("user", "Something with deer, you know what I like."), called, result, llm.Text("assistant", "There."), llm.Text("user", said),
		}})
		if len(a.ToolCalls) != 1 || a.ToolCalls[0].Function.Name+" "+a.ToolCalls[0].Function.Arguments != want {
			t.Errorf("%q: got %+v, want %s", said, a, want)
		}
	}
}

// Media is known from a system message, from images in messages, and from links
// in earlier answers.
func TestMediaSources(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	shown := llm.Text("user", "animate it")
	shown.Content = append(shown.Content, llm.Part{Type: "image_url"})
	for name, k := range map[string]struct {
		messages []llm.Message
		want     string
	}{
		"listed":        {[]llm.Message{llm.Text("user", "animate it"), llm.Text("system", "Media:\nimage -1: sent by the user cat.png")}, `"sourceImageIndex":-1`},
		"references":    {[]llm.Message{llm.Text("system", "media_references: image 1: cat.png"), llm.Text("user", "animate it")}, `"sourceImageIndex":-1`},
		"the second":    {[]llm.Message{llm.Text("system", "media_references: image 1: cat.png\nmedia_references: image 2: dog.png"), llm.Text("user", "animate the second picture")}, `"sourceImageIndex":-2`},
		"by its name":   {[]llm.Message{llm.Text("system", "image -1: sent by the user cat.png\nimage -2: sent by the user old_dog.png"), llm.Text("user", "animate the dog")}, `"sourceImageIndex":-2`},
		"shown":         {[]llm.Message{shown}, `"sourceImageIndex":-1`},
		"shown later":   {[]llm.Message{shown, llm.Text("assistant", "Done."), shown}, `"sourceImageIndex":-2`},
		"linked":        {[]llm.Message{llm.Text("user", "draw a fox"), llm.Text("assistant", "![a](https://e.org/a.png?x=1)\n\n![b](https://e.org/b.png)"), llm.Text("user", "animate it")}, `"sourceImageIndex":1`},
		"counted":       {[]llm.Message{llm.Text("user", "draw a fox"), llm.Text("assistant", "![a](https://e.org/a.png)"), llm.Text("user", "animate it"), llm.Text("system", "image 0: made earlier\nimage 1: made earlier")}, `"sourceImageIndex":1`},
		"sent and made": {[]llm.Message{llm.Text("user", "draw a fox"), llm.Text("assistant", "![a](https://e.org/a.png)"), llm.Text("user", "animate my photo"), llm.Text("system", "image -1: sent by the user\nimage 0: made earlier")}, `"sourceImageIndex":-1`},
	} {
		a := speak(t, m, llm.Request{Messages: k.messages, Tools: hostedTools(t, catalog.CreativeTools)})
		if len(a.ToolCalls) != 1 || a.ToolCalls[0].Function.Name != "animate_photo" || !strings.Contains(a.ToolCalls[0].Function.Arguments, k.want) {
			t.Errorf("%s: got %+v, want %s", name, a, k.want)
		}
	}
}

// A stream comes word by word; otherwise everything comes at once.
func TestDelivery(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	r := llm.Request{Messages: []llm.Message{llm.Text("user", "hello")}}
	var whole, bits []llm.Delta
	collect := func(to *[]llm.Delta) func(llm.Delta) error {
		return func(d llm.Delta) error { *to = append(*to, d); return nil }
	}
	if err := m.Complete(context.Background(), r, collect(&whole)); err != nil {
		t.Fatal(err)
	}
	r.Stream = true
	if err := m.Complete(context.Background(), r, collect(&bits)); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, d := range bits {
		text += d.Content
	}
	if len(whole) != 1 || whole[0].Content != text || len(bits) < 10 || bits[0].Content != "Hello! " {
		t.Errorf("got %d deltas for %q, and %d with %q", len(whole), whole[0].Content, len(bits), text)
	}
	last := bits[len(bits)-1]
	if last.FinishReason != "stop" || last.Usage == nil || last.Usage.PromptTokens != 6 || last.Usage.CompletionTokens != llm.Tokens(text) {
		t.Errorf("the last delta: got %+v", last)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	r := llm.Request{Messages: []llm.Message{llm.Text("user", "hello")}, MaxTokens: 3}
	if a := speak(t, m, r); a.FinishReason != "length" || a.Content != "Hello! Tell " {
		t.Errorf("three tokens: got %+v", a)
	}
	for stop, want := range map[string]string{`"Tell"`: "Hello! ", `["zzz"," to"]`: "Hello! Tell me what", `7`: "Hello! Tell me what to make"} {
		a := speak(t, m, llm.Request{Messages: r.Messages, Params: map[string]wire.Raw{"stop": wire.Raw(stop)}})
		if !strings.HasPrefix(a.Content, want) || strings.HasPrefix(stop, `"`) && a.Content != want {
			t.Errorf("stop %s: got %q, want %q", stop, a.Content, want)
		}
	}
}

// The caller's own errors come back as they are.
func TestErrors(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	r := llm.Request{Messages: []llm.Message{llm.Text("user", "hello")}, Stream: true}
	ctx, cancel := context.WithCancel(context.Background())
	broken := errors.New("gone")
	seen := 0
	if err := m.Complete(ctx, r, func(llm.Delta) error { seen++; return broken }); !errors.Is(err, broken) || seen != 1 {
		t.Errorf("got %v after %d deltas, want %v after one", err, seen, broken)
	}
	seen = 0
	if err := m.Complete(ctx, r, func(llm.Delta) error { seen++; cancel(); return nil }); !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("got %v after %d deltas, want %v after one", err, seen, context.Canceled)
	}
}

// Conversations may be odd: nobody spoke, only the system did, a tool answered
// what nobody asked.
func TestUnusualConversations(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	stray := llm.Text("tool", "{}")
	for i, messages := range [][]llm.Message{
		nil, {llm.Text("system", "Be brief.")}, {llm.Text("assistant", "Hello.")}, {stray}, {llm.Text("user", "")}, {llm.Text("user", "hello"), stray}, {{Role: "user"}}, {{Role: "nobody"}},
	} {
		if a := speak(t, m, llm.Request{Messages: messages}); a.Content == "" {
			t.Errorf("%d: nothing was said", i)
		}
	}
}

// The model is shared by all requests.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	_, m := loadModel(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			said := fmt.Sprintf("draw %d foxes and animate it", i+2)
			a := speak(t, m, llm.Request{Messages: []llm.Message{llm.Text("user", said)}, Tools: hostedTools(t, catalog.CreativeTools)})
			if want := fmt.Sprintf(`{"prompt":"%d foxes"}`, i+2); len(a.ToolCalls) != 1 || a.ToolCalls[0].Function.Arguments != want {
				t.Errorf("%q: got %+v", said, a.ToolCalls)
			}
		})
	}
	wg.Wait()
}
