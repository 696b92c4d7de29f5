package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// bar shows progress: one line that is redrawn on a terminal, or a line now and then
// elsewhere.
type bar struct {
	out   io.Writer
	live  bool
	tenth int // the last tenth that was printed
	drawn bool
}

func newBar(out io.Writer) *bar {
	return &bar{out: out, tenth: -1, live: isTerminal(out)}
}

const barWidth = 30

// show draws progress between 0 and 1.
func (b *bar) show(progress float64, message string) {
	progress = min(max(progress, 0), 1)
	if !b.live {
		if tenth := int(progress * 10); tenth != b.tenth {
			b.tenth = tenth
			fmt.Fprintf(b.out, "%3.0f%% %s\n", progress*100, message)
		}
		return
	}
	full := int(progress * barWidth)
	fmt.Fprintf(b.out, "\r\033[K%s%s %3.0f%% %s", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), progress*100, message)
	b.drawn = true
}

// say writes a line that stays.
func (b *bar) say(message string) {
	b.clear()
	fmt.Fprintln(b.out, message)
}

// clear removes the bar.
func (b *bar) clear() {
	if b.drawn {
		fmt.Fprint(b.out, "\r\033[K")
		b.drawn = false
	}
}

// isTerminal reports whether a file is a terminal, at which a user can answer.
func isTerminal(file any) bool {
	f, ok := file.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
