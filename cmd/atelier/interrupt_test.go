//go:build unix

package main

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C ends generate with the exit code that shells use, and generate reports the
// outcome of the workflow.
func TestGenerateInterrupted(t *testing.T) {
	t.Parallel()
	// hold reports that it was called, and answers when the test or the caller
	// ends.
	hold := func(asked chan<- struct{}, first string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(first))
			_ = http.NewResponseController(w).Flush()
			close(asked)
			<-r.Context().Done()
		}
	}
	running := "id: 0\nevent: workflow_started\ndata: {\"sequence\":0,\"type\":\"workflow_started\"}\n\n"
	for _, c := range []struct {
		name    string
		signal  syscall.Signal
		answers func(asked chan<- struct{}) map[string]http.HandlerFunc
		code    int
		want    string
	}{
		{"cancelled", syscall.SIGINT, func(asked chan<- struct{}) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{toStart: workflow("queued"), toFollow: hold(asked, running), toCancel: workflow("cancelled")}
		}, 130, "interrupted: the workflow was cancelled: see curl -H \"Authorization: Bearer $ATELIER_API_KEY\" $URL/v1/creative-agent/workflows/wf_1"},
		{"by SIGTERM", syscall.SIGTERM, func(asked chan<- struct{}) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{toStart: workflow("queued"), toFollow: hold(asked, running), toCancel: workflow("cancelled")}
		}, 143, "interrupted: the workflow was cancelled"},
		{"over already", syscall.SIGINT, func(asked chan<- struct{}) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{toStart: workflow("queued"), toFollow: hold(asked, running), toCancel: workflow("completed", "http://$HOST/file.png")}
		}, 130, "interrupted: the workflow had already ended as completed; its results so far: $URL/file.png"},
		{"left running", syscall.SIGINT, func(asked chan<- struct{}) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{toStart: workflow("queued"), toFollow: hold(asked, running), toCancel: refuse(500, `{"message":"Something went wrong."}`)}
		}, 130, "interrupted: the workflow could not be cancelled and is still running (Something went wrong.): see curl"},
		{"while it starts", syscall.SIGINT, func(asked chan<- struct{}) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{toStart: func(w http.ResponseWriter, r *http.Request) {
				close(asked)
				workflow("queued")(w, r)
			}, toFollow: stream("queued"), toCancel: workflow("cancelled")}
		}, 130, "interrupted: the workflow was cancelled"},
		{"while it saves", syscall.SIGINT, func(asked chan<- struct{}) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{toStart: workflow("queued"), toFollow: stream("completed"), toRead: workflow("completed", "http://$HOST/file.png"), toFetch: hold(asked, "half")}
		}, 130, "interrupted: the result was made but not saved; it is at $URL/file.png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{})
			s := fakeService(t, c.answers(asked))
			p, err := launch(t.TempDir(), clean(), "generate", "image", "a fox", "--url", s.URL, "--api-key", "key", "-o", "fox.png")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.kill)
			p.happens(t, asked)
			p.signal(t, c.signal)
			p.exits(t, c.code)
			if want := strings.ReplaceAll(c.want, "$URL", s.URL); !strings.Contains(p.stderr.String(), want) || p.stdout.String() != "" {
				t.Errorf("got %q and %q, want %q", &p.stdout, &p.stderr, want)
			}
		})
	}
}

// Ctrl-C leaves a chat run as it is, and says how to go on.
func TestChatInterrupted(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	s := fakeService(t, map[string]http.HandlerFunc{
		startChat: chatRun(`"status": "queued"`),
		followChat: func(w http.ResponseWriter, r *http.Request) {
			frames("running")(w, r)
			_ = http.NewResponseController(w).Flush()
			close(asked)
			<-r.Context().Done()
		},
	})
	p, err := launch(t.TempDir(), clean(), "chat", "a fox", "--url", s.URL, "--api-key", "key")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	p.happens(t, asked)
	p.signal(t, syscall.SIGINT)
	p.exits(t, 130)
	want := " chat --url " + s.URL + " --resume run_1\n"
	if got := p.stderr.String(); !strings.HasPrefix(got, "atelier: interrupted: the run was left as it is: continue with ") || !strings.HasSuffix(got, want) || p.stdout.String() != "" {
		t.Errorf("got %q and %q, want %q", &p.stdout, got, want)
	}
}

// Ctrl-C ends the watching of a workflow, and not the workflow.
func TestWatchInterrupted(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	s := fakeService(t, map[string]http.HandlerFunc{
		toRead: workflow("running"), // a cancel would be an unexpected request
		toFollow: func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			close(asked)
			<-r.Context().Done()
		},
	})
	p, err := launch(t.TempDir(), clean(), "workflow", "watch", "wf_1", "--url", s.URL, "--api-key", "key")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	p.happens(t, asked)
	p.signal(t, syscall.SIGINT)
	p.exits(t, 130)
	if got := p.stderr.String(); !strings.HasPrefix(got, "atelier: interrupted: the workflow continues: see ") || !strings.HasSuffix(got, " workflow watch wf_1\n") || p.stdout.String() != "" {
		t.Errorf("got %q and %q", &p.stdout, got)
	}
}

// happens waits until something has happened while the process runs.
func (p *process) happens(t *testing.T, happened <-chan struct{}) {
	t.Helper()
	select {
	case <-happened:
	case <-p.exited:
		t.Fatalf("it ended: %s", &p.stderr)
	}
}
