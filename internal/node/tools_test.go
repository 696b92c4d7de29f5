package node_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// workshop is a graph of twelve steps, each with a different tool, and what each
// makes: a picture that others work on, a clip of it, and facts about both.
var workshop = []struct {
	atelier.StepInput
	makes string // the type of its one artifact
	costs bool
}{
	{use("still", "generate_image", args{"prompt": "a red apple, studio", "width": 256, "height": 256, "seed": 5}), "image/png", true},
	{use("bright", "edit_image", args{"prompt": "make it brighter"}, from("still", "sourceImageIndex", "image_index")), "image/png", true},
	{use("painted", "apply_style", args{"prompt": "watercolour"}, from("still", "sourceImageIndex", "image_index")), "image/png", true},
	{use("cut", "remove_background", args{}, from("still", "sourceImageIndex", "image_index")), "image/png", true},
	{use("large", "upscale_image", args{"scale": 2}, from("bright", "sourceImageIndex", "image_index")), "image/png", true},
	{use("solid", "image_to_3d", args{"meshTargetFaces": 5000, "textureSize": 1024}, from("cut", "sourceImageIndex", "image_index")), "model/gltf-binary", true},
	{use("seen", "analyze_image", args{"query": "What colours has it?"}, from("painted", "sourceImageIndex", "image_index")), "application/json", false},
	{use("voice", "generate_speech", args{"prompt": "An apple."}), "audio/wav", true},
	{use("clip", "animate_photo", args{"prompt": "slow zoom in", "duration": 2, "targetResolution": 480, "generateAudio": false},
		from("still", "sourceImageIndex", "image_index")), "video/mp4", true},
	{use("titled", "add_subtitles", args{"srt": "1\n00:00:00,000 --> 00:00:01,500\nAn apple.\n"}, from("clip", "sourceVideoIndex", "video_index")), "video/mp4", true},
	{use("facts", "extract_metadata", args{"mediaType": "video"}, from("titled", "sourceVideoIndex", "video_index")), "application/json", false},
	{use("done", "finalize_response", args{"outcome": "success", "summary": "An apple in every way."}), "", false},
}

type args = map[string]any

func use(id, tool string, a args, b ...atelier.Binding) atelier.StepInput {
	return atelier.StepInput{ID: id, ToolName: tool, Arguments: a, DependsOn: b}
}

func from(step, argument, transform string) atelier.Binding {
	return atelier.Binding{SourceStepID: step, TargetArgument: argument, Transform: transform, Required: true}
}

// One workflow of many tools runs to its end on the embedded worker: every step
// makes its artifact, and the balance falls by the sum of the charges.
//
//atelier:norace
func TestManyToolsInOneWorkflow(t *testing.T) {
	t.Parallel()
	worktest.NeedExhaustive(t)
	s := ateliertest.StartNode(t, storetest.SQLite(t), node.Options{RenderCommand: renderCommand()}, func(c *config.Config) {
		c.Workers.Embedded = true
		c.CatalogDir = "../ateliertest/small"
		c.Limits.AccountReadsPerMinute = 100_000
	})
	const granted = 1000 * atelier.MoneyUnit
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: granted})
	c := client.New(s.URL, ann.Key)
	var steps []atelier.StepInput
	for _, one := range workshop {
		steps = append(steps, one.StepInput)
	}
	w := ateliertest.Finish(t, c, client.Start{Title: "Every tool", Steps: steps})
	if w.Status != atelier.StatusCompleted {
		t.Errorf("the workflow is %s, want %s: %+v", w.Status, atelier.StatusCompleted, w.Error)
	}
	var charged atelier.Money
	for i, one := range workshop {
		step := w.Steps[i]
		if step.Status != atelier.StatusCompleted {
			t.Errorf("%s (%s) is %s: %+v", step.ID, step.ToolName, step.Status, step.Error)
			continue
		}
		if err := checkArtifact(t.Context(), c, step, one.makes); err != nil {
			t.Errorf("%s (%s): %v", step.ID, step.ToolName, err)
		}
		paid := step.Cost.Actual != nil && step.Cost.Actual.Spark > 0
		if paid != one.costs {
			t.Errorf("%s (%s) was charged %+v, want a charge: %v", step.ID, step.ToolName, step.Cost.Actual, one.costs)
		}
		if paid {
			charged += step.Cost.Actual.Spark
		}
	}
	var b atelier.Balance
	if err := c.Call(t.Context(), http.MethodGet, "/v4/account/balance", nil, &b); err != nil {
		t.Fatal(err)
	}
	if b.Spark.Net != granted-charged || b.Spark.Debit != charged {
		t.Errorf("the balance is %s net and %s debit, want %s and %s, the sum of the steps", b.Spark.Net, b.Spark.Debit, granted-charged, charged)
	}
}

// checkArtifact checks the artifact of a step: the reported type, and the file
// itself.
func checkArtifact(ctx context.Context, c *client.Client, step apitype.Step, want string) error {
	if want == "" {
		if len(step.Artifacts) != 0 {
			return fmt.Errorf("it made %+v, want nothing", step.Artifacts)
		}
		return nil
	}
	if len(step.Artifacts) != 1 {
		return fmt.Errorf("it made %d artifacts, want 1", len(step.Artifacts))
	}
	a := step.Artifacts[0]
	if a.MimeType != want {
		return fmt.Errorf("it says it made %s, want %s", a.MimeType, want)
	}
	body, _, err := c.Download(ctx, a.URL)
	if err != nil {
		return err
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	got := filetype.Detect(data[:min(len(data), filetype.HeadSize)])
	if want == "application/json" && json.Valid(data) {
		got = want
	}
	if got != want {
		return fmt.Errorf("the file is %q of %d bytes, want %s", got, len(data), want)
	}
	if size := map[string]int{"still": 256, "bright": 256, "cut": 256, "large": 512}[step.ID]; size > 0 && (a.Width != size || a.Height != size) {
		return fmt.Errorf("it is %d by %d, want %d square", a.Width, a.Height, size)
	}
	if want == "video/mp4" && math.Abs(a.DurationSeconds-2) > 0.05 {
		return fmt.Errorf("it lasts %v seconds, want 2", a.DurationSeconds)
	}
	return nil
}
