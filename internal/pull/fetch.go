package pull

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/modeldir"
	"github.com/atelier-project/atelier/internal/store"
)

// fetch fetches what is missing of a pull, one file after the other.
func (e *Engine) fetch(ctx context.Context, p store.Pull, w *work) error {
	folders, err := modeldir.Open(p.Folder)
	if err != nil {
		return err
	}
	needs, err := e.opts.Needs(p.Model)
	if err != nil {
		return err
	}
	opts, err := e.opts.Sites(ctx)
	if err != nil {
		return err
	}
	var missing []item
	var unknown []string
	for _, n := range needs {
		at, ok := folders.Has(n)
		i := w.add(n, at)
		switch {
		case ok:
		case n.URL == "":
			unknown = append(unknown, fmt.Sprintf("%s is not there, and cannot be fetched: %s; put it into %s", n.Name, n.Unknown, folders.Target(n.Folder)))
		default:
			missing = append(missing, item{index: i, File: n.File, dir: folders.Target(n.Folder)})
		}
	}
	if err := e.fetchAll(ctx, opts, missing, w); err != nil {
		return err
	}
	if len(unknown) > 0 {
		return errors.New(strings.Join(unknown, "; "))
	}
	return nil
}

// item is a file that is missing.
type item struct {
	modeldir.File
	index int    // in the work
	dir   string // where it is written
	facts modeldir.Facts
}

// fetchAll asks for the sizes of all files, and fetches them if they fit.
func (e *Engine) fetchAll(ctx context.Context, o modeldir.Options, missing []item, w *work) error {
	var files []modeldir.File
	for _, m := range missing {
		files = append(files, m.File)
	}
	fetcher, err := modeldir.New(o, files)
	if err != nil {
		return err
	}
	bytes := map[string]int64{} // that are to come, by directory
	for i := range missing {
		m := &missing[i]
		if m.facts, err = fetcher.Facts(ctx, m.File); err != nil {
			return err
		}
		arrived := modeldir.Arrived(m.dir, m.File)
		w.expect(m.index, max(m.facts.Bytes, 0), arrived)
		bytes[m.dir] += max(m.facts.Bytes-arrived, 0)
	}
	if err := fetcher.CheckSpace(bytes); err != nil {
		return err
	}
	for _, m := range missing {
		r, err := fetcher.Download(ctx, m.dir, m.File, m.facts, func(done int64) { w.progress(m.index, done) })
		if err != nil {
			w.end(m.index, apitype.PullFileFailed, modeldir.Arrived(m.dir, m.File))
			return err
		}
		w.end(m.index, apitype.PullFileFetched, r.Bytes)
	}
	return nil
}

// explain says why a pull failed, and what to do.
func explain(err error, kept bool) string {
	text := strings.TrimSuffix(err.Error(), ".") + "."
	if errors.Is(err, modeldir.ErrSpace) {
		text = strings.ToUpper(text[:1]) + text[1:] + " Free some, and start it again."
	}
	if kept {
		text += " What has arrived is kept: starting it again continues there."
	}
	return text
}

// sizeOf is the length of a file that is there.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
