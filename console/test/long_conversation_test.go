package test

import (
	"fmt"
	"testing"
)

// A conversation continues when it has more media than one request may have: the newest is sent.
// A message shows only what was sent with it.
func TestLongConversation(t *testing.T) {
	t.Parallel()
	s := startService(t)
	after := ""
	for turn := range 2 {
		media := func(kind string, n int) map[string]any { // any file of the service will do
			return map[string]any{"kind": kind, "url": fmt.Sprintf("%s/console/main.js?%d-%s-%d", s.URL, turn, kind, n)}
		}
		content := []any{map[string]any{"type": "text", "text": "What can you do?"}}
		for n := range 11 {
			content = append(content, map[string]any{"type": "image_url", "image_url": media("image", n)})
		}
		var sounds []any
		for n := range 40 {
			sounds = append(sounds, media("audio", n))
		}
		run := s.call("POST", "/v1/chat/runs", map[string]any{
			"session_id": "long", "client_message_id": fmt.Sprintf("after:%s/%d", after, turn), "media_references": sounds,
			"messages": []any{map[string]any{"role": "user", "content": content}},
		})["run"]
		after = run.(map[string]any)["runId"].(string)
	}
	p := openPage(t, s.URL, desktop)
	p.prepare(watchRuns)
	p.signIn(s.Key)
	p.open("/chat/long")
	p.wait("two turns", `document.querySelectorAll(".turn").length === 2`)
	p.see("button", "Send")
	for turns := 3; turns <= 4; turns++ {
		evaluate[bool](p, `(startedRuns = [], true)`)
		p.say("And what does it cost?")
		p.wait("a run", `startedRuns.length === 1`)
		got := evaluate[string](p, `(({messages, media_context: c}) => {
			const name = (url) => url.split("?")[1];
			const shown = messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((part) => part.type === "image_url").map((part) => name(part.image_url.url));
			return [shown.length, shown[0], shown.at(-1), c.uploadedImages.map(name), c.uploadedAudio.length, name(c.uploadedAudio.at(-1))].join(" ");
		})(startedRuns[0])`)
		if want := "20 0-image-2 1-image-10 0-image-0,0-image-1 64 1-audio-39"; got != want {
			t.Errorf("message %d is sent with %q, want %q", turns, got, want)
		}
		p.wait("the turn", fmt.Sprintf(`document.querySelectorAll(".turn").length === %d`, turns))
		p.see("button", "Send")
		p.open("/chat/long")
		p.wait("no sounds in it", fmt.Sprintf(`(() => {
			const turns = [...document.querySelectorAll(".turn")];
			return turns.length === %d && turns.map((e) => e.querySelectorAll(".said audio").length).join() === "40,40" + ",0".repeat(%d);
		})()`, turns, turns-2))
	}
}
