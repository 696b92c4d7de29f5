package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path/filepath"
	"strings"
	"time"

	"github.com/atelier-project/atelier/bench/bare"
	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
)

const (
	largeFile  = 1 << 30
	mediaTurns = 3
)

// media measures a large file on its way in by a signed form and out by a signed URL, beside a bare handler that copies
// the same bytes, and the most memory the service took meanwhile. Files are sent by net/http: a client for them would
// do no less.
func (b *bench) media(ctx context.Context) error {
	size := b.scaled(largeFile)
	b.out.Begin("Media", fmt.Sprintf("%d MB by a signed form and a signed URL, on disk, as a ratio to a bare handler", size>>20))
	s := b.service("media", append([]string{fmt.Sprintf("ATELIER_LIMITS_UPLOAD_BYTES=%d", 2*largeFile)}, server.ReadLimits...)...)
	account, err := s.Account(ctx)
	if err != nil {
		return err
	}
	p, err := s.Serve(ctx)
	if err != nil {
		return err
	}
	defer p.Stop()
	baseline, err := bare.StartFiles(ctx, filepath.Join(b.dir, "baseline.mp4"))
	if err != nil {
		return err
	}
	defer baseline.Stop()
	c, err := load.Dial(ctx, p.URL, account.Headers())
	if err != nil {
		return err
	}
	defer c.Close()
	side := func(name string) measure.Side { return measure.Side{Name: name, Unit: "MB/s"} }
	up, down := [2]measure.Side{side("atelier"), side("bare")}, [2]measure.Side{side("atelier"), side("bare")}
	note := func(to *measure.Side, took time.Duration) {
		to.Turns = append(to.Turns, float64(size>>20)/took.Seconds())
	}
	for turn := range mediaTurns {
		took, link, err := uploadLarge(ctx, c, fmt.Sprintf("bench-%d", turn), size)
		if err != nil {
			return err
		}
		note(&up[0], took)
		if took, err = timed(ctx, http.MethodPost, baseline.URL, "video/mp4", largeBody(size), 0); err != nil {
			return err
		}
		note(&up[1], took)
		for i, url := range []string{link, baseline.URL} {
			if took, err = timed(ctx, http.MethodGet, url, "", nil, size); err != nil {
				return err
			}
			note(&down[i], took)
		}
	}
	b.out.Add(measure.Ratio("upload", measure.More, up[0], up[1]))
	b.out.Add(measure.Ratio("download", measure.More, down[0], down[1]))
	b.out.Add(measure.Value("most memory", "MB", measure.Less, measure.Series{p.Memory(server.Peak)}))
	return nil
}

// largeBody begins like an MP4.
func largeBody(size int) io.Reader {
	head := "\x00\x00\x00\x18ftypmp42"
	return io.MultiReader(strings.NewReader(head), io.LimitReader(pattern{}, int64(size-len(head))))
}

// pattern is bytes that cost nothing to make.
type pattern struct{}

func (pattern) Read(p []byte) (int, error) { return len(p), nil }

// uploadLarge asks for a form and posts a file with it. It returns how long the post took and where the file can be
// fetched.
func uploadLarge(ctx context.Context, c *load.Conn, job string, size int) (took time.Duration, link string, err error) {
	var form struct {
		URL    string
		Fields map[string]string
	}
	if err := data(c, "/v2/media/uploadUrl?type=referenceVideo&contentType=video/mp4&jobId="+job, &form); err != nil {
		return 0, "", err
	}
	read, write := io.Pipe()
	body := multipart.NewWriter(write)
	go func() {
		for name, value := range form.Fields {
			_ = body.WriteField(name, value)
		}
		part, err := body.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="x.mp4"`}, "Content-Type": {"video/mp4"}})
		if err == nil {
			_, err = io.CopyBuffer(part, struct{ io.Reader }{largeBody(size)}, make([]byte, 1<<20))
		}
		if err == nil {
			err = body.Close()
		}
		write.CloseWithError(err)
	}()
	if took, err = timed(ctx, http.MethodPost, form.URL, body.FormDataContentType(), read, 0); err != nil {
		return 0, "", err
	}
	var reply struct{ DownloadURL string }
	err = data(c, "/v2/media/downloadUrl?type=referenceVideo&jobId="+job, &reply)
	return took, reply.DownloadURL, err
}

// data reads the data of a JSON answer.
func data(c *load.Conn, path string, out any) error {
	answer, err := c.Want(200, "GET", path, "", nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, &struct{ Data any }{out})
}

// timed sends a request and reads the answer to its end. A size, unless it is 0, is what the answer must have.
func timed(ctx context.Context, method, url, contentType string, body io.Reader, size int) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", contentType)
	began := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && (resp.StatusCode >= 300 || (size > 0 && n != int64(size))) {
		err = fmt.Errorf("%s %s: %s, %d bytes", method, url, resp.Status, n)
	}
	return time.Since(began), err
}
