package node

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/thumbnail"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
)

// A large picture is decoded in a child process, as renders are: it may take half a
// gigabyte and a second of processor time, which would slow down other requests.
const (
	decodeTool    = "decode_picture" // what a child is asked for; no tool of the catalog
	decodeFile    = "picture"
	decodeEdge    = "edge" // of what is returned, in pixels
	decodeTimeout = time.Minute
)

// ChildRenderer is what a child process of a node does: render a job of the
// embedded worker, or decode a picture.
type ChildRenderer struct{ kit.Renderer }

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
	picture, err := media.DecodePicture(bufio.NewReader(f))
	edge, _ := t.Arguments[decodeEdge].(float64)
	if err != nil || edge == 0 {
		return nil, err
	}
	path := filepath.Join(t.Folder, "reduced")
	out, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	err = png.Encode(out, thumbnail.Reduce(picture, int(edge)))
	return []worker.Output{{Path: path}}, errors.Join(err, out.Close())
}

// decodeLarge returns the function that decodes a large picture in a child process,
// or nil where no command for child processes is known.
func decodeLarge(command []string) func(context.Context, io.Reader, int) (image.Image, error) {
	if command == nil {
		return nil
	}
	r := child.New(child.Options{Name: decodeTool, Command: command, Slots: max(1, runtime.NumCPU()/2), Memory: decodeMemory(), Behind: true})
	return func(ctx context.Context, picture io.Reader, edge int) (image.Image, error) {
		folder, err := os.MkdirTemp("", "atelier-picture-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		path := filepath.Join(folder, decodeFile)
		if err := writeFile(path, picture); err != nil {
			return nil, err
		}
		limited, cancel := context.WithTimeout(ctx, decodeTimeout)
		defer cancel()
		job := apitype.Assignment{JobID: decodeTool, ToolName: decodeTool, Arguments: map[string]any{decodeEdge: edge}}
		made, err := r.Render(limited, worker.Task{Assignment: job, Folder: folder, Files: map[string]string{decodeFile: path}})
		var failed *worker.Failure
		switch {
		case err == nil && edge == 0:
			return nil, nil
		case err == nil && len(made) == 1:
			return readReduced(made[0].Path, edge)
		case ctx.Err() == nil && limited.Err() != nil:
			return nil, media.ErrBusy
		case err != nil && !errors.As(err, &failed):
			return nil, err
		case failed != nil && (failed.Code == atelier.FailDropped || failed.Code == atelier.FailOutOfMemory):
			return nil, media.ErrBusy
		case failed != nil && failed.Message == filetype.ErrScans.Error():
			return nil, filetype.ErrScans
		}
		return nil, media.ErrUnreadable
	}
}

// decodeMemory is what all processes that decode pictures may have together, of
// the memory for children: a gigabyte, or a third where there is little.
func decodeMemory() int64 { return min(1<<30, child.Memory()/3) }

// readReduced reads the picture that a child has made smaller, which no file may make
// larger than was asked for.
func readReduced(path string, edge int) (image.Image, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	config, err := png.DecodeConfig(bytes.NewReader(text))
	if err != nil || max(config.Width, config.Height) > edge {
		return nil, media.ErrUnreadable
	}
	return png.Decode(bytes.NewReader(text))
}

func writeFile(path string, from io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
