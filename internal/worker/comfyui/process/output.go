package process

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// output logs what a process writes, line by line, and keeps the last lines.
type output struct {
	log *slog.Logger

	mu    sync.Mutex
	part  []byte // of a line that has not ended
	lines []string
}

const (
	maxLine   = 1 << 10 // longer lines are divided
	keptLines = 20
)

// Write implements io.Writer. A carriage return ends a line too: progress bars are
// written with it.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for n := len(b); ; {
		at := bytes.IndexAny(b, "\r\n")
		piece := b
		if at >= 0 {
			piece = b[:at]
		}
		for len(o.part)+len(piece) > maxLine {
			fits := maxLine - len(o.part)
			o.part, piece = append(o.part, piece[:fits]...), piece[fits:]
			o.add()
		}
		o.part = append(o.part, piece...)
		if at < 0 {
			return n, nil
		}
		o.add()
		b = b[at+1:]
	}
}

// flush ends a line that the process did not end.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add()
}

// add logs and keeps the current line, and begins the next.
func (o *output) add() {
	line := strings.TrimRight(strings.ToValidUTF8(string(o.part), "�"), " \t")
	o.part = o.part[:0]
	if line == "" {
		return
	}
	o.log.Debug("ComfyUI output", "line", line)
	if o.lines = append(o.lines, line); len(o.lines) > keptLines {
		o.lines = append(o.lines[:0], o.lines[1:]...)
	}
}

// last are the last lines.
func (o *output) last() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.lines...)
}
