package database

import (
	"errors"
	"math/rand/v2"
	"os"

	"github.com/atelier-project/atelier"
)

// reserve is a file that takes space on the disk of a SQLite file. When the disk is full it
// is removed, so that a deletion can be written to the log, and made again as far as there
// is space. The writer alone uses it.
type reserve struct {
	path string
	size int64
	full bool // the file has its size
}

// release removes the file. It reports false when the file does not exist.
func (r *reserve) release() bool {
	r.full = false
	return r.size > 0 && os.Remove(r.path) == nil
}

// fill makes the file as large as it should be, or as the disk allows.
func (r *reserve) fill() {
	if r.full || r.size <= 0 {
		return
	}
	file, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return
	}
	noise := rand.NewChaCha8([32]byte{}) // a file system could store zeros in no space
	chunk := make([]byte, 64<<10)
	for left := r.size - info.Size(); left > 0; left -= int64(len(chunk)) {
		chunk = chunk[:min(left, int64(len(chunk)))]
		_, _ = noise.Read(chunk) // it never fails
		if _, err := file.Write(chunk); err != nil {
			return // the disk is full: what was written stays
		}
	}
	r.full = true
}

// isFull reports whether an error means that the disk is full.
func isFull(err error) bool {
	var away *atelier.UnavailableError
	return errors.As(err, &away) && away.Part == atelier.PartStorage
}
