package blob_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/worktest"
)

// FuzzForm writes a form with the standard library and reads it back, in whole and
// byte by byte, and truncated, which must always fail.
func FuzzForm(f *testing.F) {
	f.Add("value", []byte("file"), uint16(3))
	f.Add("", []byte(""), uint16(0))
	f.Add("two\r\nlines\r\n", []byte("\r\n--b"), uint16(1))
	f.Add("--boundar", []byte("\r\n--boundar\r\n--boundaryx\r\n--"), uint16(9))
	f.Add("\r\n", bytes.Repeat([]byte("\r\n--boundar"), 100), uint16(500))
	f.Fuzz(func(t *testing.T, value string, file []byte, cut uint16) {
		const boundary = "boundary"
		for _, end := range []string{"\r\n", "--"} {
			if strings.Contains("\r\n"+value+"\r\n", "\r\n--"+boundary+end) || strings.Contains(string(file)+"\r\n--", "\r\n--"+boundary+end) {
				t.Skip("no form can hold this with this boundary")
			}
		}
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		_ = w.SetBoundary(boundary)
		_ = w.WriteField("key", value)
		part, _ := w.CreateFormFile("file", "name")
		_, _ = part.Write(file)
		_ = w.Close()
		whole := b.String()
		for _, r := range []io.Reader{strings.NewReader(whole), iotest.OneByteReader(strings.NewReader(whole)), iotest.DataErrReader(strings.NewReader(whole))} {
			fields, got, err := blob.ReadForm(r, boundary)
			if err != nil || fields["key"] != value || !bytes.Equal(got, file) {
				t.Fatalf("read %q and %q, %v; want %q and %q", fields, got, err, value, file)
			}
		}
		// A form without the last line end is complete.
		short := strings.TrimSuffix(whole, "\r\n")
		if short = short[:max(0, len(short)-1-int(cut))]; short != "" {
			if _, got, err := blob.ReadForm(strings.NewReader(short), boundary); err == nil {
				t.Fatalf("a form without its end was read, with %q", got)
			}
		}
	})
}

// FuzzFormBytes reads any bytes as a form, whole and byte by byte. Both give
// the same, and hold no more than the body has.
func FuzzFormBytes(f *testing.F) {
	const head = "--b\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nvalue\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n"
	f.Add([]byte(head + "content\r\n--b--\r\n"))
	f.Add([]byte(head + strings.Repeat("\r\n--bx", 2000)))
	f.Add([]byte(head + strings.Repeat("\r\n--", 2000) + "\r\n--b--"))
	f.Add([]byte("--b\r\n" + strings.Repeat("A: b\r\n", 2000) + "\r\n"))
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\n" + strings.Repeat("\n", 5000)))
	f.Fuzz(func(t *testing.T, body []byte) {
		worktest.Limit(t, len(body), worktest.Bound{Base: 1 << 20, PerByte: 300}, func() {
			fields, file, err := blob.ReadForm(bytes.NewReader(body), "b")
			if total := len(file) + len(fields["key"]); err == nil && total > len(body) {
				t.Errorf("%d bytes out of %d", total, len(body))
			}
			slowly, again, slow := blob.ReadForm(iotest.OneByteReader(bytes.NewReader(body)), "b")
			if (err == nil) != (slow == nil) || err == nil && (!bytes.Equal(file, again) || len(fields) != len(slowly)) {
				t.Errorf("whole: %d bytes, %v; byte by byte: %d bytes, %v", len(file), err, len(again), slow)
			}
		})
	})
}
