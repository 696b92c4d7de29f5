package endpoint

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// FormData is the content type of a form with files.
const FormData = "multipart/form-data"

// FormFile is a file of a form.
type FormFile struct {
	Field string // without the brackets of a list
	Name  string // as its sender calls it
	Data  []byte
}

// Form makes a handler of a function from a request, which is the texts of a form, and the files of
// the form to a reply. The form is in memory as a whole, within the bounds of the handler. Fields
// are those that are files, for the reference: the first is required, unless a question mark ends its name.
func Form[Q, R any](fn func(c *Call, q Q, files []FormFile) (R, error), fields ...string) Handler {
	h := Handle(func(c *Call, q Q) (R, error) {
		files := c.files
		c.files = nil // fn may take long, and keeps them only as long as it needs them
		return fn(c, q, files)
	})
	h.takes, h.files = FormData, fields
	return h
}

// Limits of a form: its parts, and the bytes of the name of a part and of all texts.
const (
	maxParts     = 64
	maxFieldName = 200
	maxFormText  = 256 << 10
)

// readForm reads a form into the request of a handler, and its files into the call.
func readForm(c *Call, h Handler, dst any) error {
	kind, params, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || kind != FormData || params["boundary"] == "" {
		return atelier.Errorf(atelier.CodeUnsupportedMedia, "Send the body as a form, with the header \"Content-Type: %s\".", FormData)
	}
	body, err := receive(c, h.bounds.Total(), func([]byte) error { return nil })
	if err != nil {
		return err
	}
	if err := c.values.Reserve(c, int64(len(body))); err != nil { // the files are copied
		return err
	}
	defer c.body.Release()
	texts := url.Values{}
	size := 0
	parts := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		var content []byte
		if err == nil {
			content, err = io.ReadAll(part)
		}
		switch {
		case err != nil:
			return atelier.Refuse("", "The body is not a valid form.")
		case n == maxParts:
			return atelier.Refuse("", "The form has more than %d parts.", maxParts)
		}
		field := strings.TrimSuffix(part.FormName(), "[]")
		if len(field) > maxFieldName || !wire.IsText(field) {
			return atelier.Refuse("", "The name of a part of the form must be UTF-8 text of at most %d bytes.", maxFieldName)
		}
		if part.FileName() != "" {
			c.files = append(c.files, FormFile{Field: field, Name: part.FileName(), Data: content})
			continue
		}
		if size += len(content); size > maxFormText {
			return atelier.Errorf(atelier.CodeBodyTooLarge, "The texts of the form have more than %d bytes.", maxFormText)
		}
		texts.Add(field, string(content))
	}
	return h.shape.Form(texts, c.Request.Header, dst)
}
