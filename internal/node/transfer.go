package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/transfer"
)

// MoveOptions say how an installation is copied.
type MoveOptions struct {
	Prepare    bool                     // copy objects alone, while servers run
	Incomplete bool                     // rows may name objects that the source does not have
	Progress   func(transfer.ObjectSum) // may be nil
}

// Move copies the installation of one configuration to another one. What both have in
// common stays where it is: the database, the storage, the secret. While servers use the
// source, it can only be prepared.
func Move(ctx context.Context, from, to *config.Config, o MoveOptions) (moved transfer.Moved, err error) {
	shared := struct{ database, storage bool }{
		database: from.DatabaseURL == to.DatabaseURL && (from.DatabaseURL != "" || from.DataDir == to.DataDir),
		storage:  from.StorageURL == to.StorageURL && (from.StorageURL != "" || from.DataDir == to.DataDir),
	}
	if shared.database && shared.storage {
		return moved, errors.New("both configurations have the same database and the same storage: there is nothing to copy")
	}
	source, err := openSource(ctx, from, !o.Prepare)
	if err != nil {
		return moved, fmt.Errorf("source: %w", err)
	}
	defer func() { err = errors.Join(err, source.close()) }()
	m := transfer.Move{From: source.Installation, Incomplete: o.Incomplete, Progress: o.Progress}
	target := &opened{}
	defer func() { err = errors.Join(err, target.close()) }()
	if !shared.storage {
		if err := target.openBlobs(ctx, to, true); err != nil {
			return moved, fmt.Errorf("target: %w", err)
		}
		m.To.Blobs = target.Blobs
	}
	if o.Prepare {
		return m.Prepare(ctx)
	}
	if !shared.database {
		if err := target.openEmpty(ctx, to, source.DB); err != nil {
			return moved, fmt.Errorf("target: %w", err)
		}
		m.To.DB = target.DB
	}
	if err := handSecret(from, to); err != nil {
		return moved, fmt.Errorf("target: %w", err)
	}
	if moved, err = m.Run(ctx); err != nil {
		return moved, err
	}
	return moved, transfer.CheckUnused(ctx, source.DB) // the copy lacks what a server has written since
}

