package api

import (
	"errors"
	"io"
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
	kept, err := s.keepImages(c, files, false)
	if err != nil {
		return nil, err
	}
	steps, err := q.VariationSteps(s.catalog, s.aliases)
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
	w, err := s.generations.Make(c, c.Caller.Account, start, st.see)
	if err = openai.ImageRefusal(err); err != nil {
		return nil, st.fail(err)
	}
	made := o.Results(w)
	if o.Stream {
		return nil, st.end(made)
	}
	images, err := s.imagesOf(c, o, made)
	if err != nil {
		return nil, err
	}
	reply := o.Reply(c.Now.Unix(), made, images)
	return &reply, nil
}

// imagesOf are artifacts as their client wants them.
func (s *Server) imagesOf(c *endpoint.Call, o openai.ImageOptions, made []apitype.Artifact) (images []openai.Image, err error) {
	if o.HasFiles() {
		bytes := int64(0)
		for _, a := range made {
			bytes += a.SizeBytes
		}
		if err := c.Reserve(bytes * inText); err != nil {
			return nil, err
		}
	}
	for _, a := range made {
		image := openai.Image{URL: a.URL}
		if o.HasFiles() {
			image.URL = ""
			if image.File, err = s.readResult(c, a.URL); err != nil {
				return nil, err
			}
		}
		images = append(images, image)
	}
	return images, nil
}

// inText is the memory of a file and its text in an answer, to that of the file.
const inText = 3

// readResult reads the file of an artifact or preview.
func (s *Server) readResult(c *endpoint.Call, url string) ([]byte, error) {
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
	file, err := st.s.readResult(st.c, p.Preview)
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
	for _, a := range made {
		if err := st.c.Reserve(a.SizeBytes * inText); err != nil {
			return st.fail(err)
		}
		file, err := st.s.readResult(st.c, a.URL)
		if err != nil {
			return st.fail(err)
		}
		st.open()
		if !st.event(st.o.Event(st.kind, st.c.Now.Unix(), file, openai.SizeOf(a), nil)) {
			return nil
		}
		st.c.ReleaseValues()
	}
	return nil
}
