package transfer

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// The files of a backup.
const (
	newDatabase  = "database.new" // of a backup that is not finished
	mediaDir     = "media"        // a disk storage
	manifestFile = "backup.json"  // says which database belongs to it

	// SecretFile has the secret that signs session tokens and seals the secrets of
	// connections and webhooks, unless the configuration has it.
	SecretFile = "session.key"
)

// Manifest is what backup.json says of a backup.
type Manifest struct {
	Format       int              `json:"format"` // 2
	Program      string           `json:"program"`
	Installation string           `json:"installation"`
	Secret       string           `json:"secret"`   // see Fingerprint
	At           time.Time        `json:"at"`       // the backup has all that was committed before
	Database     string           `json:"database"` // the file
	Rows         int64            `json:"rows"`
	Tables       []store.TableSum `json:"tables"`
	Objects      int64            `json:"objects"`
	Bytes        int64            `json:"bytes"`
	List         string           `json:"list"` // the file that lists the objects
	ListSHA256   string           `json:"listSha256"`

	// Missing are objects that rows name and the storage does not have: they were deleted
	// while the backup was made, or lost before.
	Missing []string `json:"missing"`
}

const manifestFormat = 2

// Backup is a backup that is made or brought up to date.
type Backup struct {
	From     Installation
	Dir      string
	Secret   string   // for SecretFile; none when empty
	Secrets  []string // of the installation; the first one is in use
	Program  string   // the version of this program
	Progress func(ObjectSum)
}

// snapshots is how often rows are copied again because an object that they name was deleted
// before it could be copied.
const snapshots = 3

// Run makes the backup, while servers use the installation. It copies only the objects that
// an earlier backup in the same directory does not have.
func (b Backup) Run(ctx context.Context) (m Manifest, copied ObjectSum, err error) {
	if m.Installation, err = installationID(ctx, b.From.DB); err != nil {
		return m, copied, err
	}
	earlier, unlock, err := b.lock(m.Installation)
	if err != nil {
		return m, copied, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	disk, err := blob.OpenDisk(filepath.Join(b.Dir, mediaDir))
	if err != nil {
		return m, copied, err
	}
	defer disk.Close()
	if err := claim(ctx, disk, m.Installation); err != nil {
		return m, copied, err
	}
	saved, err := earlier.list(b.Dir)
	if err != nil {
		return m, copied, err
	}
	o := objects{from: b.From.Blobs, to: disk, backup: true, progress: b.Progress, earlier: saved, earlierAt: earlier.At}
	if copied, err = o.copy(ctx); err != nil {
		return m, copied, err
	}
	before := copied.Copied
	m.Format, m.Program = manifestFormat, b.Program
	if len(b.Secrets) > 0 {
		m.Secret = Fingerprint(b.Secrets[0], m.Installation)
	}
	for try := 1; try == 1 || try <= snapshots && len(m.Missing) > 0; try++ {
		m.At = time.Now().UTC()
		if m.Tables, err = b.copyRows(ctx); err != nil {
			return m, copied, err
		}
		if copied, err = o.copy(ctx); err != nil {
			return m, copied, err
		}
		before += copied.Copied
		if m.Missing, err = b.missing(ctx, disk, o.seen); err != nil {
			return m, copied, err
		}
	}
	copied.Copied = before
	name := m.At.Format("20060102T150405.000Z")
	m.Database, m.List = name+".db", name+".objects"
	m.Rows = totalRows(m.Tables)
	m.Objects, m.Bytes = copied.Objects, copied.Bytes
	if err := b.publish(&m, o.seen); err != nil {
		return m, copied, err
	}
	return m, copied, b.prune(ctx, disk, o.seen)
}

func (b Backup) path(name string) string { return filepath.Join(b.Dir, name) }

// lock makes sure that no other backup uses the directory, and that it is empty or has a backup of
// this installation, which it returns, finished or not.
func (b Backup) lock(installation string) (have Manifest, unlock func() error, err error) {
	entries, err := os.ReadDir(b.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return have, nil, err
	}
	have, err = ReadManifest(b.Dir)
	switch {
	case err == nil && have.Installation != installation:
		return have, nil, fmt.Errorf("%s has a backup of another installation, %s", b.Dir, have.Installation)
	case errors.Is(err, ErrNoBackup):
		for _, e := range entries {
			known := []string{mediaDir, SecretFile, SecretFile + ".new", manifestFile + ".new"} // of a first one that was interrupted
			if !slices.Contains(known, e.Name()) && !strings.HasPrefix(e.Name(), newDatabase) && !fileName.MatchString(e.Name()) {
				return have, nil, fmt.Errorf("%s is not a backup, and not empty: it has %s", b.Dir, e.Name())
			}
		}
	case err != nil:
		return have, nil, err
	}
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return have, nil, err
	}
	lock, err := store.LockServer(b.path(newDatabase))
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("another backup into %s is being made", b.Dir)
	}
	if err != nil {
		return have, nil, err
	}
	return have, lock.Close, nil
}

