//go:build unix

package cpu_test

import (
	"hash/crc32"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// BenchmarkClip makes a clip of 720p with sound and reports what a frame of it
// costs: in processor time, ffmpeg's included, and in units of a fixed work that
// is done in the same run, which says more on a machine that others use too.
func BenchmarkClip(b *testing.B) {
	const seconds, frames = 1, 24
	engines := []film.Engine{film.BuiltIn}
	if film.Available() {
		engines = append(engines, film.FFmpeg)
	}
	for _, engine := range engines {
		for _, prompt := range []string{"a boat on the sea at sunset", "a red fox in a snowy forest at dawn", "a robot in a city at night"} {
			b.Run(string(engine)+"/"+prompt, func(b *testing.B) {
				var spent, fixed time.Duration
				n := 0
				for ; b.Loop(); n++ {
					fixed += processorTime(b, func() { fixedWork(frames) })
					spent += processorTime(b, func() { makeClip(b, engine, prompt, seconds) })
				}
				b.ReportMetric(float64(spent.Microseconds())/1000/float64(n*frames), "cpu-ms/frame")
				b.ReportMetric(float64(spent)/float64(fixed), "fixed/frame")
			})
		}
	}
}

func makeClip(b *testing.B, engine film.Engine, prompt string, seconds float64) {
	dir, err := os.MkdirTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	k := worker.Task{Folder: dir, Files: map[string]string{}, Report: func(float64, string) {}, Assignment: apitype.Assignment{
		ToolName: "generate_video", ModelID: "ltx25-22b-int8_t2v_distilled", Seed: 7, Artifacts: []apitype.AssignmentArtifact{{ID: "a0", ContentType: "video/mp4"}},
		Arguments: map[string]any{"prompt": prompt, "duration": seconds, "width": 1280.0, "height": 720.0},
	}}
	if _, err := (cpu.Renderer{Engine: engine}).Render(b.Context(), k); err != nil {
		b.Fatal(err)
	}
}

var sum uint32

// fixedWork takes a checksum by a table, byte by byte, of as many bytes as
// the frames of a clip have.
func fixedWork(frames int) {
	table := crc32.MakeTable(0xd5828281) // not one that the hardware knows
	row := make([]byte, 4*1280)
	for range frames * 720 {
		for _, v := range row {
			sum = table[byte(sum)^v] ^ sum>>8
		}
	}
}

// processorTime returns what some work takes, of this process and of those it waits for.
func processorTime(b *testing.B, work func()) time.Duration {
	read := func() (sum time.Duration) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var r syscall.Rusage
			if err := syscall.Getrusage(who, &r); err != nil {
				b.Fatal(err)
			}
			sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
		return sum
	}
	before := read()
	work()
	return read() - before
}
