package chat_test

import (
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Tools are described by what the context has space for, the relevant ones first.
func TestToolsFitTheContext(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		context  int
		detail   llm.ToolDetail
		says     string
		most     int // tokens of all tools
		few, all int // how many of them are offered, at least and at most
		has      string
		compact  bool
	}{
		{name: "32k", context: 32768, says: "hi", most: 6000, few: 31, all: 31, has: "add_subtitles"},
		{name: "8k", context: 8192, says: "hi", most: 1800, few: 31, all: 31, has: "add_subtitles", compact: true},
		{name: "4k", context: 4096, says: "hi", most: 1800, few: 31, all: 31, has: "add_subtitles", compact: true},
		{name: "2k", context: 2048, says: "hi", most: 960, few: 8, all: 25, has: "generate_image", compact: true},
		{name: "2k with a wish", context: 2048, says: "Please burn subtitles into my clip.", most: 960, few: 8, all: 25, has: "add_subtitles", compact: true},
		{name: "1k", context: 1024, says: "hi", most: 480, few: 4, all: 12, has: "generate_image", compact: true},
		{name: "always full", context: 16384, detail: llm.ToolsFull, says: "hi", most: 6000, few: 31, all: 31, has: "add_subtitles"},
		{name: "always compact", context: 262144, detail: llm.ToolsCompact, says: "hi", most: 1800, few: 31, all: 31, has: "add_subtitles", compact: true},
		{name: "never", context: 262144, detail: llm.ToolsNone, says: "hi"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			env := newFixture(t, storetest.SQLite(t), text("1"))
			q := env.ask(tc.says)
			q.Family = catalog.CreativeTools
			env.e = env.engineWith(func(m *llm.Model) { m.ContextLength, m.Tools = tc.context, tc.detail })
			env.complete(q)
			tools := env.model.request(0).Tools
			if n := llm.ToolTokens(tools); n > tc.most {
				t.Errorf("the tools take %d tokens, want at most %d", n, tc.most)
			}
			if len(tools) < tc.few || len(tools) > tc.all {
				t.Errorf("%d tools are offered, want %d to %d", len(tools), tc.few, tc.all)
			}
			found := tc.has == ""
			for _, tool := range tools {
				if tool.Function.Name != tc.has {
					continue
				}
				found = true
				of, _ := enginetest.Catalog().Tool(tc.has)
				want := of.Function()
				if tc.compact {
					want = of.CompactFunction()
				}
				if string(tool.Function.Parameters) != string(want.Parameters) {
					t.Errorf("%s is described as %s, want %s", tc.has, tool.Function.Parameters, want.Parameters)
				}
			}
			if !found {
				t.Errorf("%s is not among the tools", tc.has)
			}
		})
	}
}

// asking is how people ask for each of the tools.
var asking = map[string]string{
	"generate_music":        "I need some upbeat tunes for my party.",
	"generate_speech":       "Read this paragraph aloud in a warm voice.",
	"enhance_prompt":        "Can you improve my prompt for flux?",
	"compose_script":        "Write a storyboard for a coffee ad.",
	"compose_lyrics":        "Write lyrics about the sea.",
	"compose_instrumental":  "Plan an instrumental track for a chase scene.",
	"generate_image":        "Draw a fox in the snow.",
	"edit_image":            "Give him a red hat in this picture.",
	"apply_style":           "Turn this photo into a watercolor painting.",
	"restore_photo":         "Fix this old family photo, it has scratches.",
	"upscale_image":         "Make this picture bigger.",
	"remove_background":     "Cut out the dog so that I have a transparent PNG.",
	"segment_image":         "Select all the cars in this image.",
	"refine_result":         "Improve the last image a bit.",
	"change_angle":          "Show it from a different angle.",
	"image_to_3d":           "I want this chair in 3D.",
	"analyze_image":         "What is in this picture?",
	"analyze_video":         "What happens in this video?",
	"extract_metadata":      "What resolution and format is this file?",
	"generate_video":        "Make a short film of a running horse.",
	"animate_photo":         "Bring this photo to life.",
	"sound_to_video":        "Make the singer move her lips to this song.",
	"video_to_video":        "Turn this clip into an anime.",
	"extend_video":          "Make this video longer.",
	"replace_video_segment": "Replace seconds 2 to 4 of the video.",
	"stitch_video":          "Combine these two clips into one.",
	"orbit_video":           "Let the camera circle around the statue.",
	"dance_montage":         "Make my grandmother dance.",
	"upscale_video":         "Sharpen this blurry video.",
	"overlay_video":         "Put my logo on top of the video.",
	"add_subtitles":         "Please add captions to my clip.",
}

// A small context has the tool that the user asks for, and keeps it when the
// conversation continues.
func TestAskedToolFitsTheContext(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	env.e = env.engineWith(func(m *llm.Model) { m.ContextLength = 2048 })
	n := 0
	for _, tool := range enginetest.Catalog().ToolFamily(catalog.CreativeTools) {
		says := asking[tool.Name]
		if says == "" {
			t.Errorf("there is no message that asks for %s", tool.Name)
		}
		for _, messages := range [][]llm.Message{
			{llm.Text("user", says)},
			{llm.Text("user", says), llm.Text("assistant", "Are you sure?"), llm.Text("user", "Yes, please go ahead.")},
		} {
			q := env.ask("")
			q.Messages = messages
			env.model.says = append(env.model.says, text("1"))
			env.complete(q)
			offered := env.model.request(n).Tools
			n++
			if !slices.ContainsFunc(offered, func(o llm.Tool) bool { return o.Function.Name == tool.Name }) {
				t.Errorf("%q, %d messages: %s is not among the %d tools", says, len(messages), tool.Name, len(offered))
			}
		}
	}
}
