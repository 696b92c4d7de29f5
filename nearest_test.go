package atelier_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	tools := []string{
		"generate_image", "edit_image", "upscale_image", "remove_background", "image_to_3d", "analyze_image", "analyze_video",
		"generate_video", "animate_photo", "stitch_video", "upscale_video", "generate_music", "generate_speech",
	}
	for wrong, want := range map[string]string{
		"generate_imgae": "generate_image", "generateImage": "generate_image", "Generate-Image": "generate_image", "GENERATE_IMAGE": "generate_image",
		"create_image": "generate_image", "generateVideo": "generate_video", "create_music": "generate_music", "generate-speach": "generate_speech",
		"upscale": "upscale_image", "remove_bg": "remove_background", "animate": "animate_photo", "stich_video": "stitch_video",
		"generate_pic": "generate_image", "create_picture": "generate_image", "make_movie": "generate_video", "generate_song": "generate_music", "tts": "generate_speech",
		"analyse_image": "analyze_image", "imageTo3D": "image_to_3d",
		"": "", "_": "", "brew_coffee": "", "\x00\xff": "", "日本語": "", strings.Repeat("a", 100_000): "",
	} {
		if got := atelier.Nearest(wrong, tools); got != want {
			t.Errorf("Nearest(%.40q) = %q, want %q", wrong, got, want)
		}
	}
	arguments := []string{"prompt", "numberOfVariations", "aspectRatio", "sourceImageIndex", "outputFormat"}
	for wrong, want := range map[string]string{
		"promt": "prompt", "number_of_variations": "numberOfVariations", "aspectratio": "aspectRatio", "output-format": "outputFormat", "quality": "",
	} {
		if got := atelier.Nearest(wrong, arguments); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", wrong, got, want)
		}
	}
	if got, want := atelier.DidYouMean("promt", arguments), " (did you mean prompt?)"; got != want {
		t.Errorf("DidYouMean is %q, want %q", got, want)
	}
}
