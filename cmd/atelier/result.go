package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// showing are the flags about results that were saved.
type showing struct {
	Inline string `help:"Whether saved pictures are shown in the terminal: ${enum}. By default where it can (kitty, Ghostty, iTerm2, WezTerm)." enum:"auto,always,never" default:"auto" placeholder:"auto"`
	Open   bool   `help:"Open what was saved with the program of the system."`
}

// save downloads an artifact, prints the name of its file, and shows it. When that fails, the error
// has its URL: it is paid for.
func (s showing) save(ctx context.Context, c *client.Client, a apitype.Artifact, to target, out io.Writer) error {
	body, _, err := c.Download(ctx, a.URL)
	name := ""
	if err == nil {
		name, err = to.saveUntil(ctx, body, out)
		err = errors.Join(err, body.Close())
	}
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx, "the result was made but not saved; it is at %s", a.URL)
	case err != nil:
		return fmt.Errorf("%w; the result was made but not saved; it is at %s", err, a.URL)
	case name == "": // it went to standard output
		return nil
	}
	if a.Kind == "image" {
		if err := showPicture(out, name, s.Inline); err != nil {
			return err
		}
	}
	if s.Open {
		return openFile(name)
	}
	return nil
}

// openFile opens a file as a double click would, and does not wait until it is closed.
func openFile(name string) error {
	if filepath.IsLocal(name) { // a name that begins with a dash is no flag
		name = "." + string(filepath.Separator) + name
	}
	opener := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	if err := exec.Command(opener[0], append(opener[1:], name)...).Start(); err != nil {
		return fmt.Errorf("--open: %w", err)
	}
	return nil
}

// extension is the end of a URL that can be the end of a file name.
var extension = regexp.MustCompile(`^\.[a-zA-Z0-9]{1,5}$`)

// mediaTarget is the file for a piece of media, named after what it is.
func mediaTarget(directory, tool, kind, link string) target {
	name := cmp.Or(map[string]string{"image": "image", "video": "video", "audio": "audio", "model": "3d"}[kind], "file")
	switch tool {
	case "generate_music":
		name = "music"
	case "generate_speech":
		name = "speech"
	}
	t := target{extension: "bin", chosen: true}
	if u, err := neturl.Parse(link); err == nil && extension.MatchString(filepath.Ext(u.Path)) {
		t.extension = filepath.Ext(u.Path)[1:]
	}
	t.name = filepath.Join(directory, name+"."+t.extension)
	return t
}
