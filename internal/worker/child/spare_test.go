//go:build linux || darwin

package child_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/worker/child"
)

// newSpareRenderer is a renderer that starts children in advance. sparePID waits
// until it has started one, and returns its process number.
func newSpareRenderer(t *testing.T) (r *child.Renderer, sparePID func() int) {
	t.Helper()
	started := make(chan struct{}, 10)
	r = child.New(child.Options{Command: command(), Memory: 1 << 30, Spare: true, SpareStarted: func() { started <- struct{}{} }})
	t.Cleanup(r.Close)
	return r, func() int {
		t.Helper()
		select {
		case <-started:
		case <-time.After(patience):
			t.Fatal("no spare child was started")
		}
		return r.SparePID()
	}
}

// A job runs in the child that was started in advance, with its own limits and
// reports; each child still renders one job.
func TestTheNextChildIsStartedInAdvance(t *testing.T) {
	t.Parallel()
	r, sparePID := newSpareRenderer(t)
	last := 0
	for range 3 {
		job := task(t, "make")
		var reported string
		job.Report = func(_ float64, message string) { reported = message }
		outputs, f := render(t, r, job)
		if f != nil || len(outputs) != 1 || reported != "half" {
			t.Fatalf("outputs %+v, failure %v, reported %q", outputs, f, reported)
		}
		m := outputs[0].Metadata
		if last != 0 && fmt.Sprint(m["pid"]) != fmt.Sprint(last) {
			t.Errorf("process %v rendered the job, want the spare one, %d", m["pid"], last)
		}
		if m["temp"] != job.Folder {
			t.Errorf("temporary files go to %v, want the folder of the job", m["temp"])
		}
		next := sparePID()
		if next == last || !alive(next) {
			t.Fatalf("the spare child is %d after %d", next, last)
		}
		last = next
	}
}

// A spare child that has died, or was ended because no job came, is replaced.
func TestASpareChildThatIsGone(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*child.Renderer){
		"killed": (*child.Renderer).KillSpare,
		"idle":   (*child.Renderer).DropSpare,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, sparePID := newSpareRenderer(t)
			if _, f := render(t, r, task(t, "make")); f != nil {
				t.Fatal(f)
			}
			pid := sparePID()
			lose(r)
			if alive(pid) {
				t.Fatal("the spare child is still there")
			}
			if _, f := render(t, r, task(t, "make")); f != nil {
				t.Fatal(f)
			}
		})
	}
}

// When the renderer is closed, no spare child is left and none is started.
func TestCloseEndsTheSpareChild(t *testing.T) {
	t.Parallel()
	r, sparePID := newSpareRenderer(t)
	if _, f := render(t, r, task(t, "make")); f != nil {
		t.Fatal(f)
	}
	pid := sparePID()
	r.Close()
	if alive(pid) {
		t.Error("the spare child is still there")
	}
	if _, f := render(t, r, task(t, "make")); f != nil {
		t.Fatal(f)
	}
	r.StartSpare()
	if r.SparePID() != 0 {
		t.Error("a spare child was started after the end")
	}
}
