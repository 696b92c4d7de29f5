package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
)

const runStatus = "event: run_status\ndata: {\"type\":\"run_status\",\"runId\":\"r\",\"status\":%q}\n\n"

// The stream of a run is reopened after its last event. It stays open while the run waits,
// and reports events that are no longer kept.
func TestFollowRun(t *testing.T) {
	t.Parallel()
	c, from := service(t,
		event(0, "run_created")+fmt.Sprintf(runStatus, "running")+event(1, "llm_round_started"),
		"503!0",
		"event: events_trimmed\ndata: {\"type\":\"events_trimmed\",\"runId\":\"r\",\"firstSequence\":7}\n\n"+
			event(7, "run_waiting_for_user")+fmt.Sprintf(runStatus, "waiting_for_user")+": heartbeat\n\n"+"event: error\ndata: {}\n\n",
		fmt.Sprintf(runStatus, "waiting_for_user")+event(8, "run_partial_failure")+fmt.Sprintf(runStatus, "partial_failure")+event(9, "never"),
	)
	var got []string
	for n, err := range c.FollowRun(t.Context(), "r", -1) {
		switch {
		case err != nil:
			t.Fatal(err)
		case n.Event != nil:
			got = append(got, fmt.Sprint(n.Event.Sequence))
		case n.Trimmed != nil:
			got = append(got, fmt.Sprint("trimmed before ", n.Trimmed.FirstSequence))
		default:
			got = append(got, string(n.Status.Status))
		}
	}
	want := "0, running, 1, trimmed before 7, 7, waiting_for_user, waiting_for_user, 8, partial_failure"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(*from), "[ 1 1 7]"; got != want {
		t.Errorf("it went on from %s, want %s", got, want)
	}
}

// newService starts a service whose built-in model and renderer work, and a client of an
// account that can pay.
func newService(t *testing.T) *client.Client {
	t.Helper()
	s := ateliertest.Start(t, store.Options{}, func(c *config.Config) { c.Workers.Embedded = true })
	ready := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
	return client.New(s.URL, ready.Key)
}

func draw(words string, confirm bool) client.RunStart {
	return client.RunStart{
		Messages: []apitype.RunMessage{{Role: "user", Content: words}}, SessionID: "s", Config: client.RunConfig{RequireJobConfirmation: confirm},
	}
}

// follow reads a run until it is over or waits, and returns the types of its events.
func follow(t *testing.T, c *client.Client, id string, after int64) (status apitype.RunStatus, types []string) {
	t.Helper()
	for n, err := range c.FollowRun(t.Context(), id, after) {
		switch {
		case err != nil:
			t.Fatal(err)
		case n.Event != nil:
			types = append(types, string(n.Event.Type))
		case n.Status != nil:
			if status = *n.Status; status.Status == atelier.StatusWaitingForUser {
				return status, types
			}
		}
	}
	return status, types
}

// A conversation of two runs: the second changes what the first has made.
func TestRuns(t *testing.T) {
	t.Parallel()
	c := newService(t)
	started, err := c.StartRun(t.Context(), draw("make a 256x256 picture of a fox", false))
	if err != nil {
		t.Fatal(err)
	}
	id := string(started.RunID)
	status, types := follow(t, c, id, -1)
	if got := strings.Join(types, " "); status.Status != atelier.StatusCompleted || !strings.HasPrefix(got, "run_created llm_round_started") || !strings.HasSuffix(got, " run_completed") {
		t.Errorf("got %s and %s", status.Status, got)
	}
	done, err := c.Run(t.Context(), id)
	if err != nil || len(done.Artifacts) != 1 || done.FinalResponse == nil || done.FinalResponse.FinishReason != "stop" {
		t.Fatalf("got %+v, %v, want one artifact", done, err)
	}
	list, trimmed, err := c.RunEvents(t.Context(), id, 1)
	if err != nil || trimmed || len(list) != len(types)-2 || list[0].Sequence != 2 {
		t.Errorf("got %d events, %v, %v, want %d from the third", len(list), trimmed, err, len(types)-2)
	}
	next := draw("make it black and white", false)
	next.Messages, next.MediaContext = append(done.Messages, next.Messages...), done.MediaContext
	again, err := c.StartRun(t.Context(), next)
	if err != nil {
		t.Fatal(err)
	}
	follow(t, c, string(again.RunID), -1)
	if done, err = c.Run(t.Context(), string(again.RunID)); err != nil || len(done.MediaContext.Images) != 2 {
		t.Errorf("got %+v, %v, want two pictures", done.MediaContext, err)
	}
	if _, err := c.CancelRun(t.Context(), id, ""); !client.Is(err, http.StatusConflict) {
		t.Errorf("cancel of a run that is over: got %v, want a conflict", err)
	}
	if _, err := c.Run(t.Context(), "run_x"); !client.Is(err, http.StatusNotFound) {
		t.Errorf("got %v, want a 404", err)
	}
}

