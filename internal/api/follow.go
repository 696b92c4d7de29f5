package api

import (
	"context"
	"iter"
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/workflow"
)

// workflowStatus is the frame with the current state of a workflow.
type workflowStatus struct {
	WorkflowID           string                `json:"workflowId"`
	Status               atelier.Status        `json:"status"`
	WaitingReason        atelier.WaitingReason `json:"waitingReason,omitzero"`
	AwaitingCostApproval *bool                 `json:"awaitingCostApproval,omitzero"`
}

func (s *Server) streamWorkflow(c *call, q eventsRequest) error {
	after, err := lastEventID(c.r, q.after())
	if err != nil {
		return err
	}
	ctx, stop := s.streaming(c)
	defer stop()
	news, err := s.workflows.Follow(ctx, c.caller.Wallet, q.ID, after, s.heartbeat)
	if err != nil {
		return err
	}
	follow(c, news, func(out *sse, n workflow.Update) bool {
		switch {
		case n.Event != nil:
			return out.frame(&n.Event.Sequence, string(n.Event.Type), n.Event)
		case n.Standing != nil:
			return out.frame(nil, "workflow_status", statusFrame(string(q.ID), *n.Standing))
		}
		return out.heartbeat()
	})
	return nil
}

func statusFrame(id string, at journal.Standing) workflowStatus {
	frame := workflowStatus{WorkflowID: id, Status: at.Status, WaitingReason: at.Waiting}
	if at.Status == atelier.StatusWaitingForUser {
		awaits := at.Waiting == atelier.WaitCostApproval
		frame.AwaitingCostApproval = &awaits
	}
	return frame
}

// streaming is the context of a stream: it ends with the request, and when the
// node drains.
func (s *Server) streaming(c *call) (context.Context, func()) {
	ctx, cancel := context.WithCancel(c)
	quit := context.AfterFunc(s.streams, cancel)
	return ctx, func() { quit(); cancel() }
}

// streamError is the last frame of a failed stream: the reader should reconnect with the
// id of its last event.
type streamError struct {
	Message string `json:"message"`
}

// follow sends updates to a reader until there are no more or the reader disconnects.
func follow[N any](c *call, news iter.Seq2[N, error], send func(*sse, N) bool) {
	out := openStream(c)
	out.long = true
	if c.r.Method == http.MethodHead {
		return
	}
	_ = out.control.Flush()
	for n, err := range news {
		if err != nil {
			c.log.Warn("event stream failed", "path", c.r.URL.Path, "error", err)
			out.frame(nil, "error", streamError{"The stream failed. Reconnect with Last-Event-ID."})
			return
		}
		if !send(out, n) {
			return
		}
	}
}
