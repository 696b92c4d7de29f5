package catalog_test

import "testing"

func TestSessionSteps(t *testing.T) {
	t.Parallel()
	runSteps(t, "analyze_image", []stepCase{
		{`{}`, up(1, 0, 0), "arguments.query is required for analyze_image"},
		{`{"query":"a","analysisType":"guess"}`, up(1, 0, 0), "arguments.analysisType must be one of describe, ocr, objects, document, compare, general"},
		{`{"query":"a","analysisType":"compare"}`, up(1, 0, 0), "1 application/json free 0 units free"},
		{`{"query":"a"}`, up(0, 0, 0), "arguments.sourceImageIndex is required: analyze_image works on an image; bind one with dependsOn, or send one in media_references and pass -1"},
		{`{"query":"a"}`, up(1, 0, 0), "1 application/json free 0 units free"},
	})
	runSteps(t, "analyze_video", []stepCase{
		{`{}`, up(0, 1, 0), "arguments.query is required for analyze_video"},
		{`{"query":"a","analysisType":"guess"}`, up(0, 1, 0), "arguments.analysisType must be one of summary, timeline, scene, action, ocr, general"},
		{`{"query":"a"}`, up(0, 0, 0), "arguments.sourceVideoIndex is required: analyze_video works on a video; bind one with dependsOn, or send one in media_references and pass -1"},
		{`{"query":"a","detailed":1}`, up(0, 1, 0), "arguments.detailed must be true or false"},
		{`{"query":"a"}`, up(0, 1, 0), "1 application/json free 0 units free"},
	})
	runSteps(t, "extract_metadata", []stepCase{
		{`{"mediaType":"text"}`, none(), "arguments.mediaType must be one of image, video, audio"},
		{`{"fileIndex":"a"}`, none(), "arguments.fileIndex must be a whole number"},
		{`{"sourceImageIndex":-1}`, up(0, 0, 0), "arguments.sourceImageIndex is -1, but media_references has 0 images"},
		{`{"mediaType":"image","sourceImageIndex":-1}`, up(1, 0, 0), "1 application/json free 0 units free"},
		{`{}`, none(), "1 application/json free 0 units free"},
	})
	runSteps(t, "ask_clarifying_question", []stepCase{
		{`{}`, none(), "arguments.question is required for ask_clarifying_question"},
		{`{"question":""}`, none(), "arguments.question is required for ask_clarifying_question"},
		{`{"question":"a","reason":1}`, none(), "arguments.reason must be a string"},
		{`{"question":"a"}`, none(), "free 0 units free"},
	})
	runSteps(t, "finalize_response", []stepCase{
		{`{}`, none(), "arguments.outcome is required for finalize_response"},
		{`{"outcome":"great"}`, none(), "arguments.outcome must be one of success, partial, asked_user, failed, no_action"},
		{`{"outcome":"success","summary":"done"}`, none(), "free 0 units free"},
	})
	runSteps(t, "create_asset_manifest", []stepCase{
		{`{}`, none(), "arguments.assets is required for create_asset_manifest"},
		{`{"assets":[]}`, none(), "arguments.assets is required for create_asset_manifest"},
		{`{"assets":[{"type":"image"}]}`, none(), "arguments.assets[0].user_label is required"},
		{`{"assets":[{"user_label":"a","type":"model"}]}`, none(), "arguments.assets[0].type must be one of image, video, audio"},
		{`{"assets":[{"user_label":"a","type":"image","avoid":"x"}]}`, none(), "arguments.assets[0].avoid must be a list"},
		{`{"assets":[{"user_label":"a","type":"image","must_preserve":["face"]}]}`, none(), "1 application/json free 0 units free"},
	})
	runSteps(t, "inspect_asset", []stepCase{
		{`{"asset_id":1}`, none(), "arguments.asset_id must be a string"},
		{`{"id":"a"}`, none(), "arguments.id is not an argument of inspect_asset; it takes asset_id, user_label"},
		{`{}`, none(), "1 application/json free 0 units free"},
		{`{"user_label":"hero"}`, none(), "1 application/json free 0 units free"},
	})
	runSteps(t, "label_asset", []stepCase{
		{`{}`, none(), "arguments.asset_id is required for label_asset"},
		{`{"asset_id":"a","avoid":[1]}`, none(), "arguments.avoid[0] must be a string"},
		{`{"asset_id":"a","user_label":"hero"}`, none(), "1 application/json free 0 units free"},
	})
	runSteps(t, "map_assets_for_model", []stepCase{
		{`{}`, none(), "arguments.model_id is required for map_assets_for_model"},
		{`{"model_id":"a","prompt":"b"}`, none(), "arguments.prompt is not an argument of map_assets_for_model; it takes model_id"},
		{`{"model_id":"a"}`, none(), "1 application/json free 0 units free"},
	})
	runSteps(t, "validate_asset_references", []stepCase{
		{`{"model_id":"a"}`, none(), "arguments.prompt is required for validate_asset_references"},
		{`{"prompt":"b"}`, none(), "arguments.model_id is required for validate_asset_references"},
		{`{"model_id":"a","prompt":"b"}`, none(), "1 application/json free 0 units free"},
	})
}
