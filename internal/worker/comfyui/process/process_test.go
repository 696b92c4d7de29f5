//go:build linux || darwin

package process_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/worker/comfyui/process"
)

// The tests start the test binary: as a ComfyUI, or as a program that has one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "comfyui":
			standIn(os.Args[2], os.Args[3:])
		case "parent":
			parent(os.Args[2])
		}
	}
	os.Setenv("ATELIER_API_KEY", "a secret of the worker")
	os.Exit(m.Run())
}

// standIn is a ComfyUI that has only what the package uses. What it is asked to do is
// in its path.
func standIn(port string, does []string) {
	fmt.Println("Starting on GPU", os.Getenv("CUDA_VISIBLE_DEVICES"))
	switch {
	case slices.Contains(does, "fail"):
		fmt.Fprint(os.Stderr, "Traceback\nno such node") // without a line end
		os.Exit(3)
	case slices.Contains(does, "fail-on-"+os.Getenv("CUDA_VISIBLE_DEVICES")):
		os.Exit(4)
	case slices.Contains(does, "stubborn"):
		signal.Ignore(syscall.SIGTERM)
		n, _ := strconv.Atoi(port)
		helper := exec.Command(os.Args[0], "comfyui", strconv.Itoa(n+1), "helper") // it holds the output open, and is in the group
		helper.Stdout = os.Stdout
		if err := helper.Start(); err != nil {
			os.Exit(5)
		}
	case slices.Contains(does, "helper"):
		signal.Ignore(syscall.SIGTERM)
	}
	mux := http.NewServeMux()
	stuck := make(chan struct{})
	var once sync.Once
	mux.HandleFunc("/system_stats", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-stuck:
			<-r.Context().Done()
		default:
		}
	})
	mux.HandleFunc("/stick", func(http.ResponseWriter, *http.Request) { once.Do(func() { close(stuck) }) })
	mux.HandleFunc("/die", func(http.ResponseWriter, *http.Request) { os.Exit(7) })
	mux.HandleFunc("/about", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%d gpu=%s key=%s args=%s", os.Getpid(), os.Getenv("CUDA_VISIBLE_DEVICES"), os.Getenv("ATELIER_API_KEY"), strings.Join(os.Args[2:], ","))
	})
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Println(err)
		os.Exit(6)
	}
	fmt.Println("Listening on", port)
	_ = http.Serve(l, mux)
}

// parent has a ComfyUI, and waits to be killed.
func parent(port string) {
	n, _ := strconv.Atoi(port)
	if _, err := process.Start(context.Background(), options(io.Discard, n)); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {}
}

// options are those for a stand-in.
func options(log io.Writer, port int, does ...string) process.Options {
	self, _ := os.Executable()
	return process.Options{
		Command: strings.Join(append([]string{"'" + self + "'", "comfyui", "{port}", "gpu-{gpu}"}, does...), " "), GPUs: []string{"0"}, Port: port,
		Log:   slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Grace: time.Minute, StartTime: time.Minute, Check: 5 * time.Millisecond, Unresponsive: time.Minute, FirstWait: time.Millisecond, LongestWait: 2 * time.Millisecond,
	}
}

// ports finds n free ports that follow each other, outside those that the system
// gives to outgoing connections.
func ports(t *testing.T, n int) int {
	t.Helper()
	portsMu.Lock()
	defer portsMu.Unlock()
	for ; nextPort < 30000; nextPort++ {
		free := true
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", nextPort+i))
			if err != nil {
				free = false
				break
			}
			l.Close()
		}
		if free {
			nextPort += n
			return nextPort - n
		}
	}
	t.Fatal("there is no free port")
	return 0
}

var (
	portsMu  sync.Mutex
	nextPort = 20000 + os.Getpid()*37%9000 // far from those of a process that was started at the same time
)

// lines is a log that is waited for.
type lines struct {
	t  *testing.T
	mu sync.Mutex
	at chan string
	by []string // all
}

func newLines(t *testing.T) *lines { return &lines{t: t, at: make(chan string, 1000)} }

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	l.by = append(l.by, string(b))
	l.mu.Unlock()
	l.at <- string(b)
	return len(b), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.by, "")
}

// await waits for a line with all of the parts.
func (l *lines) await(parts ...string) string {
	l.t.Helper()
	patience := time.After(2 * time.Minute)
	for {
		select {
		case line := <-l.at:
			if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
				return line
			}
		case <-patience:
			l.t.Fatalf("no line with %q in:\n%s", parts, l)
		}
	}
}

func start(t *testing.T, o process.Options) *process.Processes {
	t.Helper()
	p, err := process.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		return "" // a process that ends does not answer
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return string(b)
}

// lives reports whether a process exists.
func lives(pid int) bool { return syscall.Kill(pid, 0) == nil }

// pidIn is the number at the beginning of a text.
func pidIn(t *testing.T, text string) int {
	t.Helper()
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatalf("no process in %q", text)
	}
	return pid
}

