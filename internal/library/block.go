package library

import "io"

const (
	blockSize = 64 << 10

	// readOver is the gap that is read rather than skipped: a seek in an object on S3 is a
	// request.
	readOver = 1 << 20
)

// blockReader reads at any place of an object, a block at a time: the index of a clip and
// its first frame without all that is between. It serves one caller at a time.
type blockReader struct {
	file  io.ReadSeeker
	at    int64 // of the file
	start int64 // of the block
	block []byte
}

// ReadAt implements io.ReaderAt.
func (r *blockReader) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		if off < r.start || off >= r.start+int64(len(r.block)) {
			if err := r.load(off); err != nil {
				return n, err
			}
		}
		k := copy(p[n:], r.block[off-r.start:])
		n, off = n+k, off+int64(k)
	}
	return n, nil
}

// load reads the block that begins at a place.
func (r *blockReader) load(off int64) error {
	r.block = r.block[:0]
	if gap := off - r.at; gap < 0 || gap > readOver {
		if _, err := r.file.Seek(off, io.SeekStart); err != nil {
			return err
		}
		r.at = off
	} else if n, err := io.CopyN(io.Discard, r.file, gap); err != nil {
		r.at += n
		return err
	}
	if r.block == nil {
		r.block = make([]byte, 0, blockSize)
	}
	n, err := io.ReadFull(r.file, r.block[:blockSize])
	r.start, r.at, r.block = off, off+int64(n), r.block[:n]
	if n > 0 && err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// object is the file of an artifact in the store. It keeps the error of the store, which
// says nothing about the content.
type object struct {
	io.ReadSeekCloser
	failed error
}

func (o *object) Read(p []byte) (int, error) {
	n, err := o.ReadSeekCloser.Read(p)
	return n, o.keep(err)
}

func (o *object) Seek(offset int64, whence int) (int64, error) {
	n, err := o.ReadSeekCloser.Seek(offset, whence)
	return n, o.keep(err)
}

func (o *object) keep(err error) error {
	if err != nil && err != io.EOF {
		o.failed = err
	}
	return err
}
