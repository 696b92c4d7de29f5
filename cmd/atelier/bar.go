package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/atelier-project/atelier/apitype"
)

// bar shows progress: one line that is redrawn on a terminal, or a line now and then
// elsewhere.
type bar struct {
	out   io.Writer
	live  bool
	tenth int // the last tenth that was printed
	drawn bool

	started time.Time
	cost    string // of what is made; empty where it is not known
}

func newBar(out io.Writer) *bar {
	return &bar{out: out, tenth: -1, live: isTerminal(out), started: time.Now()}
}

const barWidth = 30

// price adds the cost of a workflow to the line.
func (b *bar) price(w apitype.Workflow) {
	if c := costOf(w); c.spark > 0 {
		b.cost = c.text()
	}
}

// show draws progress between 0 and 1.
func (b *bar) show(progress float64, message string) {
	progress = min(max(progress, 0), 1)
	message = b.more(progress, plainText(message))
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

// more adds to a message the cost, and the time that is left if the rest takes as long as what was made.
func (b *bar) more(progress float64, message string) string {
	if b.cost != "" {
		message += ", " + b.cost
	}
	if taken := time.Since(b.started); progress >= 0.05 && progress < 1 && taken >= 2*time.Second {
		left := time.Duration(float64(taken) * (1 - progress) / progress)
		message += fmt.Sprintf(", about %s left", max(left.Round(time.Second), time.Second))
	}
	return message
}

// say writes a line that stays.
func (b *bar) say(message string) {
	b.clear()
	fmt.Fprintln(b.out, printable(message))
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
