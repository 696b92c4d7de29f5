package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"time"
)

// The folders of a disk store.
const (
	objects = "objects"
	temp    = "tmp"
)

// Disk is a Store in a directory of this machine.
type Disk struct {
	root *os.Root
}

var _ Store = (*Disk)(nil)

// OpenDisk opens the store in a directory, and creates it when it is missing.
// Several processes may use the same directory.
func OpenDisk(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	d := &Disk{root: root}
	for _, folder := range []string{objects, temp} {
		if err := d.makeFolder(folder); err != nil {
			root.Close()
			return nil, fmt.Errorf("blob: %w", err)
		}
	}
	return d, nil
}

// Close implements Store.
func (d *Disk) Close() error { return d.root.Close() }

// Put implements Store.
func (d *Disk) Put(ctx context.Context, key string, r io.Reader, o PutOptions) (Object, error) {
	if err := CheckKey(key); err != nil {
		return Object{}, err
	}
	obj, err := d.put(ctx, key, r, o)
	if err != nil {
		return Object{}, fmt.Errorf("blob: put %s: %w", key, diskOutage(err))
	}
	return obj, nil
}

func (d *Disk) put(ctx context.Context, key string, r io.Reader, o PutOptions) (Object, error) {
	kind, err := contentType(o.ContentType)
	if err != nil {
		return Object{}, err
	}
	if small, ok := r.(*bytes.Reader); ok && o.Unread && o.NoDigest {
		if obj, done, err := d.putUnread(ctx, key, kind, small, o); done {
			return obj, err
		}
		if _, err := small.Seek(0, io.SeekStart); err != nil {
			return Object{}, err
		}
	}
	f, name, err := d.createTemp()
	if err != nil {
		return Object{}, err
	}
	published := false
	defer func() { // also when r panics
		if !published {
			f.Close()
			d.root.Remove(name)
		}
	}()

	size, sum, err := spool(f, source(ctx, r, o.MaxBytes), o.NoDigest)
	if err != nil {
		return Object{}, err
	}
	if o.MaxBytes > 0 && size > o.MaxBytes {
		return Object{}, fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, o.MaxBytes)
	}
	t := trailer{Size: size, SHA256: sum, ContentType: kind}
	if o.Check != nil {
		if err := o.Check(io.NewSectionReader(f, 0, size), size, t.SHA256); err != nil {
			return Object{}, err
		}
	}
	end, err := t.encode()
	if err != nil {
		return Object{}, err
	}
	if _, err := f.Write(end); err != nil {
		return Object{}, err
	}
	if err := f.Sync(); err != nil {
		return Object{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return Object{}, err
	}
	if err := f.Close(); err != nil {
		return Object{}, err
	}
	if err := ctx.Err(); err != nil {
		return Object{}, context.Cause(ctx)
	}
	if o.OnlyNew {
		err = d.publishNew(name, filePath(key))
	} else {
		err = d.publish(name, filePath(key))
	}
	if err != nil {
		return Object{}, err
	}
	published = true
	return object(key, t, info), nil
}

