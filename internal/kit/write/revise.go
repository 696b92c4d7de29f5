package write

import (
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/wire"
)

// revise changes an existing template as the arguments say, and leaves the rest
// unchanged.
func (p *production) revise(existing draft.Arguments, asked draft.Inputs) draft.Template {
	var document map[string]any
	text, err := wire.Marshal(map[string]any(existing))
	if err == nil {
		err = wire.Unmarshal(text, &document) // a copy to change
	}
	if err != nil {
		return p.refused(draft.ParameterInvalid, "arguments.existing_template is not a template.", "correct:existing_template")
	}
	stages := draft.ListOf(document["stages"])
	if len(stages) == 0 {
		return p.refused(draft.InputIncomplete, "arguments.existing_template.stages must hold at least one stage.", "provide:existing_template")
	}
	list := draft.ListOf(document["inputs"])
	for _, in := range asked {
		at := slices.IndexFunc(list, func(v any) bool {
			m, _ := v.(map[string]any)
			return draft.Input(m).Name() == in.Name()
		})
		if at >= 0 {
			merged, _ := list[at].(map[string]any)
			merged = maps.Clone(merged)
			maps.Copy(merged, in)
			list[at] = merged
		} else {
			list = append(list, map[string]any(in))
			p.warn("The input %s is asked for, but no stage uses it yet.", in.Name())
		}
	}
	if len(list) > draft.MaxInputs {
		return p.refused(draft.ParameterInvalid, "arguments.inputs makes more than 16 inputs together with those of existing_template.", "correct:inputs")
	}
	document["inputs"] = list
	p.restyle(stages)
	document["stages"] = p.withMusic(stages)
	document["brief"] = prose.Cut(p.brief, 2000)
	return p.template(document, true)
}

// stageArgs are the tool and the arguments of a stage, or of the stage that a
// batch repeats.
func stageArgs(v any) (string, map[string]any) {
	stage, _ := v.(map[string]any)
	if inner, ok := stage["itemStage"].(map[string]any); ok {
		stage = inner
	}
	return draft.StageArguments(stage)
}

// restyle sets the style, shape, length and models of every stage that has
// them.
func (p *production) restyle(stages []any) {
	clips := 0
	for _, v := range stages {
		if tool, _ := stageArgs(v); tool == "animate_photo" || tool == "generate_video" {
			clips++
		}
	}
	for _, v := range stages {
		tool, args := stageArgs(v)
		t, ok := p.rules.catalog.Tool(tool)
		if !ok || args == nil {
			continue
		}
		picture := t.Produces != nil && (t.Produces.Kind == catalog.Image || t.Produces.Kind == catalog.Video)
		if prompt, ok := args["prompt"].(string); ok && picture && p.look != "" && !strings.Contains(prompt, p.look) {
			args["prompt"] = prose.Paragraph(prompt, strings.ReplaceAll(p.look, "$", ""))
		}
		if _, takes := t.Argument("aspectRatio"); takes && picture && p.args.Text("aspect_ratio") != "" {
			args["aspectRatio"] = p.args.Text("aspect_ratio")
		}
		for kind, of := range map[string]catalog.Kind{"image": catalog.Image, "video": catalog.Video, "music": catalog.Audio} {
			if name := p.model(kind, tool); name != "" && t.Models.Argument != "" && t.Produces != nil && t.Produces.Kind == of {
				args[t.Models.Argument] = name
			}
		}
		if d := p.args.Number("duration_seconds"); d > 0 && (tool == "animate_photo" || tool == "generate_video") {
			model, _ := args["videoModel"].(string)
			lo, hi := p.span(&recipe{direct: tool == "generate_video", videoModel: model})
			args["duration"] = min(max(draft.Tenths(d/float64(clips)), lo), hi)
		}
	}
}

// withMusic puts music under the film of a template that has none.
func (p *production) withMusic(stages []any) []any {
	if !p.args.Flag("include_audio") {
		return stages
	}
	film := -1
	for i, v := range stages {
		switch tool, _ := stageArgs(v); tool {
		case "generate_music", "generate_speech":
			return stages
		case "stitch_video":
			film = i
		}
	}
	var stage map[string]any
	if film >= 0 {
		stage, _ = stages[film].(map[string]any)
	}
	if stage == nil || stage["itemStage"] != nil {
		p.warn("include_audio is set, but the template joins no film that music could be put under.")
		return stages
	}
	_, args := stageArgs(stage)
	if args == nil {
		args = map[string]any{}
		stage["args"] = args
	}
	args["audioIndex"] = "$artifacts.soundtrack.items[0].url"
	length := min(max(p.args.Number("duration_seconds"), 30), 600)
	music := map[string]any{
		"id": "soundtrack", "type": "fixed", "label": "Soundtrack", "tool": "generate_music", "produces": []any{"soundtrack"},
		"args": named(map[string]any{"prompt": strings.ReplaceAll(p.score(p.tempo()), "$", "")}, "duration", length, "model", p.model("music", "generate_music")),
	}
	return slices.Insert(slices.Clone(stages), film, any(music))
}
