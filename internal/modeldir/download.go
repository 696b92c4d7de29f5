package modeldir

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/atelier-project/atelier/internal/wire"
)

// Record is what is kept beside a file: where it came from, and its checksum.
type Record struct {
	URL       string    `json:"url"`
	ETag      string    `json:"etag,omitempty"` // of a download that is under way
	FetchedAt time.Time `json:"fetchedAt,omitzero"`
	Facts
}

// The endings of what is written beside a file. ComfyUI lists none of them.
const (
	partEnding   = ".part"
	recordEnding = ".source.json"
)

// Download fetches a file into a directory, or what is missing of it, and returns its record.
// progress is called with the bytes that are there, whenever there are more, from the start of
// the reading of what had arrived before; the checksum of that is computed again. While another
// download of the same file is under way, this one waits, and takes over what it leaves.
func (f *Fetcher) Download(ctx context.Context, dir string, file File, facts Facts, progress func(done int64)) (Record, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Record{}, err
	}
	d := &download{
		fetcher: f, file: file, facts: facts, progress: progress,
		path: filepath.Join(dir, file.Name), sum: sha256.New(),
	}
	if err := d.lock(ctx); err != nil {
		return Record{}, err
	}
	defer d.part.Close() // for the second time after a success
	if r, ok := d.there(); ok {
		d.forget()
		return r, nil
	}
	if err := d.resume(ctx); err != nil {
		return Record{}, err
	}
	if err := f.insist(ctx, func() (bool, error) { return d.run(ctx) }); err != nil {
		return Record{}, err
	}
	return d.finish()
}

// Arrived is how many bytes of a file an earlier download has left.
func Arrived(dir string, file File) int64 {
	info, err := os.Stat(filepath.Join(dir, file.Name) + partEnding)
	if err != nil {
		return 0
	}
	return info.Size()
}

// download is a file on its way.
type download struct {
	fetcher  *Fetcher
	file     File
	facts    Facts
	progress func(int64)
	path     string
	part     *os.File
	etag     string
	done     int64
	furthest int64 // that done has been
	sum      hash.Hash
}

// resume takes over what an earlier download has left, if it is of the same file.
func (d *download) resume(ctx context.Context) error {
	r, _ := readRecord(d.path + partEnding + ".json") // what cannot be read is not used
	same := r.URL == d.file.URL && (r.SHA256 != "" && r.SHA256 == d.facts.SHA256 || r.SHA256 == "" && d.facts.SHA256 == "" && r.ETag != "")
	if !same {
		return d.restart()
	}
	d.etag = r.ETag
	n, err := io.Copy(io.MultiWriter(d.sum, (*progressWriter)(d)), &stoppable{ctx, d.part})
	if err != nil {
		return err
	}
	if d.facts.Bytes >= 0 && n > d.facts.Bytes {
		return d.restart()
	}
	return nil
}

// progressWriter counts what has been read.
type progressWriter download

func (w *progressWriter) Write(p []byte) (int, error) {
	w.done += int64(len(p))
	if w.progress != nil {
		w.progress(w.done)
	}
	return len(p), nil
}

// stoppable reads until a context ends.
type stoppable struct {
	ctx context.Context
	io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.Reader.Read(p)
}

// restart forgets what has arrived.
func (d *download) restart() error {
	d.done, d.etag = 0, ""
	d.sum.Reset()
	_, err := d.part.Seek(0, io.SeekStart)
	return errors.Join(err, d.part.Truncate(0))
}

// run reads what is left of the file.
func (d *download) run(ctx context.Context) (further bool, err error) {
	if d.done > 0 && d.done == d.facts.Bytes {
		return true, nil
	}
	etag := d.etag
	switch {
	case d.facts.SHA256 != "":
		etag = "" // the checksum decides, and a site may send the file from several servers
	case etag == "" && d.done > 0: // nothing would tell that the rest is of the same version
		if err := d.restart(); err != nil {
			return false, err
		}
	}
	a, err := d.fetcher.open(ctx, d.file, d.done, etag, false)
	if errors.Is(err, errRange) && d.done > 0 {
		if err := d.restart(); err != nil {
			return false, err
		}
		return false, transient{err, 0}
	}
	if err != nil {
		return false, err
	}
	defer a.Close()
	if a.offset > 0 && d.facts.SHA256 == "" && a.etag != d.etag {
		return false, errors.Join(transient{fmt.Errorf("the site has another version of %s than before", d.file.Name), 0}, d.restart())
	}
	facts, err := d.facts.with(a.facts, d.file)
	if err != nil {
		return false, err
	}
	if facts.Bytes < 0 {
		return false, fmt.Errorf("neither the catalog nor the site says how large %s is", d.file.Name)
	}
	if a.offset == 0 && d.done > 0 { // the site does not resume, or has another file now
		if err := d.restart(); err != nil {
			return false, err
		}
	}
	d.facts, d.etag = facts, a.etag
	if err := d.remember(partEnding+".json", Record{URL: d.file.URL, ETag: d.etag, Facts: d.facts}); err != nil {
		return false, err
	}
	return d.copy(ctx, a)
}

