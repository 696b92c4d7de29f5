package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

// collect downloads the result of a render. A *pollAgainError says that it exists
// and cannot be downloaded now.
func (j *job) collect(ctx context.Context, i int, doc any) ([]worker.Output, error) {
	slot := j.clips[i]
	name := filepath.Join(j.t.Folder, fmt.Sprintf("made-%d", i))
	from := &j.a.Poll
	j.t.Report((float64(i)+0.95)/float64(len(j.clips)), "fetching the result")
	if j.a.Fetch != nil {
		from = j.a.Fetch
		q, err := from.request(j.about(i), j.api.key)
		if err != nil {
			return nil, retryError("%v", err)
		}
		if from.File {
			err = j.api.save(ctx, q, name, j.opts.MaxBytes)
		} else {
			doc, err = j.ask(ctx, q)
		}
		if err != nil {
			return nil, err
		}
	}
	if !from.File {
		address := ""
		for _, p := range from.Results {
			if address = p.word(doc); address != "" {
				break
			}
		}
		if address == "" {
			return nil, retryError("it reports success without the address of a result")
		}
		if err := j.download(ctx, address, name); err != nil {
			return nil, err
		}
	}
	if err := checkType(name, slot); err != nil {
		return nil, err
	}
	out := worker.Output{ID: slot.ID, Path: name, Seed: j.t.Seed + int64(i), Width: int(number(j.t, "width")), Height: int(number(j.t, "height")), DurationSeconds: number(j.t, "duration")}
	out.Metadata = map[string]any{"vendor": j.opts.Name, "vendorModelId": j.m.VendorID, "adapter": filepath.Base(j.a.name)}
	if o, err := newOrder(j.t, j.m, i); err == nil {
		if names := o.unused(j.t, j.a); len(names) > 0 {
			out.Metadata["unusedArguments"] = names
		}
	}
	out.Measure()
	if err := j.join(ctx, &out, slot); err != nil {
		return nil, err
	}
	made := []worker.Output{out}
	if i < len(j.stills) {
		if still, ok := j.lastFrame(ctx, i, from, doc, out); ok {
			made = append(made, still)
		}
	}
	return made, nil
}

// checkType refuses a file that does not have the ordered type.
func checkType(name string, slot apitype.AssignmentArtifact) error {
	if kind := filetype.DetectFile(name); !filetype.Fits(slot.ContentType, kind) {
		if kind == "" {
			kind = "a file of an unknown type"
		}
		return worker.Failf("The vendor made %s instead of %s.", kind, slot.ContentType)
	}
	return nil
}

// download reads a result from an address of the vendor.
func (r *Renderer) download(ctx context.Context, address, name string) error {
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		_, data, found := strings.Cut(rest, ";base64,")
		if !found {
			return worker.Failf("The vendor's result cannot be read.")
		}
		return r.decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)), name)
	}
	web := r.web
	if u, err := url.Parse(address); err == nil && u.Host == r.api.base.Host {
		web = r.near
	}
	body, err := web.Get(ctx, address)
	if err == nil {
		err = store(name, body)
		body.Close()
	}
	var disk *fs.PathError
	switch {
	case err == nil || errors.As(err, &disk):
		return err
	case atelier.HasCode(err, atelier.CodeBodyTooLarge):
		return worker.Failf("The vendor's result is larger than %d bytes.", r.opts.MaxBytes)
	}
	return retryError("the result cannot be fetched: %v", r.api.clean(err.Error()))
}

// decode writes a result that was inside an answer.
func (r *Renderer) decode(in io.Reader, name string) error {
	limited := &io.LimitedReader{R: in, N: r.opts.MaxBytes + 1}
	err := store(name, limited)
	var broken base64.CorruptInputError
	switch {
	case limited.N <= 0:
		return worker.Failf("The vendor's result is larger than %d bytes.", r.opts.MaxBytes)
	case errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF):
		return worker.Failf("The vendor's result cannot be read.")
	}
	return err
}

// saveTime is how long one result may take.
const saveTime = 15 * time.Minute

// save writes the body of an answer.
func (l *vendorClient) save(ctx context.Context, q request, name string, limit int64) error {
	ctx, cancel := context.WithTimeout(ctx, saveTime)
	defer cancel()
	resp, err := l.open(ctx, q)
	if err != nil {
		return retryError("the result cannot be fetched: %v", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return &pollAgainError{after: retryAfter(resp.Header), why: fmt.Sprintf("the result cannot be fetched: it answered with status %d", resp.StatusCode)}
	}
	limited := &io.LimitedReader{R: resp.Body, N: limit + 1}
	err = store(name, limited)
	var disk *fs.PathError
	switch {
	case limited.N <= 0:
		return worker.Failf("The vendor's result is larger than %d bytes.", limit)
	case err != nil && !errors.As(err, &disk):
		return retryError("the result is incomplete: %s", l.reason(ctx, err))
	}
	return err
}

func store(name string, in io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}
