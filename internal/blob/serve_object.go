package blob

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// serveObject answers a GET or HEAD with an object or one range of it. The file is
// copied to the connection directly, so that the kernel can send it. net/http
// answers the rarer requests.
func (d *DiskServer) serveObject(w http.ResponseWriter, r *http.Request, file *os.File, o Object) {
	first, length, ok := simpleRange(r, o)
	if !ok {
		tw := &timedWriter{w, http.NewResponseController(w), d.stall}
		http.ServeContent(tw, r, "", o.ModTime, io.NewSectionReader(file, 0, o.Size))
		return
	}
	h := w.Header()
	h.Set("Accept-Ranges", "bytes")
	h.Set("Last-Modified", o.ModTime.UTC().Format(http.TimeFormat))
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	status := http.StatusOK
	if r.Header.Get("Range") != "" {
		status = http.StatusPartialContent
		h.Set("Content-Range", "bytes "+strconv.FormatInt(first, 10)+"-"+strconv.FormatInt(first+length-1, 10)+"/"+strconv.FormatInt(o.Size, 10))
	}
	if _, err := file.Seek(first, io.SeekStart); err != nil {
		panic(http.ErrAbortHandler) // nothing was sent yet and nothing can be
	}
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		d.send(w, file, length)
	}
}

// sendStep is how much a client must accept within the stall time: large enough to
// cost little, small enough for a slow connection.
const sendStep = 512 << 10

// send copies the file's next bytes to the client, as long as it takes them. A
// client that left needs no more.
func (d *DiskServer) send(w http.ResponseWriter, file *os.File, length int64) {
	tw := timedWriter{w, http.NewResponseController(w), d.stall}
	for length > 0 {
		tw.renew()
		n, err := io.CopyN(w, file, min(length, sendStep))
		if err != nil {
			return
		}
		length -= n
	}
}

// timedWriter writes with a deadline that every write renews: a download may
// take long, but a stalled one ends.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
}

func (t *timedWriter) Write(p []byte) (int, error) {
	t.renew()
	return t.ResponseWriter.Write(p)
}

// renew extends the deadline. The last one stays: buffered data is sent after the
// handler has returned, and the server sets another deadline for the next answer.
func (t *timedWriter) renew() { _ = t.control.SetWriteDeadline(time.Now().Add(t.stall)) }

// simpleRange reads a request for all of an object or for one range from a first
// byte on. It reports false for anything else: conditions, several ranges,
// suffixes, impossible ranges.
func simpleRange(r *http.Request, o Object) (first, length int64, ok bool) {
	for _, condition := range []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"} {
		if r.Header.Get(condition) != "" {
			return 0, 0, false
		}
	}
	header := r.Header.Get("Range")
	if header == "" {
		return 0, o.Size, true
	}
	spec, isBytes := strings.CutPrefix(header, "bytes=")
	from, to, dashed := strings.Cut(spec, "-")
	first, err := strconv.ParseInt(from, 10, 64)
	if !isBytes || !dashed || err != nil || first < 0 || first >= o.Size {
		return 0, 0, false
	}
	last := o.Size - 1
	if to != "" {
		n, err := strconv.ParseInt(to, 10, 64)
		if err != nil || n < first {
			return 0, 0, false
		}
		last = min(last, n)
	}
	return first, last - first + 1, true
}
