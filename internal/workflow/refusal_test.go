package workflow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// step is a step of any tool.
func step(id, tool string, args map[string]any, bound ...atelier.Binding) atelier.StepInput {
	return atelier.StepInput{ID: id, ToolName: tool, Arguments: args, DependsOn: bound}
}

// from binds an artifact of a step to an argument.
func from(source string, artifact int, transform, target string) atelier.Binding {
	return atelier.Binding{SourceStepID: source, SourceArtifactIndex: artifact, Transform: transform, TargetArgument: target, Required: true}
}

// with sends media along, at addresses that do not exist.
func with(q workflow.StartRequest, kinds ...string) workflow.StartRequest {
	for i, kind := range kinds {
		q = sent(q, kind, fmt.Sprintf("http://127.0.0.1:1/%d", i))
	}
	return q
}

// sent sends a piece of media along.
func sent(q workflow.StartRequest, kind, url string) workflow.StartRequest {
	q.Media = append(q.Media, atelier.MediaAt(kind, url))
	return q
}

type args = map[string]any

// ring is a chain of n steps whose first waits for the last.
func ring(n int) []atelier.StepInput {
	steps := make([]atelier.StepInput, n)
	for i := range steps {
		steps[i] = upscale(fmt.Sprint("s", i), fmt.Sprint("s", (i+n-1)%n), true)
	}
	return steps
}

func many(n int) (steps []atelier.StepInput) {
	for i := range n {
		steps = append(steps, image(fmt.Sprint("s", i), "a fox"))
	}
	return steps
}

var (
	fox   = image("a", "a fox")
	clip  = step("v", "generate_video", args{"prompt": "a fox runs"})
	tune  = step("m", "generate_music", args{"prompt": "a waltz"})
	facts = step("j", "extract_metadata", args{"sourceImageIndex": 0.0})
)

type refusal struct {
	name  string
	plan  workflow.StartRequest
	field string // exactly
	says  string // somewhere in the message
}

