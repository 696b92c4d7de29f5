package ateliertest

import (
	"embed"
	"fmt"
)

// Small real files, one of each type that tools make: a picture of 64 by 48, a
// clip and a sound of half and a quarter of a second, a mesh of one triangle.
//
//go:embed media
var media embed.FS

// file is one of them.
type file struct {
	content       []byte
	width, height int
	seconds       float64
}

// sample is a file of a content type.
func sample(contentType string) (f file, err error) {
	name, ok := samples[contentType]
	if !ok {
		return f, fmt.Errorf("there is no sample of %q", contentType)
	}
	if f.content, err = media.ReadFile("media/" + name); err != nil {
		return f, err
	}
	switch name[:5] {
	case "image":
		f.width, f.height = 64, 48
	case "video":
		f.width, f.height, f.seconds = 64, 48, 0.5
	case "sound":
		f.seconds = 0.25
	}
	return f, nil
}

var samples = map[string]string{
	"image/png": "image.png", "image/jpeg": "image.jpg", "image/webp": "image.webp",
	"video/mp4": "video.mp4", "video/quicktime": "video.mov",
	"audio/wav": "sound.wav", "audio/mpeg": "sound.mp3", "audio/flac": "sound.flac",
	"model/gltf-binary": "mesh.glb", "application/json": "answer.json",
}

// Sample is the content of a small real file of a content type.
func Sample(contentType string) ([]byte, error) {
	f, err := sample(contentType)
	return f.content, err
}
