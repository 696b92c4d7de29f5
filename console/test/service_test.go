package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// service is a running atelier with its own account.
type service struct {
	t       testing.TB
	program string
	dir     string
	env     []string
	URL     string
	Key     string
	link    string // opens the console signed in, once
	process *exec.Cmd
	exited  chan struct{}
}

// startService starts the program on an empty data directory and waits until it is ready. Workers that a test connects
// are not lost while it looks at pages, however long that takes.
func startService(t testing.TB, env ...string) *service {
	t.Helper()
	program := os.Getenv("ATELIER_TEST_PROGRAM")
	if program == "" {
		t.Skip("ATELIER_TEST_PROGRAM names no program")
	}
	s := &service{t: t, program: program, dir: t.TempDir(), env: append([]string{"ATELIER_WORKERS_LEASE=10h"}, env...)}
	s.start("127.0.0.1:0")
	t.Cleanup(func() { s.stop() })
	return s
}

var (
	readyLine = regexp.MustCompile(`^\s*console\s+(http://\S+?)/?$`)
	keyLine   = regexp.MustCompile(`^\s*API key\s+(\S+)$`)
	linkLine  = regexp.MustCompile(`(http://\S+#code=\S+)`)
)

func (s *service) start(listen string) {
	s.t.Helper()
	s.process = exec.Command(s.program, "serve", "--listen", listen, "--data", s.dir)
	s.process.Env = append(os.Environ(), s.env...)
	out, err := s.process.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.process.Stderr = s.process.Stdout
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	ready, exited := make(chan struct{}), make(chan struct{})
	s.exited = exited
	var log bytes.Buffer
	go func() {
		defer close(exited)
		lines := bufio.NewScanner(out)
		waiting := true
		for lines.Scan() {
			line := lines.Text()
			fmt.Fprintln(&log, line)
			if m := readyLine.FindStringSubmatch(line); m != nil {
				s.URL = m[1]
			}
			if m := keyLine.FindStringSubmatch(line); m != nil {
				s.Key = m[1]
			}
			if m := linkLine.FindStringSubmatch(line); m != nil {
				s.link = m[1]
			}
			if waiting && s.URL != "" && s.Key != "" && s.link != "" {
				waiting = false
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
	case <-exited:
		s.t.Fatalf("the service did not start:\n%s", log.String())
	case <-time.After(patience):
		s.t.Fatalf("the service is not ready after %s", patience)
	}
}

// claim waits until a worker has a job.
func claim(t *testing.T, w *client.Session) *apitype.Assignment {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if job, err := w.Claim(t.Context(), 30*time.Second); err != nil {
			t.Fatal(err)
		} else if job != nil {
			return job
		}
	}
	t.Fatal("no job came")
	return nil
}

func (s *service) stop() {
	_ = s.process.Process.Signal(syscall.SIGTERM)
	<-s.exited
	_ = s.process.Wait()
}

// restart stops the service and starts it again at the same address.
func (s *service) restart() {
	s.t.Helper()
	s.stop()
	s.link = ""
	s.start(strings.TrimPrefix(s.URL, "http://"))
}

// run runs a command of the program on the same data directory.
func (s *service) run(args ...string) string {
	s.t.Helper()
	command := exec.Command(s.program, append(args, "--data", s.dir)...)
	out, err := command.CombinedOutput()
	if err != nil {
		s.t.Fatalf("atelier %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// generate has the command line make a file, and returns it.
func (s *service) generate(name string, args ...string) []byte {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), name)
	command := exec.Command(s.program, append([]string{"generate", "--url", s.URL, "--api-key", s.Key, "-o", path}, args...)...)
	if out, err := command.CombinedOutput(); err != nil {
		s.t.Fatalf("atelier generate %s: %v\n%s", args, err, out)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return file
}

// call calls the API with the account's key, and returns data of the answer.
func (s *service) call(method, path string, body any) map[string]any {
	s.t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, s.URL+path, sent)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.Key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Message string
		Data    map[string]any
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		s.t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, answer.Message)
	}
	return answer.Data
}
