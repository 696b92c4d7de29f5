package api

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/mediameta"
	"github.com/atelier-project/atelier/internal/probe"
	"github.com/atelier-project/atelier/internal/sdapi"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

// textToImageRequest is the body of POST /sdapi/v1/txt2img.
type textToImageRequest struct {
	sdapi.TextToImage
	endpoint.Source
}

func (s *Server) textToImage(c *endpoint.Call, q textToImageRequest) (*sdapi.Reply, error) {
	m, known, err := s.checkpoint(c, q.Settings)
	if err != nil {
		return nil, err
	}
	order, err := q.Order(s.catalog, m, known)
	if err != nil {
		return nil, err
	}
	return s.makePictures(c, q.Settings, order, workflow.StartRequest{Terms: protocolTerms(q.Source, "automatic1111")})
}

// imageToImageRequest is the body of POST /sdapi/v1/img2img.
type imageToImageRequest struct {
	sdapi.ImageToImage
	endpoint.Source
}

func (s *Server) imageToImage(c *endpoint.Call, q imageToImageRequest) (*sdapi.Reply, error) {
	m, known, err := s.checkpoint(c, q.Settings)
	if err != nil {
		return nil, err
	}
	if _, err := q.Order(s.catalog, m, known, ""); err != nil {
		return nil, err // before the pictures are decoded and stored
	}
	if err := reservePictures(c, q.Images[0], q.Mask); err != nil {
		return nil, err
	}
	kept, err := s.keepPictures(c, "init_images", q.Images[0])
	if err != nil {
		return nil, err
	}
	mask := ""
	if len(q.Mask) > 0 {
		file, err := q.Mask.Decode("mask")
		if err == nil {
			mask, err = s.generations.KeepDrawnMask(c, c.Caller.Wallet, file, q.Invert == 1)
		}
		if err != nil {
			return nil, aboutFile(err, "mask")
		}
	}
	c.ReleaseValues()
	order, err := q.Order(s.catalog, m, known, mask)
	if err != nil {
		return nil, err
	}
	return s.makePictures(c, q.Settings, order, workflow.StartRequest{Media: kept, Terms: protocolTerms(q.Source, "automatic1111")})
}

// checkpointSetting is the setting of an account that has the id of its checkpoint.
const checkpointSetting = "sdapi.checkpoint"

// checkpoint is the model of a request, and the LoRAs that the account can use, if the request names some.
func (s *Server) checkpoint(c *endpoint.Call, q sdapi.Settings) (m *catalog.Model, known []sdapi.Lora, err error) {
	if q.NamesLoras() {
		if known, err = s.usableLoras(c, endpoint.Empty{}); err != nil {
			return nil, nil, err
		}
	}
	if q.Override.Checkpoint == "" {
		m, err = s.ownCheckpoint(c)
	} else {
		m, err = s.findCheckpoint(q.Override.Checkpoint, "override_settings.sd_model_checkpoint")
	}
	return m, known, err
}

func (s *Server) findCheckpoint(title, field string) (*catalog.Model, error) {
	m, ok := sdapi.FindCheckpoint(s.catalog, title)
	if !ok {
		return nil, atelier.Refuse(field, "is no checkpoint of the service: GET /sdapi/v1/sd-models lists them.")
	}
	return m, nil
}

// ownCheckpoint is the one that the account has set, or the default. One that the catalog has lost is the default too.
func (s *Server) ownCheckpoint(c *endpoint.Call) (*catalog.Model, error) {
	id, err := s.accounts.Setting(c, c.Caller.Wallet, checkpointSetting)
	if err != nil {
		return nil, err
	}
	if m, ok := sdapi.FindCheckpoint(s.catalog, id); ok {
		return m, nil
	}
	return s.findCheckpoint("", "sd_model_checkpoint")
}

// reservePictures reserves memory for pictures that are decoded one after the other, each as a copy or two.
func reservePictures(c *endpoint.Call, pictures ...sdapi.Picture) error {
	total := int64(0)
	for _, p := range pictures {
		total += 2 * int64(len(p))
	}
	c.ReleaseValues() // who holds memory must not wait for more
	return c.Reserve(total)
}

// keepPictures stores the pictures of a field.
func (s *Server) keepPictures(c *endpoint.Call, field string, pictures ...sdapi.Picture) (kept []atelier.MediaReference, err error) {
	for _, p := range pictures {
		file, err := p.Decode(field)
		if err != nil {
			return nil, err
		}
		one, err := s.generations.Keep(c, c.Caller.Wallet, file)
		if err != nil {
			return nil, aboutFile(err, field)
		}
		kept = append(kept, one)
	}
	return kept, nil
}

