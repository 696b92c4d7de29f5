package comfyui

import (
	"encoding/binary"
	"encoding/json"
	"strings"
)

// frame is the used part of a message of ComfyUI's socket. Frames are hints: any of
// them may be missing, repeated or late.
type frame struct {
	kind   string // type of a message; "preview" for a picture
	prompt string // empty when the frame does not say
	node   string
	value  float64
	max    float64
	nodes  map[string]nodeProgress // of a progress_state
	cached []string
	queued int // prompts in the queue, of a status

	contentType string // of a preview
	picture     []byte
}

// nodeProgress is the progress of a node.
type nodeProgress struct {
	Value float64 `json:"value"`
	Max   float64 `json:"max"`
	State string  `json:"state"`
}

// parseText reads a text message. It reports false for an invalid one.
func parseText(data []byte) (frame, bool) {
	var m struct {
		Type string `json:"type"`
		Data struct {
			Prompt string          `json:"prompt_id"`
			Node   *string         `json:"node"`
			Value  float64         `json:"value"`
			Max    float64         `json:"max"`
			Nodes  json.RawMessage `json:"nodes"`
			Status struct {
				Info struct {
					Remaining int `json:"queue_remaining"`
				} `json:"exec_info"`
			} `json:"status"`
		} `json:"data"`
	}
	if json.Unmarshal(data, &m) != nil || m.Type == "" {
		return frame{}, false
	}
	f := frame{kind: m.Type, prompt: m.Data.Prompt, value: m.Data.Value, max: m.Data.Max, queued: m.Data.Status.Info.Remaining}
	if m.Data.Node != nil {
		f.node = *m.Data.Node
	}
	switch m.Type {
	case "progress_state":
		_ = json.Unmarshal(m.Data.Nodes, &f.nodes) // invalid progress is ignored
	case "execution_cached":
		_ = json.Unmarshal(m.Data.Nodes, &f.cached)
	}
	return f, true
}

// Kinds of binary messages and of the pictures in them.
const (
	binaryPreview     = 1
	binaryPreviewMeta = 4
	pictureJPEG       = 1
	picturePNG        = 2
)

// parseBinary reads a binary message: four bytes of its kind and then, of a
// preview, four bytes of the picture's format and the picture; or four bytes of
// the length of a description, the description and the picture.
func parseBinary(data []byte) (frame, bool) {
	if len(data) < 8 {
		return frame{}, false
	}
	kind, second, rest := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:]), data[8:]
	f := frame{kind: "preview", picture: rest}
	switch kind {
	case binaryPreview:
		switch second {
		case pictureJPEG:
			f.contentType = "image/jpeg"
		case picturePNG:
			f.contentType = "image/png"
		}
	case binaryPreviewMeta:
		if uint64(second) > uint64(len(rest)) {
			return frame{}, false
		}
		var about struct {
			Prompt string `json:"prompt_id"`
			Node   string `json:"node_id"`
			Type   string `json:"image_type"`
		}
		if json.Unmarshal(rest[:second], &about) != nil || !strings.HasPrefix(about.Type, "image/") {
			return frame{}, false
		}
		f.prompt, f.node, f.contentType, f.picture = about.Prompt, about.Node, about.Type, rest[second:]
	}
	return f, f.contentType != "" && len(f.picture) > 0
}
