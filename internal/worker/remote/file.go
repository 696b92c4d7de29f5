package remote

import (
	"encoding/base64"
	"fmt"
	"os"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

// file is an input of a job.
type file struct {
	path string
	url  string // of the service; empty for a file of this process
	kind string // image, video or audio
}

// filesOf are the inputs of an argument, in order.
func filesOf(t worker.Task, argument string) (out []file) {
	for _, in := range t.Inputs {
		if in.Argument != argument {
			continue
		}
		name := argument
		if n := len(out); n > 0 {
			name = fmt.Sprintf("%s#%d", argument, n)
		}
		f := file{path: t.Files[name], url: in.URL, kind: in.Kind}
		if f.kind == "" || f.kind == "any" {
			f.kind = filetype.Kind(filetype.DetectFile(f.path))
		}
		out = append(out, f)
	}
	return out
}

// maxInline is the largest file that is sent inside a request.
const maxInline = 64 << 20

// inline is a file as a data URL.
func (f file) inline() (string, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return "", err
	}
	if info.Size() > maxInline {
		return "", worker.Failf("A file of %d bytes is too large to send inside a request to the vendor; the limit is %d.", info.Size(), maxInline)
	}
	data, err := os.ReadFile(f.path)
	if err != nil {
		return "", err
	}
	kind := filetype.DetectFile(f.path)
	if kind == "" {
		return "", worker.Failf("An input file of the job has an unknown type and cannot be sent to the vendor.")
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data), nil
}

// forVendor is a file as the vendor gets it.
func (f file) forVendor(media string) (string, error) {
	if media == "url" && f.url != "" {
		return f.url, nil
	}
	return f.inline()
}
