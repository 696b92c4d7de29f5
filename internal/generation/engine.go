package generation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Engine makes media.
type Engine struct {
	workflows *workflow.Engine
	media     *media.Engine
	blobs     blob.SignedStore
	beat      time.Duration
}

// New makes an Engine. Beat is the time between two heartbeats while nothing happens.
func New(w *workflow.Engine, m *media.Engine, blobs blob.SignedStore, beat time.Duration) *Engine {
	return &Engine{workflows: w, media: m, blobs: blobs, beat: beat}
}

// Progress is how far something is while it is made.
type Progress struct {
	Part    float64 // of 1
	Message string
	Preview string // the URL of a picture, or empty
}

// See is called while something is made, at least at every heartbeat. Its error ends the waiting.
type See func(Progress) error

// Begin starts a workflow of a client that asks for it again until it is over. One that waits for its user at once is
// an error.
func (e *Engine) Begin(ctx context.Context, owner atelier.Account, q workflow.StartRequest) (apitype.Workflow, error) {
	started, err := e.workflows.Start(ctx, owner, q)
	if err != nil || started.Workflow.Status != atelier.StatusWaitingForUser {
		return started.Workflow, err
	}
	return e.cancel(ctx, owner.Wallet, started.Workflow)
}

// Make starts a workflow and returns it when it has ended with a result or a part of it. Any other end is an error.
func (e *Engine) Make(ctx context.Context, owner atelier.Account, q workflow.StartRequest, see See) (apitype.Workflow, error) {
	started, err := e.workflows.Start(ctx, owner, q)
	if err != nil {
		return apitype.Workflow{}, err
	}
	id := atelier.WorkflowID(started.Workflow.WorkflowID)
	if err := e.follow(ctx, owner.Wallet, id, see); err != nil {
		return apitype.Workflow{}, err
	}
	w, err := e.workflows.Workflow(ctx, owner.Wallet, id)
	if err != nil {
		return w, err
	}
	if !w.Status.Terminal() {
		return e.cancel(ctx, owner.Wallet, w)
	}
	return w, failure(w)
}

// cancel ends a workflow that waits for its user or for a worker. Its error says what it has waited for.
func (e *Engine) cancel(ctx context.Context, owner atelier.Wallet, w apitype.Workflow) (apitype.Workflow, error) {
	reason, lacking := "user_cancelled", w.WaitingForWorker()
	if lacking != nil {
		reason = atelier.WaitNoWorker
	}
	done, err := e.workflows.Cancel(ctx, owner, atelier.WorkflowID(w.WorkflowID), reason)
	switch {
	case err != nil:
		return w, err
	case !done.Transitioned: // it ended in the meantime
		return done.Workflow, failure(done.Workflow)
	case lacking != nil:
		failed := atelier.Errorf(atelier.CodeUnavailable, "%s Nothing was rendered or charged.", lacking)
		failed.RetryAfter = noWorkerRetry
		return w, failed
	case w.WaitingReason == atelier.WaitCredit:
		return w, atelier.Errorf(atelier.CodeInsufficientBalance, "The request cannot be paid. %s", w.Waiting.Message)
	case w.WaitingReason == atelier.WaitSafetyReview:
		found := "" // the message of the wait says how to resume it, which this client cannot
		if d := w.Waiting.Details; d != nil && len(d.Categories) > 0 {
			found = " (" + strings.Join(d.Categories, ", ") + ")"
		}
		refused := atelier.Errorf(atelier.CodeContentFiltered, "The content filter refuses this%s. Change the words and try again.", found)
		refused.Field = "prompt"
		return w, refused
	}
	return w, atelier.Errorf(atelier.CodeWrongState, "The workflow %s waits for its user, and was cancelled.", w.WorkflowID)
}

// failure is the error of a workflow that is over; nil when it has completed, or has made a part, which was paid for.
func failure(w apitype.Workflow) error {
	switch {
	case w.Status == atelier.StatusCompleted, w.Status == atelier.StatusPartialFailure && len(w.Artifacts) > 0:
		return nil
	case w.Error != nil && w.Error.Code == atelier.CodeSubscriptionLimit.Slug:
		return atelier.Errorf(atelier.CodeSubscriptionLimit, "%s", w.Error.Message)
	case w.Error != nil:
		return atelier.Errorf(atelier.CodeUpstream, "%s", w.Error.Message).With("reason", w.Error.Code)
	}
	return atelier.Errorf(atelier.CodeWrongState, "The workflow %s was cancelled.", w.WorkflowID)
}

