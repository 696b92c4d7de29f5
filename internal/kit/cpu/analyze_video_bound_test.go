package cpu_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/codec/mp4/mp4test"
	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// recorded returns a clip of a second with a track of PCM in stereo: n samples, all
// in the table of sizes and in one chunk, or with chunks that share the bytes of
// the first thousand.
func recorded(t *testing.T, n int, shared bool) string {
	t.Helper()
	clip, err := os.ReadFile(testClip{w: 64, h: 64, fps: 24, frames: 24, draw: plain(red)}.encodeWith(t, film.BuiltIn))
	if err != nil {
		t.Fatal(err)
	}
	track := mp4test.Track{
		Kind: "soun", Codec: mp4.PCM, Timescale: 48000, Duration: uint32(n), Rate: 48000, Channels: 2, Times: []uint32{uint32(n), 1},
	}
	data := make([]byte, 4000)
	if shared {
		track.Size, track.Count, track.PerChunk, track.Chunks = 4, uint32(n), []uint32{1, 1000}, make([]uint32, n/1000)
	} else {
		data = make([]byte, 4*n)
		track.PerChunk, track.Chunks = []uint32{1, uint32(n)}, []uint32{0}
		for range n {
			track.Sizes = append(track.Sizes, 4)
		}
	}
	path := filepath.Join(t.TempDir(), "clip.mov")
	if err := os.WriteFile(path, mp4test.WithSound(t, clip, track, data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func analyze(ctx context.Context, t *testing.T, path string) error {
	k := job(t, "analyze_video", "", map[string]any{"query": "What is it?"}, map[string]string{"sourceVideoIndex": path})
	k.Artifacts[0].ContentType = "application/json"
	_, err := cpu.Renderer{Engine: film.BuiltIn}.Render(ctx, k)
	return err
}

// Four megabytes of a clip are analyzed at once, however its index is made: one
// whose lookups add up what lies before would take six minutes.
func TestAnalyzeVideoWithALongIndex(t *testing.T) {
	t.Parallel()
	if err := analyze(t.Context(), t, recorded(t, 500_000, false)); err != nil {
		t.Error(err)
	}
}

func TestAnalyzeVideoWithSharedBytes(t *testing.T) {
	t.Parallel()
	if err := analyze(t.Context(), t, recorded(t, 100_000_000, true)); err == nil || !strings.Contains(err.Error(), "share the same bytes") {
		t.Errorf("it ended with %v", err)
	}
}

// A job that was cancelled ends while its clip is read, wherever that is.
func TestAnalyzeVideoEndsWithItsJob(t *testing.T) {
	t.Parallel()
	path := recorded(t, 100_000, false)
	for _, looks := range []int{1, 10, 50, 120} {
		ctx := worktest.EndAfter(t.Context(), looks)
		if err := analyze(ctx, t, path); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks it ended with %v", looks, err)
		}
	}
}
