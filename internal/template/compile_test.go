package template_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/template"
)

// asked is a template with an input of every type and the given stages.
func asked(stages string) string {
	return `{"id":"wf_t","version":"0.0.7","name":"All of it","inputs":[
		{"name":"mood","type":"text"},
		{"name":"who","type":"text","required":true},
		{"name":"count","type":"number","default":2},
		{"name":"fast","type":"boolean","default":true},
		{"name":"size","type":"select","options":[{"value":"1:1","label":"Square"},{"value":"16:9","label":"Wide"}],"default":"1:1"},
		{"name":"photo","type":"image"},
		{"name":"more","type":"image","multiple":{"min":1,"max":4}},
		{"name":"tune","type":"audio"},
		{"name":"film","type":"video"},
		{"name":"scenes","type":"text","multiple":{"min":0,"max":20}},
		{"name":"secret","type":"text","internal":true,"default":"kept"},
		{"name":"long-name","type":"text","default":"dashed"},
		{"name":"bounded","type":"number","jsonSchema":{"minimum":1,"maximum":3}}
	],"stages":[` + stages + `]}`
}

const picture = `{"id":"pic","tool":"generate_image","args":{"prompt":"p"},"produces":["pic"]}`

// arguments of the first step.
func arguments(t *testing.T, args, inputs string) map[string]any {
	t.Helper()
	return compiled(t, asked(`{"id":"a","tool":"generate_image","args":`+args+`}`), inputs).Steps[0].Arguments
}

