package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/fetch"
)

// Open begins to read a file from an offset on, to its end when length is zero. total is its
// size as the server says, -1 when it does not. What comes too slowly is given up.
func (s *Sources) Open(ctx context.Context, p Pin, offset, length int64) (body io.ReadCloser, total int64, err error) {
	at, err := s.siteOf(p)
	if err != nil {
		return nil, 0, err
	}
	part, err := at.open(ctx, p, offset, length, "")
	if err != nil {
		return nil, 0, err
	}
	return &paced{part, time.Now()}, part.total, nil
}

// paced is a part that is given up when it is behind the least rate.
type paced struct {
	*part
	began time.Time
}

// Read implements io.Reader.
func (r *paced) Read(p []byte) (int, error) {
	n, err := r.part.Read(p)
	if err == nil {
		err = r.site.checkPace(r.began, r.n)
	}
	return n, err
}

// part is a part of a file that is being read.
type part struct {
	site  *site
	body  *fetch.Answer
	total int64 // size of the file; -1 when unknown
	want  int64 // bytes of this part; -1 when unknown
	whole bool  // the part is the file
	n     int64 // of them read
	etag  string
}

// open requests a part of a file, with an etag only of the content that has this tag.
func (s *site) open(ctx context.Context, p Pin, offset, length int64, etag string) (*part, error) {
	r := fetch.Request{URL: s.at(p.Path), IfRange: etag, Bearer: s.Key}
	switch {
	case length > 0:
		r.Range = fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
	case offset > 0:
		r.Range = fmt.Sprintf("bytes=%d-", offset)
	}
	a, err := s.file.Open(ctx, r)
	if err != nil {
		return nil, s.explain(err)
	}
	part := &part{site: s, body: a, whole: r.Range == "", etag: strongTag(a.Header)}
	if err := part.check(p, offset, length, etag); err != nil {
		a.Close()
		return nil, err
	}
	return part, nil
}

// strongTag returns the tag of an entity, when it stands for its exact bytes.
func strongTag(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return ""
}

// check judges an answer by its header, and finds out what is to come.
func (r *part) check(p Pin, offset, length int64, etag string) error {
	s, a := r.site, r.body
	switch {
	case a.Status < 300 && etag != "" && r.etag != "" && r.etag != etag:
		return s.changed()
	case a.Status == http.StatusPartialContent && !r.whole:
		first, last, total := int64(-1), int64(-1), int64(-1)
		_, err := fmt.Sscanf(a.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &total)
		end := total
		if length > 0 {
			end = min(total, offset+length)
		}
		r.total, r.want = total, end-offset
		if err != nil || first != offset || last != end-1 || r.want < 1 || a.Size >= 0 && a.Size != r.want {
			return fail(Rejected, "%s sent another part of the file than the one asked for.", s.Host)
		}
	case a.Status == http.StatusOK && offset > 0:
		return fail(Transient, "The download from %s was interrupted and cannot be resumed there. Try again later.", s.Host)
	case a.Status == http.StatusOK:
		r.total, r.want = a.Size, a.Size
		if r.total < 0 && p.Provider == HuggingFace && p.Bytes > 0 {
			r.total, r.want = p.Bytes, p.Bytes
		}
		if length > 0 && (r.want < 0 || r.want > length) {
			r.want = length
		}
	case a.Status == http.StatusRequestedRangeNotSatisfiable:
		return fail(Rejected, "The file at %s is shorter than it was.", s.Host)
	default:
		return s.refuseStatus(a.Status, a.Header)
	}
	switch kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type")); {
	case kind == "text/html" && isLogin(a.FinalURL):
		return fail(Access, "%s asks for a login before it gives this file out. Only public files can be imported.", s.Host)
	case kind == "text/html":
		return fail(Rejected, "%s sent a web page in the place of the file.", s.Host)
	case r.total > s.opts.MaxBytes:
		return s.tooLarge()
	case r.total >= 0 && !p.hasSize(r.total):
		return fail(Rejected, "The file that %s sends has %d bytes, and %d are declared.", s.Host, r.total, p.Bytes)
	}
	return nil
}

func (s *site) changed() *Error {
	return fail(Rejected, "The file changed at %s while it was downloaded.", s.Host)
}