// makePictures makes pictures and answers with their files.
func (s *Server) makePictures(c *endpoint.Call, q sdapi.Settings, o sdapi.Order, start workflow.StartRequest) (*sdapi.Reply, error) {
	start.Steps = []atelier.StepInput{o.Step}
	w, err := s.finish(c, start)
	if err != nil {
		return nil, err
	}
	info := sdapi.NewInfo(s.catalog, q, o, w)
	reply, err := sdapi.NewReply(q, info)
	if err != nil || q.Send != nil && !*q.Send {
		return &reply, err
	}
	reply.Images = []string{""}
	return nil, s.sendPictures(c, reply, `"images":["`, w.Artifacts, info.Texts)
}

// finish starts a workflow and waits for what it makes.
func (s *Server) finish(c *endpoint.Call, start workflow.StartRequest) (apitype.Workflow, error) {
	start.Key, start.Weigh, start.Filter = c.Key, weighStart(c, planUnit), true
	w, err := s.generations.Make(c, c.Caller.Account, start.By(c.Caller), func(generation.Progress) error { return c.Err() })
	if err == nil && len(w.Artifacts) == 0 {
		err = errNothingMade(w)
	}
	return w, sdapi.Refusal(err)
}

// sendPictures answers with files, which may be too large to be in memory, at the place in the answer that follows a
// text. Pictures carry the texts, if there are some.
func (s *Server) sendPictures(c *endpoint.Call, reply any, place string, made []apitype.Artifact, texts []string) error {
	answer, err := wire.Marshal(reply)
	if err != nil {
		return err
	}
	at := bytes.Index(answer, []byte(place)) + len(place)
	out := bufio.NewWriterSize(c.BeginAnswer("application/json"), 48<<10)
	out.Write(answer[:at])
	for i, a := range made {
		copyTo := copyFile
		if texts != nil {
			copyTo = func(w io.Writer, file io.Reader) error { return mediameta.WriteParameters(w, file, texts[i]) }
		}
		if i > 0 {
			out.WriteString(`","`)
		}
		if err := s.writeBase64(c, out, a.URL, copyTo); err != nil {
			panic(http.ErrAbortHandler) // the client must not take a part for the whole
		}
	}
	out.Write(answer[at:])
	if out.Flush() != nil { // the error of any write
		panic(http.ErrAbortHandler)
	}
	return nil
}

// extraImageRequest is the body of POST /sdapi/v1/extra-single-image.
type extraImageRequest struct {
	sdapi.ExtraImage
	endpoint.Source
}

func (s *Server) extraImage(c *endpoint.Call, q extraImageRequest) (*sdapi.ExtraReply, error) {
	made, unchanged, err := s.upscale(c, q.Upscaling, q.Source, "image", q.Image)
	if err != nil {
		return nil, err
	}
	if made == nil {
		return &sdapi.ExtraReply{Image: unchanged[0]}, nil
	}
	return nil, s.sendPictures(c, sdapi.ExtraReply{}, `"image":"`, made, nil)
}

// extraImagesRequest is the body of POST /sdapi/v1/extra-batch-images.
type extraImagesRequest struct {
	sdapi.ExtraImages
	endpoint.Source
}

func (s *Server) extraImages(c *endpoint.Call, q extraImagesRequest) (*sdapi.ExtraReplies, error) {
	var pictures []sdapi.Picture
	for _, p := range q.Images {
		pictures = append(pictures, p.Data)
	}
	made, unchanged, err := s.upscale(c, q.Upscaling, q.Source, "imageList", pictures...)
	if err != nil {
		return nil, err
	}
	if made == nil {
		return &sdapi.ExtraReplies{Images: unchanged}, nil
	}
	return nil, s.sendPictures(c, sdapi.ExtraReplies{Images: []string{""}}, `"images":["`, made, nil)
}

// upscale makes the pictures of a field larger, or returns them in base64 if they are to stay as they are.
func (s *Server) upscale(c *endpoint.Call, u sdapi.Upscaling, app endpoint.Source, field string, pictures ...sdapi.Picture) (made []apitype.Artifact, unchanged []string, err error) {
	isNone, err := u.Check(s.catalog)
	if err == nil {
		err = reservePictures(c, pictures...)
	}
	if err != nil {
		return nil, nil, err
	}
	start := workflow.StartRequest{Terms: protocolTerms(app, "automatic1111")}
	for i, p := range pictures {
		file, err := p.Decode(field)
		if err != nil {
			return nil, nil, err
		}
		extent, err := probe.Measure(c, bytes.NewReader(file))
		if err != nil || extent.Width == 0 || extent.Height == 0 {
			return nil, nil, atelier.Refuse(field, "must be a picture: PNG, JPEG or WebP.")
		}
		if isNone {
			unchanged = append(unchanged, base64.StdEncoding.EncodeToString(file))
		}
		start.Steps = append(start.Steps, u.Step(i, extent.Width, extent.Height))
	}
	if isNone {
		return nil, unchanged, nil
	}
	if start.Media, err = s.keepPictures(c, field, pictures...); err != nil {
		return nil, nil, err
	}
	c.ReleaseValues()
	w, err := s.finish(c, start)
	return w.Artifacts, nil, err
}

