package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"sync"
)

const (
	// spoolPiece is how much is read, written and digested at once.
	spoolPiece = 64 << 10

	// spoolAhead is how many pieces the digest may be behind. With one, the reader
	// and the digester would wait for each other at every piece.
	spoolAhead = 8

	// flushPiece is how much is written before the system is asked to begin writing
	// to the disk, so that little is left at the end of a large object.
	flushPiece = 8 << 20
)

var pieces = sync.Pool{New: func() any { return new([spoolPiece]byte) }}

// spool copies r to a file, in pieces that are large however small those of r are,
// and gives its size and SHA-256. The digest is empty with noDigest.
func spool(file *os.File, r io.Reader, noDigest bool) (size int64, sum string, err error) {
	var side digester
	if !noDigest {
		side.digest = sha256.New()
	}
	defer side.wait() // also when r panics
	var flushed int64
	for err == nil {
		piece := pieces.Get().(*[spoolPiece]byte)
		n, end := fill(piece[:], r)
		if _, err = file.Write(piece[:n]); err == nil {
			err = end
		}
		side.addPiece(piece, n, end != nil)
		size += int64(n)
		if size-flushed >= flushPiece {
			flush(file, flushed, size-flushed)
			flushed = size
		}
	}
	if !errors.Is(err, io.EOF) {
		return size, "", err
	}
	return size, side.sum(), nil
}

// fill reads until the piece is full or r ends or fails. Unlike io.ReadFull it
// returns the error of r unchanged.
func fill(piece []byte, r io.Reader) (n int, err error) {
	for n < len(piece) && err == nil {
		var m int
		m, err = r.Read(piece[n:])
		n += m
	}
	return n, err
}

// digester computes the digest on another goroutine, which costs no time where a
// processor is free. Content of one piece is digested directly.
type digester struct {
	digest  hash.Hash // nil when none is wanted
	waiting chan part
	done    chan struct{}
}

type part struct {
	piece *[spoolPiece]byte
	n     int
}

// addPiece adds a piece to the digest: on another goroutine, unless it is the only one.
func (d *digester) addPiece(piece *[spoolPiece]byte, n int, last bool) {
	p := part{piece, n}
	if d.waiting == nil && (last || d.digest == nil) {
		d.add(p)
		return
	}
	if d.waiting == nil {
		waiting, done := make(chan part, spoolAhead), make(chan struct{})
		go func() {
			defer close(done)
			for p := range waiting {
				d.add(p)
			}
		}()
		d.waiting, d.done = waiting, done
	}
	d.waiting <- p
}

func (d *digester) add(p part) {
	if d.digest != nil {
		d.digest.Write(p.piece[:p.n])
	}
	pieces.Put(p.piece)
}

// wait returns when all pieces are digested.
func (d *digester) wait() {
	if d.waiting != nil {
		close(d.waiting)
		<-d.done
		d.waiting = nil
	}
}

// sum is the digest of all pieces, in hexadecimal.
func (d *digester) sum() string {
	if d.digest == nil {
		return ""
	}
	d.wait()
	return hex.EncodeToString(d.digest.Sum(nil))
}
