package modeldir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// betweenLocks is how long a download waits between two looks at another one.
const betweenLocks = time.Second

// lock makes the part that of this download alone, and waits while another one has it.
func (d *download) lock(ctx context.Context) error {
	name := d.path + partEnding
	for {
		part, err := lockFile(name)
		if err != nil {
			return err
		}
		if part != nil {
			mine, err := part.Stat()
			if err == nil && !mine.Mode().IsRegular() {
				part.Close()
				return fmt.Errorf("%s is not a file: remove it", name)
			}
			at, gone := os.Stat(name)
			if err == nil && gone == nil && os.SameFile(mine, at) {
				d.part = part
				return nil
			}
			part.Close() // the other one has finished it since: it has the name of the file now
			if gone == nil || errors.Is(gone, fs.ErrNotExist) {
				continue
			}
			return errors.Join(err, gone)
		}
		if d.progress != nil {
			d.progress(Arrived(filepath.Dir(d.path), d.file))
		}
		if err := d.fetcher.opts.Wait(ctx, betweenLocks); err != nil {
			return fmt.Errorf("another process is downloading %s: %w", d.file.Name, err)
		}
	}
}

// there reports whether the file has arrived whole, as it has when lock waited until it did.
func (d *download) there() (Record, bool) {
	r, err := ReadRecord(d.path)
	info, gone := os.Stat(d.path)
	same := err == nil && gone == nil && r.URL == d.file.URL && r.Bytes == info.Size() &&
		(d.facts.SHA256 == "" || d.facts.SHA256 == r.SHA256) && (d.facts.Bytes < 0 || d.facts.Bytes == r.Bytes)
	return r, same
}

// forget removes what lock has made beside a file that is there.
func (d *download) forget() {
	_ = os.Remove(d.path + partEnding)
	_ = os.Remove(d.path + partEnding + ".json")
}
