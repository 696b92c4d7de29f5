package sdapi

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/wire"
)

// Picture is a picture in JSON: base64, or a data URI. It is a part of the body.
type Picture []byte

// ReadWire implements wire.Reader.
func (p *Picture) ReadWire(raw wire.Raw) error {
	if raw.Kind() != '"' {
		return atelier.Refuse("", "must be a picture in base64.")
	}
	*p = Picture(raw[1 : len(raw)-1])
	return nil
}

// WireSchema describes it in the reference.
func (Picture) WireSchema() wire.Schema {
	return wire.Schema{"type": "string", "contentEncoding": "base64"}
}

// Decode is the file of the picture in a field.
func (p Picture) Decode(field string) ([]byte, error) {
	text := []byte(p)
	if bytes.IndexByte(text, '\\') >= 0 { // some writers of JSON escape slashes, or the plus sign
		var plain string
		if wire.UnmarshalLenient(slices.Concat([]byte{'"'}, text, []byte{'"'}), &plain) == nil {
			text = []byte(plain)
		}
	}
	if _, inline, ok := filetype.SplitDataURI(text); ok {
		text = inline
	}
	file, err := filetype.DecodeBase64(text)
	if err != nil || len(file) == 0 {
		return nil, atelier.Refuse(field, "must be a picture in base64.")
	}
	return file, nil
}

// InfoBody is the body of POST /sdapi/v1/png-info.
type InfoBody struct {
	Image Picture `wire:"image,required,maxbytes=33554432" doc:"A picture in base64."`
}

// Upscaling are the fields that both requests for larger pictures have.
type Upscaling struct {
	Mode     int     `wire:"resize_mode,min=0,max=1" doc:"0 makes them upscaling_resize times larger, 1 of a size."`
	Resize   float64 `wire:"upscaling_resize,default=2,min=1,max=8" doc:"How many times larger."`
	Width    int     `wire:"upscaling_resize_w,default=512,min=1,max=15360" doc:"In pixels, for resize_mode 1: the result covers width and height."`
	Height   int     `wire:"upscaling_resize_h,default=512,min=1,max=15360" doc:"In pixels, likewise."`
	Upscaler string  `wire:"upscaler_1,maxlen=200,default=None" doc:"A name of GET /sdapi/v1/upscalers. None leaves pictures as they are."`
}

// ExtraImage is the body of POST /sdapi/v1/extra-single-image.
type ExtraImage struct {
	Upscaling
	Image Picture `wire:"image,required,maxbytes=33554432" doc:"The picture, in base64."`
}

// ExtraImages is the body of POST /sdapi/v1/extra-batch-images.
type ExtraImages struct {
	Upscaling
	Images []NamedPicture `wire:"imageList,required,minlen=1,maxlen=12,maxbytes=50331648" doc:"The pictures."`
}

// NamedPicture is a picture of a list.
type NamedPicture struct {
	Data Picture `wire:"data,required" doc:"The picture, in base64."`
	Name string  `wire:"name,maxlen=1000" doc:"Accepted, and not kept."`
}

// Check reports whether pictures are left as they are, and refuses an upscaler that does not exist.
func (u Upscaling) Check(c *catalog.Catalog) (isNone bool, err error) {
	if u.Upscaler == noUpscaler || u.Upscaler == "" {
		return true, nil
	}
	if slices.ContainsFunc(serving(c, enlarges), func(m *catalog.Model) bool { return m.Name == u.Upscaler || m.ID == u.Upscaler }) {
		return u.Mode == 0 && u.Resize == 1, nil
	}
	return false, atelier.Refuse("upscaler_1", "is no upscaler of the service: GET /sdapi/v1/upscalers lists them.")
}

// Step is the step that makes one of the pictures of a request larger, which has this size.
func (u Upscaling) Step(index, width, height int) atelier.StepInput {
	args := map[string]any{"sourceImageIndex": float64(-1 - index)}
	by := u.Resize
	if u.Mode == 1 {
		by = max(float64(u.Width)/float64(width), float64(u.Height)/float64(height))
	}
	if by == 2 || by == 3 || by == 4 {
		args["scale"] = by
	} else {
		args["targetLongestEdge"] = math.Round(float64(max(width, height)) * by)
	}
	return atelier.StepInput{ID: fmt.Sprint("upscale", index), ToolName: enlarges, Arguments: args}
}

// ExtraReply is the answer with one larger picture.
type ExtraReply struct {
	Info  string `json:"html_info"`
	Image string `json:"image"`
}

// ExtraReplies is the answer with larger pictures.
type ExtraReplies struct {
	Info   string   `json:"html_info"`
	Images []string `json:"images"`
}

// samplerOf is the sampler that a text names when the client has named none.
func samplerOf(name string) string { return cmp.Or(name, Samplers[0].Name) }
