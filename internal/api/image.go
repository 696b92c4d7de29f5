package api

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

// imageForm bounds a form with pictures.
var imageForm = wire.Bounds{Text: 64 << 20}

// generateRequest is the body of POST /v1/images/generations.
type generateRequest struct {
	openai.ImageBody
	endpoint.Source
}

func (s *Server) generateImages(c *endpoint.Call, q generateRequest) (*openai.ImageReply, error) {
	steps, err := q.Steps(s.catalog, s.aliases)
	if err != nil {
		return nil, err
	}
	return s.makeImages(c, q.ImageOptions, "image_generation", workflow.StartRequest{Steps: steps, Terms: protocolTerms(q.Source, "openai")})
}

// editRequest is the form of POST /v1/images/edits.
type editRequest struct {
	openai.ImageEdit
	endpoint.Source
}

func (s *Server) editImages(c *endpoint.Call, q editRequest, files []endpoint.FormFile) (*openai.ImageReply, error) {
	if _, err := q.Steps(s.catalog, s.aliases, openai.ImageFiles{}); err != nil {
		return nil, err // before the pictures are decoded and stored
	}
	kept, err := s.keepImages(c, files, true)
	if err != nil {
		return nil, err
	}
	steps, err := q.Steps(s.catalog, s.aliases, kept)
	if err != nil {
		return nil, err
	}
	return s.makeImages(c, q.ImageOptions, "image_edit", workflow.StartRequest{Steps: steps, Media: []atelier.MediaReference{kept.Image}, Terms: protocolTerms(q.Source, "openai")})
}

// variationRequest is the form of POST /v1/images/variations.
type variationRequest struct {
	openai.ImageOptions
	endpoint.Source
}

func (s *Server) varyImage(c *endpoint.Call, q variationRequest, files []endpoint.FormFile) (*openai.ImageReply, error) {
	steps, err := q.VariationSteps(s.catalog, s.aliases)
	if err != nil {
		return nil, err
	}
	kept, err := s.keepImages(c, files, false)
	if err != nil {
		return nil, err
	}
	return s.makeImages(c, q.ImageOptions, "image_edit", workflow.StartRequest{Steps: steps, Media: []atelier.MediaReference{kept.Image}, Terms: protocolTerms(q.Source, "openai")})
}

// protocolTerms are the terms of work that another protocol asks for: the ledger names the protocol as the application,
// unless the client names one.
func protocolTerms(app endpoint.Source, protocol string) atelier.PaymentTerms {
	terms := atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto, App: protocol}
	if app.AppSource != "" {
		terms.App = app.AppSource
	}
	return terms
}

// keepImages stores the pictures of a form: one to work on, and a mask if mask is true.
func (s *Server) keepImages(c *endpoint.Call, files []endpoint.FormFile, mask bool) (kept openai.ImageFiles, err error) {
	defer c.ReleaseValues()
	count := map[string]int{}
	for _, f := range files {
		count[f.Field]++
		if f.Field != "image" && (!mask || f.Field != "mask") {
			return kept, atelier.Refuse(f.Field, "is not a file that this endpoint takes.")
		}
	}
	switch {
	case count["image"] == 0:
		return kept, atelier.Refuse("image", "is required: send it as a file.")
	case count["image"] > 1:
		return kept, atelier.Refuse("image", "must be one picture: the models of this service change one at a time.")
	case count["mask"] > 1:
		return kept, atelier.Refuse("mask", "must be one picture.")
	}
	for _, f := range files {
		if f.Field == "image" {
			kept.Image, err = s.generations.Keep(c, c.Caller.Wallet, f.Data)
		} else {
			kept.Mask, err = s.generations.KeepMask(c, c.Caller.Wallet, f.Data)
		}
		if err != nil {
			return kept, aboutFile(err, f.Field)
		}
	}
	return kept, nil
}

// makeImages makes pictures, and answers with them, whole or as a stream whose events are of a kind.
func (s *Server) makeImages(c *endpoint.Call, o openai.ImageOptions, kind string, start workflow.StartRequest) (*openai.ImageReply, error) {
	start.Key, start.Weigh, start.Filter = c.Key, weighStart(c, planUnit), true
	st := &imageStream{s: s, c: c, o: o, kind: kind}
	w, err := s.generations.Make(c, c.Caller.Account, start.By(c.Caller), st.see)
	if err = openai.ImageRefusal(err); err != nil {
		return nil, st.fail(err)
	}
	made := o.Results(w)
	if len(made) == 0 {
		return nil, st.fail(errNothingMade(w))
	}
	if o.Stream {
		return nil, st.end(made)
	}
	if o.HasFiles() {
		return nil, s.sendImages(c, o, made)
	}
	images := make([]openai.Image, len(made))
	for i, a := range made {
		images[i].URL = a.URL
	}
	reply := o.Reply(c.Now.Unix(), made, images)
	return &reply, nil
}

