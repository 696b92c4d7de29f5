package media

import (
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
)

// Door is one of the two pairs of endpoints: for images, and for the rest.
type Door string

// The doors.
const (
	ImageDoor Door = "image"
	MediaDoor Door = "media"
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
	door     Door
	name     string
	worker   bool     // what workers make, not what artists bring
	numbered int      // id may be name1 to nameN
	allowed  []string // content types
}

// slotTypes is the table of everything that can be uploaded.
var slotTypes = buildSlotTypes()

func buildSlotTypes() []slotType {
	types := []slotType{
		{ImageDoor, "startingImage", false, 0, imageTypes},
		{ImageDoor, "cnImage", false, 0, imageTypes},
		{ImageDoor, "referenceImage", false, 0, imageTypes},
		{ImageDoor, "referenceImageEnd", false, 0, imageTypes},
		{ImageDoor, "referenceMask", false, 0, imageTypes},
		{ImageDoor, "complete", true, 0, imageTypes},
		{ImageDoor, "preview", true, 0, imageTypes},
		{MediaDoor, "referenceAudio", false, 3, audioTypes},
		{MediaDoor, "referenceVideo", false, 3, videoTypes},
		{MediaDoor, "complete", true, 0, slices.Concat(videoTypes, audioTypes, modelTypes, textTypes)},
		{MediaDoor, "preview", true, 0, previewTypes},
	}
	for n := 1; n <= 16; n++ {
		types = append(types, slotType{ImageDoor, "contextImage" + strconv.Itoa(n), false, 0, imageTypes})
	}
	return types
}

func findSlotType(door Door, name string) (slotType, error) {
	var names []string
	for _, t := range slotTypes {
		if t.door != door {
			continue
		}
		if t.name == name {
			return t, nil
		}
		if !strings.HasPrefix(t.name, "contextImage") {
			names = append(names, t.name)
		}
	}
	if door == ImageDoor {
		names = append(names, "contextImage1 to contextImage16")
	}
	return slotType{}, atelier.Refuse("type", "must be one of %s.", strings.Join(names, ", "))
}

// slot is where in a project an artist's upload goes: the type, and its number
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
		return "", atelier.Refuse("id", "is not taken by the type %s.", t.name)
	}
	return "", atelier.Refuse("id", "must be %s1 to %s%d, or omitted.", t.name, t.name, t.numbered)
}

func (t slotType) checkContentType(contentType string) error {
	if contentType == "" || slices.Contains(t.allowed, contentType) {
		return nil
	}
	return atelier.Refuse("contentType", "must be one of %s.", strings.Join(t.allowed, ", "))
}

// CheckProjectID refuses what cannot be the id of a project.
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
