package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// Session is a connected worker.
type Session struct {
	client    *Client
	ID        atelier.WorkerID
	Lease     time.Duration // a job without progress for this long is lost
	Heartbeat time.Duration // how often to call the service
}

// MaxData is how many bytes of files a completion may include.
const MaxData = 1 << 20

// MaxMetadata is how many bytes of JSON the metadata of an artifact may have.
const MaxMetadata = 4 << 10

// Connect opens a session for a worker.
func (c *Client) Connect(ctx context.Context, w apitype.WorkerSpec) (*Session, error) {
	own := *c
	if !strings.ContainsFunc(w.Name, unicode.IsControl) {
		own.app = "worker " + w.Name // the service says who used the key last
	}
	var reply apitype.WorkerSessionReply
	if _, err := own.call(ctx, http.MethodPost, "/v1/worker/sessions", w, &reply); err != nil {
		return nil, err
	}
	return &Session{
		client: &own, ID: reply.Worker.WorkerID,
		Lease:     time.Duration(reply.Worker.LeaseSeconds * float64(time.Second)),
		Heartbeat: time.Duration(reply.Worker.HeartbeatSeconds * float64(time.Second)),
	}, nil
}

func (s *Session) path(more string) string {
	return "/v1/worker/sessions/" + url.PathEscape(string(s.ID)) + more
}

func (s *Session) job(id atelier.JobID, verb string) string {
	return s.path("/jobs/" + url.PathEscape(string(id)) + "/" + verb)
}

// Claim waits for a job, up to half a minute. It returns nil when no job is available.
func (s *Session) Claim(ctx context.Context, patience time.Duration) (*apitype.Assignment, error) {
	var reply apitype.ClaimedJob
	_, err := s.client.call(ctx, http.MethodPost, s.path("/claim"), apitype.JobClaim{WaitSeconds: patience.Seconds()}, &reply)
	return reply.Job, err
}

// Beat reports that the worker is connected, and its state. It returns what the service does with it.
func (s *Session) Beat(ctx context.Context, h apitype.Heartbeat) (reply apitype.HeartbeatReply, err error) {
	_, err = s.client.call(ctx, http.MethodPost, s.path("/heartbeat"), h, &reply)
	return reply, err
}

// MaxReceipt is the longest receipt, in bytes.
const MaxReceipt = 4096

// Progress reports the progress of a job, and returns whether it was cancelled and how many others
// could take it. A receipt, such as the id of a vendor's task, is durable when Progress returns
// without an error: a worker that gets the job later gets it too. A report without one does not
// change it.
func (s *Session) Progress(ctx context.Context, jobID atelier.JobID, p apitype.JobProgress) (reply apitype.ProgressReply, err error) {
	_, err = s.client.call(ctx, http.MethodPost, s.job(jobID, "progress"), p, &reply)
	return reply, err
}

// Complete settles a finished job. It returns the next one, if it was asked for and one is
// queued.
func (s *Session) Complete(ctx context.Context, jobID atelier.JobID, done apitype.Completion) (*apitype.Assignment, error) {
	var reply apitype.ClaimedJob
	_, err := s.client.call(ctx, http.MethodPost, s.job(jobID, "complete"), done, &reply)
	return reply.Job, err
}

// Fail reports that a job failed.
func (s *Session) Fail(ctx context.Context, jobID atelier.JobID, f apitype.JobFailure) error {
	_, err := s.client.call(ctx, http.MethodPost, s.job(jobID, "fail"), f, nil)
	return err
}

// Close ends the session. Unfinished jobs go back to the queue.
func (s *Session) Close(ctx context.Context) error {
	_, err := s.client.call(ctx, http.MethodDelete, s.path(""), nil, nil)
	return err
}
