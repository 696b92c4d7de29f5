package compose_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
)

// Scenes follow each other without gaps and fill the time exactly.
func TestScripts(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"video_prompt", "screenplay", "storyboard", "ad_script", "trailer", "social_short", "talking_head", "campaign", "revision", ""} {
		for _, rest := range []string{``, `,"duration_seconds":17.5`, `,"scene_count":1`, `,"scene_count":12,"duration_seconds":300`, `,"scene_count":5,"duration_seconds":1`, `,"platform":"TikTok","style":"handheld, warm"`} {
			args := `{"brief":"Write a short ad for a new bakery in Lisbon"` + rest
			if kind != "" {
				args += fmt.Sprintf(`,"script_type":%q`, kind)
			}
			m := mustRun(t, "compose_script", args+`}`)
			scenes, _ := m["scenes"].([]any)
			meta := m["metadata"].(map[string]any)
			at := 0.0
			for i, v := range scenes {
				s := v.(map[string]any)
				if s["start_seconds"] != at || s["end_seconds"].(float64) < at || s["visual"] == "" {
					t.Errorf("%s: scene %d is %v, want it to begin at %v", args, i+1, s, at)
				}
				at = s["end_seconds"].(float64)
				if words := len(strings.Fields(fmt.Sprint(s["spoken"]))); s["spoken"] != nil && float64(words) > (at-s["start_seconds"].(float64))*2.5+1 {
					t.Errorf("%s: scene %d has %d words to say in %v seconds", args, i+1, words, at-s["start_seconds"].(float64))
				}
			}
			if at != meta["duration_seconds"] {
				t.Errorf("%s: scenes end at %v, want %v", args, at, meta["duration_seconds"])
			}
			var q struct {
				Scenes  int     `json:"scene_count"`
				Seconds float64 `json:"duration_seconds"`
			}
			if err := json.Unmarshal([]byte(args+`}`), &q); err != nil {
				t.Fatal(err)
			}
			if q.Scenes > 0 && len(scenes) != q.Scenes || q.Seconds > 0 && at != q.Seconds {
				t.Errorf("%s: %d scenes in %v seconds", args, len(scenes), at)
			}
			if text := m["script"].(string); strings.ContainsAny(text, "{}") || !strings.Contains(strings.ToLower(text), "bakery") {
				t.Errorf("%s: got %q", args, text)
			}
		}
	}
}

// A brief that describes its own scenes is written in its own words.
func TestScriptKeepsTheStory(t *testing.T) {
	t.Parallel()
	args := `{"brief":"A lighthouse keeper finds a message. She rows out into the fog. The light goes out behind her. At dawn the boat comes back empty.","first_frame_description":"a green bottle in the surf"`
	m := mustRun(t, "compose_script", args+`}`)
	text := m["script"].(string)
	for _, s := range []string{"finds a message", "rows out into the fog", "light goes out behind her", "comes back empty", "a green bottle in the surf"} {
		if !strings.Contains(text, s) {
			t.Errorf("got %q, want %q in it", text, s)
		}
	}
	if md := mustRun(t, "compose_script", args+`,"return_format":"markdown"}`)["script"].(string); !strings.HasPrefix(md, "# ") {
		t.Errorf("got %q, want Markdown", md)
	}
	var doc struct{ Scenes []any }
	if err := json.Unmarshal([]byte(mustRun(t, "compose_script", args+`,"return_format":"json"}`)["script"].(string)), &doc); err != nil || len(doc.Scenes) != 4 {
		t.Errorf("got %v and %d scenes, want JSON with 4", err, len(doc.Scenes))
	}
	if m := mustRun(t, "compose_script", args+`,"first_frame_data_url":"data:image/png;base64,AA=="}`); m["warnings"] == nil {
		t.Error("a frame that no model saw: got no warning")
	}
}

var tag = regexp.MustCompile(`^\[[a-z]+\]$`)

