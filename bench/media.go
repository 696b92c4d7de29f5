package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// What a large file may take.
const (
	largeFile   = 1 << 30
	mediaMemory = 100 << 20
	mediaRatio  = 0.7
	mediaTurns  = 3
)

// baselineMediaCommand makes this program a bare handler for files: it copies what
// is posted to a file, durably, and serves the file.
const baselineMediaCommand = "serve-baseline-media"

func serveBaselineMedia(dir string) {
	path := filepath.Join(dir, "baseline.mp4")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.ServeFile(w, r, path)
			return
		}
		f, err := os.Create(path)
		if err == nil {
			_, err = io.Copy(f, r.Body)
		}
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		f.Close()
		w.WriteHeader(http.StatusNoContent)
	})))
}

// media measures a gigabyte on its way in by a signed form and out by a signed
// URL, as ratios to a bare handler that copies the same bytes, and the most
// memory the service took meanwhile.
func (b *bench) media(ctx context.Context) error {
	b.out.part("Media: 1 GB by a signed form and a signed URL, on disk, as a ratio to a bare handler")
	s := service{program: b.program, data: filepath.Join(b.dir, "media")}
	key, err := s.account(ctx)
	if err != nil {
		return err
	}
	command := s.atelier(ctx, "serve")
	command.Env = append(command.Env, fmt.Sprintf("ATELIER_LIMITS_UPLOAD_BYTES=%d", 2*largeFile))
	p, err := start(command)
	if err != nil {
		return err
	}
	defer p.stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	baseline, err := start(exec.CommandContext(ctx, self, baselineMediaCommand, b.dir))
	if err != nil {
		return err
	}
	defer baseline.kill()

	var up, down []float64
	for range mediaTurns {
		ours, link, err := uploadLarge(ctx, p.url, key)
		if err != nil {
			return err
		}
		theirs, err := timed(ctx, http.MethodPost, baseline.url, "video/mp4", largeBody())
		if err != nil {
			return err
		}
		up = append(up, theirs.Seconds()/ours.Seconds())
		if ours, err = timed(ctx, http.MethodGet, link, "", nil); err != nil {
			return err
		}
		if theirs, err = timed(ctx, http.MethodGet, baseline.url, "", nil); err != nil {
			return err
		}
		down = append(down, theirs.Seconds()/ours.Seconds())
	}
	for name, ratios := range map[string][]float64{"upload": up, "download": down} {
		r := median(ratios)
		b.out.row(name, fmt.Sprintf("%.2f", r), atLeast(mediaRatio), r >= mediaRatio, "")
	}
	if peak, known := p.memory("VmHWM"); known {
		b.out.row("most memory", megabytes(peak), below(megabytes(mediaMemory)), peak < mediaMemory, "")
	}
	return nil
}

// largeBody is a gigabyte that begins like an MP4.
func largeBody() io.Reader {
	head := "\x00\x00\x00\x18ftypmp42"
	return io.MultiReader(&textReader{head}, io.LimitReader(pattern{}, largeFile-int64(len(head))))
}

type textReader struct{ rest string }

func (t *textReader) Read(p []byte) (int, error) {
	if t.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// pattern is bytes that cost nothing to make.
type pattern struct{}

func (pattern) Read(p []byte) (int, error) { return len(p), nil }

// uploadLarge asks for a form and posts a gigabyte with it. It returns how
// long the post took and where the file can be fetched.
func uploadLarge(ctx context.Context, url, key string) (took time.Duration, link string, err error) {
	var form struct {
		URL    string
		Fields map[string]string
	}
	job := fmt.Sprintf("bench-%d", time.Now().UnixNano())
	if err := get(ctx, url+"/v2/media/uploadUrl?type=referenceVideo&contentType=video/mp4&jobId="+job, key, &form); err != nil {
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
			_, err = io.CopyBuffer(part, struct{ io.Reader }{largeBody()}, make([]byte, 1<<20))
		}
		if err == nil {
			err = body.Close()
		}
		write.CloseWithError(err)
	}()
	if took, err = timed(ctx, http.MethodPost, form.URL, body.FormDataContentType(), read); err != nil {
		return 0, "", err
	}
	var reply struct{ DownloadURL string }
	err = get(ctx, url+"/v2/media/downloadUrl?type=referenceVideo&jobId="+job, key, &reply)
	return took, reply.DownloadURL, err
}

// get reads data of a JSON answer.
func get(ctx context.Context, url, key string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(&struct{ Data any }{out})
}

// timed sends a request and reads the answer to its end.
func timed(ctx context.Context, method, url, contentType string, body io.Reader) (time.Duration, error) {
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
	if err == nil && (resp.StatusCode >= 300 || (method == http.MethodGet && n != largeFile)) {
		err = fmt.Errorf("%s %s: %s, %d bytes", method, url, resp.Status, n)
	}
	return time.Since(began), err
}