// Values of inputs keep their type in the arguments that they are bound to.
func TestInputsInArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, inputs, want string }{
		{"a whole text", `{"prompt":"$inputs.who"}`, `{"who":"Ann"}`, `{"prompt":"Ann"}`},
		{"inside a text", `{"prompt":"A portrait of $inputs.who, in $inputs.size."}`, `{"who":"Ann"}`, `{"prompt":"A portrait of Ann, in 1:1."}`},
		{"a number", `{"prompt":"p","numberOfVariations":"$inputs.count"}`, `{"who":"x","count":3}`, `{"prompt":"p","numberOfVariations":3}`},
		{"a default", `{"prompt":"p","numberOfVariations":"$inputs.count"}`, `{"who":"x"}`, `{"prompt":"p","numberOfVariations":2}`},
		{"null is absent", `{"prompt":"p","numberOfVariations":"$inputs.count"}`, `{"who":"x","count":null}`, `{"prompt":"p","numberOfVariations":2}`},
		{"a number inside a text", `{"prompt":"$inputs.count of $inputs.fast"}`, `{"who":"x"}`, `{"prompt":"2 of true"}`},
		{"a number for a text", `{"prompt":"$inputs.count"}`, `{"who":"x"}`, `{"prompt":"2"}`},
		{"a text for a number", `{"prompt":"p","seed":"$inputs.who"}`, `{"who":"77"}`, `{"prompt":"p","seed":77}`},
		{"nothing for an argument", `{"prompt":"p","negativePrompt":"$inputs.mood"}`, `{"who":"x"}`, `{"prompt":"p"}`},
		{"nothing inside a text", `{"prompt":"a $inputs.mood day"}`, `{"who":"x"}`, `{"prompt":"a  day"}`},
		{"several in a text", `{"prompt":"$inputs.scenes!"}`, `{"who":"x","scenes":["sea","sky"]}`, `{"prompt":"sea, sky!"}`},
		{"one of several", `{"prompt":"$inputs.scenes[1]"}`, `{"who":"x","scenes":["sea","sky"]}`, `{"prompt":"sky"}`},
		{"one value where several may be", `{"prompt":"$inputs.scenes"}`, `{"who":"x","scenes":"sea"}`, `{"prompt":"sea"}`},
		{"what the template sets", `{"prompt":"$inputs.secret"}`, `{"who":"x"}`, `{"prompt":"kept"}`},
		{"a name with a dash", `{"prompt":"$inputs.long-name"}`, `{"who":"x"}`, `{"prompt":"dashed"}`},
		{"a dash after a name", `{"prompt":"$inputs.who-like and $inputs.long-name-ish"}`, `{"who":"Ann"}`, `{"prompt":"Ann-like and dashed-ish"}`},
		{"a full stop after a name", `{"prompt":"By $inputs.who."}`, `{"who":"Ann"}`, `{"prompt":"By Ann."}`},
		{"two dollars", `{"prompt":"$$inputs.who costs $5 and $$"}`, `{"who":"Ann"}`, `{"prompt":"$inputs.who costs $5 and $$"}`},
		{"a value that looks like a binding", `{"prompt":"$inputs.who and $inputs.mood"}`, `{"who":"$inputs.secret","mood":"$artifacts.x.items[0].url"}`,
			`{"prompt":"$inputs.secret and $artifacts.x.items[0].url"}`},
		{"inside a list", `{"prompt":"p","loras":["$inputs.who","$inputs.mood"]}`, `{"who":"age-slider"}`, `{"prompt":"p","loras":["age-slider"]}`},
		{"a list for a list", `{"prompt":"p","loras":"$inputs.scenes"}`, `{"who":"rim-light","scenes":["golden-hour","blue-hour"]}`, `{"prompt":"p","loras":["golden-hour","blue-hour"]}`},
		{"a list inside a list", `{"prompt":"p","loras":["$inputs.who","$inputs.scenes"]}`, `{"who":"rim-light","scenes":["golden-hour","blue-hour"]}`, `{"prompt":"p","loras":["rim-light","golden-hour","blue-hour"]}`},
		{"one for a list", `{"prompt":"p","loras":"$inputs.who"}`, `{"who":"age-slider"}`, `{"prompt":"p","loras":["age-slider"]}`},
		{"a picture to start from", `{"prompt":"p","sourceImageIndex":"$inputs.photo"}`, `{"who":"x","photo":"https://x/a.png"}`, `{"prompt":"p","sourceImageIndex":-1}`},
		{"no picture to start from", `{"prompt":"p","sourceImageIndex":"$inputs.photo"}`, `{"who":"x"}`, `{"prompt":"p"}`},
		{"a picture in words", `{"prompt":"like $inputs.photo"}`, `{"who":"x","photo":"https://x/a.png"}`, `{"prompt":"like https://x/a.png"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := arguments(t, c.args, c.inputs)
			if want := object(t, c.want); !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// Wrong, missing and unknown inputs are reported with their paths.
func TestInputsRefused(t *testing.T) {
	t.Parallel()
	text := asked(picture)
	for _, c := range []struct{ name, inputs, want string }{
		{"missing", `{}`, "error missing_required_input inputs.who"},
		{"null", `{"who":null}`, "error missing_required_input inputs.who"},
		{"empty", `{"who":""}`, "error missing_required_input inputs.who"},
		{"unknown", `{"who":"x","whom":"y"}`, "error unknown_input inputs.whom"},
		{"set by the template", `{"who":"x","secret":"y"}`, "error internal_input inputs.secret"},
		{"a number for a text", `{"who":5}`, "error invalid_input_type inputs.who"},
		{"a text for a number", `{"who":"x","count":"5"}`, "error invalid_input_type inputs.count"},
		{"a text for a boolean", `{"who":"x","fast":"true"}`, "error invalid_input_type inputs.fast"},
		{"a list for one", `{"who":["x","y"]}`, "error invalid_input_type inputs.who"},
		{"no option", `{"who":"x","size":"4:3"}`, "error option_not_allowed inputs.size"},
		{"an object for an option", `{"who":"x","size":{"value":"1:1"}}`, "error option_not_allowed inputs.size"},
		{"a file that is no URL", `{"who":"x","photo":"a.png"}`, "error invalid_input_type inputs.photo"},
		{"a file inside", `{"who":"x","photo":"data:image/png;base64,AA"}`, "error invalid_input_type inputs.photo"},
		{"a file of another scheme", `{"who":"x","photo":"file:///etc/passwd"}`, "error invalid_input_type inputs.photo"},
		{"a file as a number", `{"who":"x","photo":-1}`, "error invalid_input_type inputs.photo"},
		{"an object without an asset", `{"who":"x","photo":{"id":"a"}}`, "error invalid_input_type inputs.photo"},
		{"an asset where none can be", `{"who":"x","photo":{"assetId":"a"}}`, "error asset_unavailable inputs.photo"},
		{"too many", `{"who":"x","more":["https://x/1","https://x/2","https://x/3","https://x/4","https://x/5"]}`, "error too_many_values inputs.more"},
		{"an empty one among several", `{"who":"x","scenes":["a",""]}`, "error invalid_input_type inputs.scenes[1]"},
		{"a wrong one among several", `{"who":"x","scenes":["a",1]}`, "error invalid_input_type inputs.scenes[1]"},
		{"out of bounds", `{"who":"x","bounded":4}`, "error invalid_input_type inputs.bounded"},
		{"far too long", `{"who":"` + strings.Repeat("x", 32769) + `"}`, "error invalid_input_type inputs.who"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			mentions(t, uncompiled(t, text, c.inputs), c.want)
		})
	}
}

// All mistakes in inputs are reported at once.
func TestInputsRefusedTogether(t *testing.T) {
	t.Parallel()
	issues := uncompiled(t, asked(picture), `{"count":"x","missing":1,"size":"big"}`)
	for _, want := range []string{"error unknown_input inputs.missing", "error missing_required_input inputs.who", "error invalid_input_type inputs.count", "error option_not_allowed inputs.size"} {
		mentions(t, issues, want)
	}
}

// Files become the workflow's media, after the request's own, and indices
// address them by kind.
func TestMediaInputs(t *testing.T) {
	t.Parallel()
	text := asked(`
		{"id":"a","tool":"generate_video","args":{"prompt":"p","referenceImageIndices":["$inputs.photo","$inputs.more"],"referenceAudioIndices":["$inputs.tune"]}},
		{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$inputs.more[1]"}},
		{"id":"c","tool":"remove_background","args":{"source_image_url":"$inputs.photo"}},
		{"id":"d","tool":"extract_metadata","args":{"fileIndex":"$inputs.tune"}}`)
	c, err := compileWith(t, text, template.Request{
		Media:  []atelier.MediaReference{{Kind: "image", URL: "https://x/own.png", Original: map[string]any{"flag": "f"}}},
		Inputs: object(t, `{"who":"x","photo":"https://x/p.png","more":["https://x/1.png",{"url":"https://x/2.png"}],"tune":{"assetId":"song"}}`),
		AssetURL: func(_ context.Context, id string) (string, string, error) {
			return "https://saved/" + id, "audio", nil
		},
	})
	if err != nil {
		t.Fatalf("%v %v", err, details(err))
	}
	var media []string
	for _, m := range c.Media {
		media = append(media, m.Kind+" "+m.URL)
	}
	if got, want := fmt.Sprint(media), "[image https://x/own.png image https://x/p.png image https://x/1.png image https://x/2.png audio https://saved/song]"; got != want {
		t.Errorf("media %v, want %v", got, want)
	}
	for i, want := range []string{
		`{"prompt":"p","referenceImageIndices":[-2,-3,-4],"referenceAudioIndices":[-1]}`,
		`{"prompt":"p","sourceImageIndex":-4}`,
		`{"source_image_url":"https://x/p.png"}`,
		`{"fileIndex":-5}`,
	} {
		if got := c.Steps[i].Arguments; !reflect.DeepEqual(got, object(t, want)) {
			t.Errorf("step %s: got %v, want %s", c.Steps[i].ID, got, want)
		}
	}
	if c.ID != "wf_t" || c.Version != "0.0.7" || c.Title != "All of it" {
		t.Errorf("compiled %q version %q as %q", c.ID, c.Version, c.Title)
	}
}

// A saved upload that cannot be used is the caller's mistake; a failure of the
// service is not.
func TestAssets(t *testing.T) {
	t.Parallel()
	q := template.Request{Inputs: object(t, `{"who":"x","photo":{"assetId":"a"}}`)}
	for _, c := range []struct {
		name string
		kind string
		err  error
		want string
	}{
		{"of another kind", "audio", nil, "error invalid_input_type inputs.photo"},
		{"not there", "", atelier.Errorf(atelier.CodeNotFound, "There is no such saved upload."), "error asset_unavailable inputs.photo"},
	} {
		q.AssetURL = func(context.Context, string) (string, string, error) { return "https://x/a", c.kind, c.err }
		_, err := compileWith(t, asked(picture), q)
		refusal(t, err, atelier.CodeTemplateCompile)
		mentions(t, details(err), c.want)
	}
	broken := errors.New("the database is unavailable")
	q.AssetURL = func(context.Context, string) (string, string, error) { return "", "", broken }
	if _, err := compileWith(t, asked(picture), q); !errors.Is(err, broken) {
		t.Errorf("got %v, want the service's own error", err)
	}
}

// Artifacts become bindings with the transform that fits the argument.
func TestArtifactBindings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, stages string
		step         int
		want         string // of its bindings and arguments
	}{
		{"an image by index", picture + `,{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.pic.items[0].url"}}`, 1,
			`pic/main 0 sourceImageIndex image_index true | prompt=p`},
		{"the second of several", `{"id":"pic","tool":"generate_image","args":{"prompt":"p","numberOfVariations":3},"produces":["pics"]},{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.pics.items[1].url"}}`, 1,
			`pic/main 1 sourceImageIndex image_index true | prompt=p`},
		{"by the id of the stage", `{"id":"pic","tool":"generate_image","args":{"prompt":"p"}},{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.pic.items[0].url"}}`, 1,
			`pic/main 0 sourceImageIndex image_index true | prompt=p`},
		{"by URL", picture + `,{"id":"b","tool":"remove_background","args":{"source_image_url":"$artifacts.pic.items[0].url"}}`, 1,
			`pic/main 0 source_image_url image_url true | `},
		{"sound by index", `{"id":"s","tool":"generate_speech","args":{"prompt":"hello"}},{"id":"b","tool":"sound_to_video","args":{"prompt":"p","audioSourceIndex":"$artifacts.s.items[0].url"}}`, 1,
			`s/main 0 audioSourceIndex audio_index true | prompt=p`},
		{"a text argument", picture + `,{"id":"b","tool":"generate_image","args":{"prompt":"p","negativePrompt":"$artifacts.pic.items[0].url"}}`, 1,
			`pic/main 0 negativePrompt artifact_url true | prompt=p`},
		{"cues of a transcript", `{"id":"v","tool":"generate_video","args":{"prompt":"p"}},{"id":"t","tool":"analyze_video","args":{"query":"transcribe","sourceVideoIndex":"$artifacts.v.items[0].url"}},{"id":"b","tool":"add_subtitles","args":{"sourceVideoIndex":"$artifacts.v.items[0].url","cues":"$artifacts.t.items[0].url"}}`, 2,
			`t/main 0 cues subtitle_cues true, v/main 0 sourceVideoIndex video_index true | `},
		{"a whole list", `{"id":"v","tool":"generate_video","args":{"prompt":"p","numberOfVariations":2},"produces":["v"]},{"id":"b","tool":"stitch_video","args":{"videoIndices":"$artifacts.v.items"}}`, 1,
			`v/main 0 videoIndices video_index true, v/main 1 videoIndices video_index true | `},
		{"a list in another order", `{"id":"v","tool":"generate_video","args":{"prompt":"p","numberOfVariations":2},"produces":["v"]},{"id":"b","tool":"stitch_video","args":{"videoIndices":["$artifacts.v.items[1].url","$inputs.film","$artifacts.v.items[0].url",-1]}}`, 1,
			`v/main 1 videoIndices video_index true, $input_media 0 videoIndices video_index true, v/main 0 videoIndices video_index true, $input_media 0 videoIndices video_index true | `},
		{"a stage that comes later", `{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.pic.items[0].url"}},` + picture, 1,
			`pic/main 0 sourceImageIndex image_index true | prompt=p`},
		{"dependsOn", picture + `,{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":5},"dependsOn":[{"sourceStepId":"pic","sourceArtifactIndex":0,"targetArgument":"sourceImageIndex","transform":"image_index"}]}`, 1,
			`pic/main 0 sourceImageIndex image_index true | prompt=p`},
		{"dependsOn, optional", picture + `,{"id":"b","tool":"generate_video","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"pic/main","targetArgument":"referenceImageIndices","transform":"image_index","required":false}]}`, 1,
			`pic/main 0 referenceImageIndices image_index false | prompt=p`},
		{"dependsOn the request's media", `{"id":"b","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"$input_media","targetArgument":"sourceImageIndex","transform":"image_index"}]}`, 0,
			`$input_media 0 sourceImageIndex image_index true | prompt=p`},
		{"deep inside, by number", `{"id":"v","tool":"generate_video","args":{"prompt":"p"},"produces":["v"]},{"id":"two","tool":"generate_image","args":{"prompt":"p","numberOfVariations":2}},` + picture + `,{"id":"b","tool":"overlay_video","args":{"sourceVideoIndex":"$artifacts.v.items[0].url","overlays":[{"kind":"image","sourceImageIndex":"$artifacts.pic.items[0].url"},{"kind":"image","sourceImageIndex":"$inputs.photo"}]}}`, 3,
			`v/main 0 sourceVideoIndex video_index true | overlays=[map[kind:image sourceImageIndex:2] map[kind:image sourceImageIndex:-1]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := compiled(t, asked(c.stages), `{"who":"x","photo":"https://x/p.png","film":"https://x/f.mp4"}`)
			if got := described(out.Steps[c.step]); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if err := planned(enginetest.Catalog(), out); err != nil {
				t.Error(err)
			}
		})
	}
}

// described writes a step's bindings and arguments on one line.
func described(s atelier.StepInput) string {
	var bindings, args []string
	for _, b := range s.DependsOn {
		bindings = append(bindings, fmt.Sprint(b.SourceStepID, " ", b.SourceArtifactIndex, " ", b.TargetArgument, " ", b.Transform, " ", b.Required))
	}
	for _, name := range sorted(s.Arguments) {
		args = append(args, fmt.Sprintf("%s=%v", name, s.Arguments[name]))
	}
	return strings.Join(bindings, ", ") + " | " + strings.Join(args, " ")
}

// A template that cannot be compiled is refused with the reason.
func TestStagesRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, stages, inputs, want string }{
		{"no stage", ``, `{"who":"x"}`, "error no_steps stages"},
		{"a refused argument", `{"id":"a","tool":"generate_image","args":{"prompt":"p","numberOfVariations":"$inputs.count"}}`, `{"who":"x","count":17}`, "error invalid_argument stages[0].args.numberOfVariations"},
		{"a required argument that is not given", `{"id":"a","tool":"generate_image","args":{"prompt":"$inputs.mood"}}`, `{"who":"x"}`, "error invalid_argument stages[0].args.prompt"},
		{"no media to work on", `{"id":"a","tool":"edit_image","args":{"prompt":"p"}}`, `{"who":"x"}`, "error invalid_argument stages[0].args.sourceImageIndex"},
		{"a file of the wrong kind", `{"id":"a","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$inputs.tune"}}`, `{"who":"x","tune":"https://x/t.wav"}`, "error input_kind stages[0].args.sourceImageIndex"},
		{"an artifact of the wrong kind", picture + `,{"id":"b","tool":"upscale_video","args":{"sourceVideoIndex":"$artifacts.pic.items[0].url"}}`, `{"who":"x"}`, "error artifact_kind stages[1].args.sourceVideoIndex"},
		{"an artifact that is not made", picture + `,{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.pic.items[1].url"}}`, `{"who":"x"}`, "error artifact_out_of_range stages[1].args.sourceImageIndex"},
		{"many artifacts for one", `{"id":"a","tool":"generate_image","args":{"prompt":"p","numberOfVariations":2}},{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.a.items"}}`, `{"who":"x"}`, "error artifact_kind stages[1].args.sourceImageIndex"},
		{"many files for one", `{"id":"a","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$inputs.more"}}`, `{"who":"x","more":["https://x/1","https://x/2"]}`, "error invalid_argument stages[0].args.sourceImageIndex"},
		{"an argument bound twice", picture + `,{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.pic.items[0].url"},"dependsOn":[{"sourceStepId":"pic","targetArgument":"sourceImageIndex","transform":"image_index"}]}`, `{"who":"x"}`, "error argument_bound_twice stages[1].dependsOn[0]"},
		{"a transform that does not fit", picture + `,{"id":"b","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"pic","targetArgument":"sourceImageIndex","transform":"video_index"}]}`, `{"who":"x"}`, "error artifact_kind stages[1].dependsOn[0].transform"},
		{"an index beyond", picture + `,{"id":"b","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"pic","sourceArtifactIndex":4,"targetArgument":"sourceImageIndex","transform":"image_index"}]}`, `{"who":"x"}`, "error artifact_out_of_range stages[1].dependsOn[0].sourceArtifactIndex"},
		{"media that was not sent", `{"id":"b","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"$input_media","targetArgument":"sourceImageIndex","transform":"image_index"}]}`, `{"who":"x"}`, "error artifact_out_of_range stages[0].dependsOn[0].sourceArtifactIndex"},
		{"a required artifact that is not taken", picture + `,{"id":"b","tool":"generate_image","args":{"prompt":"p"},"requiredArtifactsIn":["pic"]}`, `{"who":"x"}`, "error artifact_not_used stages[1]"},
		{"a checkpoint", `{"id":"a","tool":"generate_image","args":{"prompt":"p"},"checkpointRequired":true}`, `{"who":"x"}`, "error unsupported_checkpoint stages[0].checkpointRequired"},
		{"results by number beside artifacts", `{"id":"v","tool":"generate_video","args":{"prompt":"p"}},{"id":"b","tool":"stitch_video","args":{"videoIndices":["$artifacts.v.items[0].url",0]}}`, `{"who":"x"}`, "error invalid_argument stages[1].args.videoIndices"},
		{"a tool that is gone", `{"id":"a","tool":"bake_bread","args":{}}`, `{"who":"x"}`, "error unknown_tool stages[0].tool"},
		{"an interactive stage", `{"id":"a","type":"interactive"}`, `{"who":"x"}`, "error unsupported_stage_type stages[0].type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			mentions(t, uncompiled(t, asked(c.stages), c.inputs), c.want)
		})
	}
}

// A mistake is reported once, without those that follow from it.
func TestMistakesDoNotEcho(t *testing.T) {
	t.Parallel()
	issues := uncompiled(t, asked(`{"id":"a","tool":"generate_image","args":{"prompt":"p","seed":"$inputs.who"},"produces":["a"]},
		{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.a.items[0].url"},"produces":["b"]},
		{"id":"c","type":"batch","overBinding":"$artifacts.b.items","produces":["c"],"itemStage":{"tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$item.url"}}}`), `{"who":"no number"}`)
	if got := summarize(issues); len(got) != 1 || got[0] != "error invalid_argument stages[0].args.seed" {
		t.Errorf("got %q, want the one mistake", got)
	}
}