// Each GPU has its own process, with its port, that sees it alone and does not get
// the worker's key. All have ended after Close.
func TestAProcessForEachGPU(t *testing.T) {
	t.Parallel()
	log := newLines(t)
	o := options(log, ports(t, 2))
	o.GPUs = []string{"0", "3"}
	p := start(t, o)
	var pids []int
	for n, url := range p.URLs() {
		about := get(t, url+"/about")
		want := fmt.Sprintf(" gpu=%s key= args=%d,gpu-%s", o.GPUs[n], o.Port+n, o.GPUs[n])
		if !strings.HasSuffix(about, want) || url != fmt.Sprintf("http://127.0.0.1:%d", o.Port+n) {
			t.Errorf("%s: %q, want %q", url, about, want)
		}
		pids = append(pids, pidIn(t, about))
	}
	p.Close()
	for _, pid := range pids {
		if lives(pid) {
			t.Errorf("process %d has not ended", pid)
		}
	}
	want := fmt.Sprintf(`level=DEBUG msg="ComfyUI output" comfyui=http://127.0.0.1:%d gpu=3 line="Starting on GPU 3"`, o.Port+1)
	if !strings.Contains(log.String(), want) {
		t.Errorf("the log has no %s:\n%s", want, log)
	}
}

// A process that ends is started again on the same port; the pool sees the same
// address.
// Each process has its own temporary directory, unless the command names one: otherwise a
// start empties that of the others.
func TestTemporaryDirectories(t *testing.T) {
	t.Parallel()
	o := options(io.Discard, ports(t, 2), "/opt/ComfyUI/main.py")
	o.GPUs, o.Scratch = []string{"0", "1"}, t.TempDir()
	p := start(t, o)
	seen := map[string]bool{}
	for _, url := range p.URLs() {
		_, dir, _ := strings.Cut(get(t, url+"/about"), "--temp-directory,")
		if !strings.HasPrefix(dir, o.Scratch+string(filepath.Separator)) || seen[dir] {
			t.Errorf("the temporary directory of %s: %q", url, dir)
		}
		seen[dir] = true
		if out := p.Outputs()[url]; out != filepath.FromSlash("/opt/ComfyUI/output") {
			t.Errorf("the output directory: %q", out)
		}
	}
	p.Close()
	if left, err := os.ReadDir(o.Scratch); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	own := options(io.Discard, ports(t, 1), "main.py", "--temp-directory", "/mine", "--output-directory=/pictures")
	q := start(t, own)
	if about := get(t, q.URLs()[0]+"/about"); strings.Count(about, "--temp-directory") != 1 || q.Outputs()[q.URLs()[0]] != "/pictures" {
		t.Errorf("with its own: %s, %v", about, q.Outputs())
	}
	plain := start(t, options(io.Discard, ports(t, 1)))
	if about := get(t, plain.URLs()[0]+"/about"); strings.Contains(about, "--temp") || len(plain.Outputs()) > 0 {
		t.Errorf("another program: %s, %v", about, plain.Outputs())
	}
}

// A process whose GPU does not work is ended and started again.
func TestRestartOnDemand(t *testing.T) {
	t.Parallel()
	log := newLines(t)
	p := start(t, options(log, ports(t, 1)))
	url := p.URLs()[0]
	first := get(t, url+"/about")
	p.Restart("http://127.0.0.1:1")
	p.Restart(url)
	log.await("will restart", "its GPU does not work")
	log.await("ComfyUI answers")
	if second := get(t, url+"/about"); second == first || second == "" {
		t.Errorf("the process is %q after %q", second, first)
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	log := newLines(t)
	p := start(t, options(log, ports(t, 1)))
	before := pidIn(t, get(t, p.URLs()[0]+"/about"))
	log.await("ComfyUI answers")
	get(t, p.URLs()[0]+"/die")
	log.await("level=ERROR", `line="Starting on GPU 0"`)
	log.await("level=ERROR", "it ended (exit status 7)", "wait=1ms")
	log.await("ComfyUI answers")
	if after := pidIn(t, get(t, p.URLs()[0]+"/about")); after == before || lives(before) {
		t.Errorf("process %d, then %d", before, after)
	}
	// The second time it waits for longer.
	get(t, p.URLs()[0]+"/die")
	log.await("level=ERROR", "it ended (exit status 7)", "wait=2ms")
}

// A process that no longer answers is killed and started again.
func TestUnresponsive(t *testing.T) {
	t.Parallel()
	log := newLines(t)
	o := options(log, ports(t, 1))
	o.Unresponsive = 5 * time.Second // a busy machine does not keep a process waiting for as long
	p := start(t, o)
	c := connect(t, o.Port)
	get(t, p.URLs()[0]+"/stick")
	log.await("level=ERROR", "it has not answered for 5s")
	awaitEnd(t, c)
	log.await("ComfyUI answers")
}

// A process that ignores SIGTERM is killed after the grace, with its descendants.
func TestStubborn(t *testing.T) {
	t.Parallel()
	log := newLines(t)
	o := options(log, ports(t, 2), "stubborn")
	o.Grace = 50 * time.Millisecond
	p := start(t, o)
	log.await(fmt.Sprint("Listening on ", o.Port+1))
	process, helper := connect(t, o.Port), connect(t, o.Port+1)
	p.Close()
	awaitEnd(t, process)
	awaitEnd(t, helper)
}

func connect(t *testing.T, port int) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// awaitEnd waits until the other end of a connection has ended, which never closes it
// otherwise.
func awaitEnd(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the process has not ended: %v", err)
	}
}

