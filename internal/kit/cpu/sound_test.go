package cpu_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/kit/studio/voice"
	"github.com/atelier-project/atelier/internal/worker"
)

func speech(t *testing.T, model, contentType string, args map[string]any, files map[string]string) (worker.Output, error) {
	t.Helper()
	k := task(t, "generate_speech", model, contentType, args)
	k.Files = files
	out, err := cpu.Renderer{}.Render(t.Context(), k)
	if err != nil {
		return worker.Output{}, err
	}
	return out[0], nil
}

// A cloned voice has about the pitch of its reference.
func TestSpeechClones(t *testing.T) {
	t.Parallel()
	text := "The quick brown fox jumps over the lazy dog."
	pitch := map[string]float64{}
	for name, argument := range map[string]string{"eric": "voiceSourceIndex", "vivian": "voice_source_url"} {
		clip, info, err := voice.Speak(t.Context(), voice.Request{Text: text, Voice: name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		reference := wav(t, &film.Sound{Rate: clip.Rate, Channels: clip.Channels, Samples: clip.PCM})
		out, err := speech(t, "qwen3_tts_1.7b_clone_bf16", "audio/wav", map[string]any{"prompt": "Good morning.", "voiceTranscript": text}, map[string]string{argument: reference})
		if err != nil {
			t.Fatal(err)
		}
		got := out.Metadata["speech"].(voice.Info)
		if got.Voice != "cloned" || got.Pitch < 0.75*info.Pitch || got.Pitch > 1.3*info.Pitch {
			t.Errorf("%s speaks at %.0f Hz and its clone %q at %.0f", name, info.Pitch, got.Voice, got.Pitch)
		}
		pitch[name] = got.Pitch
	}
	if pitch["vivian"] < 1.2*pitch["eric"] {
		t.Errorf("clones: %v", pitch)
	}
}

// The model says whose voice it is; what it needs and has not, it says.
func TestSpeechModels(t *testing.T) {
	t.Parallel()
	args := map[string]any{"prompt": "Hello.", "voice": "ryan", "voiceDescription": "a deep old man"}
	named, err := speech(t, "qwen3_tts_1.7b_voice_bf16", "audio/wav", args, nil)
	if err != nil || named.Metadata["speech"].(voice.Info).Voice != "ryan" {
		t.Errorf("voice: %+v, %v", named.Metadata, err)
	}
	designed, err := speech(t, "qwen3_tts_1.7b_design_bf16", "audio/wav", args, nil)
	if err != nil || designed.Metadata["speech"].(voice.Info).Voice != "designed" {
		t.Errorf("design: %+v, %v", designed.Metadata, err)
	}
	if _, err := speech(t, "qwen3_tts_1.7b_clone_bf16", "audio/wav", args, nil); err == nil || !strings.Contains(err.Error(), "recording") {
		t.Errorf("clone without a recording: %v", err)
	}
	if _, err := speech(t, "qwen3_tts_1.7b_design_bf16", "audio/wav", map[string]any{"prompt": "x"}, nil); err == nil || !strings.Contains(err.Error(), "description") {
		t.Errorf("design without a description: %v", err)
	}
	if _, err := speech(t, "", "video/mp4", args, nil); err == nil {
		t.Error("speech was written as a clip")
	}
}

// FLAC is the same sound as WAV.
func TestSpeechAsFLAC(t *testing.T) {
	t.Parallel()
	args := map[string]any{"prompt": "Good morning."}
	a, err := speech(t, "", "audio/wav", args, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := speech(t, "", "audio/flac", args, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := sound.ReadWAV(f, 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	g, err := os.Open(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	got, err := flac.Read(g, 1<<24)
	if err != nil || got.Rate != want.Rate || !slices.Equal(got.PCM, want.PCM) {
		t.Errorf("%s, %v; want %s", described((*sound.Clip)(got)), err, described(want))
	}
}

// On a machine without ffmpeg one tool's clip is another's source, and what needs
// ffmpeg says so.
func TestWithoutFFmpeg(t *testing.T) {
	t.Setenv("PATH", "")
	if _, err := exec.LookPath("ffmpeg"); err == nil {
		t.Skip("ffmpeg is found without a PATH")
	}
	step := func(tool string, args map[string]any, files map[string]string) string {
		t.Helper()
		out, err := cpu.Renderer{}.Render(t.Context(), job(t, tool, "", args, files))
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		return out[0].Path
	}
	voiced, err := speech(t, "", "audio/flac", map[string]any{"prompt": "Hello."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	clip := step("generate_video", map[string]any{"prompt": "a boat on the sea", "duration": 0.5, "width": 64.0, "height": 48.0}, nil)
	spoken := step("sound_to_video", map[string]any{"prompt": "a red ball", "duration": 0.5, "width": 64.0, "height": 48.0}, map[string]string{"audioSourceIndex": voiced.Path})
	joined := step("stitch_video", map[string]any{"transition": map[string]any{"type": "fade", "durationSeconds": 0.2}}, map[string]string{"videoIndices": clip, "videoIndices#1": spoken})
	titled := step("add_subtitles", map[string]any{"srt": "1\n00:00:00,100 --> 00:00:00,400\nHello"}, map[string]string{"sourceVideoIndex": joined})
	longer := step("extend_video", map[string]any{"duration": 0.25}, map[string]string{"videoIndex": titled})
	r, err := film.Open(t.Context(), longer, film.Auto)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Engine != film.BuiltIn || r.Frames != 25 || !r.Sound {
		t.Errorf("at the end there is %+v by %s", r.Facts, r.Engine)
	}
	if _, err := speech(t, "", "audio/mpeg", map[string]any{"prompt": "Hello."}, nil); err == nil || !strings.Contains(err.Error(), "ffmpeg") {
		t.Errorf("MP3 without ffmpeg: %v", err)
	}
}

// A job without a slot is refused rather than a panic.
func TestNothingToMake(t *testing.T) {
	t.Parallel()
	k := job(t, "generate_video", "", map[string]any{"prompt": "x"}, nil)
	k.Artifacts = []apitype.AssignmentArtifact{{ID: "a", ContentType: "image/png"}}
	refused(t, t.Context(), k, "no clip")
	k.Artifacts = []apitype.AssignmentArtifact{{ID: "a", ContentType: "video/webm"}}
	refused(t, t.Context(), k, "MP4 and MOV")
}
