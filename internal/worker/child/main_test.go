//go:build linux || darwin

package child_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
)

// The tests start the test binary: as a child, as the parent of one, or as a
// program that a child starts.
func TestMain(m *testing.M) {
	if child.IsChild(os.Args) {
		os.Exit(child.Main(script{}))
	}
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case "parent":
			parent(os.Args[2])
		case "helper":
			help(os.Args[2])
		}
	}
	os.Setenv("ATELIER_SESSION_SECRET", "a secret of the parent")
	os.Exit(m.Run())
}

// script is a renderer that does what the job says.
type script struct{}

func (script) Name() string { return "script" }

// Render implements worker.Renderer.
func (script) Render(_ context.Context, t worker.Task) ([]worker.Output, error) {
	switch does := t.ToolName; does {
	case "fail":
		return nil, &worker.Failure{Code: "content_filtered", Message: "It is refused."}
	case "demand":
		return nil, &worker.Failure{Code: "unknown", Message: "It shall be tried again.", Retryable: true}
	case "hang": // and ignore every signal
		signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
		helper := startHelper("hang")
		t.Report(0.5, fmt.Sprint(os.Getpid(), " ", helper.Process.Pid))
		select {}
	case "spin":
		t.Report(0.5, "")
		for n := 0; ; n++ {
			_ = n
		}
	case "panic":
		go func() { panic("a parser has stumbled") }()
		select {}
	case "eat":
		eat()
	case "burst":
		_ = make([]byte, 1<<40)
	case "feed": // programs that take more together than any of them may
		for range 4 {
			startHelper("fill")
		}
		select {}
	case "file":
		f, err := os.Create(filepath.Join(t.Folder, "huge"))
		if err != nil {
			return nil, err
		}
		return nil, f.Truncate(64 << 30)
	case "files":
		for i := range 8 {
			f, err := os.Create(filepath.Join(t.Folder, fmt.Sprint("large", i)))
			if err == nil {
				err = f.Truncate(1 << 30)
			}
			if err != nil {
				return nil, err
			}
		}
		select {}
	case "nonsense":
		// Reports go to the original standard output.
		_, _ = os.NewFile(1, "reports").WriteString("nonsense\n")
		select {}
	case "link":
		path := filepath.Join(t.Folder, "out")
		return []worker.Output{{ID: "a0", Path: path}}, os.Symlink("/etc/passwd", path)
	case "outside":
		return []worker.Output{{ID: "a0", Path: "/etc/passwd"}}, nil
	}
	fmt.Println("what a library prints is no report")
	t.Report(0.5, "half")
	if t.Preview != nil {
		t.Preview("a0", "image/jpeg", []byte("a picture"))
	}
	seen, err := json.Marshal(t.Assignment)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(t.Folder, "out")
	metadata := map[string]any{
		"seed": int64(1)<<60 + 1, "environment": strings.Join(os.Environ(), "\n"), "job": string(seen), "temp": os.TempDir(), "pid": os.Getpid(), "facts": facts(),
	}
	return []worker.Output{{ID: "a0", Path: path, Width: 3, Metadata: metadata}}, os.WriteFile(path, []byte("made"), 0o600)
}

// facts are the limits and the priority of this process.
func facts() map[string]any {
	out := map[string]any{}
	for name, which := range map[string]int{
		"core": syscall.RLIMIT_CORE, "cpu": syscall.RLIMIT_CPU, "fsize": syscall.RLIMIT_FSIZE, "nofile": syscall.RLIMIT_NOFILE, "data": syscall.RLIMIT_DATA,
	} {
		var l syscall.Rlimit
		_ = syscall.Getrlimit(which, &l)
		out[name] = l.Cur
	}
	out["nice"] = priority(0)
	return out
}

func startHelper(does string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "helper", does)
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// help is a program that a renderer has started.
func help(does string) {
	if does == "fill" {
		filled = fill(200 << 20)
	}
	<-time.After(time.Hour) // with nothing to wait for, Go would end the program as deadlocked
}

// filled is kept by a program that takes memory and keeps it.
var filled []byte

// fill takes memory and touches every page of it.
func fill(size int) []byte {
	piece := make([]byte, size)
	for i := 0; i < len(piece); i += 4096 {
		piece[i] = 1
	}
	return piece
}

// eat takes memory and never gives it back.
func eat() {
	var all [][]byte
	for {
		all = append(all, fill(8<<20))
		_ = all
	}
}

// parent renders a job that hangs until it is killed.
func parent(folder string) {
	r := child.New(child.Options{Command: command()})
	_, err := r.Render(context.Background(), worker.Task{
		Assignment: apitype.Assignment{ToolName: "hang"}, Folder: folder, Report: func(_ float64, message string) { fmt.Println(message) },
	})
	fmt.Println(err)
	os.Exit(1)
}

func command() []string { return []string{os.Args[0], child.Command} }