// errNothingMade is the error of a workflow without a file for its client.
func errNothingMade(w apitype.Workflow) error {
	if w.Error != nil {
		return atelier.Errorf(atelier.CodeUpstream, "%s", w.Error.Message)
	}
	return atelier.Errorf(atelier.CodeUpstream, "The renderer has made nothing.")
}

// sendImages answers with files. They are paid for: an answer that had to be in memory could be refused.
func (s *Server) sendImages(c *endpoint.Call, o openai.ImageOptions, made []apitype.Artifact) error {
	images := make([]openai.Image, len(made))
	for i := range images {
		images[i].File = openai.File{}
	}
	text, err := wire.Marshal(o.Reply(c.Now.Unix(), made, images))
	if err != nil {
		return err
	}
	if err := s.writeFiles(c, c.BeginAnswer("application/json"), text, made); err != nil {
		panic(http.ErrAbortHandler) // the client must not take a part for the whole
	}
	return nil
}

// writeFiles writes JSON whose files are empty, with the files of artifacts in it.
func (s *Server) writeFiles(c *endpoint.Call, w io.Writer, text []byte, made []apitype.Artifact) error {
	out := bufio.NewWriterSize(w, 48<<10)
	for i, part := range bytes.SplitAfter(text, []byte(`"b64_json":"`)) {
		if i > 0 {
			if err := s.writeBase64(c, out, made[i-1].URL, copyFile); err != nil {
				return err
			}
		}
		if _, err := out.Write(part); err != nil {
			return err
		}
	}
	return out.Flush()
}

// writeBase64 writes the file of a signed URL, as a function copies it.
func (s *Server) writeBase64(c *endpoint.Call, w io.Writer, url string, copyTo func(io.Writer, io.Reader) error) error {
	file, _, err := s.generations.Open(c, url)
	if err != nil {
		return err
	}
	return encodeFile(w, file, copyTo)
}

// encodeFile writes a file in base64, as a function copies it, and closes it.
func encodeFile(w io.Writer, file io.ReadCloser, copyTo func(io.Writer, io.Reader) error) error {
	defer file.Close()
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	if err := copyTo(encoder, file); err != nil {
		return err
	}
	return encoder.Close()
}

func copyFile(w io.Writer, file io.Reader) error {
	_, err := io.Copy(w, file)
	return err
}

// readPreview reads the picture of a preview.
func (s *Server) readPreview(c *endpoint.Call, url string) ([]byte, error) {
	file, _, err := s.generations.Open(c, url)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// aboutFile has an error about the file of an upload name the field that the file came in.
func aboutFile(err error, field string) error {
	var e *atelier.Error
	if !errors.As(err, &e) || e.Field != "file" {
		return err
	}
	return atelier.Refuse(field, "%s", strings.TrimPrefix(e.Message, "file "))
}

// imageStream is the answer to a request for pictures as a stream.
type imageStream struct {
	s        *Server
	c        *endpoint.Call
	o        openai.ImageOptions
	kind     string
	out      *endpoint.EventStream // nil until something was written
	previews int
}

// see shows that the work continues, and its previews.
func (st *imageStream) see(p generation.Progress) error {
	if err := st.c.Err(); err != nil || !st.o.Stream {
		return err
	}
	st.open()
	if p.Preview == "" || st.previews >= st.o.PartialImages {
		return st.written(st.out.Heartbeat())
	}
	file, err := st.s.readPreview(st.c, p.Preview)
	if err != nil { // the next preview has replaced it
		return st.written(st.out.Heartbeat())
	}
	index := st.previews
	st.previews++
	return st.written(st.event(st.o.Event(st.kind, st.c.Now.Unix(), file, st.o.Size, &index)))
}

func (st *imageStream) open() {
	if st.out == nil {
		st.out = st.c.OpenStream()
	}
}

func (st *imageStream) written(ok bool) error {
	if !ok {
		return errLeft
	}
	return nil
}

func (st *imageStream) event(ev openai.ImageEvent) bool { return st.out.Frame(nil, ev.Type, ev) }

// fail ends the answer with an error: as its status, unless the stream has begun.
func (st *imageStream) fail(err error) error {
	if st.out == nil {
		return err
	}
	if st.c.Request.Context().Err() == nil {
		st.out.Fail(err)
	}
	return nil
}

// end sends the pictures.
func (st *imageStream) end(made []apitype.Artifact) error {
	st.open()
	for _, a := range made {
		ev := st.o.Event(st.kind, st.c.Now.Unix(), openai.File{}, openai.SizeOf(a), nil)
		text, err := wire.Marshal(ev)
		if err != nil {
			return st.fail(err)
		}
		if !st.out.LargeFrame(ev.Type, func(w io.Writer) error { return st.s.writeFiles(st.c, w, text, []apitype.Artifact{a}) }) {
			return nil
		}
	}
	return nil
}
