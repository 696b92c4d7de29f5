package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/transfer"
)

// backupCommand saves an installation.
type backupCommand struct {
	installation
	printing
	Dir path `arg:"" help:"Directory of the backup. One that has a backup of this installation is brought up to date: only new media are copied."`
}

// Run saves database, media and the session secret while servers use them.
func (b *backupCommand) Run(ctx context.Context, t terminal) error {
	c, err := b.load()
	if err != nil {
		return err
	}
	show := newCounter(t.err)
	made, sum, err := node.Backup(ctx, c, string(b.Dir), versionText(), show.objects)
	show.clear()
	if err != nil {
		return withDatabaseHint(fmt.Errorf("backup: %w", err))
	}
	err = b.result(t.out, made, fmt.Sprintf("%s: %d rows and %d objects (%s), of which %d are new", b.Dir, made.Rows, sum.Objects, size(sum.Bytes), sum.Copied))
	if err == nil && len(made.Missing) > 0 {
		err = fmt.Errorf("backup: it is complete but for %d objects that rows name and the storage does not have, or has damaged: %s; backup.json lists them",
			len(made.Missing), made.Missing[0])
	}
	return err
}

// restoreCommand restores a backup.
type restoreCommand struct {
	installation
	printing
	Dir path `arg:"" help:"Directory that atelier backup has written."`
	partial
}

// Run copies a backup into an empty installation, on any database and storage.
func (r *restoreCommand) Run(ctx context.Context, t terminal) error {
	c, err := r.load()
	if err != nil {
		return err
	}
	show := newCounter(t.err)
	moved, err := node.Restore(ctx, c, string(r.Dir), node.MoveOptions{Incomplete: r.Incomplete, Progress: show.objects})
	show.clear()
	if err != nil {
		return fmt.Errorf("restore: %w", r.explain(err))
	}
	return r.result(t.out, moved, movedText("restored", moved))
}

// partial is the flag of commands that copy what there is.
type partial struct {
	Incomplete bool `help:"Copy what there is, although rows name media that the source does not have or has damaged."`
}

// explain says how to copy what there is.
func (p partial) explain(err error) error {
	if errors.Is(err, transfer.ErrIncomplete) {
		return fmt.Errorf("%w; to copy all others, add --incomplete", err)
	}
	return err
}

// copyCommand copies an installation to another database or storage.
type copyCommand struct {
	printing
	partial
	From    path `required:"" help:"Configuration file of the installation. Environment variables do not change what it says." placeholder:"OLD.yaml"`
	To      path `required:"" help:"Configuration file of the new one, which is empty." placeholder:"NEW.yaml"`
	Prepare bool `help:"Copy only media, while the servers of the installation run. The next copy, without them, then takes less time."`
}

// Run copies rows and objects, and compares them.
func (k *copyCommand) Run(ctx context.Context, t terminal) error {
	from, err := loadFile(string(k.From))
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	to, err := loadFile(string(k.To))
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	show := newCounter(t.err)
	moved, err := node.Move(ctx, from, to, node.MoveOptions{Prepare: k.Prepare, Incomplete: k.Incomplete, Progress: show.objects})
	show.clear()
	switch {
	case errors.Is(err, transfer.ErrInUse):
		return fmt.Errorf("copy: %w: stop it first, or copy the media alone with --prepare", err)
	case err != nil:
		return withDatabaseHint(fmt.Errorf("copy: %w", k.explain(err)))
	case k.Prepare:
		return k.result(t.out, moved, movedText("prepared", moved))
	}
	return k.result(t.out, moved, movedText("copied", moved))
}

func movedText(done string, m transfer.Moved) string {
	return fmt.Sprintf("%s: %d rows, %d objects (%s), of which %d were not there yet", done, m.Rows, m.Objects, size(m.Bytes), m.Copied)
}

// counter shows on a terminal how many objects were looked at.
type counter struct {
	bar
	next time.Time
}

func newCounter(out io.Writer) *counter { return &counter{bar: *newBar(out)} }

func (c *counter) objects(sum transfer.ObjectSum) {
	if now := time.Now(); c.live && now.After(c.next) {
		c.next = now.Add(200 * time.Millisecond)
		fmt.Fprintf(c.out, "\r\033[K%d objects, %s", sum.Objects, size(sum.Bytes))
		c.drawn = true
	}
}
