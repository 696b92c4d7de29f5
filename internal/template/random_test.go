package template_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/workflow"
)

// The workflow engine accepts every random template that compiles. The two packages
// do not import each other, so this test compares them.
func TestWhatCompilesStarts(t *testing.T) {
	t.Parallel()
	e := workflows(t)
	n, started := 300, 0
	if testing.Short() {
		n = 150
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		text, err := json.Marshal(randomTemplate(r))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := template.Open(text)
		if err != nil {
			t.Fatal(err)
		}
		c, err := template.Compile(t.Context(), enginetest.Catalog(), parsed, template.Request{Inputs: randomInputs(r)})
		if err != nil {
			refusal(t, err, atelier.CodeTemplateCompile)
			continue
		}
		started++
		_, err = e.Start(t.Context(), ann, workflow.StartRequest{
			Title: c.Title, Steps: c.Steps, Media: c.Media, Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Filter: true, Approve: true,
		})
		if err != nil {
			plan, _ := json.MarshalIndent(c.Steps, "", " ")
			t.Fatalf("template %d compiles, but does not start: %v\n%s\n%s", seed, err, text, plan)
		}
	}
	if started < n/10 {
		t.Errorf("%d of %d compiled: too few to prove anything", started, n)
	}
}

// makes is the kind of what a tool makes.
func makes(tool string) catalog.Kind {
	t, _ := enginetest.Catalog().Tool(tool)
	return t.Produces.Kind
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func randomTemplate(r *rand.Rand) map[string]any {
	stages := []any{}
	var before []string // the tools of the stages so far
	for i := range 1 + r.IntN(5) {
		s := randomStage(r, i, before)
		work, ok := s["itemStage"].(map[string]any)
		if !ok {
			work = s
		}
		before = append(before, work["tool"].(string))
		stages = append(stages, s)
	}
	if r.IntN(3) == 0 {
		r.Shuffle(len(stages), func(i, j int) { stages[i], stages[j] = stages[j], stages[i] })
	}
	return map[string]any{"name": "n", "stages": stages, "inputs": []any{
		map[string]any{"name": "text", "type": "text", "default": "words"}, map[string]any{"name": "maybe", "type": "text"},
		map[string]any{"name": "number", "type": "number", "default": 2}, map[string]any{"name": "flag", "type": "boolean", "default": true},
		map[string]any{"name": "photo", "type": "image"}, map[string]any{"name": "photos", "type": "image", "multiple": map[string]any{"max": 4}},
		map[string]any{"name": "film", "type": "video"}, map[string]any{"name": "films", "type": "video", "multiple": true},
		map[string]any{"name": "tune", "type": "audio"}, map[string]any{"name": "list", "type": "text", "multiple": map[string]any{"max": 5}, "default": []any{"one", "two"}},
	}}
}

func randomInputs(r *rand.Rand) map[string]any {
	out := map[string]any{}
	for name, v := range map[string]any{
		"photo": "https://x/p.png", "photos": []any{"https://x/1.png", "https://x/2.png"}, "film": "https://x/f.mp4", "films": []any{"https://x/1.mp4", "https://x/2.mp4"},
		"tune": "https://x/t.wav", "list": []any{"a", "b", "c"}, "maybe": "perhaps", "number": 3.0, "flag": false,
	} {
		if r.IntN(4) > 0 {
			out[name] = v
		}
	}
	return out
}

func randomStage(r *rand.Rand, i int, before []string) map[string]any {
	s := map[string]any{"id": fmt.Sprintf("s%d", i), "produces": []any{fmt.Sprintf("a%d", i)}}
	batch := r.IntN(3) == 0
	work := s
	if batch {
		work = map[string]any{}
		s["type"], s["itemStage"] = "batch", work
		s["overBinding"] = pick(r, "$inputs.list", "$inputs.photos", "$inputs.films", fmt.Sprintf("$artifacts.a%d.items", r.IntN(i+1)))
		s["partialExecutionEnabled"] = r.IntN(2) == 0
	}
	if r.IntN(5) == 0 {
		s["onError"] = pick(r, "continue", "skip", "stop", "retry_once")
	}
	if r.IntN(5) == 0 {
		s["condition"] = pick(r,
			map[string]any{"type": "expr", "expression": pick(r, "inputs.flag", "!inputs.flag", "inputs.maybe != null", "inputs.list.length == 2")},
			map[string]any{"type": "if_success_of", "stageId": fmt.Sprintf("s%d", r.IntN(i+1))},
			map[string]any{"type": "if_artifact_exists", "artifactName": fmt.Sprintf("a%d", r.IntN(i+1))})
	}
	if r.IntN(6) == 0 {
		s[pick(r, "requiredArtifactsIn", "optionalArtifactsIn")] = []any{fmt.Sprintf("a%d", r.IntN(i+1))}
	}
	randomWork(r, before, work, batch)
	return s
}

// randomWork chooses a tool and fills its arguments, mostly with what fits.
func randomWork(r *rand.Rand, before []string, work map[string]any, batch bool) {
	i := len(before)
	made := func(kind catalog.Kind) string {
		n := r.IntN(max(i, 1)) // the first stage has no other to take from
		for range 8 {          // mostly one that fits
			if n == i || makes(before[n]) != kind {
				n = r.IntN(max(i, 1))
			}
		}
		form := pick(r, "$artifacts.a%d.items[0].url", "$artifacts.a%d.items[0].url", "$artifacts.s%d.items[0].url", "$artifacts.a%d.items[1].url", "$artifacts.a%d.items")
		return fmt.Sprintf(form, n)
	}
	item := "$inputs.text"
	if batch {
		item = pick(r, "$item.url", "$item.url", "$item.value", "$item", "$artifacts.a0.items[$item.index].url", "$inputs.photos[$item.index]")
	}
	image := func() any {
		return pick[any](r, "$inputs.photo", "$inputs.photos[1]", made(catalog.Image), made(catalog.Image), made(catalog.Image), item, -1)
	}
	film := func() any {
		return pick[any](r, "$inputs.film", "$inputs.films[0]", made(catalog.Video), made(catalog.Video), item, -1)
	}
	images := func() any {
		return pick[any](r, "$inputs.photos", made(catalog.Image), []any{image(), image()}, []any{made(catalog.Image), "$inputs.photos", -1})
	}
	args := map[string]any{"prompt": pick(r, "$inputs.text", "a $inputs.text b $inputs.maybe", "plain", item)}
	tool := pick(r, "generate_image", "generate_image", "generate_image", "edit_image", "animate_photo", "generate_video", "generate_video", "stitch_video", "overlay_video",
		"upscale_image", "remove_background", "sound_to_video", "generate_speech", "generate_music", "image_to_3d", "add_subtitles", "analyze_image", "extract_metadata", "generate_image")
	switch tool {
	case "generate_image":
		if r.IntN(2) == 0 {
			args["numberOfVariations"] = pick[any](r, "$inputs.number", 3)
		}
	case "edit_image", "animate_photo":
		args["sourceImageIndex"] = image()
		if tool == "edit_image" && r.IntN(4) == 0 {
			args["mask_image_url"] = image()
		}
		if tool == "animate_photo" && r.IntN(4) == 0 {
			delete(args, "sourceImageIndex")
			args["sourceImageIndices"] = images()
		}
	case "generate_video":
		if r.IntN(2) == 0 {
			args["referenceImageIndices"] = images()
		}
		if r.IntN(5) == 0 {
			args["keyframes"] = []any{map[string]any{"imageIndex": image(), "atSeconds": 1}}
			args["videoModel"] = "minimax-h3-r2v-turbo"
		}
	case "stitch_video":
		args = map[string]any{"videoIndices": pick[any](r, "$inputs.films", made(catalog.Video), []any{film(), film(), made(catalog.Video)})}
		if r.IntN(2) == 0 {
			args["audioIndex"] = pick(r, "$inputs.tune", made(catalog.Audio))
		}
	case "overlay_video":
		args = map[string]any{"sourceVideoIndex": film(), "overlays": []any{map[string]any{"kind": "image", "sourceImageIndex": image()}, map[string]any{"kind": "text", "text": "$inputs.text"}}}
	case "upscale_image":
		args = map[string]any{"sourceImageIndex": image()}
	case "remove_background", "image_to_3d":
		args = map[string]any{pick(r, "sourceImageIndex", "source_image_url"): image()}
	case "sound_to_video":
		args["audioSourceIndex"] = pick(r, "$inputs.tune", made(catalog.Audio), made(catalog.Audio))
		if r.IntN(2) == 0 {
			args["sourceImageIndex"] = image()
		}
	case "add_subtitles":
		args = map[string]any{"sourceVideoIndex": film(), "cues": pick[any](r, made(catalog.JSON), []any{map[string]any{"startSeconds": 0, "endSeconds": "$inputs.number", "text": "$inputs.text"}})}
	case "analyze_image":
		args = map[string]any{"query": "$inputs.text", "sourceImageIndex": image()}
	case "extract_metadata":
		args = map[string]any{"fileIndex": pick(r, "$inputs.tune", "$inputs.film", made(catalog.Video))}
	}
	work["tool"], work["args"] = tool, args
	if r.IntN(10) == 0 {
		work["dependsOn"] = []any{map[string]any{
			"sourceStepId": pick(r, atelier.InputMedia, fmt.Sprintf("s%d", r.IntN(i+1)), fmt.Sprintf("s%d/main", r.IntN(i+1)), fmt.Sprintf("s%d/1", r.IntN(i+1))), "sourceArtifactIndex": r.IntN(2),
			"targetArgument": pick(r, "sourceImageIndex", "referenceImageIndices", "prompt", "source_image_url", "videoIndices"),
			"transform":      pick(r, "image_index", "image_url", "artifact_url", "video_index", "artifact_data_uri", "asset_ref"), "required": r.IntN(2) == 0,
		}}
	}
}
