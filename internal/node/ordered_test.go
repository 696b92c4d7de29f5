package node_test

import (
	"math"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// orders are steps with every tool whose results are compared with the order, and the size and
// the length that their results have.
var orders = []struct {
	atelier.StepInput
	width, height int
	seconds       float64
}{
	{use("still", "generate_image", args{"prompt": "a red apple, studio", "width": 256, "height": 640}), 256, 640, 0},
	{use("wide", "generate_image", args{"prompt": "a green apple", "width": 1000, "aspectRatio": "3:1", "outputFormat": "webp"}), 1000, 336, 0},
	{use("edit", "edit_image", args{"prompt": "make it brighter", "width": 1024, "height": 256, "outputFormat": "jpg"}, from("still", "sourceImageIndex", "image_index")), 1024, 256, 0},
	{use("clip", "generate_video", args{"prompt": "rain", "duration": 2, "width": 144, "height": 320, "outputFormat": "mov"}), 144, 320, 2},
	{use("clamped", "generate_video", args{"prompt": "rain", "duration": 2, "videoModel": "minimax-h3-t2v-turbo", "targetResolution": 480, "generateAudio": false}), 224, 128, 5.167},
	{use("moved", "animate_photo", args{"prompt": "slow zoom in", "duration": 2, "targetResolution": 480}, from("wide", "sourceImageIndex", "image_index")), 368, 128, 2},
	{use("voice", "generate_speech", args{"prompt": "An apple."}), 0, 0, 0},
	{use("heard", "sound_to_video", args{"prompt": "an apple", "duration": 2, "targetResolution": 480}, from("voice", "audioSourceIndex", "audio_index")), 224, 128, 0},
	{use("longer", "extend_video", args{"duration": 2}, from("clip", "videoIndex", "video_index")), 144, 320, 4},
	{use("dance", "dance_montage", args{"dance": "chanel", "duration": 8}, from("still", "sourceImageIndex", "image_index")), 0, 0, 8},
	{use("song", "generate_music", args{"prompt": "a waltz", "duration": 10, "model": "turbo"}), 0, 0, 10},
	{use("other", "generate_music", args{"prompt": "a waltz", "duration": 10}), 0, 0, 0},
}

// What the CPU renderer makes with a size and a length that were asked for is accepted, and
// has that size and length.
//
//atelier:norace
func TestResultsAreAsOrdered(t *testing.T) {
	t.Parallel()
	worktest.NeedExhaustive(t)
	s := ateliertest.StartNode(t, storetest.SQLite(t), node.Options{RenderCommand: renderCommand()}, func(c *config.Config) {
		c.Workers.Embedded = true
		c.CatalogDir = "../ateliertest/small"
		c.Limits.AccountReadsPerMinute = 100_000
	})
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	c := client.New(s.URL, ann.Key)
	var steps []atelier.StepInput
	for _, one := range orders {
		steps = append(steps, one.StepInput)
	}
	w := ateliertest.Finish(t, c, client.Start{Title: "As ordered", Steps: steps})
	for i, want := range orders {
		step := w.Steps[i]
		if step.Status != atelier.StatusCompleted || len(step.Artifacts) != 1 {
			t.Errorf("%s (%s) is %s: %+v", step.ID, step.ToolName, step.Status, step.Error)
			continue
		}
		a := step.Artifacts[0]
		if want.width > 0 && (a.Width != want.width || a.Height != want.height) || want.seconds > 0 && math.Abs(a.DurationSeconds-want.seconds) > 0.2 {
			t.Errorf("%s (%s) has %d by %d pixels and lasts %v, want %d by %d and %v", step.ID, step.ToolName, a.Width, a.Height, a.DurationSeconds, want.width, want.height, want.seconds)
		}
	}
}
