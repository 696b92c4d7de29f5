package cpu

import (
	"context"

	"github.com/atelier-project/atelier/internal/kit/cpu/analysis"
	"github.com/atelier-project/atelier/internal/kit/cpu/audio"
	"github.com/atelier-project/atelier/internal/kit/cpu/clip"
	"github.com/atelier-project/atelier/internal/kit/cpu/picture"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// Renderer is the CPU renderer.
type Renderer struct {
	// Engine reads and writes video; film chooses one when it is empty.
	Engine film.Engine
}

// Name implements worker.Renderer.
func (Renderer) Name() string { return task.RendererName }

// tools are the tools that it serves.
var tools = map[string]func(context.Context, task.Task) ([]worker.Output, error){
	"generate_image":        picture.Generate,
	"edit_image":            picture.Edit,
	"apply_style":           picture.ApplyStyle,
	"restore_photo":         picture.Restore,
	"refine_result":         picture.Refine,
	"change_angle":          picture.ChangeAngle,
	"upscale_image":         picture.Upscale,
	"remove_background":     picture.RemoveBackground,
	"segment_image":         picture.Segment,
	"analyze_image":         analysis.Image,
	"extract_metadata":      analysis.Metadata,
	"generate_video":        clip.Generate,
	"animate_photo":         clip.AnimatePhoto,
	"video_to_video":        clip.Convert,
	"sound_to_video":        clip.FollowSound,
	"extend_video":          clip.Extend,
	"replace_video_segment": clip.ReplaceSegment,
	"stitch_video":          clip.Stitch,
	"orbit_video":           clip.Orbit,
	"dance_montage":         clip.Dance,
	"analyze_video":         analysis.Video,
	"upscale_video":         clip.Upscale,
	"overlay_video":         clip.Overlay,
	"add_subtitles":         clip.AddSubtitles,
	"generate_music":        audio.GenerateMusic,
	"generate_speech":       audio.GenerateSpeech,
	"image_to_3d":           picture.To3D,
}

// Render implements worker.Renderer.
func (r Renderer) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	tool, ok := tools[t.ToolName]
	if !ok {
		return nil, worker.Failf("The CPU renderer cannot do %s: connect a worker with a GPU for it.", t.ToolName)
	}
	return tool(ctx, task.Task{Task: t, Engine: r.Engine})
}
