package node

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
	"github.com/atelier-project/atelier/internal/worker/cpu"
)

// A large uploaded picture is decoded in a child process, as renders are: it may
// take half a gigabyte and a second of processor time, which would slow down other
// requests.
const (
	decodeTool    = "decode_picture" // what a child is asked for; no tool of the catalog
	decodeFile    = "picture"
	decodeTimeout = time.Minute
)

// ChildRenderer is what a child process of a node does: render a job of the
// embedded worker, or decode an uploaded picture.
type ChildRenderer struct{ cpu.Renderer }

// Render implements worker.Renderer.
func (r ChildRenderer) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	if t.ToolName != decodeTool {
		return r.Renderer.Render(ctx, t)
	}
	f, err := os.Open(t.Files[decodeFile])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return nil, media.DecodePicture(bufio.NewReader(f))
}

// decodeLarge returns the function that decodes a large picture in a child process,
// or nil where no command for child processes is known.
func decodeLarge(command []string) func(context.Context, io.Reader) error {
	if command == nil {
		return nil
	}
	r := child.New(child.Options{Name: decodeTool, Command: command, Slots: max(1, runtime.NumCPU()/2), Memory: decodeMemory(), Behind: true})
	return func(ctx context.Context, picture io.Reader) error {
		folder, err := os.MkdirTemp("", "atelier-picture-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		path := filepath.Join(folder, decodeFile)
		if err := writeFile(path, picture); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, decodeTimeout)
		defer cancel()
		_, err = r.Render(limited, worker.Task{Job: client.Job{JobID: decodeTool, ToolName: decodeTool}, Folder: folder, Files: map[string]string{decodeFile: path}})
		var failed *worker.Failure
		switch {
		case err == nil:
			return nil
		case ctx.Err() == nil && limited.Err() != nil:
			return errNoDecoder()
		case !errors.As(err, &failed):
			return err
		case failed.Code == atelier.FailDropped || failed.Code == atelier.FailOutOfMemory:
			return errNoDecoder()
		case failed.Message == filetype.ErrScans.Error():
			return filetype.ErrScans
		}
		return media.ErrUnreadable
	}
}

// decodeMemory is what all processes that decode pictures may have together, of
// the memory for children: a gigabyte, or a third where there is little.
func decodeMemory() int64 { return min(1<<30, child.Memory()/3) }

// errNoDecoder says that a picture could not be decoded for lack of memory, time or
// a process: the picture may be valid.
func errNoDecoder() error {
	busy := atelier.Errorf(atelier.CodeUnavailable, "The picture cannot be checked now: upload it again in a few seconds, or a smaller one.")
	busy.RetryAfter = 5 * time.Second
	return busy
}

func writeFile(path string, from io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
