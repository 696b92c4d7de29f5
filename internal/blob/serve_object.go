package blob

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// serveObject answers a GET or HEAD with an object or one range of it. The
// file is handed to the connection as it is, so that the kernel can send it;
// what is rarer than that is left to net/http.
func serveObject(w http.ResponseWriter, r *http.Request, file *os.File, o Object) {
	first, length, plain := simpleRange(r, o)
	if !plain {
		http.ServeContent(w, r, "", o.ModTime, io.NewSectionReader(file, 0, o.Size))
		return
	}
	h := w.Header()
	h.Set("Accept-Ranges", "bytes")
	h.Set("Last-Modified", o.ModTime.UTC().Format(http.TimeFormat))
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	status := http.StatusOK
	if length != o.Size {
		status = http.StatusPartialContent
		h.Set("Content-Range", "bytes "+strconv.FormatInt(first, 10)+"-"+strconv.FormatInt(first+length-1, 10)+"/"+strconv.FormatInt(o.Size, 10))
	}
	if _, err := file.Seek(first, io.SeekStart); err != nil {
		panic(http.ErrAbortHandler) // nothing was sent yet and nothing can be
	}
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = io.CopyN(w, file, length) // a client that left needs no more
	}
}

// simpleRange reads a request for all of an object or for one range from a
// first byte on. It reports false for anything else: conditions, several
// ranges, suffixes, ranges that cannot be.
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
	if !isBytes || !dashed || err != nil || first < 0 || first >= o.Size || from[0] == '+' {
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