var refusals = []refusal{
	{"no steps", plan(), "input.steps", "at least one"},
	{"13 steps", plan(many(13)...), "input.steps", "at most 12 steps, not 13"},
	{"two steps of one id", plan(fox, image("a", "a hen")), "input.steps[1].id", `"a"`},
	{"a source that is no step", plan(fox, upscale("b", "c", true)), "input.steps[1].dependsOn[0].sourceStepId", `"c"`},
	{"the step itself", plan(upscale("b", "b", true)), "input.steps[0].dependsOn[0].sourceStepId", "itself"},
	{"a circle of two", plan(ring(2)...), "input.steps[0].dependsOn", "circle"},
	{"a circle of twelve", plan(ring(12)...), "input.steps[0].dependsOn", "circle"},
	{"a circle behind a chain", plan(upscale("x", "s0", true), ring(3)[0], ring(3)[1], ring(3)[2]), "input.steps[1].dependsOn", "circle"},
	{"a circle through an index", plan(fox, upscale("b", "c", true), step("c", "upscale_image", args{"sourceImageIndex": 1.0})),
		"input.steps[2].arguments.sourceImageIndex", "1 image"},
	{"the result of a later step", plan(step("a", "upscale_image", args{"sourceImageIndex": 0.0}), image("b", "a fox")),
		"input.steps[0].arguments.sourceImageIndex", "0 images"},

	{"an unknown tool", plan(fox, step("b", "paint", args{})), "input.steps[1].toolName", `"paint"`},
	{"a synchronous tool", plan(step("a", "enhance_prompt", args{"prompt": "x"})), "input.steps[0].toolName", "/tools/execute"},
	{"an unknown argument", plan(image("a", "a fox", "colour", "red")), "input.steps[0].arguments.colour", "not an argument"},
	{"no prompt", plan(step("a", "generate_image", nil)), "input.steps[0].arguments.prompt", "required"},
	{"an unknown video model", plan(fox, step("v", "generate_video", args{"prompt": "x", "videoModel": "zoetrope"})), "input.steps[1].arguments.videoModel", "must be one of"},
	{"outputScale", plan(step("v", "generate_video", args{"prompt": "x", "outputScale": 2.0})), "input.steps[0].arguments.outputScale", "no longer accepted"},
	{"a personal LoRA", plan(image("a", "a fox", "model", "z-image", "loras", []any{"personal-1"})), "input.steps[0].arguments.loras", `"personal-1"`},
	{"nothing to work on", plan(step("a", "upscale_image", args{})), "input.steps[0].arguments.sourceImageIndex", "required"},

	{"an unknown transform", plan(fox, step("b", "upscale_image", args{}, from("a", 0, "image_hash", "sourceImageIndex"))),
		"input.steps[1].dependsOn[0].transform", `"image_hash"`},
	{"no transform", plan(fox, step("b", "upscale_image", args{}, from("a", 0, "", "sourceImageIndex"))), "input.steps[1].dependsOn[0].transform", `""`},
	{"an unknown target", plan(fox, step("b", "upscale_image", args{}, from("a", 0, "image_index", "sourceImage"))),
		"input.steps[1].dependsOn[0].targetArgument", `"sourceImage"`},
	{"one artifact too many", plan(fox, step("b", "upscale_image", args{}, from("a", 1, "image_index", "sourceImageIndex"))),
		"input.steps[1].dependsOn[0].sourceArtifactIndex", "makes 1"},
	{"a negative artifact", plan(fox, step("b", "upscale_image", args{}, from("a", -1, "image_index", "sourceImageIndex"))),
		"input.steps[1].dependsOn[0].sourceArtifactIndex", "-1"},
	{"a step that makes nothing", plan(step("q", "ask_clarifying_question", args{"question": "which?"}), step("b", "upscale_image", args{}, from("q", 0, "artifact_url", "sourceImageIndex"))),
		"input.steps[1].dependsOn[0].sourceStepId", "makes nothing"},
	{"two bindings for one number", plan(fox, image("c", "a hen"), step("b", "upscale_image", args{},
		from("a", 0, "image_index", "sourceImageIndex"), from("c", 0, "image_index", "sourceImageIndex"))),
		"input.steps[2].dependsOn[1].targetArgument", "already"},
	{"two bindings for one text", plan(fox, image("c", "a hen"), step("b", "label_asset", args{"asset_id": "x"},
		from("a", 0, "image_url", "url"), from("c", 0, "image_url", "url"))), "input.steps[2].dependsOn[1].targetArgument", "already"},
	{"a binding of another media type", plan(fox, step("b", "upscale_image", args{},
		atelier.Binding{SourceStepID: "a", Transform: "artifact_url", MediaType: "video", TargetArgument: "sourceImageIndex"})),
		"input.steps[1].dependsOn[0].transform", "makes image"},

	{"media that was not sent", plan(step("a", "upscale_image", args{}, from(atelier.InputMedia, 0, "image_index", "sourceImageIndex"))),
		"input.steps[0].dependsOn[0].sourceArtifactIndex", "has 0 of the kind image"},
	{"more media than was sent", with(plan(step("a", "upscale_image", args{}, from(atelier.InputMedia, 1, "image_index", "sourceImageIndex"))), "image", "video"),
		"input.steps[0].dependsOn[0].sourceArtifactIndex", "has 1 of the kind image"},
	{"a negative piece of media", with(plan(step("a", "upscale_image", args{}, from(atelier.InputMedia, -1, "image_index", "sourceImageIndex"))), "image"),
		"input.steps[0].dependsOn[0].sourceArtifactIndex", "-1"},
	{"media of another kind", with(plan(step("a", "upscale_image", args{}, from(atelier.InputMedia, 0, "video_index", "sourceImageIndex"))), "video"),
		"input.steps[0].dependsOn[0].transform", "does not take the index of video"},
	{"the second upload of one", with(plan(step("a", "upscale_image", args{"sourceImageIndex": -2.0})), "image", "video"),
		"input.steps[0].arguments.sourceImageIndex", "1 image"},
	{"a file that was not sent", with(plan(step("a", "extract_metadata", args{"fileIndex": -3.0})), "image", "video"),
		"input.steps[0].arguments.fileIndex", "media_references"},
	{"a file that is not made", with(plan(fox, clip, step("x", "extract_metadata", args{"fileIndex": 2.0})), "image"),
		"input.steps[2].arguments.fileIndex", "do not make"},
	{"a file beyond all numbers", plan(fox, step("x", "extract_metadata", args{"fileIndex": 1e300})), "input.steps[1].arguments.fileIndex", "do not make"},
	{"an upload beyond all numbers", plan(fox, step("x", "extract_metadata", args{"fileIndex": -1e300})), "input.steps[1].arguments.fileIndex", "media_references"},
	{"a list with an index too high", plan(fox, step("v", "generate_video", args{"prompt": "x", "referenceImageIndices": []any{0.0, 1.0}})),
		"input.steps[1].arguments.referenceImageIndices[1]", "1 image"},
	{"a keyframe that is not made", plan(fox, step("v", "generate_video", args{"prompt": "x", "videoModel": "minimax-h3-r2v", "keyframes": []any{
		args{"imageIndex": 0.0, "atSeconds": 0.0}, args{"imageIndex": 3.0, "atSeconds": 1.0}}})),
		"input.steps[1].arguments.keyframes[1].imageIndex", "1 image"},
	{"an overlay that is not made", plan(clip, step("o", "overlay_video", args{"overlays": []any{
		args{"kind": "text", "text": "hello"}, args{"kind": "image", "sourceImageIndex": 0.0}}})),
		"input.steps[1].arguments.overlays[1].sourceImageIndex", "0 images"},
	{"an address of another scheme", plan(step("a", "remove_background", args{"source_image_url": "ftp://example.com/x.png"})),
		"input.steps[0].arguments.source_image_url", "http"},
	{"an address with a password", plan(step("a", "remove_background", args{"source_image_url": "https://me:secret@example.com/x.png"})),
		"input.steps[0].arguments.source_image_url", "password"},
	{"a reference with a password", sent(plan(step("a", "upscale_image", args{})), "image", "https://me:secret@example.com/x.png"),
		"media_references[0].url", "password"},
}

