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
	chosen    bool   // the name is a default: an existing file is not overwritten
	extension string // the file format of the name
}

// newTarget decides where a result goes: to the given file, or to one named after the
// kind, in the given directory or the current one. It fails when saving would fail, and
// leaves no file: it is called before anything is paid for. The first of the formats is
// the default.
func newTarget(given, kind string, formats []string) (target, error) {
	t := target{extension: formats[0]}
	usual := kind + "." + formats[0]
	if given == "-" {
		return t, nil
	}
	if strings.HasPrefix(given, "~/") { // shells do not expand it in --out=~/fox.png
		given = kong.ExpandPath(given)
	}
	info, err := os.Stat(given)
	exists := err == nil
	switch {
	case given == "":
		t.name, t.chosen = usual, true
	case exists && info.IsDir() || os.IsPathSeparator(given[len(given)-1]):
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
	if _, err := os.Lstat(given); err == nil && !exists { // a test write would create a file elsewhere
		return t, fmt.Errorf("-o: %s is a link to a file that does not exist: name another file", given)
	}
	if exists && !t.chosen && !info.Mode().IsRegular() {
		return t, nil // a pipe or a device: its reader would notice a test write
	}
	f, err := t.open()
	if err != nil {
		return t, err
	}
	err = f.Close()
	if err == nil && (t.chosen || !exists) {
		err = os.Remove(f.Name())
	}
	return t, err
}

// open opens the file for writing without truncating it.
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
			end := filepath.Ext(t.name)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(t.name, end), i, end)
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("-o: there is no directory %s: make it first", filepath.Dir(name))
		default:
			return nil, fmt.Errorf("cannot save here: %w: name another file with -o", err)
		}
	}
}

// savePatience is how long an interrupted save may take to clean up.
const savePatience = time.Second

// saveUntil is save that ends with ctx, even while it opens a pipe without a reader.
func (t target) saveUntil(ctx context.Context, body io.Reader, out io.Writer) (name string, err error) {
	type outcome struct {
		name string
		err  error
	}
	saved := make(chan outcome, 1)
	go func() {
		name, err := t.save(body, out)
		saved <- outcome{name, err}
	}()
	select {
	case o := <-saved:
		return o.name, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-saved:
		return o.name, o.err
	case <-time.After(savePatience):
		return "", ctx.Err()
	}
}

// save writes a result and says where, unless it goes to standard output. It returns the name of the
// file.
func (t target) save(body io.Reader, out io.Writer) (name string, err error) {
	if t.name == "" {
		signal.Ignore(syscall.SIGPIPE) // a closed reader is an error to report, not the end of the process
		_, err := io.Copy(out, body)
		return "", err
	}
	f, err := t.open()
	if err != nil {
		return "", err
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
		return f.Name(), nil
	}
	if isFile { // an incomplete result looks like a complete one
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return "", err
}

// number is the target of one of several results: fox.png, fox-2.png and so on. The user has named only
// the first: for the others, open finds names that are free.
func (t target) number(i int) target {
	t.chosen = t.chosen || i > 0
	return t
}
