package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/apitype"
)

// Update is an event of a workflow, or its current state.
type Update struct {
	Event  *apitype.WorkflowEvent
	Status *apitype.WorkflowStatus
}

// Follow reads the log of a workflow after a sequence (-1 for all of it) until the
// workflow has ended. A broken stream, or one whose node shuts down, is reopened after the
// last event; each event comes once. It fails when the service cannot be reached for as
// long as calls are retried.
func (c *Client) Follow(ctx context.Context, id string, after int64) iter.Seq2[Update, error] {
	return follow(ctx, c, workflows+"/"+url.PathEscape(id)+"/events/stream", after, readUpdate)
}

func readUpdate(f frame) (n item[Update], err error) {
	switch {
	case f.event == "workflow_status":
		n.update.Status = &apitype.WorkflowStatus{}
		err = json.Unmarshal([]byte(f.data), n.update.Status)
		n.known, n.over = true, n.update.Status.Status.Terminal()
	case f.id != "":
		n.update.Event = &apitype.WorkflowEvent{}
		err = json.Unmarshal([]byte(f.data), n.update.Event)
		n.known, n.sequence = true, &n.update.Event.Sequence
	}
	return n, err
}

// item is a frame of a log, as its reader understands it.
type item[U any] struct {
	update   U
	known    bool   // false for a frame of a kind that this client does not know
	sequence *int64 // of an event, nil for other frames
	over     bool   // nothing follows
}

// follow reads the stream of a log after a sequence until an item is the last one, and
// reopens it when it breaks.
func follow[U any](ctx context.Context, c *Client, path string, after int64, read func(frame) (item[U], error)) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		var none U
		for failures := 0; ; {
			progress, over, err := stream(ctx, c, path, &after, read, yield)
			switch {
			case over:
				return
			case ctx.Err() != nil:
				yield(none, ctx.Err())
				return
			}
			if progress {
				failures = 0
			}
			wait, again := pause(err, failures)
			if failures++; !again || failures > c.Retries {
				yield(none, err)
				return
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				yield(none, ctx.Err())
				return
			}
		}
	}
}

// errBroken means that a stream ended before its log did.
var errBroken = errors.New("the stream ended before the last event")

// stream reads one connection. It reports whether anything arrived, and whether the log has
// ended or its reader wants no more.
func stream[U any](
	ctx context.Context, c *Client, path string, after *int64, read func(frame) (item[U], error), yield func(U, error) bool,
) (progress, over bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, nil)
	if err != nil {
		return false, false, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Accept", "text/event-stream")
	if *after >= 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(*after, 10))
	}
	resp, err := c.send(req, maxStreamSilence)
	if err != nil {
		return false, false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return false, false, refusal(resp, text)
	}
	for f, err := range frames(resp.Body) {
		if err != nil {
			return progress, false, err
		}
		if f.event == "error" {
			return progress, false, fmt.Errorf("the stream failed: %s", f.data)
		}
		n, err := read(f)
		if err != nil {
			return progress, false, fmt.Errorf("%w: %w", ErrForeign, err)
		}
		if !n.known {
			continue
		}
		if n.sequence != nil {
			if *n.sequence <= *after {
				continue
			}
			*after = *n.sequence
		}
		progress = true
		if !yield(n.update, nil) || n.over {
			return progress, true, nil
		}
	}
	return progress, false, errBroken
}

// frame is one frame of a stream.
type frame struct {
	id, event, data string
}

// maxFrame is the longest frame.
const maxFrame = 16 << 20

// frames reads server-sent events. Lines that are no field, such as comments, are skipped.
func frames(r io.Reader) iter.Seq2[frame, error] {
	return func(yield func(frame, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 4096), maxFrame)
		var f frame
		for lines.Scan() {
			line := strings.TrimSuffix(lines.Text(), "\r")
			name, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case line == "":
				if f != (frame{}) && !yield(f, nil) {
					return
				}
				f = frame{}
			case name == "id":
				f.id = value
			case name == "event":
				f.event = value
			case name == "data" && f.data != "":
				f.data += "\n" + value
			case name == "data":
				f.data = value
			}
		}
		if err := lines.Err(); err != nil {
			yield(frame{}, err)
		}
	}
}