// Backup saves the installation of a configuration into a directory, while servers use it.
func Backup(ctx context.Context, c *config.Config, dir, program string, progress func(transfer.ObjectSum)) (m transfer.Manifest, sum transfer.ObjectSum, err error) {
	if err := checkApart(dir, c); err != nil {
		return m, sum, err
	}
	source, err := openSource(ctx, c, false)
	if err != nil {
		return m, sum, err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	b := transfer.Backup{From: source.Installation, Dir: dir, Program: program, Progress: progress}
	if b.Secrets, err = secretsOf(c); err != nil {
		return m, sum, fmt.Errorf("data_dir: %w", err)
	}
	if c.SessionSecret == "" && len(b.Secrets) > 0 {
		b.Secret = b.Secrets[0]
	}
	return b.Run(ctx)
}

// Restore copies a backup into the empty installation of a configuration.
func Restore(ctx context.Context, c *config.Config, dir string, o MoveOptions) (moved transfer.Moved, err error) {
	manifest, err := transfer.ReadManifest(dir)
	if err == nil {
		err = checkApart(dir, c)
	}
	if err != nil {
		return moved, err
	}
	backup, err := transfer.OpenBackup(ctx, dir)
	if err != nil {
		return moved, err
	}
	source := &opened{Installation: backup}
	defer func() { err = errors.Join(err, source.close()) }()
	saved := *c
	saved.DataDir, saved.SessionSecret = dir, ""
	target := &opened{}
	defer func() { err = errors.Join(err, target.close()) }()
	if err := target.openEmpty(ctx, c, source.DB); err != nil {
		return moved, err
	}
	if err := target.openBlobs(ctx, c, true); err != nil {
		return moved, err
	}
	if err := handSecret(&saved, c); err != nil {
		return moved, err
	}
	secrets, err := secretsOf(c)
	if err != nil {
		return moved, err
	}
	if manifest.Secret != "" && !slices.ContainsFunc(secrets, func(s string) bool { return transfer.Fingerprint(s, manifest.Installation) == manifest.Secret }) {
		return moved, errOtherSecret
	}
	m := transfer.Move{From: source.Installation, To: target.Installation, Incomplete: o.Incomplete, Missing: manifest.Missing, Progress: o.Progress}
	return m.Run(ctx)
}

// opened is an installation with what must be closed.
type opened struct{ transfer.Installation }

func (o *opened) close() (err error) {
	if o.Blobs != nil {
		err = o.Blobs.Close()
	}
	if o.DB != nil {
		err = errors.Join(err, o.DB.Close())
	}
	return err
}

// openSource opens an installation as it is. Alone, it refuses one that servers use, and keeps
// them from a SQLite file.
func openSource(ctx context.Context, c *config.Config, alone bool) (*opened, error) {
	o := &opened{}
	options := databaseOptions(c)
	options.Server = alone
	db, err := store.OpenUnmigrated(ctx, options)
	if errors.Is(err, store.ErrInUse) {
		err = transfer.ErrInUse
	}
	if err != nil {
		return nil, err
	}
	o.DB = db
	if alone {
		err = transfer.CheckUnused(ctx, db)
	}
	if err == nil {
		err = o.openBlobs(ctx, c, false)
	}
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

// openEmpty opens an empty database with the tables of another one.
func (o *opened) openEmpty(ctx context.Context, c *config.Config, like *store.DB) (err error) {
	options := databaseOptions(c)
	options.Server = true
	o.DB, err = store.OpenEmpty(ctx, options, like)
	return err
}

// openBlobs opens the storage. It creates a missing one only if it may.
func (o *opened) openBlobs(ctx context.Context, c *config.Config, create bool) error {
	if _, err := os.Stat(c.MediaDir()); c.StorageURL == "" && !create && errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("data_dir: %s: %w", c.MediaDir(), ErrNoStorage)
	}
	blobs, err := openSignedStore(ctx, c, blob.DiskServerOptions{})
	if err == nil {
		o.Blobs = blobs
	}
	return err
}

func databaseOptions(c *config.Config) store.Options {
	return store.Options{URL: c.DatabaseURL, Path: c.DatabaseFile()}
}

// checkApart refuses a directory of a backup that is the data directory of the installation, or
// in it: the backup would copy itself, and remove what it does not know.
func checkApart(dir string, c *config.Config) error {
	inside := func(path, dir string) bool {
		outer, err := os.Stat(dir)
		if err != nil {
			return false
		}
		for at := path; ; at = filepath.Dir(at) {
			if info, err := os.Stat(at); err == nil && os.SameFile(info, outer) {
				return true
			}
			if at == filepath.Dir(at) {
				return false
			}
		}
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	if inside(full, c.DataDir) || c.StorageURL == "" && inside(filepath.Join(full, "media"), c.MediaDir()) {
		return fmt.Errorf("%s is in the data directory of the installation: choose a directory outside of it", dir)
	}
	return nil
}

var errOtherSecret = errors.New("session_secret: must be that of the source, or have it in its list: session tokens and the API keys of connections depend on it")

// handSecret gives an installation the session secret of another: session tokens and the
// secrets of connections and webhooks are of no use without it.
func handSecret(from, to *config.Config) error {
	secrets, err := secretsOf(from)
	if err != nil || len(secrets) == 0 {
		return err
	}
	have, err := secretsOf(to)
	switch {
	case err != nil:
		return err
	case len(have) > 0 && slices.Contains(have, secrets[0]):
		return nil
	case len(have) > 0:
		return errOtherSecret
	case len(secrets) > 1:
		return errors.New("session_secret: must be set to the list that the source has")
	}
	return writeSecret(filepath.Join(to.DataDir, transfer.SecretFile), secrets[0])
}

// secretsOf are the session secrets of a configuration, or of its data directory; none where
// there is no server yet.
func secretsOf(c *config.Config) ([]string, error) {
	if list := c.SessionSecrets(); len(list) > 0 {
		return list, nil
	}
	secret, err := ownSecret(c.DataDir, false)
	if err != nil || secret == "" {
		return nil, err
	}
	return []string{secret}, nil
}
