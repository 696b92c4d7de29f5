package comfyui

import (
	"bytes"
	"io"
	"time"
)

// For the tests of parsers.
var (
	ParseGraph  = func(data []byte) error { _, err := parseGraph(data); return err }
	ParseText   = func(data []byte) bool { _, ok := parseText(data); return ok }
	ParseBinary = func(data []byte) (contentType string, picture []byte, ok bool) {
		f, ok := parseBinary(data)
		return f.contentType, f.picture, ok
	}
	ToWAV = toWAV
)

// DecodeFLAC decodes in memory.
func DecodeFLAC(data []byte) error { return decodeFLAC(bytes.NewReader(data), discard{}, 16<<20) }

type discard struct{}

func (discard) Write(p []byte) (int, error)    { return len(p), nil }
func (discard) Seek(int64, int) (int64, error) { return 0, nil }

var _ io.WriteSeeker = discard{}

// Refusal is the failure for a refused prompt, from the body of the answer.
func Refusal(body string) error {
	return refusal(&refusedError{status: 400, path: "/prompt", body: []byte(body)}, graph{})
}

// CountEach writes how many objects are found after each phrase of a text.
var CountEach = countEach

// LoadTime measures how long files are loaded in a prompt of nodes of the given classes,
// from the messages of the socket and when they came. Nodes in reads read model files.
func LoadTime(classes map[string]string, reads []string, messages []string, at []time.Duration) time.Duration {
	l := loadTimer{graph: graph{}, reads: map[string]bool{}}
	for id, class := range classes {
		l.graph[id] = &node{Class: class}
	}
	for _, id := range reads {
		l.reads[id] = true
	}
	for i, m := range messages {
		if f, ok := parseText([]byte(m)); ok {
			l.update(f, time.Unix(0, 0).Add(at[i]))
		}
	}
	return l.total
}

// Frames and sizes of mappings.
func FramesOf(fps float64, base, step, most int, seconds float64) int {
	return (&frames{fps, base, step, most}).of(seconds)
}

// Size is the part of a mapping that decides a size.
type Size = size

// SizeOf computes a size.
func SizeOf(s Size, args map[string]any, w, h int) (int, int, error) { return s.of(args, w, h) }

// SizesOf are the sizes of all mappings, by name.
func SizesOf(l *Library) map[string]Size {
	out := map[string]Size{}
	for _, m := range l.mappings {
		if m.Size != nil {
			out[m.name] = *m.Size
		}
	}
	return out
}

// What a failed node says about its machine.
const (
	NoTrouble    = int(noTrouble)
	DiskTrouble  = int(diskTrouble)
	GPUTrouble   = int(gpuTrouble)
	CrashTrouble = int(crashTrouble)
)

// TroubleOf reads the failure of a node.
func TroubleOf(kind, message string, traceback []string) int {
	return int(nodeFailure{Type: kind, Message: message, Traceback: traceback}.trouble())
}
