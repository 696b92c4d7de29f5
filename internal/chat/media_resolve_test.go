package chat_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Indices of a call become places among the references of its workflow: what
// was sent keeps its place, what was made follows behind it.
func TestAddresses(t *testing.T) {
	t.Parallel()
	ref := func(kind, url string) chat.Media {
		return chat.Media{MediaReference: atelier.MediaAt(kind, url)}
	}
	sent := []chat.Media{ref("image", "https://media.example/s1.png"), ref("video", "https://media.example/s2.mp4"), ref("image", "https://media.example/s3.png")}
	shown := llm.Message{Role: "user", Content: []llm.Part{{Type: "image_url", Image: llm.Image{Type: "image/png", Data: []byte("a picture")}}}}
	made := llm.Text("assistant", "![a](https://media.example/m0.png) ![b](https://media.example/m1.png) [Video 1](https://media.example/v0.mp4)")
	for _, c := range []struct {
		name, tool, args string
		media            []chat.Media
		messages         []llm.Message
		want             string // the arguments of the step
		urls             string // of the references
		fails            bool
	}{
		{name: "sent", tool: "upscale_image", args: `{"sourceImageIndex":-2}`, media: sent, want: "map[sourceImageIndex:-2]", urls: "s1.png s2.mp4 s3.png"},
		{name: "made", tool: "upscale_image", args: `{"sourceImageIndex":1}`, messages: []llm.Message{made}, want: "map[sourceImageIndex:-1]", urls: "m1.png"},
		{name: "made, behind what was sent", tool: "upscale_image", args: `{"sourceImageIndex":0}`, media: sent, messages: []llm.Message{made},
			want: "map[sourceImageIndex:-3]", urls: "s1.png s2.mp4 s3.png m0.png"},
		{name: "a list", tool: "stitch_video", args: `{"videoIndices":[-1,0]}`, media: sent, messages: []llm.Message{made}, want: "map[videoIndices:[-1 -2]]", urls: "s1.png s2.mp4 s3.png v0.mp4"},
		{name: "inside objects", tool: "overlay_video", args: `{"sourceVideoIndex":0,"overlays":[{"kind":"image","position":"center","sourceImageIndex":1}]}`, messages: []llm.Message{made},
			want: "map[overlays:[map[kind:image position:center sourceImageIndex:-1]] sourceVideoIndex:-1]", urls: "v0.mp4 m1.png"},
		{name: "shown, behind what was sent", tool: "upscale_image", args: `{"sourceImageIndex":-3}`, media: sent, messages: []llm.Message{shown},
			want: "map[sourceImageIndex:-3]", urls: "s1.png s2.mp4 s3.png a.png"},
		{name: "none means the newest result", tool: "upscale_image", args: `{}`, messages: []llm.Message{made}, want: "map[]", urls: "m1.png"},
		{name: "no media in it", tool: "generate_music", args: `{"prompt":"piano"}`, media: sent, want: "map[prompt:piano]"},
		{name: "not there", tool: "upscale_image", args: `{"sourceImageIndex":2}`, messages: []llm.Message{made}, fails: true},
		{name: "half a place", tool: "upscale_image", args: `{"sourceImageIndex":0.5}`, messages: []llm.Message{made}, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := newFixture(t, storetest.SQLite(t), call(c.tool, c.args), text("There."))
			q := env.ask("go")
			q.Media, q.Messages = c.media, append(c.messages, q.Messages...)
			w, done := env.plan(q)
			if c.fails {
				if w != nil || done.Results[0]["error_type"] != "ASSET_NOT_FOUND" {
					t.Errorf("got %v", done.Results)
				}
				return
			}
			if w == nil {
				t.Fatalf("nothing was started: %v", done.Results)
			}
			var urls []string
			for _, m := range w.MediaReferences {
				urls = append(urls, path.Base(m.(map[string]any)["url"].(string)))
			}
			if got := strings.Join(urls, " "); got != c.urls {
				t.Errorf("the references are %s, want %s", got, c.urls)
			}
			if got := fmt.Sprint(w.Input.Steps[0].Arguments); got != c.want {
				t.Errorf("the arguments are %s, want %s", got, c.want)
			}
		})
	}
}
