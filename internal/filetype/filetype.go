// Package filetype detects what files are: the type from the first bytes, and the
// extension and kind of media of a type. It knows only the types that the service accepts
// and makes.
//
//atelier:sequential
package filetype

import "strings"

// canonical maps the names that mean the same type to one of them.
var canonical = map[string]string{
	"image/jpg": "image/jpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav",
	"audio/mp3": "audio/mpeg", "audio/x-flac": "audio/flac", "audio/m4a": "audio/mp4", "audio/x-m4a": "audio/mp4",
}

// Canonical is the one name of a type that has several.
func Canonical(contentType string) string {
	if c, ok := canonical[contentType]; ok {
		return c
	}
	return contentType
}

var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif",
	"video/mp4": ".mp4", "video/quicktime": ".mov", "video/webm": ".webm",
	"audio/mp4": ".m4a", "audio/mpeg": ".mp3", "audio/flac": ".flac", "audio/wav": ".wav",
	"model/gltf-binary": ".glb", "application/json": ".json", "text/plain": ".txt",
}

// Extension is the extension of a type, with its dot; empty when unknown.
func Extension(contentType string) string { return extensions[Canonical(contentType)] }

// Kind is the kind of media of a type: image, video, audio, model, or other.
func Kind(contentType string) string {
	kind, _, _ := strings.Cut(contentType, "/")
	switch kind {
	case "image", "video", "audio", "model":
		return kind
	}
	return "other"
}

// Fits reports whether bytes of a detected type may be sent as the declared one. The two
// containers of the MP4 family hold audio as well as video, and programs are careless
// about the brand.
func Fits(declared, detected string) bool {
	declared = Canonical(declared)
	if declared == detected {
		return true
	}
	family := map[string]bool{"video/mp4": true, "video/quicktime": true, "audio/mp4": true}
	return family[declared] && family[detected]
}
