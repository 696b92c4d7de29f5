package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// target is where a result is saved.
type target struct {
	name      string // empty for standard output
	chosen    bool   // the name is ours: a file that is there is left alone
	extension string // the file format that it asks for
}

// newTarget finds out where a result goes: to the file that is given, or to one
// named after the kind, in a directory that is given or in this one. It fails
// where saving would, and leaves nothing behind: it is called before anything
// is paid for. The first of the formats is the usual one.
func newTarget(given, kind string, formats []string) (target, error) {
	t := target{extension: formats[0]}
	usual := kind + "." + formats[0]
	if given == "-" {
		return t, nil
	}
	if strings.HasPrefix(given, "~/") { // shells leave it in --out=~/fox.png
		given = kong.ExpandPath(given)
	}
	info, err := os.Stat(given)
	there := err == nil
	switch {
	case given == "":
		t.name, t.chosen = usual, true
	case there && info.IsDir() || os.IsPathSeparator(given[len(given)-1]):
		t.name, t.chosen = filepath.Join(given, usual), true
	default:
		t.name = given
		if asked := strings.ToLower(strings.TrimPrefix(filepath.Ext(given), ".")); asked != "" {
			t.extension = asked
		}
	}
	if !slices.Contains(formats, t.extension) {
		return t, fmt.Errorf("-o: %s cannot be made as .%s, only as .%s", kind, t.extension, strings.Join(formats, " or ."))
	}
	if _, err := os.Lstat(given); err == nil && !there { // to try it would make a file elsewhere
		return t, fmt.Errorf("-o: %s is a link to a file that does not exist: name another file", given)
	}
	if there && !t.chosen && !info.Mode().IsRegular() {
		return t, nil // a pipe or a device: its other end would notice an attempt
	}
	f, err := t.open()
	if err != nil {
		return t, err
	}
	err = f.Close()
	if err == nil && (t.chosen || !there) {
		err = os.Remove(f.Name())
	}
	return t, err
}

// open opens the file for writing, with what is in it.
func (t target) open() (*os.File, error) {
	flags, name := os.O_WRONLY|os.O_CREATE, t.name
	if t.chosen {
		flags |= os.O_EXCL
	}
	for i := 2; ; i++ {
		f, err := os.OpenFile(name, flags, 0o666)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, fs.ErrExist) && t.chosen:
			name = fmt.Sprintf("%s-%d.%s", strings.TrimSuffix(t.name, "."+t.extension), i, t.extension)
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("-o: there is no directory %s: make it first", filepath.Dir(name))
		default:
			return nil, fmt.Errorf("cannot save here: %w: name another file with -o", err)
		}
	}
}

// savePatience is how long a save that was interrupted may take to clean up.
const savePatience = time.Second

// saveUntil is save that ends with ctx, also where nobody reads from a pipe that
// it is to open.
func (t target) saveUntil(ctx context.Context, body io.Reader, out io.Writer) error {
	saved := make(chan error, 1)
	go func() { saved <- t.save(body, out) }()
	select {
	case err := <-saved:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-saved:
		return err
	case <-time.After(savePatience):
		return ctx.Err()
	}
}

// save writes a result and says where, unless it goes to standard output.
func (t target) save(body io.Reader, out io.Writer) error {
	if t.name == "" {
		signal.Ignore(syscall.SIGPIPE) // a reader that leaves is an error to tell, not the end
		_, err := io.Copy(out, body)
		return err
	}
	f, err := t.open()
	if err != nil {
		return err
	}
	info, err := f.Stat()
	isFile := err == nil && info.Mode().IsRegular() // and not a pipe or a device
	if err == nil && isFile {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = io.Copy(f, body)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		fmt.Fprintln(out, f.Name())
		return nil
	}
	if isFile { // half a result looks like a whole one
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
