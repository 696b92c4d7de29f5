package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// putUnread writes a small object directly to its final name. A temporary file and
// a rename would cost more than its bytes, and no reader knows the key yet, so none
// sees it half written. What a crash leaves has no trailer and counts as damaged;
// the next Put of the key replaces it. It reports false when the name is taken.
func (d *Disk) putUnread(ctx context.Context, key, kind string, r *bytes.Reader, o PutOptions) (obj Object, done bool, err error) {
	size := r.Size()
	if o.MaxBytes > 0 && size > o.MaxBytes {
		return obj, true, fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, o.MaxBytes)
	}
	t := trailer{Size: size, ContentType: kind}
	end, err := t.encode()
	if err != nil {
		return obj, true, err
	}
	if o.Check != nil {
		if err := o.Check(r, size, ""); err != nil {
			return obj, true, err
		}
	}
	content := make([]byte, size, int(size)+len(end))
	if _, err := r.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) {
		return obj, true, err
	}
	if err := ctx.Err(); err != nil {
		return obj, true, context.Cause(ctx)
	}
	folder, err := d.openFolder(path.Dir(filePath(key)))
	if err != nil {
		return obj, true, err
	}
	defer folder.Close()
	name := path.Base(filePath(key))
	info, err := writeNew(folder, name, append(content, end...), !o.Unsynced)
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist): // a concurrent Delete may have removed the folder
		return obj, false, nil
	case err != nil:
		return obj, true, errors.Join(err, folder.Remove(name))
	}
	obj = object(key, t, info)
	obj.Unsynced = o.Unsynced
	return obj, true, nil
}

// openFolder opens a folder and creates it when it is missing.
func (d *Disk) openFolder(folder string) (*os.Root, error) {
	root, err := d.root.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.makeFolder(folder); err != nil {
			return nil, err
		}
		root, err = d.root.OpenRoot(folder)
	}
	return root, err
}

// writeNew writes a file that must be new, durably if it is synced.
func writeNew(folder *os.Root, name string, content []byte, synced bool) (fs.FileInfo, error) {
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(content)
	if err == nil && synced {
		err = f.Sync()
	}
	info, failed := f.Stat()
	if err = errors.Join(err, failed, f.Close()); err != nil {
		return nil, err
	}
	if !synced {
		return info, nil
	}
	return info, syncRoot(folder)
}
