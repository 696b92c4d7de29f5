package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxPictures is the most that one request may ask for.
const maxPictures = 10

// moderation are parts of the codes and messages with which image models refuse
// content.
var moderation = []string{"moderation", "content_policy", "content_filter", "safety system", "safety_violation", "sensitive"}

// renderImages makes pictures with the OpenAI images API. The answer is the
// result, so a part is one request with some of the pictures.
func (r *Renderer) renderImages(ctx context.Context, t worker.Task, m Model) ([]worker.Output, error) {
	if t.ToolName != "generate_image" && t.ToolName != "edit_image" {
		return nil, worker.Failf("The vendor does not support %s.", t.ToolName)
	}
	if r.opts.Local && len(t.Loras) > 0 {
		return nil, worker.Failf("The vendor does not load LoRAs.")
	}
	batches := slices.Collect(slices.Chunk(t.Artifacts, r.batch()))
	rec, err := openReceipt(t, r.opts.Name, len(batches))
	if err != nil {
		return nil, err
	}
	var outputs []worker.Output
	for i, slots := range batches {
		var made []worker.Output
		if rec.Parts[i].State == refused {
			err = worker.Failf("The vendor refused the request.")
		} else {
			made, err = r.requestPictures(ctx, t, m, rec, i, slots)
		}
		outputs = append(outputs, made...)
		t.Report(float64(i+1)/float64(len(batches)), "received the picture from the vendor")
		if err == nil {
			continue
		}
		if final(err) && len(outputs) > 0 { // the pictures so far are delivered, and only they are paid for
			r.opts.Log.Warn("vendor made fewer pictures than ordered", "vendor", r.opts.Name, "job", t.JobID, "reason", err)
			break
		}
		return nil, err
	}
	return outputs, nil
}

// batch is how many pictures one request asks for. A server of the operator makes one
// at a time: not every one has more, and each then has its seed and its progress.
func (r *Renderer) batch() int {
	if r.opts.Local {
		return 1
	}
	return maxPictures
}

