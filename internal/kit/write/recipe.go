package write

import (
	"fmt"

	"github.com/atelier-project/atelier"
)

// recipe is a plan before it is written as steps. Words may be binding strings
// of a template.
type recipe struct {
	kind   string   // film, stills, song or photo
	scenes []string // what each picture shows
	moves  []string // what happens in each clip
	each   []any    // seconds of each clip
	direct bool     // clips from words alone, because the model takes no picture
	still  bool     // a film that is left as pictures

	sound  string // music, speech or none
	words  string // of a voice
	music  string // in words
	lyrics string
	tempo  setup
	length any  // seconds of the music
	clip   bool // a moving cover

	ratio                          any
	imageModel, videoModel, melody string
}

// maxFilm is how many scenes a film can have at most: one step for each, one for
// the sound and one to join them.
const maxFilm = atelier.MaxSteps - 2

// steps makes the steps of a recipe.
func (r recipe) steps() []atelier.StepInput {
	switch r.kind {
	case "stills":
		return r.pictures("picture")
	case "song":
		return r.song()
	case "photo":
		return r.photo()
	}
	return r.film()
}

// named adds the pairs that have a value to arguments.
func named(args map[string]any, pairs ...any) map[string]any {
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := pairs[i+1]; v != nil && v != "" {
			args[pairs[i].(string)] = v
		}
	}
	return args
}

func newBinding(from string, index int, target, transform string) atelier.Binding {
	return atelier.Binding{SourceStepID: from, SourceArtifactIndex: index, TargetArgument: target, Transform: transform, Required: true}
}

// pictures is one image for each scene.
func (r recipe) pictures(name string) []atelier.StepInput {
	var out []atelier.StepInput
	for i, s := range r.scenes {
		out = append(out, atelier.StepInput{
			ID: fmt.Sprintf("%s_%d", name, i+1), ToolName: "generate_image", Arguments: named(map[string]any{"prompt": s}, "model", r.imageModel, "aspectRatio", r.ratio),
		})
	}
	return out
}

// film is a picture for each scene, a clip from each picture, a sound, and all of
// them joined. Many scenes share the step that sets them in motion.
func (r recipe) film() []atelier.StepInput {
	if r.still {
		return r.pictures("frame")
	}
	n := len(r.scenes)
	extra := 0
	if r.sound != "" {
		extra++
	}
	if n > 1 || r.sound != "" {
		extra++
	}
	var out []atelier.StepInput
	var clips []atelier.Binding
	clip := func(id string, index int) {
		clips = append(clips, newBinding(id, index, "videoIndices", "video_index"))
	}
	switch {
	case r.direct || n+1+extra > atelier.MaxSteps:
		for i, s := range r.scenes {
			id := fmt.Sprintf("clip_%d", i+1)
			out = append(out, atelier.StepInput{ID: id, ToolName: "generate_video", Arguments: named(map[string]any{"prompt": s + " " + r.moves[i]}, "videoModel", r.videoModel, "duration", r.each[i], "aspectRatio", r.ratio)})
			clip(id, 0)
		}
	case 2*n+extra <= atelier.MaxSteps:
		out = r.pictures("frame")
		for i := range r.scenes {
			id := fmt.Sprintf("clip_%d", i+1)
			out = append(out, atelier.StepInput{
				ID: id, ToolName: "animate_photo", Arguments: named(map[string]any{"prompt": r.moves[i]}, "videoModel", r.videoModel, "duration", r.each[i], "aspectRatio", r.ratio),
				DependsOn: []atelier.Binding{newBinding(fmt.Sprintf("frame_%d", i+1), 0, "sourceImageIndex", "image_index")},
			})
			clip(id, 0)
		}
	default:
		out = r.pictures("frame")
		s := atelier.StepInput{ID: "clips", ToolName: "animate_photo", Arguments: named(map[string]any{"prompt": r.moves[0]}, "videoModel", r.videoModel, "duration", r.each[0], "aspectRatio", r.ratio)}
		var prompts []any
		for i := range r.scenes {
			prompts = append(prompts, r.moves[i])
			s.DependsOn = append(s.DependsOn, newBinding(fmt.Sprintf("frame_%d", i+1), 0, "sourceImageIndices", "image_index"))
			clip("clips", i)
		}
		s.Arguments["prompts"] = prompts
		out = append(out, s)
	}
	if r.sound != "" {
		out = append(out, r.soundStep())
		clips = append(clips, newBinding("sound", 0, "audioIndex", "audio_index"))
	}
	if extra > 0 && (n > 1 || r.sound != "") {
		out = append(out, atelier.StepInput{ID: "film", ToolName: "stitch_video", Arguments: map[string]any{}, DependsOn: clips})
	}
	return out
}

// soundStep is the step that makes the sound of a film.
func (r recipe) soundStep() atelier.StepInput {
	if r.sound == "speech" {
		return atelier.StepInput{ID: "sound", ToolName: "generate_speech", Arguments: map[string]any{"prompt": r.words}}
	}
	return atelier.StepInput{ID: "sound", ToolName: "generate_music", Arguments: named(map[string]any{"prompt": r.music}, "duration", r.length, "model", r.melody)}
}

// song is a song, its cover, and a clip of both when that is wanted.
func (r recipe) song() []atelier.StepInput {
	out := []atelier.StepInput{{
		ID: "song", ToolName: "generate_music", Arguments: named(map[string]any{"prompt": r.music}, "lyrics", r.lyrics, "duration", r.length, "model", r.melody,
			"bpm", float64(r.tempo.BPM), "keyscale", r.tempo.Key, "timesig", float64(r.tempo.Timesig)),
	}}
	if len(r.scenes) > 0 {
		out = append(out, atelier.StepInput{ID: "cover", ToolName: "generate_image", Arguments: named(map[string]any{"prompt": r.scenes[0]}, "model", r.imageModel, "aspectRatio", r.ratio)})
	}
	if r.clip && len(r.scenes) > 0 {
		out = append(out, atelier.StepInput{
			ID: "clip", ToolName: "sound_to_video", Arguments: named(map[string]any{"prompt": r.moves[0]}, "duration", r.each[0], "aspectRatio", r.ratio, "videoModel", r.videoModel),
			DependsOn: []atelier.Binding{newBinding("song", 0, "audioSourceIndex", "audio_index"), newBinding("cover", 0, "sourceImageIndex", "image_index")},
		})
	}
	return out
}

// photo changes a picture that the caller sends, and sets it in motion when
// that is wanted.
func (r recipe) photo() []atelier.StepInput {
	var out []atelier.StepInput
	for i, s := range r.scenes {
		id := fmt.Sprintf("edit_%d", i+1)
		out = append(out, atelier.StepInput{
			ID: id, ToolName: "edit_image", Arguments: named(map[string]any{"prompt": s}, "model", r.imageModel, "aspectRatio", r.ratio),
			DependsOn: []atelier.Binding{newBinding(atelier.InputMedia, 0, "sourceImageIndex", "image_index")},
		})
	}
	if r.clip && len(r.scenes) > 0 {
		out = append(out, atelier.StepInput{
			ID: "clip", ToolName: "animate_photo", Arguments: named(map[string]any{"prompt": r.moves[0]}, "videoModel", r.videoModel, "duration", r.each[0], "aspectRatio", r.ratio),
			DependsOn: []atelier.Binding{newBinding("edit_1", 0, "sourceImageIndex", "image_index")},
		})
	}
	return out
}
