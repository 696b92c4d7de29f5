package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/probe"
)

// A result must have at least half of an ordered edge and of the ordered length: models
// round sizes and lengths, and have limits of their own. An edge may be four times as long as
// ordered, and at least as long as models make by themselves.
const (
	leastShare = 0.5
	mostTimes  = 4
	usualEdge  = 2048
)

// ordered is the size and length that the results of a job must have. A vendor decides for
// itself, and is paid for what it makes.
func (e *Engine) ordered(w atelier.Worker, s atelier.JobSpec) atelier.Extent {
	if e.mayKeepRef(w, s.ModelID) {
		return atelier.Extent{}
	}
	return s.Ordered
}

// inspect inspects and measures a file that was sent with a completion. Uploads were
// inspected when they were uploaded.
func (e *Engine) inspect(ctx context.Context, i int, m apitype.ReportedArtifact, a *atelier.Artifact, want atelier.Extent) error {
	field := fmt.Sprintf("artifacts[%d].data", i)
	if e.opts.Inspect != nil {
		err := e.opts.Inspect(a.ContentType, bytes.NewReader(m.Data), int64(len(m.Data)))
		var wrong *atelier.Error
		if errors.As(err, &wrong) {
			err = atelier.Refuse(field, "is not the ordered file: the %s", wrong.Message)
		}
		if err != nil {
			return err
		}
	}
	return measure(ctx, field, a, bytes.NewReader(m.Data), want)
}

// readUploaded reads how large an object is, and measures it unless a node task has done
// so: its headers are read, not all of it.
func (e *Engine) readUploaded(ctx context.Context, i int, a *atelier.Artifact, want atelier.Extent, isMeasured bool) error {
	if kind := filetype.Kind(a.ContentType); isMeasured || kind == "model" || kind == "other" {
		object, err := e.blobs.Stat(ctx, a.Key)
		a.Bytes = object.Size
		return err
	}
	file, object, err := e.blobs.Open(ctx, a.Key)
	if err != nil {
		return err
	}
	defer file.Close()
	a.Bytes = object.Size
	return measure(ctx, fmt.Sprintf("artifacts[%d]", i), a, file, want)
}

// measure reads the size and length of a result from its headers, in place of what the
// worker has reported, and compares them with the order. A picture whose headers cannot be
// read is refused; so is another file if the order says what it must have. What else
// cannot be measured keeps what the worker has reported.
func measure(ctx context.Context, field string, a *atelier.Artifact, file io.ReadSeeker, want atelier.Extent) error {
	kind := filetype.Kind(a.ContentType)
	switch {
	case strings.HasSuffix(a.ID, LastFrame):
		want = atelier.Extent{}
	case kind == "image":
		want.Seconds = 0
	case kind == "audio":
		want.Width, want.Height = 0, 0
	}
	x, err := probe.Measure(ctx, file)
	isUnreadable := errors.Is(err, probe.ErrUnreadable)
	switch {
	case isUnreadable && (kind == "image" || want != (atelier.Extent{})), err == nil && x == (probe.Extent{}) && want != (atelier.Extent{}):
		return atelier.Refuse(field, "(%s) cannot be read: it must be a file of the type %s.", a.ID, a.ContentType)
	case isUnreadable:
		return nil
	case err != nil:
		return err
	}
	if x != (probe.Extent{}) {
		a.Width, a.Height = x.Width, x.Height
		if x.Seconds > 0 || kind == "image" { // the headers of a clip in fragments do not tell
			a.DurationSeconds = x.Seconds
		}
	}
	return compare(field, a.ID, x, want)
}

// compare refuses a result that is far from the order.
func compare(field, id string, x probe.Extent, want atelier.Extent) error {
	isFar := func(got, want int) bool {
		return want > 0 && (float64(got) < leastShare*float64(want) || got > max(mostTimes*want, usualEdge))
	}
	switch {
	case isFar(x.Width, want.Width) || isFar(x.Height, want.Height):
		return atelier.Refuse(field, "(%s) has %d by %d pixels, but %d by %d were ordered. Deliver the ordered size, or fail the job.",
			id, x.Width, x.Height, want.Width, want.Height)
	case x.Seconds > 0 && x.Seconds < leastShare*want.Seconds:
		return atelier.Refuse(field, "(%s) lasts %s seconds, but %s were ordered. Deliver the ordered length, or fail the job.", id, seconds(x.Seconds), seconds(want.Seconds))
	}
	return nil
}

// seconds writes a number of seconds for a message.
func seconds(s float64) string { return fmt.Sprintf("%.3g", s) }
