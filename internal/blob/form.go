package blob

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/textproto"
)

// formReader reads a multipart/form-data body whose file comes last. The standard
// library's reader returns the file in pieces of four kilobytes, each copied twice;
// this one halves the time of an upload. It is as strict as S3 about line ends and
// boundaries.
type formReader struct {
	r         *bufio.Reader
	separator []byte // of parts, with the end of line that belongs to it
	begun     bool

	clean int // bytes at the front of r's buffer that are known to be content
	err   error
}

// The errors of a form.
var (
	errForm     = errors.New("the form is not valid multipart/form-data")
	errFormEnds = errors.New("the form ends before the file")
	errFileLast = errors.New("there is data after the file")
)

func newFormReader(r io.Reader, boundary string) *formReader {
	return &formReader{r: bufio.NewReaderSize(r, spoolPiece), separator: []byte("\r\n--" + boundary)}
}

// next goes to the next part, and gives its name and the type it says it has.
// What follows is its content: value or, for the file, Read.
func (f *formReader) next() (name, contentType string, err error) {
	if !f.begun {
		f.begun = true
		if line, err := f.r.ReadSlice('\n'); err != nil || !bytes.Equal(bytes.TrimSuffix(line, []byte("\r\n")), f.separator[2:]) {
			return "", "", errors.Join(errForm, err)
		}
	}
	header, err := textproto.NewReader(f.r).ReadMIMEHeader()
	if err != nil {
		return "", "", errors.Join(errForm, err)
	}
	kind, params, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if err != nil || kind != "form-data" || params["name"] == "" {
		return "", "", errForm
	}
	return params["name"], header.Get("Content-Type"), nil
}

// value reads the content of a part that another follows.
func (f *formReader) value() (string, error) {
	var value []byte
	for ended := true; ; { // the separator may follow the header at once
		line, err := f.r.ReadBytes('\n')
		if err != nil {
			return "", errors.Join(errForm, err)
		}
		last, found := bytes.CutPrefix(line, f.separator[2:])
		switch {
		case !found || !ended:
		case bytes.Equal(last, []byte("\r\n")):
			return string(bytes.TrimSuffix(value, []byte("\r\n"))), nil
		case bytes.HasPrefix(last, []byte("--")):
			return "", errFormEnds
		}
		value, ended = append(value, line...), bytes.HasSuffix(line, []byte("\r\n"))
	}
}

// Read reads the content of the file, up to the form's end.
func (f *formReader) Read(p []byte) (int, error) {
	if f.clean == 0 && f.err == nil {
		f.clean, f.err = f.scan()
	}
	if f.clean == 0 {
		return 0, f.err
	}
	content, _ := f.r.Peek(min(f.clean, len(p)))
	n := copy(p, content)
	_, _ = f.r.Discard(n)
	f.clean -= n
	return n, nil
}

// scan returns how many of the next bytes are content, and when there are none, the
// reason.
func (f *formReader) scan() (clean int, err error) {
	need := len(f.separator) + len("--")
	_, err = f.r.Peek(need)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	buf, _ := f.r.Peek(f.r.Buffered())
	for from := 0; ; {
		i := bytes.Index(buf[from:], f.separator)
		if i < 0 {
			break
		}
		i += from
		last := buf[i+len(f.separator):]
		ends, goesOn := bytes.HasPrefix(last, []byte("--")), bytes.HasPrefix(last, []byte("\r\n"))
		switch {
		case i > 0 && (ends || goesOn || len(last) < 2 && err == nil): // the next scan decides
			return i, nil
		case goesOn:
			return 0, errFileLast
		case ends:
			return 0, f.end(need)
		}
		from = i + 2 // content that only begins like a separator
	}
	if err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	return len(buf) - need + 1, nil
}

// end reads what follows the file: the end of a line, then the end of the body. A
// body that ends earlier is incomplete.
func (f *formReader) end(separator int) error {
	_, _ = f.r.Discard(separator)
	rest, err := io.ReadAll(io.LimitReader(f.r, 3))
	switch {
	case err != nil:
		return err
	case len(rest) > 0 && string(rest) != "\r\n":
		return errFileLast
	}
	return io.EOF
}
