package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/worker"
)

func TestPublicReason(t *testing.T) {
	t.Parallel()
	dial := func(op string, err error) error {
		return &net.OpError{Op: op, Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 9000}, Err: err}
	}
	get := func(err error) error {
		return &url.Error{Op: "Get", URL: "http://10.0.0.7:9000/x?signature=secret", Err: err}
	}
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"plain":     {errors.New("it is broken"), "it is broken"},
		"a request": {fmt.Errorf("the input a could not be fetched: %w", get(dial("dial", syscall.ECONNREFUSED))), "the input a could not be fetched: connection refused"},
		"a proxy":   {get(dial("proxyconnect", dial("dial", syscall.ECONNREFUSED))), "connection refused"},
		"a name":    {get(dial("dial", &net.DNSError{Err: "no such host", Name: "storage.internal", Server: "10.0.0.1:53"})), "no such host"},
		"a file":    {errors.Join(&fs.PathError{Op: "write", Path: "/home/ann/cache", Err: syscall.ENOSPC}), "no space left on device"},
		"two files": {errors.Join(&fs.PathError{Op: "write", Path: "/home/ann/a", Err: syscall.ENOSPC}, &fs.PathError{Op: "close", Path: "/home/ann/b", Err: syscall.EIO}), "no space left on device\ninput/output error"},
		"a link":    {&os.LinkError{Op: "rename", Old: "/home/ann/a", New: "/home/ann/b", Err: syscall.EXDEV}, "invalid cross-device link"},
	} {
		if got := worker.PublicReason(tc.err); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		for _, made := range []error{worker.Failf("It failed: %v.", tc.err), worker.Retryf("dropped", "It failed: %v.", tc.err)} {
			if made.Error() != "It failed: "+tc.want+"." {
				t.Errorf("%s: customers read %q", name, made)
			}
		}
	}
}

// The log has what customers do not read.
func TestAFailureIsLoggedWhole(t *testing.T) {
	t.Parallel()
	lost := &fs.PathError{Op: "open", Path: "/home/ann/a", Err: syscall.ENOENT}
	for name, err := range map[string]error{"made": worker.Failf("It failed: %v.", lost), "plain": fmt.Errorf("It failed: %w.", lost)} {
		var log lockedBuffer
		p := &protocol{log: &log}
		runProtocol(t, renderFunc(func(context.Context, worker.Task) ([]worker.Output, error) { return nil, err }), p)
		p.jobs <- apitype.Assignment{JobID: "j1", ToolName: "generate_image", ModelID: "a"}
		if fail := p.next("/jobs/j1/fail"); fail["message"] != "It failed: no such file or directory." || !strings.Contains(log.String(), "It failed: open /home/ann/a: ") {
			t.Errorf("%s: customers read %v, the log has %s", name, fail["message"], log.String())
		}
	}
}

// What ComfyUI says in its own words may name paths and addresses: customers do not read them,
// in failures and in progress.
func TestMessagesNameNothingOfTheMachine(t *testing.T) {
	t.Parallel()
	const told = "ComfyUI failed at node source: No such file or directory: '/home/ann/ComfyUI/temp/atelier/x.png'"
	var log lockedBuffer
	p := &protocol{log: &log}
	runProtocol(t, renderFunc(func(_ context.Context, k worker.Task) ([]worker.Output, error) {
		return nil, &worker.Failure{Code: "error", Message: told}
	}), p)
	p.jobs <- apitype.Assignment{JobID: "j1", ToolName: "generate_image", ModelID: "a"}
	want := "ComfyUI failed at node source: No such file or directory: '(hidden)'"
	if fail := p.next("/jobs/j1/fail"); fail["message"] != want || !strings.Contains(log.String(), told) {
		t.Errorf("customers read %v, the log has %s", fail["message"], log.String())
	}
}

// A worker whose own disk is full gives the job back, for others.
func TestTheDiskOfTheWorkerIsFull(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	p := &protocol{log: &log}
	runProtocol(t, renderFunc(func(context.Context, worker.Task) ([]worker.Output, error) {
		return nil, fmt.Errorf("save: %w", &fs.PathError{Op: "write", Path: "/tmp/x", Err: syscall.ENOSPC})
	}), p)
	p.jobs <- apitype.Assignment{JobID: "j1", ToolName: "generate_image", ModelID: "a"}
	if fail := p.next("/jobs/j1/fail"); fail["code"] != "worker_unavailable" || fail["retryable"] != true || fail["message"] != "The job went back to the queue: the disk of the worker is full." {
		t.Errorf("the service hears %v", fail)
	}
}

// The log has a line for each job that was done.
func TestALineForEachJob(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	p := &protocol{log: &log}
	runProtocol(t, renderFunc(func(_ context.Context, k worker.Task) ([]worker.Output, error) {
		path := filepath.Join(k.Folder, "x")
		k.Switched(time.Second)
		return []worker.Output{{ID: "a", Path: path, Width: 64, Height: 32}}, os.WriteFile(path, []byte("x"), 0o600)
	}), p)
	p.jobs <- apitype.Assignment{JobID: "j1", ToolName: "generate_image", ModelID: "m", Artifacts: []apitype.AssignmentArtifact{{ID: "a", ContentType: "image/png"}}}
	p.next("/jobs/j1/complete")
	p.jobs <- apitype.Assignment{JobID: "j2", ToolName: "generate_image", ModelID: "m", Artifacts: []apitype.AssignmentArtifact{{ID: "a", ContentType: "image/png"}}}
	p.next("/jobs/j2/complete") // the line of the first is written by then
	for _, want := range []string{`msg="job completed" job=j1 tool=generate_image model=m artifacts=1 size=64x32 fetch=`, " load=1s ", " render=", " upload="} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in %s", want, log.String())
		}
	}
}
