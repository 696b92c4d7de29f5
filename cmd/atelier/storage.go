package main

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/node"
)

// storageCommand groups the commands about the media storage.
type storageCommand struct {
	Sweep   storageSweep   `cmd:"" help:"Remove files that no client can read any more, as servers do every 15 minutes."`
	Restore storageRestore `cmd:"" help:"Move everything in the trash back to where it was."`
	Adopt   storageAdopt   `cmd:"" help:"Assign the storage to this database. For when a server reports that they belong to different installations but they belong together."`
}

// withMediaAdmin opens the database and the storage for one command. It creates neither.
func (p installation) withMediaAdmin(ctx context.Context, do func(*node.MediaAdmin) error) error {
	c, err := p.load()
	if err != nil {
		return err
	}
	o, err := node.OpenMediaAdmin(ctx, c)
	if err != nil {
		return withDatabaseHint(err)
	}
	defer o.Close()
	return do(o)
}

type storageSweep struct {
	installation
	printing
	Force bool `help:"Remove objects that the database does not name even if they are more than a tenth of all objects. They stay in the trash for seven days."`
}

// sweptStorage is what storage sweep prints.
type sweptStorage struct {
	Forms    int `json:"forms"`
	Assets   int `json:"assets"`
	Objects  int `json:"objects"`
	Previews int `json:"previews"`
	Trash    int `json:"trash"`
	Leavings int `json:"unfinishedUploads"`
}

// Run sweeps once.
func (s *storageSweep) Run(ctx context.Context, t terminal) error {
	return s.withMediaAdmin(ctx, func(o *node.MediaAdmin) error {
		if err := o.Media.Tie(ctx); err != nil {
			return err
		}
		swept, err := o.Media.Sweep(ctx, s.Force)
		if err != nil {
			return err
		}
		return s.result(t.out, sweptStorage(swept), fmt.Sprintf("forms %d, assets %d, objects %d (moved to %s), previews %d, removed from the trash %d, unfinished uploads %d",
			swept.Forms, swept.Assets, swept.Objects, media.Trash, swept.Previews, swept.Trash, swept.Leavings))
	})
}

type storageRestore struct {
	installation
	printing
}

// restoredObjects is what storage restore prints.
type restoredObjects struct {
	Moved int `json:"moved"`
}

// Run moves the trash back into the storage.
func (s *storageRestore) Run(ctx context.Context, t terminal) error {
	return s.withMediaAdmin(ctx, func(o *node.MediaAdmin) error {
		if err := o.Media.Tie(ctx); err != nil {
			return err
		}
		moved, err := o.Media.Restore(ctx)
		if err != nil {
			return err
		}
		return s.result(t.out, restoredObjects{moved}, fmt.Sprintf("%d objects moved back", moved))
	})
}

type storageAdopt struct {
	installation
}

// Run writes the id of the database into the storage.
func (s *storageAdopt) Run(ctx context.Context, t terminal) error {
	return s.withMediaAdmin(ctx, func(o *node.MediaAdmin) error {
		if err := o.Media.Adopt(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(t.out, "the storage now belongs to this database")
		return err
	})
}
