package write

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// WriteTemplate drafts a template from the brief, or changes an existing one by it. check
// accepts or refuses a plan.
func (rules *Rules) WriteTemplate(a draft.Arguments, asked draft.Inputs, check draft.Check) draft.Template {
	p := rules.produce(a, check)
	if existing := a.Object("existing_template"); len(existing) > 0 {
		return p.revise(existing, asked)
	}
	if asked.First("image") != nil {
		p.kind, p.uploads.Images = "photo", 1
	}
	c, fits, err := p.affordable()
	if err != nil {
		return p.refused(draft.PlanInvalid, "No plan for this brief passes the catalog: "+err.Error()+".", "change:brief")
	}
	return p.draft(p.opened(c.recipe, asked), fits, asked)
}

func (p *production) refused(kind, reason, next string) draft.Template {
	return draft.Template{Category: p.category(), Refusal: &draft.Refusal{Kind: kind, Reason: reason, Next: next}}
}

// template is what was drafted.
func (p *production) template(document map[string]any, fits bool) draft.Template {
	return draft.Template{Document: document, Fits: fits, Warnings: p.warnings, Category: p.category()}
}

// sketch builds a template.
type sketch struct {
	steps  []atelier.StepInput
	inputs draft.Inputs
}

// opened is a recipe whose words become inputs of the template.
func (p *production) opened(r recipe, asked draft.Inputs) sketch {
	closed := *p
	o := *p
	o.open, o.topic, o.look = true, "$inputs.subject", "$inputs.style"
	var s sketch
	ask := func(in draft.Input) { s.inputs = append(s.inputs, in) }
	n := len(r.scenes)
	described := closed.scenes(n)
	ask(draft.Input{"name": "subject", "type": "text", "required": true, "description": "What it is about.", "default": cmp.Or(closed.subject(), closed.brief)})
	ask(draft.Input{"name": "style", "type": "text", "required": false, "description": "How it looks.", "default": cmp.Or(closed.look, closed.manner())})
	for i, t := range described {
		if t != "" && (r.kind == "film" || r.kind == "stills") {
			ask(draft.Input{"name": fmt.Sprintf("scene_%d", i+1), "type": "text", "required": false, "description": fmt.Sprintf("What scene %d shows.", i+1), "default": t})
		}
	}
	switch r.kind {
	case "song":
		if n > 0 {
			r.scenes = []string{"Album cover: $inputs.subject. $inputs.style. Bold and simple with one clear focal point and space for a title, no lettering."}
		}
	case "photo":
		ask(draft.Input{"name": "photo", "type": "image", "required": true, "description": "The picture to work on."})
		for i := range r.scenes {
			r.scenes[i] = "$inputs.subject. $inputs.style. Keep the identity, the pose and everything else exactly as in the source, and match its light and perspective."
			if i > 0 {
				r.scenes[i] += fmt.Sprintf(" Variation %d, with another background and light.", i+1)
			}
		}
		if len(r.moves) > 0 {
			r.moves = o.motions(1)
		}
	default:
		r.scenes = o.pictures(n)
		if len(r.moves) > 0 {
			r.moves = o.motions(n)
		}
	}
	if r.ratio != nil || r.kind == "film" || r.kind == "stills" {
		shape, _ := r.ratio.(string)
		var options []any
		for _, ratio := range []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9"} {
			options = append(options, map[string]any{"value": ratio, "label": ratio})
		}
		ask(draft.Input{"name": "shape", "type": "select", "required": false, "description": "Shape of the picture.", "default": cmp.Or(shape, "16:9"), "options": options})
		r.ratio = "$inputs.shape"
	}
	if len(r.each) > 0 && !r.still {
		lo, hi := o.span(&r)
		if r.kind == "song" {
			lo, hi = 2, 20
		}
		ask(draft.Input{"name": "seconds", "type": "number", "required": false, "description": "Length of each clip.", "default": r.each[0], "jsonSchema": map[string]any{"minimum": lo, "maximum": hi}})
		r.each = slices.Repeat([]any{"$inputs.seconds"}, len(r.each))
	}
	if r.kind == "song" || r.sound == "music" {
		ask(draft.Input{"name": "music", "type": "text", "required": false, "description": "Genre, instruments and mood of the music.", "default": r.tempo.Describe()})
		r.music = "$inputs.music. Music for $inputs.subject."
	}
	if r.lyrics != "" {
		ask(draft.Input{"name": "lyrics", "type": "text", "required": false, "description": "The words to sing. Without them the music is instrumental.", "default": r.lyrics})
		r.lyrics = "$inputs.lyrics"
	}
	if r.sound == "speech" {
		ask(draft.Input{"name": "narration", "type": "text", "required": false, "description": "The words to speak.", "default": r.words})
		r.words = "$inputs.narration"
	}
	s.steps = r.steps()
	s.add(asked, p)
	return s
}

// manner is the default style when none is named.
func (p *production) manner() string {
	name := "natural photographic style with fine detail"
	if p.read.manner != nil {
		name = p.read.manner.Name + " style"
	}
	return strings.TrimSuffix(name+", "+p.lit(), ", ")
}

