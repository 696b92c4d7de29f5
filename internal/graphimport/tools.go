package graphimport

import (
	"slices"
	"strings"
)

// purpose is a tool of the catalog that a graph can be for, and what a model for it looks like there.
type purpose struct {
	tool      string
	makes     string   // kind of media
	arguments []string // that a mapping can use, beside the size and the files
	images    []string // arguments with pictures, in the order in which they are given out
	video     string   // argument with a clip
	audio     string   // argument with a recording
	entry     []string // lines of the catalog
	price     string
}

// purposes are the tools that an import can be for.
var purposes = []purpose{
	{
		tool: "generate_image", makes: "image", arguments: []string{"prompt", "negativePrompt", "guidance", "starting_image_strength"},
		images: []string{"sourceImageIndex"}, entry: []string{"base: image"}, price: `{ usd: "0.0100", per: megapixel }`,
	},
	{
		tool: "edit_image", makes: "image", arguments: []string{"prompt"},
		images: editedImages, entry: []string{"base: edit"}, price: `{ usd: "0.0150", per: megapixel }`,
	},
	{
		tool: "apply_style", makes: "image", arguments: []string{"prompt"},
		images: editedImages, entry: []string{"base: edit"}, price: `{ usd: "0.0150", per: megapixel }`,
	},
	{
		tool: "restore_photo", makes: "image", arguments: []string{"prompt"},
		images: editedImages, entry: []string{"base: edit"}, price: `{ usd: "0.0150", per: megapixel }`,
	},
	{
		tool: "refine_result", makes: "image", arguments: []string{"prompt"},
		images: editedImages, entry: []string{"base: edit"}, price: `{ usd: "0.0150", per: megapixel }`,
	},
	{
		tool: "upscale_image", makes: "image",
		images: []string{"sourceImageIndex"}, entry: []string{"mediaType: image"}, price: `{ usd: "0.0050", per: output }`,
	},
	{
		tool: "remove_background", makes: "image",
		images: []string{"sourceImageIndex"}, entry: []string{"mediaType: image"}, price: `{ usd: "0.0050", per: output }`,
	},
	{
		tool: "generate_video", makes: "video", arguments: []string{"prompt", "negativePrompt", "duration"},
		entry: []string{"base: native-video"}, price: `{ usd: "0.0200", per: second }`,
	},
	{
		tool: "animate_photo", makes: "video", arguments: []string{"prompt", "negativePrompt", "duration"},
		images: []string{"sourceImageIndex", "endImageIndex"}, entry: []string{"base: native-video"}, price: `{ usd: "0.0200", per: second }`,
	},
	{
		tool: "sound_to_video", makes: "video", arguments: []string{"prompt", "negativePrompt", "duration"},
		images: []string{"sourceImageIndex", "endImageIndex"}, audio: "audioSourceIndex", entry: []string{"base: native-video"}, price: `{ usd: "0.0200", per: second }`,
	},
	{
		tool: "video_to_video", makes: "video", arguments: []string{"prompt", "negativePrompt", "duration"},
		images: []string{"sourceImageIndex"}, video: "videoSourceIndex", entry: []string{"base: native-video"}, price: `{ usd: "0.0200", per: second }`,
	},
	{
		tool: "upscale_video", makes: "video", video: "sourceVideoIndex", entry: []string{"mediaType: video"}, price: `{ usd: "0.0200", per: output }`,
	},
	{
		tool: "generate_music", makes: "audio", arguments: []string{"prompt", "lyrics", "duration", "bpm", "keyscale", "timesig"},
		entry: []string{"base: music"}, price: `{ usd: "0.0010", per: second }`,
	},
	{
		tool: "generate_speech", makes: "audio", arguments: []string{"prompt"},
		audio: "voiceSourceIndex", entry: []string{"base: speech"}, price: `{ usd: "0.0100", per: output }`,
	},
	{
		tool: "image_to_3d", makes: "model",
		images: []string{"sourceImageIndex"}, entry: []string{"mediaType: model"}, price: `{ usd: "0.1500", per: output }`,
	},
}