// Lyrics have sections, and what generate_music needs beside them.
func TestLyrics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, language, has string }{
		{`{"prompt":"a lighthouse keeper who misses the sea","music_prompt":"slow folk ballad"}`, "English", "a lighthouse keeper"},
		{`{"prompt":"write a song about my grandmother's kitchen","duration_seconds":10}`, "English", "my grandmother's kitchen"},
		{`{"prompt":"a love song","duration_seconds":600,"music_prompt":"waltz in D minor at 140 bpm"}`, "English", ""},
		{`{"prompt":"ein Lied über den Regen in Hamburg"}`, "German", "der Regen in Hamburg"},
		{`{"prompt":"une chanson sur la mer et le vent","duration_seconds":120}`, "French", "la mer et le vent"},
		{`{"prompt":"mi abuela","language":"Spanish"}`, "Spanish", "mi abuela"},
		{`{"prompt":"?","language":"en-GB"}`, "English", ""},
	} {
		m := mustRun(t, "compose_lyrics", c.args)
		text := m["lyrics"].(string)
		if got := m["metadata"].(map[string]any)["language"]; got != c.language {
			t.Errorf("%s: language %v, want %s", c.args, got, c.language)
		}
		if !strings.Contains(text, "[verse]\n") || !strings.Contains(strings.ToLower(text), strings.ToLower(c.has)) || strings.ContainsAny(text, "{}|") {
			t.Errorf("%s: got %q, want verses about %q", c.args, text, c.has)
		}
		for _, row := range strings.Split(text, "\n") {
			if strings.HasPrefix(row, "[") && !tag.MatchString(row) {
				t.Errorf("%s: got the tag %q", c.args, row)
			}
		}
		args := map[string]any{"prompt": m["music_prompt"]}
		for _, name := range []string{"lyrics", "bpm", "keyscale", "timesig", "duration"} {
			args[name] = m[name]
		}
		if _, err := enginetest.Catalog().Step("generate_music", args, catalog.Facts{}); err != nil {
			t.Errorf("%s: generate_music refuses it: %v", c.args, err)
		}
	}
	m := mustRun(t, "compose_lyrics", `{"prompt":"a love song","music_prompt":"waltz in D minor at 140 bpm"}`)
	if m["bpm"] != 140.0 || m["keyscale"] != "D minor" || m["timesig"] != 3.0 {
		t.Errorf("got %v bpm, %v, %v; want what was asked for", m["bpm"], m["keyscale"], m["timesig"])
	}
	r := run(t, "compose_lyrics", `{"prompt":"cherry blossoms","language":"Japanese"}`)
	if r.OK || r.ErrorType != "MODEL_UNAVAILABLE" || r.NextAction != "correct:language" || !strings.Contains(r.Reason, "German") {
		t.Errorf("got %+v, want MODEL_UNAVAILABLE that lists the languages", r)
	}
}

func TestInstrumentals(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"epic trailer music for a space battle", "calm solo piano in D minor at 70 bpm", "waltz", "", "techno with flute and harp", "a march in 2/4"} {
		for _, seconds := range []float64{0, 10, 11, 33, 90, 600} {
			args := fmt.Sprintf(`{"prompt":%q,"duration_seconds":%v}`, "music: "+prompt, seconds)
			if seconds == 0 {
				args = fmt.Sprintf(`{"prompt":%q}`, "music: "+prompt)
			}
			m := mustRun(t, "compose_instrumental", args)
			at := 0.0
			for _, v := range m["sections"].([]any) {
				s := v.(map[string]any)
				if s["start_seconds"] != at || s["bars"].(float64) < 1 || len(s["instruments"].([]any)) == 0 || s["end_seconds"].(float64) <= at {
					t.Errorf("%s: section %v after %v", args, s, at)
				}
				at = s["end_seconds"].(float64)
			}
			if at != m["duration"] || seconds > 0 && at != seconds {
				t.Errorf("%s: sections end at %v, want %v", args, at, m["duration"])
			}
			if text := m["structure"].(string); !strings.HasPrefix(text, "[intro] ") || strings.ContainsAny(text, "{}") {
				t.Errorf("%s: got %q", args, text)
			}
			if _, err := enginetest.Catalog().Step("generate_music", map[string]any{"prompt": m["music_prompt"], "bpm": m["bpm"], "keyscale": m["keyscale"], "timesig": m["timesig"], "duration": m["duration"]}, catalog.Facts{}); err != nil {
				t.Errorf("%s: generate_music refuses it: %v", args, err)
			}
		}
	}
}
