package bare

import (
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/atelier-project/atelier/bench/load"
)

// Answer is what a server says to every request.
type Answer load.Answer

// ServeHTTP is the least that a handler can do for this answer.
func (a Answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	if a.Tag != "" {
		h.Set("ETag", a.Tag)
	}
	if len(a.Body) > 0 {
		h.Set("Content-Type", a.Type)
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

// fileHandler copies what is posted to a file, durably, and serves the file.
func fileHandler(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
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
	}
}
