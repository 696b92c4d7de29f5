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

	"github.com/atelier-project/atelier"
)

// Update is an event of a workflow, or its current state.
type Update struct {
	Event  *EventRecord
	Status *WorkflowStatus
}

// WorkflowStatus is the current state of a workflow.
type WorkflowStatus struct {
	WorkflowID           string                `json:"workflowId"`
	Status               atelier.Status        `json:"status"`
	WaitingReason        atelier.WaitingReason `json:"waitingReason"`
	AwaitingCostApproval bool                  `json:"awaitingCostApproval"`
}

// Follow reads the log of a workflow after a sequence (-1 for all of it) until the
// workflow has ended. A broken stream, or one whose node shuts down, is reopened after the
// last event; each event comes once. It fails when the service cannot be reached for as
// long as calls are retried.
func (c *Client) Follow(ctx context.Context, id string, after int64) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		for failures := 0; ; {
			progress, over, err := c.stream(ctx, id, &after, yield)
			switch {
			case over:
				return
			case ctx.Err() != nil:
				yield(Update{}, ctx.Err())
				return
			}
			if progress {
				failures = 0
			}
			wait, again := pause(err, failures)
			if failures++; !again || failures > c.Retries {
				yield(Update{}, err)
				return
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				yield(Update{}, ctx.Err())
				return
			}
		}
	}
}

// errBroken means that a stream ended before its workflow did.
var errBroken = errors.New("the stream ended before the workflow did")

// stream reads one connection. It reports whether anything arrived, and whether the
// workflow has ended.
func (c *Client) stream(ctx context.Context, id string, after *int64, yield func(Update, error) bool) (progress, over bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+workflows+"/"+url.PathEscape(id)+"/events/stream", nil)
	if err != nil {
		return false, false, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Accept", "text/event-stream")
	if *after >= 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(*after, 10))
	}
	resp, err := c.HTTP.Do(req)
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
		n, err := f.update()
		if err != nil {
			return progress, false, err
		}
		if n.Event != nil {
			if n.Event.Sequence <= *after {
				continue
			}
			*after = n.Event.Sequence
		}
		if n == (Update{}) {
			continue // of a kind that this client does not know
		}
		progress = true
		if !yield(n, nil) || (n.Status != nil && n.Status.Status.Terminal()) {
			return progress, true, nil
		}
	}
	return progress, false, errBroken
}

// frame is one frame of a stream.
type frame struct {
	id, event, data string
}

func (f frame) update() (n Update, err error) {
	switch {
	case f.event == "error":
		return n, fmt.Errorf("the stream failed: %s", f.data)
	case f.event == "workflow_status":
		n.Status = &WorkflowStatus{}
		err = json.Unmarshal([]byte(f.data), n.Status)
	case f.id != "":
		n.Event = &EventRecord{}
		err = json.Unmarshal([]byte(f.data), n.Event)
	}
	return n, err
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