// How many bytes arrive between two looks at the disk.
const betweenLooks = 256 << 20

// copy writes what an answer brings.
func (d *download) copy(ctx context.Context, a *answer) (further bool, err error) {
	buf := make([]byte, 128<<10)
	for look := int64(0); ; {
		if ctx.Err() != nil {
			return further, context.Cause(ctx)
		}
		n, err := a.Read(buf)
		if n > 0 {
			if d.done+int64(n) > d.facts.Bytes {
				return further, errors.Join(fmt.Errorf("the site sent more bytes of %s than it declared", d.file.Name), d.restart())
			}
			if look -= int64(n); look < 0 {
				look = betweenLooks
				if err := d.checkSpace(); err != nil {
					return further, err
				}
			}
			if _, err := d.part.Write(buf[:n]); err != nil {
				return further, d.explainWrite(err)
			}
			d.sum.Write(buf[:n])
			_, _ = (*progressWriter)(d).Write(buf[:n])
			further = further || d.done > d.furthest
			d.furthest = max(d.furthest, d.done)
		}
		switch {
		case errors.Is(err, io.EOF) && d.done == d.facts.Bytes:
			return true, nil
		case errors.Is(err, io.EOF):
			return further, transient{fmt.Errorf("the download of %s was interrupted", d.file.Name), 0}
		case err != nil:
			return further, d.fetcher.explain(ctx, d.fetcher.address(d.file.URL), err)
		}
	}
}

// checkSpace ends a download before it fills the disk.
func (d *download) checkSpace() error {
	free, err := d.fetcher.opts.Free(filepath.Dir(d.path))
	if err != nil || free >= reserve {
		return nil // the write to a full disk fails, where it cannot be asked
	}
	return d.full()
}

func (d *download) explainWrite(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return d.full()
	}
	return err
}

func (d *download) full() error {
	return fmt.Errorf("%w on the disk of %s: %d bytes of %s are still to come, and what has arrived is kept",
		ErrSpace, filepath.Dir(d.path), d.facts.Bytes-d.done, d.file.Name)
}

// finish checks the whole file and gives it its name.
func (d *download) finish() (Record, error) {
	sum := hex.EncodeToString(d.sum.Sum(nil))
	if d.facts.SHA256 != "" && sum != d.facts.SHA256 {
		err := fmt.Errorf("%s is damaged: its SHA-256 is %s, and %s says %s; it is not kept", d.file.Name, sum, d.facts.SaidBy, d.facts.SHA256)
		return Record{}, errors.Join(err, d.restart(), os.Remove(d.path+partEnding))
	}
	d.facts.SHA256 = sum
	r := Record{URL: d.file.URL, FetchedAt: time.Now().UTC().Truncate(time.Second), Facts: d.facts}
	err := errors.Join(d.part.Sync(), d.remember(recordEnding, r))
	if err == nil && !renamesOpen {
		err = d.part.Close()
	}
	if err == nil {
		err = os.Rename(d.path+partEnding, d.path)
	}
	if err != nil {
		return Record{}, d.explainWrite(err)
	}
	_ = os.Remove(d.path + partEnding + ".json") // it only describes the part
	return r, nil
}

// remember writes a record beside the file.
func (d *download) remember(ending string, r Record) error {
	text, err := wire.MarshalV1(r)
	if err != nil {
		return err
	}
	name := d.path + ending
	if err := writeNew(name+".new", append(text, '\n')); err != nil {
		return d.explainWrite(err)
	}
	return os.Rename(name+".new", name)
}

// Check compares a file with its size and SHA-256. Without them it is compared with its own
// record. It says what it was compared with, empty for nothing.
func Check(ctx context.Context, path string, facts Facts, progress func(done int64)) (with string, err error) {
	if facts.SHA256 == "" {
		if r, err := ReadRecord(path); err == nil {
			facts = r.Facts
			if facts.SaidBy == "" {
				facts.SaidBy = "the record of its download"
			}
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case facts.Bytes > 0 && info.Size() != facts.Bytes:
		return facts.SaidBy, fmt.Errorf("%s has %d bytes, and should have %d", path, info.Size(), facts.Bytes)
	case facts.SHA256 == "":
		return "", nil
	}
	d := &download{progress: progress, sum: sha256.New()}
	if _, err := io.Copy(io.MultiWriter(d.sum, (*progressWriter)(d)), &stoppable{ctx, f}); err != nil {
		return facts.SaidBy, err
	}
	if sum := hex.EncodeToString(d.sum.Sum(nil)); sum != facts.SHA256 {
		return facts.SaidBy, fmt.Errorf("%s has the SHA-256 %s, and should have %s", path, sum, facts.SHA256)
	}
	return facts.SaidBy, nil
}

// existing is the directory itself, or the nearest one above it that exists.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