// add adds the inputs that the caller requests, and uses them where they fit.
func (s *sketch) add(asked draft.Inputs, p *production) {
	for _, in := range asked {
		name := in.Name()
		at := slices.IndexFunc(s.inputs, func(o draft.Input) bool { return o.Name() == name || in.Kind() == "image" && o.Kind() == "image" })
		switch {
		case at >= 0 && s.inputs[at].Kind() == in.Kind():
			old := s.inputs[at].Name()
			merged := maps.Clone(s.inputs[at])
			maps.Copy(merged, in)
			s.inputs[at] = merged
			s.rename(old, name)
			continue
		case at >= 0:
			p.warn("The input %s must have the type %s, so yours is left out.", name, s.inputs[at].Kind())
			continue
		}
		s.inputs = append(s.inputs, in)
		used := false
		switch in.Kind() {
		case "text", "select", "number":
			used = s.mention(name)
		case "audio":
			used = s.listen(name)
		}
		if !used {
			p.warn("The input %s is asked for, but no stage uses it yet.", name)
		}
	}
	if len(s.inputs) > draft.MaxInputs {
		p.warn("A template has at most %d inputs; the last %d are left out.", draft.MaxInputs, len(s.inputs)-draft.MaxInputs)
		gone := s.inputs[draft.MaxInputs:]
		s.inputs = s.inputs[:draft.MaxInputs]
		for _, in := range gone {
			s.inlineDefault(in)
		}
	}
}

// each visits the texts of all arguments.
func (s *sketch) each(change func(text string) any) {
	for _, step := range s.steps {
		for name, v := range step.Arguments {
			switch v := v.(type) {
			case string:
				step.Arguments[name] = change(v)
			case []any:
				for i, e := range v {
					if text, ok := e.(string); ok {
						v[i] = change(text)
					}
				}
			}
		}
	}
}

func (s *sketch) rename(old, name string) {
	if old != name {
		s.each(func(t string) any { return strings.ReplaceAll(t, "$inputs."+old, "$inputs."+name) })
	}
}

// inlineDefault replaces the uses of an input by its default.
func (s *sketch) inlineDefault(in draft.Input) {
	s.each(func(t string) any {
		if t == "$inputs."+in.Name() && in["default"] != nil {
			return in["default"]
		}
		return strings.ReplaceAll(t, "$inputs."+in.Name(), strings.Join(draft.TextsIn(in["default"]), ", "))
	})
}

// mention puts an input into the prompt of every picture, or of the music.
func (s *sketch) mention(name string) bool {
	used := false
	for _, tools := range [][]string{{"generate_image", "edit_image"}, {"generate_video"}, {"generate_music"}} {
		for _, step := range s.steps {
			if prompt, ok := step.Arguments["prompt"].(string); ok && slices.Contains(tools, step.ToolName) {
				step.Arguments["prompt"] = prompt + " " + prose.Upper(strings.ReplaceAll(name, "_", " ")) + ": $inputs." + name + "."
				used = true
			}
		}
		if used {
			return true
		}
	}
	return false
}

// listen uses a sound of the caller for the film.
func (s *sketch) listen(name string) bool {
	for i, step := range s.steps {
		if step.ToolName != "stitch_video" {
			continue
		}
		s.steps[i].DependsOn = slices.DeleteFunc(slices.Clone(step.DependsOn), func(b atelier.Binding) bool { return b.TargetArgument == "audioIndex" })
		step.Arguments["audioIndex"] = "$inputs." + name
		s.steps = slices.DeleteFunc(s.steps, func(x atelier.StepInput) bool { return x.ID == "sound" })
		return true
	}
	return false
}

// draft is a sketch as the template endpoint takes it.
func (p *production) draft(s sketch, fits bool, asked draft.Inputs) draft.Template {
	var stages []any
	for _, step := range s.steps {
		stage := map[string]any{"id": step.ID, "type": "fixed", "label": prose.Upper(strings.ReplaceAll(step.ID, "_", " ")), "tool": step.ToolName, "args": step.Arguments, "produces": []any{step.ID}}
		var bindings []any
		for _, b := range step.DependsOn {
			if b.SourceStepID == atelier.InputMedia {
				photo := "photo"
				if in := asked.First("image"); in != nil {
					photo = in.Name()
				}
				step.Arguments[b.TargetArgument] = "$inputs." + photo
				continue
			}
			bindings = append(bindings, map[string]any{
				"sourceStepId": b.SourceStepID, "sourceArtifactIndex": float64(b.SourceArtifactIndex), "targetArgument": b.TargetArgument, "transform": b.Transform, "required": b.Required,
			})
		}
		if len(bindings) > 0 {
			stage["dependsOn"] = bindings
		}
		stages = append(stages, stage)
	}
	var list []any
	for _, in := range s.inputs {
		list = append(list, map[string]any(in))
	}
	return p.template(map[string]any{"inputs": list, "stages": stages, "tags": []any{p.kind}}, fits)
}

// category is the default category of a kind of plan.
func (p *production) category() string {
	words := tokens(p.brief)
	switch {
	case p.kind == "song":
		return "music"
	case p.kind == "photo":
		return "makeover"
	case findPhrase(words, []string{"tiktok", "reel", "instagram", "social", "shorts", "story", "youtube"}) >= 0:
		return "video-social"
	case p.kind == "film":
		return "cinematic"
	case p.read.subject.Name == "person":
		return "portrait"
	}
	return "custom"
}