// isLogin reports whether a request ended on the page for logins.
func isLogin(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.HasPrefix(u.Path, "/login")
}

// hasSize reports whether a size is the declared one. One of the sites declares it in
// kilobytes, which a mirror may have rounded.
func (p Pin) hasSize(n int64) bool {
	diff := n - p.Bytes
	return p.Bytes == 0 || diff == 0 || p.Provider == Civitai && diff > -1024 && diff < 1024
}

// Read implements io.Reader.
func (r *part) Read(p []byte) (int, error) {
	if !r.whole && r.want >= 0 { // a server may send more than the part
		if r.n == r.want {
			return 0, io.EOF
		}
		p = p[:min(int64(len(p)), r.want-r.n)]
	}
	n, err := r.body.Read(p)
	r.n += int64(n)
	switch {
	case r.want >= 0 && r.n > r.want:
		return 0, fail(Rejected, "%s sent more bytes than it declared.", r.site.Host)
	case errors.Is(err, io.EOF) && r.total >= 0 && r.n < r.want:
		return n, fail(Rejected, "%s sent fewer bytes than it declared.", r.site.Host)
	case err != nil && !errors.Is(err, io.EOF):
		return n, r.site.explain(err)
	}
	return n, err
}

// Close implements io.Closer.
func (r *part) Close() error { return r.body.Close() }

// Download writes a whole file to w. It resumes after broken connections, and calls
// progress, unless it is nil, whenever bytes were written; total is -1 when it is unknown.
func (s *Sources) Download(ctx context.Context, p Pin, w io.Writer, progress func(done, total int64)) error {
	at, err := s.siteOf(p)
	if err != nil {
		return err
	}
	d := &download{site: at, pin: p, w: w, progress: progress, began: time.Now(), total: -1, sum: sha256.New()}
	for try := 0; ; try++ {
		err := d.run(ctx)
		if err == nil {
			return d.verify()
		}
		if !IsTransient(err) || d.over || try >= at.opts.Resumptions {
			return err
		}
		select {
		case <-time.After(min(time.Second<<min(try, 3), 5*time.Second)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// download is a file on its way.
type download struct {
	site     *site
	pin      Pin
	w        io.Writer
	progress func(done, total int64)
	began    time.Time

	done, total int64 // total is -1 while unknown
	etag        string
	sum         hash.Hash
	over        bool // it must not be resumed
}

// run reads what is left of the file.
func (d *download) run(ctx context.Context) error {
	etag := d.etag
	if d.pin.SHA256 != "" {
		etag = "" // the checksum is enough, and the site may send the file from several servers
	}
	part, err := d.site.open(ctx, d.pin, d.done, 0, etag)
	if err != nil {
		return err
	}
	defer part.Close()
	if d.done > 0 && d.total >= 0 && part.total != d.total {
		return d.site.changed()
	}
	d.total, d.etag = part.total, part.etag
	// Without any of them, what follows may be of another file.
	d.over = d.total < 0 && d.etag == "" && d.pin.SHA256 == ""
	buf := make([]byte, 128<<10)
	for {
		n, err := part.Read(buf)
		if n > 0 {
			if _, err := d.w.Write(buf[:n]); err != nil {
				return err
			}
			d.done += int64(n)
			d.sum.Write(buf[:n])
			if d.progress != nil {
				d.progress(d.done, d.total)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := d.site.checkPace(d.began, d.done); err != nil {
			d.over = true
			return err
		}
	}
}

// checkPace gives a download up that is behind the least rate. So it ends in a time in
// proportion to its size, and a few bytes now and then do not keep it alive.
func (s *site) checkPace(began time.Time, done int64) error {
	if time.Since(began) <= s.opts.timeFor(done) {
		return nil
	}
	return fail(Transient, "%s sends the file too slowly. Try again later.", s.Host)
}

// verify checks the whole file.
func (d *download) verify() error {
	if d.pin.SHA256 != "" && hex.EncodeToString(d.sum.Sum(nil)) != d.pin.SHA256 {
		return fail(Rejected, "The file that %s sends does not have the checksum that is declared.", d.site.Host)
	}
	return nil
}
