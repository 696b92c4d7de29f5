package catalog_test

import (
	"strings"
	"testing"
)

func TestComposeSteps(t *testing.T) {
	t.Parallel()
	runSteps(t, "enhance_prompt", []stepCase{
		{`{"target_output":"image_prompt","destination_model":"z-turbo"}`, none(), "arguments.prompt is required for enhance_prompt"},
		{`{"prompt":"a","destination_model":"z"}`, none(), "arguments.target_output is required for enhance_prompt"},
		{`{"prompt":"a","target_output":"image_prompt"}`, none(), "arguments.destination_model is required for enhance_prompt"},
		{`{"prompt":"a","target_output":"poem","destination_model":"z"}`, none(), "arguments.target_output must be one of image_prompt, video_prompt, edit_prompt, model_prompt"},
		{`{"prompt":"a","target_output":"image_prompt","destination_model":"z","prompting_type":"x"}`, none(), "arguments.prompting_type must be one of flux, sdxl, sd15, pony, fast, sd3, editing, video"},
		{`{"prompt":"a","target_output":"image_prompt","destination_model":"z","prompt_mode":"x"}`, none(), "arguments.prompt_mode must be one of auto, preserve, expand, compress, validate, payload"},
		{`{"prompt":"a","target_output":"image_prompt","destination_model":"z","duration_seconds":301}`, none(), "arguments.duration_seconds must be between 1 and 300 seconds"},
		{`{"prompt":"a","target_output":"image_prompt","destination_model":"z","assets":[{"role":"x"}]}`, none(), "arguments.assets[0].role must be one of first_frame, last_frame, reference, identity, style, motion, audio, source_video"},
		{`{"prompt":"a","target_output":"image_prompt","destination_model":"z","constraints":[]}`, none(), "arguments.constraints must be an object"},
		{`{"prompt":"a","target_output":"image_prompt","destination_model":"z-turbo","constraints":{"x":1}}`, none(), "compose.standard 1 units 0.2 Spark for 1 operation"},
	})
	runSteps(t, "compose_script", []stepCase{
		{`{}`, none(), "arguments.brief is required for compose_script"},
		{`{"brief":"a","script_type":"poem"}`, none(), "arguments.script_type must be one of video_prompt, screenplay, storyboard, ad_script, trailer, social_short, talking_head, campaign, revision"},
		{`{"brief":"a","duration_seconds":0}`, none(), "arguments.duration_seconds must be between 1 and 300 seconds"},
		{`{"brief":"a","scene_count":13}`, none(), "arguments.scene_count must be between 1 and 12"},
		{`{"brief":"a","return_format":"xml"}`, none(), "arguments.return_format must be one of script, markdown, json"},
		{`{"brief":"a"}`, none(), "compose.standard 1 units 0.2 Spark for 1 operation"},
	})
	runSteps(t, "compose_lyrics", []stepCase{
		{`{}`, none(), "arguments.prompt is required for compose_lyrics"},
		{`{"prompt":"a","duration_seconds":9}`, none(), "arguments.duration_seconds must be between 10 and 600 seconds"},
		{`{"prompt":"a"}`, none(), "compose.standard 1 units 0.2 Spark for 1 operation"},
	})
	runSteps(t, "compose_instrumental", []stepCase{
		{`{}`, none(), "arguments.prompt is required for compose_instrumental"},
		{`{"prompt":"a","duration_seconds":601}`, none(), "arguments.duration_seconds must be between 10 and 600 seconds"},
		{`{"prompt":"a"}`, none(), "compose.standard 1 units 0.2 Spark for 1 operation"},
	})
	runSteps(t, "compose_workflow", []stepCase{
		{`{}`, none(), "arguments.brief is required for compose_workflow"},
		{`{"brief":"a","scene_count":0}`, none(), "arguments.scene_count must be between 1 and 12"},
		{`{"brief":"a","duration_seconds":121}`, none(), "arguments.duration_seconds must be between 1 and 120 seconds"},
		{`{"brief":"a","aspect_ratio":"2:1"}`, none(), "arguments.aspect_ratio must be one of 1:1, 4:3, 3:4, 16:9, 9:16, 21:9"},
		{`{"brief":"a","destination_models":{"sound":"x"}}`, none(), "arguments.destination_models.sound is not a known field; use image, video, music"},
		{`{"brief":"a","max_estimated_capacity_units":0}`, none(), "arguments.max_estimated_capacity_units must be at least 1"},
		{`{"brief":"a","return_format":"markdown"}`, none(), "arguments.return_format must be one of json"},
		{`{"brief":"a","include_audio":1}`, none(), "arguments.include_audio must be true or false"},
		{`{"brief":"a","destination_models":{"image":"z-turbo"}}`, none(), "compose.standard 1 units 0.2 Spark for 1 operation"},
	})
	runSteps(t, "compose_workflow_template", []stepCase{
		{`{"brief":"a"}`, none(), "arguments.name is required for compose_workflow_template"},
		{`{"name":"a"}`, none(), "arguments.brief is required for compose_workflow_template"},
		{`{"brief":"a","name":"` + strings.Repeat("x", 201) + `"}`, none(), "arguments.name must be at most 200 characters, not 201"},
		{`{"brief":"a","name":"b","category":"x"}`, none(), "arguments.category must be one of portrait, video-social, makeover, cinematic, music, analysis, custom, other"},
		{`{"brief":"a","name":"b","visibility":"secret"}`, none(), "arguments.visibility must be one of private, public"},
		{`{"brief":"a","name":"b","inputs":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}`, none(), "arguments.inputs must have at most 16 items, not 17"},
		{`{"brief":"a","name":"b","existing_template":"x"}`, none(), "arguments.existing_template must be an object"},
		{`{"brief":"a","name":"b","inputs":[{"name":"photo"}],"existing_template":{"id":"x"}}`, none(), "compose.standard 1 units 0.2 Spark for 1 operation"},
	})
}
