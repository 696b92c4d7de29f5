package probe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
)

// digest returns the SHA-256 of a whole file.
func digest(ctx context.Context, f io.ReaderAt) (string, error) {
	h := sha256.New()
	buf := make([]byte, 1<<20)
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.ReadAt(buf, at)
		h.Write(buf[:n])
		at += int64(n)
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// windowReader reads a file through a buffer, so that the many small reads of a parser
// cost little, and fails when its context has ended. Every parser reads through
// it, so no loop over untrusted bytes outlives its job.
type windowReader struct {
	ctx context.Context
	f   io.ReaderAt
	at  int64
	buf []byte // what the file has there
}

// pageSize is the size of the buffer. Larger reads bypass it.
const pageSize = 64 << 10

// ReadAt implements io.ReaderAt.
func (p *windowReader) ReadAt(b []byte, off int64) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	if len(b) > pageSize/4 || off < 0 {
		return p.f.ReadAt(b, off)
	}
	if off < p.at || off+int64(len(b)) > p.at+int64(len(p.buf)) {
		if p.buf == nil {
			p.buf = make([]byte, pageSize)
		}
		n, err := p.f.ReadAt(p.buf[:pageSize], off)
		if p.at, p.buf = off, p.buf[:n]; err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	n := copy(b, p.buf[min(off-p.at, int64(len(p.buf))):])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// readBytes reads n bytes of a file, all or an error.
func readBytes(f io.ReaderAt, at int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if m, err := f.ReadAt(b, at); m < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = ErrUnreadable
		}
		return nil, err
	}
	return b, nil
}