// editedImages are the pictures that editing tools take.
var editedImages = []string{"sourceImageIndex", "sourceImageIndex#1", "sourceImageIndex#2"}

// Tools are the tools that an import can be for.
func Tools() (out []string) {
	for _, p := range purposes {
		out = append(out, p.tool)
	}
	return out
}

func purposeOf(tool string) (purpose, bool) {
	i := slices.IndexFunc(purposes, func(p purpose) bool { return p.tool == tool })
	if i < 0 {
		return purpose{}, false
	}
	return purposes[i], true
}

func (p purpose) has(argument string) bool { return slices.Contains(p.arguments, argument) }

// folders are the model folders behind the inputs of ComfyUI's own loaders. Files of other loaders are
// checked as the choices of a list.
var folders = map[string]string{
	"CheckpointLoaderSimple.ckpt_name": "checkpoints", "CheckpointLoader.ckpt_name": "checkpoints", "ImageOnlyCheckpointLoader.ckpt_name": "checkpoints",
	"UNETLoader.unet_name": "diffusion_models", "VAELoader.vae_name": "vae", "CLIPVisionLoader.clip_name": "clip_vision",
	"CLIPLoader.clip_name": "text_encoders", "DualCLIPLoader.clip_name1": "text_encoders", "DualCLIPLoader.clip_name2": "text_encoders",
	"TripleCLIPLoader.clip_name1": "text_encoders", "TripleCLIPLoader.clip_name2": "text_encoders", "TripleCLIPLoader.clip_name3": "text_encoders",
	"QuadrupleCLIPLoader.clip_name1": "text_encoders", "QuadrupleCLIPLoader.clip_name2": "text_encoders",
	"QuadrupleCLIPLoader.clip_name3": "text_encoders", "QuadrupleCLIPLoader.clip_name4": "text_encoders",
	"LoraLoader.lora_name": "loras", "LoraLoaderModelOnly.lora_name": "loras", "ControlNetLoader.control_net_name": "controlnet",
	"DiffControlNetLoader.control_net_name": "controlnet", "StyleModelLoader.style_model_name": "style_models",
	"UpscaleModelLoader.model_name": "upscale_models", "LatentUpscaleModelLoader.model_name": "latent_upscale_models",
	"ModelPatchLoader.name": "model_patches", "AudioEncoderLoader.audio_encoder_name": "audio_encoders", "GLIGENLoader.gligen_name": "gligen",
	"LTXAVTextEncoderLoader.text_encoder": "text_encoders", "LTXAVTextEncoderLoader.ckpt_name": "checkpoints", "LTXVAudioVAELoader.ckpt_name": "checkpoints",
}

// lorasBehind are the loaders behind which LoRAs can be loaded: the output with the model, and that
// with the text encoder or -1.
var lorasBehind = map[string][2]int{
	"CheckpointLoaderSimple": {0, 1}, "CheckpointLoader": {0, 1}, "UNETLoader": {0, -1}, "UnetLoaderGGUF": {0, -1},
}

// loaders are ComfyUI's nodes that read files of a job, with the input that names one and its kind.
var loaders = map[string][2]string{
	"LoadImage": {"image", "image"}, "LoadImageMask": {"image", "image"}, "LoadImageOutput": {"image", "image"},
	"LoadVideo": {"file", "video"}, "LoadAudio": {"audio", "audio"},
	"VHS_LoadVideo": {"video", "video"}, "VHS_LoadAudioUpload": {"audio", "audio"},
}

// Arguments are, by tool, the arguments that a mapping may use.
func Arguments() map[string][]string {
	out := map[string][]string{}
	for _, p := range purposes {
		list := slices.Clone(p.arguments)
		for _, a := range append(slices.Clone(p.images), p.video, p.audio) {
			if a != "" && !strings.Contains(a, "#") {
				list = append(list, a)
			}
		}
		out[p.tool] = list
	}
	return out
}