// requestPictures makes one request.
func (r *Renderer) requestPictures(ctx context.Context, t worker.Task, m Model, rec *receipt, i int, slots []apitype.AssignmentArtifact) (made []worker.Output, err error) {
	q, err := r.imageRequest(ctx, t, m, i, slots)
	if err != nil {
		return nil, err
	}
	t.Report(0, "the vendor is rendering")
	var readErr error // of the vendor's pictures
	err = r.submit(ctx, t, rec, i, func(ctx context.Context, key string) error {
		if h := r.opts.IdempotencyHeader; h != "" {
			q.headers[h] = key
		}
		ctx, cancel := context.WithTimeout(ctx, r.opts.Timeout)
		defer cancel()
		resp, err := r.api.open(ctx, q)
		if err != nil {
			return submitError(err)
		}
		defer resp.Body.Close()
		if a := (answer{status: resp.StatusCode, after: retryAfter(resp.Header)}); a.status < 200 || a.status > 299 {
			// The status counts even when the body is incomplete.
			a.body, _ = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
			refusal := func() error { return r.imageError(a.body).failure(false, moderation) }
			if r.opts.Local && a.status == http.StatusInternalServerError {
				return outOfMemory(refusal()) // it has tried
			}
			return policy{idempotent: r.idempotent()}.judge(a, refusal)
		}
		made, readErr = r.readPictures(ctx, resp.Body, t, m, i, slots)
		var unresolved *unresolvedError
		if errors.As(readErr, &unresolved) {
			return readErr
		}
		return nil
	})
	if err == nil {
		err = readErr
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

// imageRequest is a request for pictures: from words, or from other pictures.
func (r *Renderer) imageRequest(ctx context.Context, t worker.Task, m Model, i int, slots []apitype.AssignmentArtifact) (request, error) {
	body := map[string]any{
		"model": m.VendorID, "prompt": prompt(t, 0), "n": len(slots), "size": imageSize(number(t, "width"), number(t, "height"), m.Size),
	}
	if r.opts.Local {
		if err := r.localFields(body, t, i); err != nil {
			return request{}, err
		}
	}
	for argument, field := range map[string]string{"gptImageQuality": "quality", "gptImageBackground": "background"} {
		if v, _ := t.Arguments[argument].(string); v != "" {
			body[field] = v
		}
	}
	kind := strings.TrimPrefix(filetype.Canonical(slots[0].ContentType), "image/")
	if !slices.Contains([]string{"png", "jpeg", "webp"}, kind) {
		return request{}, worker.Failf("The vendor does not make %s.", slots[0].ContentType)
	}
	body["output_format"] = kind
	if v, ok := t.Arguments["gptImageOutputCompression"].(float64); ok && kind != "png" {
		body["output_compression"] = v
	}
	pictures := filesOf(t, "sourceImageIndex")
	if t.ToolName == "edit_image" && len(pictures) == 0 {
		return request{}, worker.Failf("edit_image needs an image.")
	}
	if len(pictures) == 0 {
		if !t.SafeContentFilter && !r.opts.Local {
			body["moderation"] = "low"
		}
		text, err := wire.Marshal(body)
		return request{method: http.MethodPost, path: "/images/generations", headers: map[string]string{}, kind: "application/json", body: text}, err
	}
	f := form{fields: body, pictures: pictures, boundary: fmt.Sprintf("atelier-%s-%d", t.JobID, i)}
	if masks := filesOf(t, "mask_image_url"); len(masks) > 0 {
		var err error
		if f.mask, err = cutMask(ctx, r.opts.Editor, masks[0].path, pictures[0].path, filepath.Join(t.Folder, "mask.png")); err != nil {
			return request{}, err
		}
	}
	return request{method: http.MethodPost, path: "/images/edits", headers: map[string]string{}, kind: f.contentType(), stream: f.open}, f.check()
}

// readPictures reads the pictures of an answer, one after another. An
// *unresolvedError says that the answer is incomplete.
func (r *Renderer) readPictures(ctx context.Context, in io.Reader, t worker.Task, m Model, i int, slots []apitype.AssignmentArtifact) ([]worker.Output, error) {
	seen := &beginning{from: in}
	limited := &io.LimitedReader{R: seen, N: int64(len(slots))*(r.opts.MaxBytes*4/3+4096) + maxAnswer}
	d := wire.NewDecoder(limited)
	var outputs []worker.Output
	var notFetched error
	err := eachPicture(d, func() error {
		var item struct {
			Data string `json:"b64_json"`
			URL  string `json:"url"`
		}
		if err := wire.Decode(d, &item); err != nil {
			return err
		}
		n := len(outputs)
		if n >= len(slots) || item.Data == "" && item.URL == "" {
			return nil
		}
		name := filepath.Join(t.Folder, fmt.Sprintf("made-%d-%d", i, n))
		address := item.URL
		if item.Data != "" {
			address = "data:;base64," + item.Data
		}
		if notFetched = r.downloadRetrying(ctx, address, name); notFetched != nil {
			return notFetched
		}
		if err := checkType(name, slots[n]); err != nil {
			return err
		}
		out := worker.Output{ID: slots[n].ID, Path: name, Seed: t.Seed + int64(i*r.batch()+n), Metadata: map[string]any{"vendor": r.opts.Name, "vendorModelId": m.VendorID}}
		if names := r.unusedByImages(t); len(names) > 0 {
			out.Metadata["unusedArguments"] = names
		}
		out.Measure()
		outputs = append(outputs, out)
		return nil
	})
	var failure *worker.Failure
	switch {
	case errors.As(err, &failure):
		return nil, failure
	case limited.N <= 0:
		return nil, worker.Failf("The vendor's result is larger than %d bytes.", r.opts.MaxBytes)
	case notFetched != nil:
		return nil, &unresolvedError{"the vendor's pictures cannot be read: " + r.api.reason(ctx, notFetched)}
	case err != nil && seen.failed != nil:
		return nil, &unresolvedError{"the vendor's answer is incomplete: " + r.api.reason(ctx, seen.failed)}
	case err != nil:
		other := worker.OddAnswer{Server: "the vendor", Asked: "the request for pictures", Body: []byte(r.api.clean(string(seen.text))), Fault: err}
		return nil, &unresolvedError{"the answer cannot be read: " + other.Error()}
	case len(outputs) == 0:
		return nil, worker.Failf("The vendor answered without a picture.")
	}
	return outputs, nil
}

// beginning keeps the beginning of an answer, and why it could not be read to its end.
type beginning struct {
	from   io.Reader
	text   []byte
	failed error
}

func (b *beginning) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.text = append(b.text, p[:min(n, 1000-len(b.text))]...)
	if err != io.EOF {
		b.failed = err
	}
	return n, err
}

// downloadRetrying is download with a few retries: the request is answered, and
// only a file is missing.
func (r *Renderer) downloadRetrying(ctx context.Context, address, name string) error {
	for wait, n := r.opts.Backoff, 0; ; wait, n = 2*wait, n+1 {
		err := r.download(ctx, address, name)
		var again *pollAgainError
		if !errors.As(err, &again) || n == 4 || !clock.Sleep(ctx, wait) {
			return err
		}
	}
}

var errNoPictures = errors.New("there are no pictures in it")

// eachPicture visits the entries of data in an answer, and reads to its end.
func eachPicture(d *wire.Decoder, visit func() error) error {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return errors.Join(errNoPictures, err)
	}
	found := false
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if name.String() != "data" || found {
			if err := d.SkipValue(); err != nil {
				return err
			}
			continue
		}
		found = true
		if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
			return errors.Join(errNoPictures, err)
		}
		for d.PeekKind() != ']' {
			if err := visit(); err != nil {
				return err
			}
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if !found {
		return errNoPictures
	}
	return nil
}

// imageError reads the error of an answer of the images API. Some servers have a text
// in place of the object, or the message beside it.
func (r *Renderer) imageError(body []byte) vendorError {
	var answer struct {
		Error   any    `json:"error"`
		Message string `json:"message"`
	}
	_ = wire.UnmarshalLenient(body, &answer) // a proxy may answer with something else
	var code, message string
	switch e := answer.Error.(type) {
	case map[string]any:
		kind, _ := e["type"].(string)
		code = formatValue(e["code"]) + " " + kind
		message, _ = e["message"].(string)
	case string:
		message = e
	}
	if answer.Message != "" {
		code, message = message, answer.Message
	}
	return vendorError{r.api.clean(code), r.api.clean(message)}
}

// unusedByImages are the arguments that the images API does not have.
func (r *Renderer) unusedByImages(t worker.Task) (names []string) {
	for _, name := range []string{"negativePrompt", "guidance", "seed", "starting_image_strength", "personaName"} {
		if v := t.Arguments[name]; v != nil && v != "" && !slices.Contains(r.localArguments(), name) {
			names = append(names, name)
		}
	}
	return names
}
