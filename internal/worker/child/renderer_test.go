//go:build linux || darwin

package child_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
	"github.com/atelier-project/atelier/internal/worktest"
)

// patience is how long anything awaited may take: far longer than it does.
const patience = time.Minute

func task(t *testing.T, does string) worker.Task {
	return worker.Task{Assignment: apitype.Assignment{ToolName: does}, Folder: t.TempDir(), Report: func(float64, string) {}}
}

// render runs a job of the script and returns its failure.
func render(t *testing.T, r *child.Renderer, job worker.Task) ([]worker.Output, *worker.Failure) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	outputs, err := r.Render(ctx, job)
	var f *worker.Failure
	if err != nil && !errors.As(err, &f) {
		t.Fatalf("%s: %v, want a failure in the words of the protocol", job.ToolName, err)
	}
	return outputs, f
}

func TestAJobIsRenderedInAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	r := child.New(child.Options{Name: "script", Command: command(), Memory: 1 << 30})
	job := task(t, "make")
	job.Receipt, job.Arguments = "a receipt", map[string]any{"prompt": "a fox", "n": 1.5}
	job.Inputs = []apitype.AssignmentInput{{Argument: "image", URL: "https://signed.example", ContentType: "image/png"}}
	job.Loras = []apitype.AssignmentLora{{ID: "style", URL: "https://signed.example"}}
	var mu sync.Mutex
	var reported []string
	job.Report = func(p float64, message string) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, fmt.Sprint(p, message))
	}
	job.Preview = func(id, contentType string, picture []byte) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, id+contentType+string(picture))
	}
	outputs, f := render(t, r, job)
	if f != nil || len(outputs) != 1 || outputs[0].ID != "a0" || outputs[0].Width != 3 {
		t.Fatalf("outputs %+v, failure %v", outputs, f)
	}
	if data, err := os.ReadFile(outputs[0].Path); err != nil || string(data) != "made" {
		t.Errorf("the file: %q, %v", data, err)
	}
	if got := strings.Join(reported, ", "); got != "0.5half, a0image/jpega picture" {
		t.Errorf("it reported %q", got)
	}
	m := outputs[0].Metadata
	if got := fmt.Sprint(m["seed"]); got != "1152921504606846977" {
		t.Errorf("a large number of the metadata became %s", got)
	}
	var seen apitype.Assignment
	if err := json.Unmarshal([]byte(m["job"].(string)), &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Arguments["n"] != 1.5 || seen.Inputs[0].ContentType != "image/png" || seen.Loras[0].ID != "style" {
		t.Errorf("the child got %+v", seen)
	}
	if seen.Receipt != "" || seen.Inputs[0].URL != "" || seen.Loras[0].URL != "" || job.Inputs[0].URL == "" {
		t.Errorf("the child got an address or a receipt: %+v", seen)
	}
	if m["temp"] != job.Folder {
		t.Errorf("temporary files go to %v, want the folder of the job", m["temp"])
	}
}

// The environment of a child has no databases, vendors and secrets of the parent.
func TestAChildHasNoSecrets(t *testing.T) {
	t.Parallel()
	if os.Getenv("ATELIER_SESSION_SECRET") == "" {
		t.Fatal("the parent has no secret to keep")
	}
	outputs, f := render(t, child.New(child.Options{Command: command(), Memory: 1 << 30}), task(t, "make"))
	if f != nil {
		t.Fatal(f)
	}
	for line := range strings.Lines(outputs[0].Metadata["environment"].(string)) {
		switch name, _, _ := strings.Cut(strings.TrimSpace(line), "="); name {
		case "PATH", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "ESPEAK_DATA_PATH", "TMPDIR", "TMP", "PWD":
		default:
			t.Errorf("the environment of a child has %s", line)
		}
	}
}

func TestAChildIsLimited(t *testing.T) {
	t.Parallel()
	outputs, f := render(t, child.New(child.Options{Command: command(), Memory: 1 << 30}), task(t, "make"))
	if f != nil {
		t.Fatal(f)
	}
	facts := outputs[0].Metadata["facts"].(map[string]any)
	number := func(name string) int64 {
		var n int64
		if _, err := fmt.Sscan(fmt.Sprint(facts[name]), &n); err != nil {
			t.Errorf("%s is %v", name, facts[name])
		}
		return n
	}
	if number("core") != 0 {
		t.Error("a child may dump its memory")
	}
	if got, most := number("cpu"), int64(patience.Seconds())*int64(runtime.NumCPU())+1; got < 1 || got > most {
		t.Errorf("processor time is limited to %d s, want at most %d", got, most)
	}
	if got := number("fsize"); got != 2<<30 {
		t.Errorf("files are limited to %d bytes", got)
	}
	if got := number("nofile"); got > 256 {
		t.Errorf("%d files may be open", got)
	}
	if got := number("data"); runtime.GOOS == "linux" && got != 1<<30+256<<20 {
		t.Errorf("memory is limited to %d bytes", got)
	}
	if got, want := number("nice"), int64(min(19, priority(0)+5)); got != want {
		t.Errorf("the child runs at niceness %d, want %d", got, want)
	}
}

