package catalog_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

func TestNearestTool(t *testing.T) {
	t.Parallel()
	tools := shared.Names((*catalog.Tool).Durable)
	for wrong, want := range map[string]string{
		"generate_imgae": "generate_image", "generateImage": "generate_image", "Generate-Image": "generate_image", "GENERATE_IMAGE": "generate_image",
		"create_image": "generate_image", "generateVideo": "generate_video", "create_music": "generate_music", "generate-speach": "generate_speech",
		"upscale": "upscale_image", "remove_bg": "remove_background", "animate": "animate_photo", "stich_video": "stitch_video",
		"generate_pic": "generate_image", "create_picture": "generate_image", "make_movie": "generate_video", "generate_song": "generate_music", "tts": "generate_speech",
		"analyse_image": "analyze_image", "imageTo3D": "image_to_3d",
		"": "", "_": "", "brew_coffee": "", "\x00\xff": "", "日本語": "", strings.Repeat("a", 100_000): "",
	} {
		if got := catalog.Nearest(wrong, tools); got != want {
			t.Errorf("Nearest(%.40q) = %q, want %q", wrong, got, want)
		}
	}
}