// A user decides about the cost for which a run waits.
func TestRunCost(t *testing.T) {
	t.Parallel()
	c := newService(t)
	pause := func() apitype.Run {
		t.Helper()
		started, err := c.StartRun(t.Context(), draw("make a 256x256 picture of a fox", true))
		if err != nil {
			t.Fatal(err)
		}
		if status, _ := follow(t, c, string(started.RunID), -1); status.WaitingReason != atelier.WaitCostApproval {
			t.Fatalf("got %+v, want a pause for its cost", status)
		}
		waiting, err := c.Run(t.Context(), string(started.RunID))
		if err != nil || waiting.Waiting == nil || waiting.Waiting.Details.CostApprovalPreview == nil {
			t.Fatalf("got %+v, %v, want a preview", waiting, err)
		}
		return waiting
	}
	decide := func(r apitype.Run, d client.RunDecision) error {
		d.ToolCallID = r.Waiting.Details.ToolCallID
		_, err := c.ConfirmRunCost(t.Context(), string(r.RunID), d)
		return err
	}
	for name, tc := range map[string]struct {
		act    func(apitype.Run) error
		status atelier.Status
		made   int
	}{
		"approved": {func(r apitype.Run) error {
			return decide(r, client.RunDecision{Decision: client.Approve, Preview: r.Waiting.Details.CostApprovalPreview})
		}, atelier.StatusCompleted, 1},
		"declined": {func(r apitype.Run) error {
			return decide(r, client.RunDecision{Decision: client.Decline, Reason: "too much"})
		}, atelier.StatusCompleted, 0},
		"cancelled": {func(r apitype.Run) error {
			_, err := c.CancelRun(t.Context(), string(r.RunID), "not needed")
			return err
		}, atelier.StatusCancelled, 0},
	} {
		waiting := pause()
		if err := tc.act(waiting); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		status, _ := follow(t, c, string(waiting.RunID), waiting.Events[len(waiting.Events)-1].Sequence)
		ended, err := c.Run(t.Context(), string(waiting.RunID))
		if err != nil || status.Status != tc.status || ended.Status != tc.status || len(ended.Artifacts) != tc.made {
			t.Errorf("%s: got %s with %d artifacts, %v, want %s with %d", name, ended.Status, len(ended.Artifacts), err, tc.status, tc.made)
		}
	}
}

// loseFirst loses the first answer to a POST.
type loseFirst struct {
	posts int
	lost  string // the answer
}

func (l *loseFirst) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost {
		if l.posts++; l.posts == 1 {
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			l.lost = string(body)
			return nil, errors.New("connection reset")
		}
	}
	return resp, err
}

// A start whose answer was lost is repeated, and there is one run.
func TestStartRunOnce(t *testing.T) {
	t.Parallel()
	c := newService(t)
	network := &loseFirst{}
	c.HTTP.Transport = network
	started, err := c.StartRun(t.Context(), draw("hello", false))
	if err != nil || network.posts != 2 || !strings.Contains(network.lost, string(started.RunID)) {
		t.Errorf("got the run %s, %v after %d requests, want that of the first answer: %s", started.RunID, err, network.posts, network.lost)
	}
}
