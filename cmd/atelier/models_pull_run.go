package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/modeldir"
)

// meter adds up the progress of several files, and shows it now and then.
type meter struct {
	mu    sync.Mutex
	bar   *bar
	verb  string
	done  map[*pulledFile]int64
	total int64
	shown time.Time
}

// betweenBars is the least time between two drawings.
const betweenBars = 100 * time.Millisecond

func newMeter(b *bar, verb string, files []*pulledFile) *meter {
	m := &meter{bar: b, verb: verb, done: map[*pulledFile]int64{}}
	for _, f := range files {
		m.total += f.Bytes
	}
	return m
}

// of is the function that is called with the progress of a file.
func (m *meter) of(f *pulledFile) func(int64) {
	return func(done int64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.done[f] = done
		if time.Since(m.shown) < betweenBars {
			return
		}
		m.shown = time.Now()
		var sum int64
		for _, n := range m.done {
			sum += n
		}
		if m.total > 0 {
			m.bar.show(float64(sum)/float64(m.total), fmt.Sprintf("%s %s of %s", m.verb, size(sum), size(m.total)))
		}
	}
}

// say writes a line that stays.
func (m *meter) say(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bar.say(fmt.Sprintf(format, args...))
}

// verify compares files that are there with their checksums. A damaged file is not removed: it may be
// another one that its owner wants.
func (p *pull) verify(ctx context.Context, b *bar) {
	m := newMeter(b, "read", p.in(filePresent))
	p.each(p.in(filePresent), func(f *pulledFile) {
		var facts modeldir.Facts // of another file of the same kind only its own record is known
		if f.own {
			facts = modeldir.Facts{Bytes: f.source.Bytes, SHA256: f.source.SHA256, SaidBy: modeldir.Catalog}
		}
		with, err := modeldir.Check(ctx, f.Path, facts, m.of(f))
		switch {
		case err != nil:
			f.State, f.Problem = fileFailed, err.Error()
		case with == "":
			f.Problem = "no checksum of it is known"
		default:
			f.VerifiedBy = with
		}
	})
	b.clear()
}

// fetch fetches the missing files. A full disk ends all downloads, other failures only their own.
func (p *pull) fetch(ctx context.Context, b *bar) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	files := p.in(fileMissing)
	m := newMeter(b, "fetched", files)
	p.each(files, func(f *pulledFile) {
		if ctx.Err() != nil {
			f.Problem = context.Cause(ctx).Error()
			return
		}
		r, err := p.fetcher.Download(ctx, f.dir, f.source, f.facts, m.of(f))
		switch {
		case err != nil && ctx.Err() != nil && !errors.Is(err, modeldir.ErrSpace):
			f.Problem = context.Cause(ctx).Error() // it can be continued
		case err != nil:
			f.State, f.Problem = fileFailed, err.Error()
			if errors.Is(err, modeldir.ErrSpace) {
				stop(err)
			}
		default:
			f.State, f.Path, f.Bytes, f.SHA256, f.VerifiedBy = fileFetched, filepath.Join(f.dir, f.Name), r.Bytes, r.SHA256, r.SaidBy
			m.say("%s/%s is there", f.Folder, f.Name)
		}
	})
	b.clear()
}

// print lists the files before anything is fetched.
func (p *pull) print(t terminal) {
	table := newTable(t.out, "FILE", "SIZE", "STATE", "CHECKED WITH")
	for _, f := range p.files {
		state := f.State
		if f.State == fileMissing {
			if n := modeldir.Arrived(f.dir, f.source); n > 0 {
				state = "missing, " + size(n) + " have arrived"
			}
		}
		with := f.VerifiedBy
		if f.State == fileMissing {
			with = f.facts.SaidBy
			if with == "" {
				with = "its size only"
			}
		}
		length := "unknown"
		if f.Bytes > 0 {
			length = size(f.Bytes)
		}
		table.row(f.Folder+"/"+f.Name, length, state, with)
	}
	_ = table.flush() // the result is what counts
}

// pullReport is what --json prints.
type pullReport struct {
	Folder string        `json:"folder"`
	Bytes  int64         `json:"bytesToFetch"`
	Files  []*pulledFile `json:"files"`
}

func (p *pull) report() pullReport {
	return pullReport{Folder: p.folders.Models(), Bytes: p.toFetch(), Files: p.files}
}

// explain turns the end by a signal into one of the command.
func (p *pull) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return interrupted(ctx, "nothing was fetched")
	}
	return err
}

// result is how it ended.
func (p *pull) result(ctx context.Context, t terminal, c *modelsPull) error {
	if ctx.Err() != nil {
		return interrupted(ctx, "what has arrived is kept, and the same command continues it")
	}
	var problems []string
	for _, f := range p.in(fileFailed) {
		problems = append(problems, f.Problem)
	}
	for _, f := range p.in(fileUnknown) {
		problems = append(problems, fmt.Sprintf("%s is not there, and cannot be fetched: %s; put it into %s", f.Name, f.Problem, f.dir))
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "\n"))
	}
	if c.DryRun || c.JSON {
		return nil
	}
	if len(p.in(fileFetched)) == 0 {
		fmt.Fprintln(t.err, "All files are there.")
		return nil
	}
	fmt.Fprintln(t.err, "All files are there. A worker that runs finds them within five minutes, or at once on SIGHUP.")
	return nil
}