// Whatever goes wrong in a child fails one job, with a message that says what
// happened.
//
//atelier:norace
func TestAChildThatBreaksCostsOneJob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ does, code, message string }{
		{"fail", "content_filtered", "It is refused."},
		{"demand", atelier.FailError, "It shall be tried again."},
		{"panic", atelier.FailError, "The renderer crashed"},
		{"nonsense", atelier.FailError, "The renderer crashed"},
		{"link", atelier.FailError, "The renderer crashed"},
		{"outside", atelier.FailError, "The renderer crashed"},
		{"burst", atelier.FailOutOfMemory, "out of memory"},
		{"eat", atelier.FailOutOfMemory, "memory"},
		{"feed", atelier.FailOutOfMemory, "memory"},
		{"file", atelier.FailError, "file too large"},
		{"files", atelier.FailError, "temporary files"},
	} {
		t.Run(c.does, func(t *testing.T) {
			t.Parallel()
			if c.code == atelier.FailOutOfMemory && (runtime.GOOS != "linux" || worktest.Racing) {
				t.Skip("left out: memory is limited on Linux only, and the race detector needs more than it has; make check runs this without it")
			}
			var log lockedText
			r := child.New(child.Options{Command: command(), Slots: 2, Memory: 384 << 20, Log: slog.New(slog.NewTextHandler(&log, nil))})
			outputs, f := render(t, r, task(t, c.does))
			if f == nil || f.Code != c.code || !strings.Contains(f.Message, c.message) || f.Retryable {
				t.Errorf("outputs %v, failure %+v, want code %s and %q", outputs, f, c.code, c.message)
			}
			if c.does == "panic" && !strings.Contains(log.String(), "a parser has stumbled") {
				t.Errorf("the log does not say why: %s", &log)
			}
			if _, f := render(t, r, task(t, "make")); f != nil {
				t.Errorf("the next job: %v", f)
			}
		})
	}
}

// When Render returns for a cancelled job, the child and its descendants have
// ended, even if they ignore signals; other jobs continue.
func TestACancelledChildIsGone(t *testing.T) {
	t.Parallel()
	for _, does := range []string{"hang", "spin"} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			r := child.New(child.Options{Command: command(), Slots: 2, Memory: 1 << 30})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			pids := make(chan string, 1)
			job := task(t, does)
			job.Report = func(_ float64, message string) { pids <- message }
			ended := make(chan error, 1)
			go func() { _, err := r.Render(ctx, job); ended <- err }()
			group := <-pids
			if _, f := render(t, r, task(t, "make")); f != nil {
				t.Errorf("a job beside it: %v", f)
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			awaitGone(t, group)
		})
	}
}

// When the parent is killed, the child and its descendants end, and the folder of
// the job is removed.
func TestAChildEndsWithItsParent(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "job")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "parent", folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pids, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	awaitGone(t, pids)
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the job: %v, want it removed", err)
	}
}

func TestAChildThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	r := child.New(child.Options{Command: []string{filepath.Join(t.TempDir(), "nothing")}})
	if _, f := render(t, r, task(t, "make")); f == nil || f.Code != atelier.FailDropped || !f.Retryable {
		t.Errorf("failure %+v, want a dropped job that is tried again", f)
	}
}

// awaitGone waits until processes have ended.
func awaitGone(t *testing.T, pids string) {
	t.Helper()
	for text := range strings.FieldsSeq(pids) {
		var pid int
		if _, err := fmt.Sscan(text, &pid); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(patience); alive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is still there", pid)
			}
		}
	}
}

// alive reports whether a process runs. One that waits to be reaped does not.
func alive(pid int) bool {
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return !strings.Contains(string(text), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}

// priority is the niceness of a process.
func priority(pid int) int {
	n, err := syscall.Getpriority(syscall.PRIO_PROCESS, pid)
	if err == nil && runtime.GOOS == "linux" {
		n = 20 - n // as the kernel returns it
	}
	return n
}

// lockedText is a log that is written and read at once.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var _ io.Writer = (*lockedText)(nil)
