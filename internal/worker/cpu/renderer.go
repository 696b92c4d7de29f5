package cpu

import (
	"context"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// Renderer is the CPU renderer.
type Renderer struct {
	// Engine reads and writes clips; film chooses one when it is empty.
	Engine film.Engine
}

// Name implements worker.Renderer.
func (Renderer) Name() string { return "atelier-cpu" }

// tools are what it can do.
var tools = map[string]func(context.Context, worker.Task) ([]worker.Output, error){
	"generate_image":        paintPicture,
	"edit_image":            editImage,
	"apply_style":           applyStyle,
	"restore_photo":         restorePhoto,
	"refine_result":         refineResult,
	"change_angle":          changeAngle,
	"upscale_image":         upscaleImage,
	"remove_background":     removeBackground,
	"segment_image":         segmentImage,
	"analyze_image":         analyzeImage,
	"extract_metadata":      extractMetadata,
	"generate_video":        generateVideo,
	"animate_photo":         animatePhoto,
	"video_to_video":        videoToVideo,
	"sound_to_video":        soundToVideo,
	"extend_video":          extendVideo,
	"replace_video_segment": replaceSegment,
	"stitch_video":          stitchVideo,
	"orbit_video":           orbitVideo,
	"dance_montage":         danceMontage,
	"analyze_video":         analyzeVideo,
	"upscale_video":         upscaleVideo,
	"overlay_video":         overlayVideo,
	"add_subtitles":         addSubtitles,
	"generate_music":        compose,
	"generate_speech":       speak,
	"image_to_3d":           sculpt,
}

// Render implements worker.Renderer.
func (r Renderer) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	tool, ok := tools[t.ToolName]
	if !ok {
		return nil, worker.Failf("The CPU renderer cannot do %s: connect a worker with a GPU for it.", t.ToolName)
	}
	if r.Engine != film.Auto {
		ctx = context.WithValue(ctx, engineKey{}, r.Engine)
	}
	return tool(ctx, t)
}

// text is a string argument.
func text(t worker.Task, name string) string {
	s, _ := t.Arguments[name].(string)
	return s
}

// number is a numeric argument, or other when it is not given.
func number(t worker.Task, name string, other float64) float64 {
	if f, ok := t.Arguments[name].(float64); ok {
		return f
	}
	return other
}
