package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
)

// List implements Store. A folder is read whole, so packages above keep the
// number of objects in one folder to thousands rather than millions.
func (d *Disk) List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		// The whole segments of the prefix lead straight to their folder.
		base := prefix[:strings.LastIndexByte(prefix, '/')+1]
		if base != "" {
			if err := CheckKey(strings.TrimSuffix(base, "/")); err != nil {
				yield(Entry{}, fmt.Errorf("prefix: %w", err))
				return
			}
		}
		l := listing{d, ctx, prefix, after, yield}
		l.walk(base)
	}
}

// listing is one walk over the store.
type listing struct {
	disk          *Disk
	ctx           context.Context
	prefix, after string
	yield         func(Entry, error) bool
}

// walk lists the folder of whole segments and those below it. It returns false
// when the walk is over.
func (l *listing) walk(base string) bool {
	entries, err := l.disk.readFolder(folderPath(base))
	if errors.Is(err, fs.ErrNotExist) {
		return true // never there, or emptied meanwhile
	}
	if err != nil {
		l.yield(Entry{}, fmt.Errorf("blob: list: %w", err))
		return false
	}
	for _, e := range inKeyOrder(entries) {
		if l.ctx.Err() != nil {
			l.yield(Entry{}, context.Cause(l.ctx))
			return false
		}
		name := base + e.key
		if e.IsDir() {
			if l.mayHold(name) && !l.walk(name) {
				return false
			}
			continue
		}
		if !strings.HasPrefix(name, l.prefix) || name <= l.after || !e.Type().IsRegular() {
			continue
		}
		info, err := l.disk.root.Lstat(filePath(name))
		if err != nil {
			continue // deleted meanwhile
		}
		if !l.yield(Entry{Key: name, Size: max(0, info.Size()-trailerSize), ModTime: info.ModTime()}, nil) {
			return false
		}
	}
	return true
}

// mayHold reports whether keys that begin with base can be in the listing.
func (l *listing) mayHold(base string) bool {
	if !strings.HasPrefix(base, l.prefix) && !strings.HasPrefix(l.prefix, base) {
		return false
	}
	return base > l.after || strings.HasPrefix(l.after, base)
}

// keyEntry is a file or folder with its part of the key, which for a folder
// ends in a slash.
type keyEntry struct {
	fs.DirEntry
	key string
}

// inKeyOrder sorts a folder so that a walk meets keys in the order of their bytes:
// a folder sorts by its name and a slash, which comes after a dash and a dot. Names
// that no key can have are left out.
func inKeyOrder(entries []fs.DirEntry) []keyEntry {
	ordered := make([]keyEntry, 0, len(entries))
	for _, e := range entries {
		name, folder := strings.CutSuffix(e.Name(), folderMark)
		if folder != e.IsDir() || checkSegment(name) != nil {
			continue
		}
		if folder {
			name += "/"
		}
		ordered = append(ordered, keyEntry{e, name})
	}
	slices.SortFunc(ordered, func(a, b keyEntry) int { return cmp.Compare(a.key, b.key) })
	return ordered
}

func (d *Disk) readFolder(folder string) ([]fs.DirEntry, error) {
	f, err := d.root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
