package comfyui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"time"
)

// upload puts a file into ComfyUI's temporary folder and returns the name by
// which nodes load it. The folder is emptied when ComfyUI starts.
func (a *api) upload(ctx context.Context, path, name string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	in, feed := io.Pipe()
	form := multipart.NewWriter(feed)
	go func() { feed.CloseWithError(fillForm(form, f, name)) }()
	defer in.Close()
	resp, err := a.do(ctx, http.MethodPost, "/upload/image", nil, form.FormDataContentType(), in)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var out struct {
		Name      string `json:"name"`
		Subfolder string `json:"subfolder"`
		Type      string `json:"type"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxRefusal)).Decode(&out); err != nil || out.Name == "" {
		return "", fmt.Errorf("ComfyUI's answer to an upload cannot be read: %w", err)
	}
	full := out.Name
	if out.Subfolder != "" {
		full = out.Subfolder + "/" + out.Name
	}
	if out.Type != "" && out.Type != "input" {
		full += " [" + out.Type + "]"
	}
	return full, nil
}

// uploads is the folder for files of jobs.
const uploads = "atelier"

func fillForm(form *multipart.Writer, f io.Reader, name string) error {
	for _, field := range [][2]string{{"type", "temp"}, {"subfolder", uploads}, {"overwrite", "true"}} {
		if err := form.WriteField(field[0], field[1]); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("image", name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, f); err != nil {
		return err
	}
	return form.Close()
}

// file is an output file of a prompt.
type file struct {
	Name      string `json:"filename"`
	Subfolder string `json:"subfolder"`
	Type      string `json:"type"`
}

// view opens a file.
func (a *api) view(ctx context.Context, f file) (io.ReadCloser, error) {
	query := url.Values{"filename": {f.Name}, "subfolder": {f.Subfolder}, "type": {f.Type}}
	resp, err := a.do(ctx, http.MethodGet, "/view", query, "", nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// stallTime is how long a transfer may stall.
const stallTime = time.Minute

var errStalled = errors.New("the transfer has stalled")

// save copies a stream to a file, and fails when it is longer than limit or stalls.
// stop ends the request that the stream belongs to.
func save(path string, in io.Reader, limit int64, stop context.CancelCauseFunc) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	idle := time.AfterFunc(stallTime, func() { stop(errStalled) })
	defer idle.Stop()
	n, err := io.Copy(f, io.LimitReader(&watched{in, idle}, limit+1))
	err = errors.Join(err, f.Close())
	if err == nil && n > limit {
		err = fmt.Errorf("the file is larger than %d bytes", limit)
	}
	if err != nil {
		os.Remove(path)
	}
	return n, err
}

// watched resets a timer whenever bytes arrive.
type watched struct {
	io.Reader
	idle *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.idle.Reset(stallTime)
	return n, err
}
