package endpoint

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"runtime"
	"strconv"

	"github.com/atelier-project/atelier/internal/negotiate"
)

// Answers are compressed between these sizes. A smaller one fits in a packet as it is; a larger one
// would need much memory twice.
const (
	compressAbove = 1400
	compressBelow = 4 << 20
)

// compressLevel is that of the least time: for the next one an answer takes half as long again and is 3 %
// smaller (BenchmarkCompress).
const compressLevel = gzip.BestSpeed

// compressors are the writers that are not in use. A writer has almost a megabyte, so there are few of
// them: without a free writer the answer is sent uncompressed.
var compressors = func() chan *gzip.Writer {
	free := make(chan *gzip.Writer, 2*runtime.GOMAXPROCS(0))
	for range cap(free) {
		free <- nil // made when it is first used
	}
	return free
}()

// compress writes a body into a buffer. It reports whether it did, and the result is smaller.
func compress(into *bytes.Buffer, body []byte) bool {
	select {
	case w := <-compressors:
		if w == nil {
			w, _ = gzip.NewWriterLevel(nil, compressLevel) // the level is valid
		}
		w.Reset(into)
		_, _ = w.Write(body) // a buffer takes everything
		_ = w.Close()
		w.Reset(nil) // it keeps no buffer
		compressors <- w
		return into.Len() < len(body)
	default:
		return false
	}
}

// mayCompress reports whether the answer to a request may be compressed. Only answers to reads are: what
// creates a secret, such as an API key, a session or a form for an upload, is a POST, and the length of
// its answer must not depend on how alike the secret and the text of the request are.
func mayCompress(r *http.Request, size int) bool {
	return r.Method == http.MethodGet && size > compressAbove && size <= compressBelow && r.Header["Range"] == nil
}

var (
	gzipEncoding   = []string{"gzip"}
	varyByEncoding = []string{"Accept-Encoding"}
)

// writeBody writes an answer whose type is set, compressed if a request is given and its client prefers that.
func writeBody(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	h := w.Header()
	if r != nil && mayCompress(r, len(body)) {
		h["Vary"] = append(h["Vary"], varyByEncoding...)
		if negotiate.PrefersGzip(r.Header["Accept-Encoding"]) {
			buf := buffers.Get().(*bytes.Buffer)
			defer keepBuffer(buf)
			buf.Reset()
			if compress(buf, body) {
				h["Content-Encoding"] = gzipEncoding
				body = buf.Bytes()
			}
		}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}
