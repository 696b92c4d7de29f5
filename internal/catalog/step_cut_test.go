package catalog_test

import "testing"

func TestCutSteps(t *testing.T) {
	t.Parallel()
	runSteps(t, "extend_video", []stepCase{
		{`{}`, up(0, 1, 0), "arguments.duration is required for extend_video"},
		{`{"duration":1}`, up(0, 1, 0), "arguments.duration must be between 2 and 30 seconds"},
		{`{"duration":25}`, up(0, 1, 0), "arguments.duration must be between 2 and 20 seconds for ltx25"},
		{`{"duration":5,"videoModel":"wan22"}`, up(0, 1, 0), "arguments.videoModel is wan22, which is for generate_video; choose one of ltx25, auto, ltx23, seedance2, seedance2-mini, seedance2-5"},
		{`{"duration":3,"videoModel":"seedance2"}`, up(0, 1, 0), "arguments.duration must be between 4 and 15 seconds for seedance2"},
		{`{"duration":5}`, up(0, 0, 0), "arguments.videoIndex is required: extend_video works on a video; bind one with dependsOn, or send one in media_references and pass -1"},
		{`{"duration":5}`, up(0, 1, 0), "ltx25-22b-int8_i2v_distilled 5s 121f 1 video/mp4 1280x720 video.vendor.standard 6 units 15 Spark for 5 second"},
		{`{"duration":5,"videoModel":"seedance2-5","prompt":"a"}`, up(0, 1, 0), "seedance-2-5 5s 120f 1 video/mp4 1280x720 premium video.vendor.premium 10 units 300.456 Spark for 5 second"},
		{`{"duration":6}`, bound("videoIndex"), "ltx25-22b-int8_i2v_distilled 6s 145f 1 video/mp4 1280x720 video.vendor.standard 6 units 18 Spark for 6 second"},
		{`{"duration":6}`, gen(0, 2, 0), "ltx25-22b-int8_i2v_distilled 6s 145f 1 video/mp4 1280x720 video.vendor.standard 6 units 18 Spark for 6 second"},
	})
	runSteps(t, "replace_video_segment", []stepCase{
		{`{"endSeconds":2,"prompt":"a"}`, up(0, 1, 0), "arguments.startSeconds is required for replace_video_segment"},
		{`{"startSeconds":1,"prompt":"a"}`, up(0, 1, 0), "arguments.endSeconds is required for replace_video_segment"},
		{`{"startSeconds":2,"endSeconds":2,"prompt":"a"}`, up(0, 1, 0), "arguments.endSeconds must be greater than startSeconds"},
		{`{"startSeconds":-1,"endSeconds":2,"prompt":"a"}`, up(0, 1, 0), "arguments.startSeconds must be at least 0 seconds"},
		{`{"startSeconds":1,"endSeconds":2}`, up(0, 1, 0), "arguments.prompt is required unless replacementVideoIndex gives the new part"},
		{`{"startSeconds":0,"endSeconds":25,"prompt":"a"}`, up(0, 1, 0), "arguments.endSeconds must be at most 20 seconds after startSeconds for ltx25"},
		{`{"startSeconds":0,"endSeconds":2,"prompt":"a","replacementStartSeconds":1}`, up(0, 1, 0), "ltx25-22b-int8_i2v_distilled 2s 49f 1 video/mp4 1280x720 video.vendor.standard 6 units 6 Spark for 2 second"},
		{`{"startSeconds":0,"endSeconds":2,"replacementVideoIndex":-1,"replacementStartSeconds":3,"replacementEndSeconds":3}`, up(0, 1, 0), "arguments.replacementEndSeconds must be greater than replacementStartSeconds"},
		{`{"startSeconds":0,"endSeconds":2,"prompt":"a","videoModel":"minimax-h3-t2v"}`, up(0, 1, 0), "arguments.videoModel is minimax-h3-t2v, which is for generate_video; choose one of ltx25, auto, ltx23, wan22, seedance2, seedance2-mini, seedance2-5"},
		{`{"startSeconds":1,"endSeconds":5,"prompt":"a"}`, up(0, 1, 0), "ltx25-22b-int8_i2v_distilled 4s 97f 1 video/mp4 1280x720 video.vendor.standard 6 units 12 Spark for 4 second"},
		{`{"startSeconds":1,"endSeconds":2,"prompt":"a","videoModel":"wan22"}`, up(0, 1, 0), "wan_v2.2-14b-fp8_i2v_lightx2v 2s 33f 1 video/mp4 1280x720 video.vendor.standard 6 units 8 Spark for 2 second"},
		{`{"startSeconds":1,"endSeconds":5,"replacementVideoIndex":-2}`, up(0, 2, 0), "4s 1 video/mp4 video.vendor.standard 6 units 0.5 Spark for 1 operation"},
	})
	runSteps(t, "stitch_video", []stepCase{
		{`{}`, none(), "arguments.videoIndices is required for stitch_video"},
		{`{"videoIndices":[]}`, none(), "arguments.videoIndices is required for stitch_video"},
		{`{"videoIndices":[0.5]}`, none(), "arguments.videoIndices[0] must be a whole number"},
		{`{"videoIndices":[-1],"transition":{"type":"spin"}}`, none(), "arguments.transition.type must be one of fade, dissolve, wipeleft, wiperight, slideup, slidedown"},
		{`{"videoIndices":[-1],"transition":{"type":"fade","durationSeconds":3}}`, none(), "arguments.transition.durationSeconds must be between 0.2 and 2 seconds"},
		{`{"videoIndices":[-1],"transition":{}}`, none(), "arguments.transition.type is required"},
		{`{"videoIndices":[-1],"transition":"fade"}`, none(), "arguments.transition must be an object"},
		{`{"videoIndices":[-1,-2]}`, up(0, 1, 0), "arguments.videoIndices[1] is -2, but media_references has 1 video"},
		{`{"videoIndices":[-1,-2],"transition":{"type":"fade"}}`, up(0, 2, 0), "1 video/mp4 compose.ffmpeg 1 units 0.5 Spark for 1 operation"},
		{`{}`, bound("videoIndices", "videoIndices", "audioIndex"), "1 video/mp4 compose.ffmpeg 1 units 0.5 Spark for 1 operation"},
	})
	runSteps(t, "orbit_video", []stepCase{
		{`{"elevation":"sky"}`, up(1, 0, 0), "arguments.elevation must be one of low-angle shot, eye-level shot, elevated shot, high-angle shot"},
		{`{"distance":"far"}`, up(1, 0, 0), "arguments.distance must be one of close-up, medium shot, wide shot"},
		{`{"angles":["upside down"]}`, up(1, 0, 0), "arguments.angles[0] must be one of front-right quarter view, right side view, back-right quarter view, back view, back-left quarter view, left side view, front-left quarter view"},
		{`{"dialogueSegment":9}`, up(1, 0, 0), "arguments.dialogueSegment must be between 0 and 6"},
		{`{}`, up(0, 0, 0), "arguments.sourceImageIndex is required: orbit_video works on an image; bind one with dependsOn, or send one in media_references and pass -1"},
		{`{"dialogues":"hi"}`, up(1, 0, 0), "arguments.dialogues must be a list"},
		{`{}`, up(1, 0, 0), "ltx25-22b-int8_i2v_distilled 12s 1 video/mp4 1280x720 video.premium 8 units 36 Spark for 12 second"},
		{`{"angles":["back view","left side view"],"prompt":"a"}`, up(1, 0, 0), "ltx25-22b-int8_i2v_distilled 6s 1 video/mp4 1280x720 video.premium 8 units 18 Spark for 6 second"},
	})
	runSteps(t, "dance_montage", []stepCase{
		{`{}`, up(1, 0, 0), "arguments.dance is required for dance_montage"},
		{`{"dance":"waltz"}`, up(1, 0, 0), "arguments.dance must be one of rasputin, big-guy, keep-it-gangsta, this-is-america, chinese-new-year, spongebob, chanel, crystal-light-aerobics-1988, plastic-dream-sequence"},
		{`{"dance":"chanel","duration":7}`, up(1, 0, 0), "arguments.duration must be between 8 and 30 seconds"},
		{`{"dance":"chanel","duration":31}`, up(1, 0, 0), "arguments.duration must be between 8 and 30 seconds"},
		{`{"dance":"chanel"}`, up(0, 0, 0), "arguments.sourceImageIndex is required: dance_montage works on an image of a person; bind one with dependsOn, or send one in media_references and pass -1"},
		{`{"dance":"chanel"}`, up(1, 0, 0), "wan_v2.2-14b-fp8_animate-move_lightx2v 15s 1 video/mp4 1280x720 video.premium 8 units 90 Spark for 15 second"},
		{`{"dance":"rasputin","duration":30,"imagePrompt":"a robot"}`, up(0, 0, 0), "wan_v2.2-14b-fp8_animate-move_lightx2v 30s 1 video/mp4 1280x720 video.premium 8 units 180 Spark for 30 second"},
	})
	runSteps(t, "upscale_video", []stepCase{
		{`{"targetResolution":720}`, up(0, 1, 0), "arguments.targetResolution must be one of 1080, 1440"},
		{`{"detailPreference":"soft"}`, up(0, 1, 0), "arguments.detailPreference must be one of stable, sharper"},
		{`{"processingSpeed":"slow"}`, up(0, 1, 0), "arguments.processingSpeed must be one of stable, faster"},
		{`{"seed":4294967296}`, up(0, 1, 0), "arguments.seed must be between -1 and 4294967295"},
		{`{}`, up(0, 0, 0), "arguments.sourceVideoIndex is required: upscale_video works on a video; bind one with dependsOn, or send one in media_references and pass -1"},
		{`{}`, source("sourceVideoIndex", 1920, 1080, 4), "arguments.sourceVideoIndex must have a short edge of at most 768 pixels, not 1080"},
		{`{}`, up(0, 1, 0), "flashvsr_v1.1_tiny_long_bf16 5s 1 video/mp4 2560x1440 video.standard 5 units 12 Spark for 5 second"},
		{`{}`, source("sourceVideoIndex", 854, 480, 4), "flashvsr_v1.1_tiny_long_bf16 4s 1 video/mp4 1920x1080 video.standard 5 units 5.76 Spark for 4 second"},
		{`{}`, source("sourceVideoIndex", 1280, 720, 8), "flashvsr_v1.1_tiny_long_bf16 8s 1 video/mp4 2560x1440 video.standard 5 units 19.2 Spark for 8 second"},
		{`{"targetResolution":"1080","seed":-1}`, up(0, 1, 0), "flashvsr_v1.1_tiny_long_bf16 5s 1 video/mp4 1920x1080 video.standard 5 units 7.2 Spark for 5 second"},
	})
	runSteps(t, "overlay_video", []stepCase{
		{`{}`, up(0, 1, 0), "arguments.overlays is required for overlay_video"},
		{`{"overlays":[]}`, up(0, 1, 0), "arguments.overlays is required for overlay_video"},
		{`{"overlays":[{"kind":"text"}]}`, up(0, 1, 0), "arguments.overlays[0].text is required for a text overlay"},
		{`{"overlays":[{"kind":"image"}]}`, up(0, 1, 0), "arguments.overlays[0].sourceImageIndex is required for an image overlay"},
		{`{"overlays":[{"kind":"text","text":"a","position":"middle"}]}`, up(0, 1, 0), "arguments.overlays[0].position must be one of top-left, top-center, top-right, center, bottom-left, bottom-center, bottom-right"},
		{`{"overlays":[{"kind":"text","text":"a","startSeconds":2,"endSeconds":1}]}`, up(0, 1, 0), "arguments.overlays[0].endSeconds must be greater than startSeconds"},
		{`{"overlays":[{"kind":"image","sourceImageIndex":-1}]}`, up(0, 1, 0), "arguments.overlays[0].sourceImageIndex is -1, but media_references has 0 images"},
		{`{"overlays":[{"text":"a"}]}`, up(0, 1, 0), "arguments.overlays[0].kind is required"},
		{`{"overlays":[{"kind":"text","text":"a"}]}`, up(0, 0, 0), "arguments.sourceVideoIndex is required: overlay_video works on a video; bind one with dependsOn, or send one in media_references and pass -1"},
		{`{"overlays":[{"kind":"text","text":"a","styling":{"size":12}},{"kind":"image","sourceImageIndex":-1,"position":"top-left"}]}`, up(1, 1, 0), "1 video/mp4 compose.ffmpeg 1 units 0.5 Spark for 1 operation"},
	})
	runSteps(t, "add_subtitles", []stepCase{
		{`{}`, up(0, 1, 0), "arguments.cues is required unless srt is given or auto_transcribe is true"},
		{`{"cues":[{"startSeconds":0,"endSeconds":1,"text":"a"}],"srt":"1"}`, up(0, 1, 0), "arguments.cues cannot be combined with srt; send only one of the two"},
		{`{"cues":[{"startSeconds":1,"endSeconds":1,"text":"a"}]}`, up(0, 1, 0), "arguments.cues[0].endSeconds must be greater than startSeconds"},
		{`{"cues":[{"startSeconds":1,"text":"a"}]}`, up(0, 1, 0), "arguments.cues[0].endSeconds is required"},
		{`{"cues":[{"startSeconds":0,"endSeconds":1,"text":""}]}`, up(0, 1, 0), "arguments.cues[0].text must not be empty"},
		{`{"srt":"1","style":{"fontSizePct":40}}`, up(0, 1, 0), "arguments.style.fontSizePct must be between 1 and 30"},
		{`{"srt":"1","style":{"color":"red"}}`, up(0, 1, 0), "arguments.style.color must be a colour such as #FFFFFF"},
		{`{"srt":"1"}`, up(0, 0, 0), "arguments.sourceVideoIndex is required: add_subtitles works on a video; bind one with dependsOn, or send one in media_references and pass -1"},
		{`{"srt":"1"}`, up(0, 1, 0), "1 video/mp4 compose.ffmpeg 1 units 0.5 Spark for 1 operation"},
		{`{"auto_transcribe":true}`, up(0, 1, 0), "1 video/mp4 compose.ffmpeg 1 units 0.5 Spark for 1 operation"},
		{`{}`, bound("cues", "sourceVideoIndex"), "1 video/mp4 compose.ffmpeg 1 units 0.5 Spark for 1 operation"},
	})
}