// A worker that is killed takes its processes with it.
func TestAKilledWorker(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	port := ports(t, 1)
	cmd := exec.Command(self, "parent", strconv.Itoa(port))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 200)
	n, _ := out.Read(text)
	if string(text[:n]) != "ready\n" {
		t.Errorf("the worker says %q", text[:n])
	}
	c := connect(t, port)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	awaitEnd(t, c)
}

func TestAStartFails(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	taken := busy.Addr().(*net.TCPAddr).Port
	for name, c := range map[string]struct {
		does []string
		set  func(*process.Options)
		want string
		log  string
	}{
		"ends at once":  {does: []string{"fail"}, want: "ComfyUI on GPU 0: it ended before it answered (exit status 3); the log has its last output", log: `line="no such node"`},
		"not found":     {set: func(o *process.Options) { o.Command = "no-such-program {port}" }, want: `exec: "no-such-program": executable file not found in $PATH`},
		"no program":    {set: func(o *process.Options) { o.Command = filepath.Join(t.TempDir(), "python") + " {port}" }, want: "no such file or directory"},
		"no port":       {set: func(o *process.Options) { o.Command = "sh" }, want: "{port} must be in it"},
		"a quote":       {set: func(o *process.Options) { o.Command = "sh '{port}" }, want: "a quote is not closed"},
		"one GPU twice": {set: func(o *process.Options) { o.GPUs = []string{"0", "0"} }, want: `the GPU "0" must be named, and once`},
		"no GPU":        {set: func(o *process.Options) { o.GPUs = nil }, want: "no GPU is named"},
		"a taken port":  {set: func(o *process.Options) { o.Port = taken }, want: fmt.Sprintf("port %d is not free", taken)},
		"never answers": {set: func(o *process.Options) { o.Command, o.StartTime = "sh -c 'exec sleep 1000' {port}", time.Millisecond }, want: "it has not answered for 1ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := newLines(t)
			o := options(log, 0, c.does...)
			if o.Port = ports(t, 1); c.set != nil {
				c.set(&o)
			}
			p, err := process.Start(t.Context(), o)
			if err == nil {
				p.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(log.String(), c.log) {
				t.Errorf("got %v, want %q, and %q in:\n%s", err, c.want, c.log, log)
			}
		})
	}
}

// One GPU of two fails: the other is used, and the start of the first is repeated.
func TestOneOfTwoFails(t *testing.T) {
	t.Parallel()
	log := newLines(t)
	o := options(log, ports(t, 2), "fail-on-1")
	o.GPUs = []string{"0", "1"}
	p := start(t, o)
	if about := get(t, p.URLs()[0]+"/about"); !strings.Contains(about, "gpu=0") {
		t.Errorf("the first: %q", about)
	}
	for range 3 {
		log.await("level=ERROR", "gpu=1", "exit status 4")
	}
}

// The wait for a slow start ends with the context, and the process with it.
func TestAStartIsStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	log := newLines(t)
	o := options(log, ports(t, 1))
	o.Command = "sh -c 'echo waiting; exec sleep 1000' {port}"
	ended := make(chan error)
	go func() {
		_, err := process.Start(ctx, o)
		ended <- err
	}()
	log.await("line=waiting")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestWaits(t *testing.T) {
	t.Parallel()
	o := process.Options{Steady: 5 * time.Minute}
	pause := clock.Backoff{First: time.Second, Most: time.Minute}
	for _, c := range []struct{ ran, want time.Duration }{
		{0, time.Second}, {0, 2 * time.Second}, {5*time.Minute - 1, 4 * time.Second}, {5 * time.Minute, time.Second}, {0, 2 * time.Second},
	} {
		if got := o.WaitAfter(&pause, c.ran); got != c.want {
			t.Errorf("after %s: %s, want %s", c.ran, got, c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"python main.py --port {port}":            {"python", "main.py", "--port", "{port}"},
		` "/opt/my comfy/python"  'main py' a\ b`: {"/opt/my comfy/python", "main py", "a b"},
		`sh -c 'echo "$HOME"; ls' "" a''b`:        {"sh", "-c", `echo "$HOME"; ls`, "", "ab"},
		`"a\"b\c" 'a\b'`:                          {`a"b\c`, `a\b`},
		"a\tb\nc":                                 {"a", "b", "c"},
		"":                                        nil,
		"  ":                                      nil,
		`a "b`:                                    nil,
		`a\`:                                      nil,
	} {
		got, err := process.Split(line)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %q, %v, want %q", line, got, err, want)
		}
	}
}