// copyRows writes the rows into a new file beside the one of the last backup.
func (b Backup) copyRows(ctx context.Context) (sums []store.TableSum, err error) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(b.path(newDatabase) + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	db, err := store.OpenEmpty(ctx, store.Options{Path: b.path(newDatabase)}, b.From.DB)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return copyRows(ctx, b.From.DB, db)
}

// missing lists the objects that the rows of the backup name and that it does not have. Those
// that it has, though the source has lost them, it adds to what was seen: they are kept.
func (b Backup) missing(ctx context.Context, disk blob.Store, seen list) (keys []string, err error) {
	db, err := store.OpenUnmigrated(ctx, store.Options{Path: b.path(newDatabase)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return missing(ctx, db, disk, seen)
}

// publish names the new database and the new list in the manifest, and removes those before.
func (b Backup) publish(m *Manifest, saved list) error {
	lines, err := saved.text()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(lines)
	m.ListSHA256 = hex.EncodeToString(sum[:])
	text, err := wire.Marshal(m)
	if err != nil {
		return err
	}
	if b.Secret != "" {
		err = b.replaceFile(SecretFile, []byte(b.Secret+"\n"))
	} else if err = os.Remove(b.path(SecretFile)); errors.Is(err, fs.ErrNotExist) { // of an earlier backup
		err = nil
	}
	if err != nil {
		return err
	}
	if err := os.Rename(b.path(newDatabase), b.path(m.Database)); err != nil {
		return err
	}
	if err := b.replaceFile(m.List, lines); err != nil {
		return err
	}
	if err := b.replaceFile(manifestFile, append(text, '\n')); err != nil {
		return err
	}
	entries, err := os.ReadDir(b.Dir)
	for _, e := range entries {
		if fileName.MatchString(e.Name()) && e.Name() != m.Database && e.Name() != m.List {
			err = errors.Join(err, os.Remove(b.path(e.Name())))
		}
	}
	return err
}

// fileName is how the databases and the lists of backups are named, and no other file.
var fileName = regexp.MustCompile(`^\d{8}T\d{6}\.\d{3}Z\.(db|objects|objects\.new)$`)

// replaceFile writes a file that its owner alone can read, whole or not at all.
func (b Backup) replaceFile(name string, text []byte) error {
	temp := b.path(name + ".new")
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, b.path(name)); err != nil {
		return err
	}
	return database.SyncDirectory(b.Dir)
}

// prune deletes the objects that neither the source nor the new database has.
func (b Backup) prune(ctx context.Context, disk blob.Store, seen list) error {
	for entry, err := range disk.List(ctx, "", "") {
		if err != nil {
			return err
		}
		if _, ok := seen[entry.Key]; ok || entry.Key == media.InstallationKey {
			continue
		}
		if err := disk.Delete(ctx, entry.Key); err != nil {
			return err
		}
	}
	return nil
}

// Fingerprint shows whether a secret is that of an installation, and nothing else of it.
func Fingerprint(secret, installation string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte("backup of " + installation))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ErrNoBackup says that a directory has no finished backup.
var ErrNoBackup = errors.New("there is no finished backup")

// ReadManifest reads what a backup is of.
func ReadManifest(dir string) (m Manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s: %w", dir, ErrNoBackup)
	}
	if err != nil {
		return m, err
	}
	if err := wire.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", filepath.Join(dir, manifestFile), err)
	}
	if m.Format != manifestFormat {
		return m, fmt.Errorf("%s: the backup has the format %d, this program knows %d", dir, m.Format, manifestFormat)
	}
	return m, nil
}

// list reads which objects the backup has: none where there is no backup.
func (m Manifest) list(dir string) (list, error) {
	if m.List == "" {
		return nil, nil
	}
	return readList(dir, m)
}

// OpenBackup opens a finished backup as an installation. Its rows must be those that the
// manifest names. It writes nothing: the directory may be on a medium that is read-only.
func OpenBackup(ctx context.Context, dir string) (i Installation, err error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return i, err
	}
	if i.saved, err = readList(dir, m); err != nil {
		return i, err
	}
	if i.DB, err = store.OpenUnmigrated(ctx, store.Options{Path: filepath.Join(dir, filepath.Base(m.Database)), ReadOnly: true}); err != nil {
		return i, err
	}
	sums, err := i.DB.SumRows(ctx)
	if err == nil && !slices.Equal(sums, m.Tables) {
		err = cmp.Or(compare(m.Tables, sums), errors.New("it has tables that the manifest does not name"))
	}
	if err != nil {
		return i, errors.Join(fmt.Errorf("the database of the backup is not as it was written: %w", err), i.DB.Close())
	}
	disk, err := blob.OpenDisk(filepath.Join(dir, mediaDir))
	if err != nil {
		return i, errors.Join(err, i.DB.Close())
	}
	i.Blobs = disk
	return i, nil
}