// publish renames a finished file to its name, durably. A concurrent Delete may
// remove the new folder while it is empty; then publish creates it again.
func (d *Disk) publish(from, to string) error {
	folder := path.Dir(to)
	for attempt := 0; ; attempt++ {
		err := d.root.Rename(from, to)
		if err == nil {
			return d.syncName(folder, to)
		}
		if !errors.Is(err, fs.ErrNotExist) || attempt == 100 {
			return err
		}
		if err := d.makeFolder(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

// publishNew is publish for a name that must be free. A link, unlike a rename,
// fails when another process has taken the name.
func (d *Disk) publishNew(from, to string) error {
	folder := path.Dir(to)
	for attempt := 0; ; attempt++ {
		err := d.root.Link(from, to)
		switch {
		case err == nil:
			return errors.Join(d.root.Remove(from), d.syncName(folder, to))
		case errors.Is(err, fs.ErrExist):
			return ErrExists
		case !errors.Is(err, fs.ErrNotExist) || attempt == 100:
			return err
		}
		if err := d.makeFolder(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

// syncName makes a new name durable. It removes a name that may not be durable, so that
// a failed Put leaves nothing to be found.
func (d *Disk) syncName(folder, name string) error {
	err := d.syncFolder(folder)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil // a concurrent Delete may have removed the object and its folder
	}
	d.root.Remove(name)
	return err
}

// makeFolder makes a folder and those above it. Each new one is synced into
// the one that holds it, or a power cut could take it with all it contains.
func (d *Disk) makeFolder(folder string) error {
	err := d.root.Mkdir(folder, 0o700)
	if errors.Is(err, fs.ErrNotExist) && folder != "." {
		if err := d.makeFolder(path.Dir(folder)); err != nil {
			return err
		}
		err = d.root.Mkdir(folder, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.syncFolder(path.Dir(folder))
}

func (d *Disk) syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// syncRoot makes the names in an open folder durable.
func syncRoot(folder *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	f, err := folder.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Open implements Store.
func (d *Disk) Open(_ context.Context, key string) (io.ReadSeekCloser, Object, error) {
	f, obj, err := d.open(key)
	if err != nil {
		return nil, Object{}, err
	}
	return content{io.NewSectionReader(f, 0, obj.Size), f}, obj, nil
}

// content is the part of a file before its trailer. The caller does not get the
// file itself: it would read the trailer too.
type content struct {
	*io.SectionReader
	file io.Closer
}

func (c content) Close() error { return c.file.Close() }

// Stat implements Store.
func (d *Disk) Stat(_ context.Context, key string) (Object, error) {
	f, obj, err := d.open(key)
	if err != nil {
		return Object{}, err
	}
	return obj, f.Close()
}

func (d *Disk) open(key string) (*os.File, Object, error) {
	if err := CheckKey(key); err != nil {
		return nil, Object{}, err
	}
	f, err := d.root.Open(filePath(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Object{}, fmt.Errorf("blob: %s: %w", key, ErrNotFound)
	}
	if err != nil {
		return nil, Object{}, fmt.Errorf("blob: %s: %w", key, diskOutage(err))
	}
	info, err := f.Stat()
	var t trailer
	if err == nil {
		t, err = readTrailer(f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, Object{}, fmt.Errorf("blob: %s: %w", key, diskOutage(err))
	}
	return f, object(key, t, info), nil
}

func object(key string, t trailer, info fs.FileInfo) Object {
	return Object{Key: key, Size: t.Size, SHA256: t.SHA256, ContentType: t.ContentType, ModTime: info.ModTime()}
}

// Delete implements Store. Folders that become empty go as well.
func (d *Disk) Delete(_ context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	name := filePath(key)
	if err := d.root.Remove(name); errors.Is(err, fs.ErrNotExist) {
		// A concurrent Put has just created this empty folder.
		return nil
	} else if err != nil {
		return fmt.Errorf("blob: delete %s: %w", key, diskOutage(err))
	}
	d.removeEmpty(path.Dir(name))
	return nil
}

// removeEmpty removes a folder and those above it, as far as they are empty.
func (d *Disk) removeEmpty(folder string) {
	for ; folder != objects; folder = path.Dir(folder) {
		if d.root.Remove(folder) != nil {
			break // it is not empty
		}
	}
}

// Move implements Store.
func (d *Disk) Move(_ context.Context, from, to string) error {
	if err := errors.Join(CheckKey(from), CheckKey(to)); err != nil {
		return err
	}
	name := filePath(from)
	_, err := d.root.Lstat(name)
	if err == nil {
		err = d.publish(name, filePath(to))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("blob: move %s: %w", from, diskOutage(err))
	}
	d.removeEmpty(path.Dir(name))
	return nil
}

// Ping implements Store. A full or read-only disk fails here.
func (d *Disk) Ping(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, name, err := d.createTemp()
	if err != nil {
		return fmt.Errorf("blob: storage cannot be written: %w", err)
	}
	_, err = f.WriteString("ping\n")
	err = errors.Join(err, f.Sync(), f.Close(), d.root.Remove(name))
	if err != nil {
		return fmt.Errorf("blob: storage cannot be written: %w", err)
	}
	return nil
}

// Sweep implements Store.
func (d *Disk) Sweep(ctx context.Context, olderThan time.Time) (int, error) {
	entries, err := d.readFolder(temp)
	if err != nil {
		return 0, fmt.Errorf("blob: sweep: %w", err)
	}
	removed := 0
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		name := path.Join(temp, e.Name())
		info, err := d.root.Lstat(name)
		if err != nil || !info.ModTime().Before(olderThan) {
			continue // gone meanwhile, or still being written
		}
		switch err := d.root.Remove(name); {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist):
			return removed, fmt.Errorf("blob: sweep: %w", err)
		}
	}
	return removed, nil
}

func (d *Disk) createTemp() (*os.File, string, error) {
	name := path.Join(temp, rand.Text())
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return f, name, err
}

// source reads r until ctx ends, and at most one byte beyond the limit: enough to
// detect that r is too long.
func source(ctx context.Context, r io.Reader, limit int64) io.Reader {
	r = &contextReader{ctx, r}
	if limit > 0 && limit < math.MaxInt64 {
		return io.LimitReader(r, limit+1)
	}
	return r
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (o *contextReader) Read(p []byte) (int, error) {
	if o.ctx.Err() != nil {
		return 0, context.Cause(o.ctx)
	}
	return o.r.Read(p)
}