// misfits are transforms on targets that cannot take what they hand over.
var misfits = []struct{ transform, tool, target string }{
	{"image_index", "label_asset", "url"},                    // a text is no index
	{"image_index", "upscale_video", "sourceVideoIndex"},     // another kind
	{"image_index", "remove_background", "source_image_url"}, // an address is no index
	{"video_index", "upscale_image", "sourceImageIndex"},
	{"audio_index", "upscale_image", "sourceImageIndex"},
	{"image_url", "upscale_video", "sourceVideoIndex"},
	{"image_url", "generate_speech", "voice_source_url"}, // an address, but of audio
	{"image_url", "upscale_image", "scale"},
	{"image_url", "generate_image", "outputFormat"}, // one of a few words
	{"image_url", "generate_image", "model"},
	{"video_url", "remove_background", "source_image_url"},
	{"audio_url", "remove_background", "source_image_url"},
	{"artifact_url", "generate_speech", "voice_source_url"},
	{"artifact_data_uri", "label_asset", "url"},
	{"asset_ref", "upscale_image", "sourceImageIndex"},
	{"asset_ref", "remove_background", "source_image_url"},
	{"subtitle_cues", "add_subtitles", "srt"},
	{"subtitle_srt", "add_subtitles", "cues"},
	{"overlay_items", "add_subtitles", "cues"},
}

func TestRefusedPlans(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	refused := refusals
	sources := map[string]atelier.StepInput{"video": clip, "audio": tune, "subtitle": facts, "overlay": facts}
	for _, m := range misfits {
		kind, _, _ := strings.Cut(m.transform, "_")
		source, ok := sources[kind]
		if !ok {
			source = image("p", "a hen")
		}
		refused = append(refused, refusal{
			m.transform + " for " + m.target, plan(fox, source, step("z", m.tool, args{}, from(source.ID, 0, m.transform, m.target))),
			"input.steps[2].dependsOn[0].transform", m.transform,
		})
	}
	for _, c := range refused {
		_, err := f.try(c.plan)
		var got *atelier.Error
		if !errors.As(err, &got) || got.Code != atelier.CodeInvalidRequest {
			t.Errorf("%s: got %v, want a refusal of %s", c.name, err, c.field)
			continue
		}
		if got.Field != c.field || !strings.HasPrefix(got.Message, c.field+" ") || !strings.Contains(got.Message, c.says) {
			t.Errorf("%s: got field %q, %q, want %q and %q in it", c.name, got.Field, got.Message, c.field, c.says)
		}
	}
	if page, err := f.e.List(t.Context(), ann, 0, 10); err != nil || len(page.Workflows) != 0 {
		t.Errorf("%d workflows are there, %v", len(page.Workflows), err)
	}
	if _, debit := f.money(); debit != 0 {
		t.Errorf("%s is held", debit)
	}
}
