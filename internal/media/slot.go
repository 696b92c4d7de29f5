package media

import (
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
)

// Endpoint is one of the two pairs of endpoints: for images, and for the rest.
type Endpoint string

// The endpoints.
const (
	ImageEndpoint Endpoint = "image"
	MediaEndpoint Endpoint = "media"
)

// The content types that uploads may have.
var (
	imageTypes   = []string{"image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"}
	videoTypes   = []string{"video/mp4", "video/quicktime", "video/webm"}
	audioTypes   = []string{"audio/mp4", "audio/mpeg", "audio/flac", "audio/wav", "audio/x-wav", "audio/wave"}
	previewTypes = []string{"image/jpeg", "image/jpg", "image/png", "image/webp"}
	modelTypes   = []string{"model/gltf-binary"}
	textTypes    = []string{"application/json", "text/plain"}
)

// slotType is one value of the type parameter.
type slotType struct {
	endpoint Endpoint
	name     string
	worker   bool     // a result of workers, not an upload of artists
	numbered int      // id may be name1 to nameN
	allowed  []string // content types
}

// slotTypes is the table of everything that can be uploaded.
var slotTypes = buildSlotTypes()

func buildSlotTypes() []slotType {
	types := []slotType{
		{ImageEndpoint, "startingImage", false, 0, imageTypes},
		{ImageEndpoint, "cnImage", false, 0, imageTypes},
		{ImageEndpoint, "referenceImage", false, 0, imageTypes},
		{ImageEndpoint, "referenceImageEnd", false, 0, imageTypes},
		{ImageEndpoint, "referenceMask", false, 0, imageTypes},
		{ImageEndpoint, "complete", true, 0, imageTypes},
		{ImageEndpoint, "preview", true, 0, imageTypes},
		{MediaEndpoint, "referenceAudio", false, 3, audioTypes},
		{MediaEndpoint, "referenceVideo", false, 3, videoTypes},
		{MediaEndpoint, "complete", true, 0, slices.Concat(videoTypes, audioTypes, modelTypes, textTypes)},
		{MediaEndpoint, "preview", true, 0, previewTypes},
	}
	for n := 1; n <= 16; n++ {
		types = append(types, slotType{ImageEndpoint, "contextImage" + strconv.Itoa(n), false, 0, imageTypes})
	}
	return types
}

func findSlotType(endpoint Endpoint, name string) (slotType, error) {
	var names []string
	for _, t := range slotTypes {
		if t.endpoint != endpoint {
			continue
		}
		if t.name == name {
			return t, nil
		}
		if !strings.HasPrefix(t.name, "contextImage") {
			names = append(names, t.name)
		}
	}
	if endpoint == ImageEndpoint {
		names = append(names, "contextImage1 to contextImage16")
	}
	return slotType{}, atelier.Refuse("type", "must be one of %s.", strings.Join(names, ", "))
}

// slot names the slot of an artist's upload in a project: the type, and its number
// where the type has several.
func (t slotType) slot(id string) (string, error) {
	if id == "" {
		return t.name, nil
	}
	for n := 1; n <= t.numbered; n++ {
		if id == t.name+strconv.Itoa(n) {
			return id, nil
		}
	}
	if t.numbered == 0 {
		return "", atelier.Refuse("id", "is not used with type %s. Leave it out.", t.name)
	}
	return "", atelier.Refuse("id", "must be %s1 to %s%d, or omitted.", t.name, t.name, t.numbered)
}

func (t slotType) checkContentType(contentType string) error {
	if contentType == "" || slices.Contains(t.allowed, contentType) {
		return nil
	}
	return atelier.Refuse("contentType", "must be one of %s.", strings.Join(t.allowed, ", "))
}

// CheckProjectID refuses a text that cannot be the id of a project.
func CheckProjectID(field, id string) error {
	if id == "" {
		return atelier.Refuse(field, "is required.")
	}
	plain := len(id) <= 128
	for _, c := range []byte(id) {
		plain = plain && (c == '-' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z')
	}
	if !plain {
		return atelier.Refuse(field, "must be at most 128 letters, digits, dashes and underscores, such as a UUID.")
	}
	return nil
}