// pictureInfoRequest is the body of POST /sdapi/v1/png-info.
type pictureInfoRequest struct {
	sdapi.InfoBody
}

func (s *Server) pictureInfo(c *endpoint.Call, q pictureInfoRequest) (sdapi.PictureInfo, error) {
	if err := reservePictures(c, q.Image); err != nil {
		return sdapi.PictureInfo{}, err
	}
	file, err := q.Image.Decode("image")
	if err != nil {
		return sdapi.PictureInfo{}, err
	}
	texts, err := mediameta.Texts(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return sdapi.PictureInfo{}, atelier.Refuse("image", "must be a picture: PNG, JPEG or WebP.")
	}
	return sdapi.NewPictureInfo(texts), nil
}

// mostShown is how many workflows under way are looked at for those of this API.
const mostShown = 20

// underWay are the workflows of the account that requests of this API have started and that are not over, newest first.
func (s *Server) underWay(c *endpoint.Call) ([]apitype.Workflow, error) {
	if err := c.Reserve(mostShown * listedCost); err != nil {
		return nil, err
	}
	f := workflow.Filter{Kinds: []string{string(catalog.Image)}, Statuses: []atelier.Status{atelier.StatusQueued, atelier.StatusRunning}}
	list, _, err := s.workflows.Select(c, c.Caller.Wallet, f, nil, mostShown)
	return sdapi.Ours(list), err
}

// renderProgressRequest is the query of GET /sdapi/v1/progress.
type renderProgressRequest struct {
	SkipImage bool `wire:"skip_current_image" doc:"Whether the answer shall be without a preview."`
}

func (s *Server) showProgress(c *endpoint.Call, q renderProgressRequest) (sdapi.Progress, error) {
	list, err := s.underWay(c)
	if err != nil {
		return sdapi.Progress{}, err
	}
	p, preview := sdapi.NewProgress(list, c.Now)
	if preview == "" || q.SkipImage {
		return p, nil
	}
	if file, err := s.readPreview(c, preview); err == nil { // otherwise the next preview has replaced it
		text := base64.StdEncoding.EncodeToString(file)
		p.Current = &text
	}
	return p, nil
}

func (s *Server) interrupt(c *endpoint.Call, _ endpoint.Empty) (endpoint.Empty, error) {
	list, err := s.underWay(c)
	for _, w := range list {
		if _, cancelErr := s.workflows.Cancel(c, c.Caller.Wallet, atelier.WorkflowID(w.WorkflowID), "user_cancelled"); err == nil {
			err = cancelErr
		}
	}
	return endpoint.Empty{}, err
}

func (s *Server) showOptions(c *endpoint.Call, _ endpoint.Empty) (sdapi.Options, error) {
	m, err := s.ownCheckpoint(c)
	if err != nil {
		return sdapi.Options{}, err
	}
	return sdapi.NewOptions(m), nil
}

// optionsRequest is the body of POST /sdapi/v1/options.
type optionsRequest struct {
	sdapi.OptionsBody
}

// setOptions answers null, as the web UI does.
func (s *Server) setOptions(c *endpoint.Call, q optionsRequest) (*endpoint.Empty, error) {
	if q.Checkpoint == "" {
		return nil, nil
	}
	m, err := s.findCheckpoint(q.Checkpoint, "sd_model_checkpoint")
	if err != nil {
		return nil, err
	}
	return nil, s.accounts.Set(c, c.Caller.Wallet, checkpointSetting, m.ID)
}

func (s *Server) checkpoints(*endpoint.Call, endpoint.Empty) ([]sdapi.Checkpoint, error) {
	return sdapi.Checkpoints(s.catalog), nil
}

func (s *Server) upscalers(*endpoint.Call, endpoint.Empty) ([]sdapi.Upscaler, error) {
	return sdapi.Upscalers(s.catalog), nil
}

// usableLoras are those that the account can use. Without a plan it has no personal ones.
func (s *Server) usableLoras(c *endpoint.Call, _ endpoint.Empty) ([]sdapi.Lora, error) {
	own, err := s.loras.Catalog(c, c.Caller.Wallet)
	if atelier.HasCode(err, atelier.CodeNoUnlimitedAccess) {
		own, err = []lora.Row{}, nil
	}
	return sdapi.Loras(s.catalog, own), err
}

// always makes a handler that gives every request the same answer.
func always[R any](reply R) endpoint.Handler {
	return endpoint.Handle(func(*endpoint.Call, endpoint.Empty) (R, error) { return reply, nil })
}