// follow waits until a workflow is over, waits for its user, or lacks a worker.
func (e *Engine) follow(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID, see See) error {
	news, err := e.workflows.Follow(ctx, w, id, -1, e.beat)
	if err != nil {
		return err
	}
	var at Progress
	for n, err := range news {
		if err != nil {
			return err
		}
		at.Preview = ""
		if n.Standing != nil && (n.Standing.Status.Terminal() || n.Standing.Status == atelier.StatusWaitingForUser) {
			return nil
		}
		if n.Event != nil {
			p, ok := n.Event.Payload.(apitype.WorkflowProgress)
			if !ok {
				continue
			}
			if p.WaitingFor.Value != nil { // the event may be old: read the state
				found, err := e.workflows.Workflow(ctx, w, id)
				if err != nil || found.WaitingForWorker() != nil {
					return err
				}
			}
			at = Progress{Part: p.Progress, Message: n.Event.Message, Preview: p.PreviewURL}
		}
		if err := see(at); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// noWorkerRetry is when a client that found no worker may try again.
const noWorkerRetry = 30 * time.Second

// Open opens the file of a signed URL, such as that of an artifact or a preview.
func (e *Engine) Open(ctx context.Context, url string) (io.ReadSeekCloser, blob.Object, error) {
	key, ours := e.blobs.KeyOf(url)
	if !ours {
		return nil, blob.Object{}, errElsewhere()
	}
	file, object, err := e.blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		err = atelier.Errorf(atelier.CodeNotFound, "The file was deleted.")
	}
	return file, object, err
}

// Picture is the picture of a signed URL as a JPEG, whose longer edge has at most edge pixels and which has at most the
// given number of bytes.
func (e *Engine) Picture(ctx context.Context, w atelier.Wallet, url string, edge, bytes int) ([]byte, error) {
	key, ours := e.blobs.KeyOf(url)
	if !ours {
		return nil, errElsewhere()
	}
	return e.media.Picture(ctx, w, key, edge, bytes)
}

func errElsewhere() error {
	return atelier.Errorf(atelier.CodeUpstream, "The result is not stored here.")
}

// Keep stores a picture that came with a request, and returns its reference.
func (e *Engine) Keep(ctx context.Context, w atelier.Wallet, picture []byte) (atelier.MediaReference, error) {
	url, err := e.media.KeepPicture(ctx, w, picture)
	return atelier.MediaAt("image", url), err
}

// KeepMask stores the mask that the transparent pixels of a picture are: white, where the picture is to change.
func (e *Engine) KeepMask(ctx context.Context, w atelier.Wallet, picture []byte) (string, error) {
	return e.keepMask(ctx, w, picture, "must be a picture with transparent pixels where the image is to change.",
		func(c color.Color) uint8 {
			_, _, _, a := c.RGBA()
			return 255 - uint8(a>>8)
		})
}

// KeepDrawnMask stores the mask that a picture in black and white is. It is white where the picture is to change, or
// black, if it is inverted; transparent pixels are black.
func (e *Engine) KeepDrawnMask(ctx context.Context, w atelier.Wallet, picture []byte, isInverted bool) (string, error) {
	need := "must be a picture that is white where the image is to change."
	if isInverted {
		need = "must be a picture that is black where the image is to change."
	}
	return e.keepMask(ctx, w, picture, need, func(c color.Color) uint8 {
		gray := color.GrayModel.Convert(c).(color.Gray).Y // of a colour that is multiplied by its alpha
		if isInverted {
			return 255 - gray
		}
		return gray
	})
}

// keepMask stores the mask that a function makes of the pixels of a picture. One that selects nothing is refused with
// what is needed.
func (e *Engine) keepMask(ctx context.Context, w atelier.Wallet, picture []byte, need string, pixel func(color.Color) uint8) (string, error) {
	if _, err := e.media.CheckPicture(ctx, w, picture); err != nil {
		return "", err
	}
	var mask bytes.Buffer
	err := e.media.Decode(ctx, w, bytes.NewReader(picture), maskEdge, func(decoded image.Image) error {
		b := decoded.Bounds()
		out := image.NewGray(b)
		isEmpty := true
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				at := pixel(decoded.At(x, y))
				out.SetGray(x, y, color.Gray{Y: at})
				isEmpty = isEmpty && at < 0x80
			}
		}
		if isEmpty {
			return atelier.Refuse("mask", "%s", need)
		}
		return png.Encode(&mask, out)
	})
	if err != nil {
		return "", err
	}
	return e.media.Keep(ctx, w, "image/png", mask.Bytes())
}

// maskEdge is the longer edge of a mask that is too large to be decoded in this process.
const maskEdge = 4096

// Renamed has an error about an argument of a step name the field that the argument was, by the names of arguments.
func Renamed(err error, fields map[string]string) error {
	var e *atelier.Error
	if !errors.As(err, &e) || e.Field == "" {
		return err
	}
	name := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	own := *e
	own.Field = cmp.Or(fields[name], name)
	own.Message = strings.ReplaceAll(own.Message, e.Field, own.Field)
	return &own
}
