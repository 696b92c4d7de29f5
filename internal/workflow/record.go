package workflow

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// state is the progress of the plan's steps and files.
type state struct {
	Terms     termsDocument     `json:"terms"`
	Filter    bool              `json:"filter"` // what the caller asked for; each render checks whether the account may turn it off
	Steps     []stepState       `json:"steps"`
	Files     []fileState       `json:"files,omitempty"`
	Approval  *approval         `json:"approval,omitempty"` // of the cost, where one is required
	Approved  bool              `json:"approved,omitzero"`  // the cost was approved as estimated, by the request that started it
	Started   bool              `json:"started,omitzero"`   // a step has started
	Error     *errorDocument    `json:"error,omitempty"`
	Cancelled *cancellation     `json:"cancelled,omitempty"`
	Resumes   int               `json:"resumes,omitzero"`
	ResumedAt *time.Time        `json:"resumedAt,omitempty"`
	EndedAt   *time.Time        `json:"endedAt,omitempty"`
	Previews  []previewDocument `json:"previews,omitempty"`
	Manifest  any               `json:"manifest,omitempty"` // the list of assets that its steps keep

	Webhook *atelier.RequestWebhook `json:"webhook,omitempty"` // that its request has named
	Note    wire.Raw                `json:"note,omitempty"`    // of the protocol that has started it
}

// cancellation is how a workflow was cancelled.
type cancellation struct {
	Reason string                `json:"reason"`
	While  atelier.WaitingReason `json:"while,omitempty"` // what it waited for
}

// stepState is the progress of a step.
type stepState struct {
	Status    atelier.Status        `json:"status"`
	Waiting   atelier.WaitingReason `json:"waiting,omitempty"`
	NoWorker  *waitingForDocument   `json:"noWorker,omitempty"` // while no connected worker offers the model of its job
	Answered  bool                  `json:"answered,omitzero"`  // the user has resumed after its question
	JobID     atelier.JobID         `json:"jobId,omitempty"`
	ProjectID atelier.ProjectID     `json:"projectId,omitempty"`
	Attempt   int                   `json:"attempt,omitzero"`
	Retries   int                   `json:"retries,omitzero"`
	Progress  float64               `json:"progress,omitzero"`
	Message   string                `json:"message,omitempty"`
	Preview   string                `json:"preview,omitempty"` // of the picture that its worker renders: a URL as previewURL makes it
	Notes     int                   `json:"notes,omitzero"`    // events of this attempt that reported no progress
	Seed      int64                 `json:"seed"`
	Made      []made                `json:"made,omitempty"`
	Error     *errorDocument        `json:"error,omitempty"`
	Charged   *chargedDocument      `json:"charged,omitempty"`
	ByPlan    bool                  `json:"byPlan,omitzero"` // the plan pays for its job
	Held      *heldDocument         `json:"held,omitempty"`  // for its job
	Asked     *costDocument         `json:"asked,omitempty"` // the cost that the user was asked to approve once more
	StartedAt *time.Time            `json:"startedAt,omitempty"`
	EndedAt   *time.Time            `json:"endedAt,omitempty"`
}

// fileState is the progress of a file.
type fileState struct {
	JobID       atelier.JobID `json:"jobId,omitempty"` // of the job that fetches it
	Key         string        `json:"key,omitempty"`   // of the stored object
	ContentType string        `json:"contentType,omitempty"`
	Width       int           `json:"width,omitzero"`
	Height      int           `json:"height,omitzero"`
	Seconds     float64       `json:"seconds,omitzero"`
	Error       string        `json:"error,omitempty"`
}

// source is what is known about the file.
func (f fileState) source() catalog.Source {
	return catalog.Source{Seconds: f.Seconds, Width: f.Width, Height: f.Height}
}

func (f fileState) isOver() bool { return f.Key != "" || f.Error != "" }

// made is an artifact as the state keeps it.
type made struct {
	ID       string         `json:"id"`
	Kind     string         `json:"kind"`
	Type     string         `json:"type"`
	Key      string         `json:"key"`
	Bytes    int64          `json:"bytes"`
	Width    int            `json:"width,omitzero"`
	Height   int            `json:"height,omitzero"`
	Seconds  float64        `json:"seconds,omitzero"`
	Seed     int64          `json:"seed"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// approval is a cost that the user is asked to approve.
type approval struct {
	Given      bool      `json:"given"`
	Authorized time.Time `json:"authorized,omitzero"`
}

// record is a workflow inside a transaction that changes it.
type record struct {
	row    store.StoredWorkflow
	plan   plan
	state  state
	log    journal.Change
	now    time.Time
	stored bool // the record is as it is stored
}

// decode reads a row, and its plan unless it is cached. The plan is shared and must not
// be written to.
func (e *Engine) decode(row store.StoredWorkflow, readPlan func() ([]byte, error)) (*record, error) {
	r := &record{row: row}
	plan, err := e.plans.plan(row.ID, readPlan)
	if err = errors.Join(err, wire.Unmarshal(row.State, &r.state)); err != nil {
		return nil, fmt.Errorf("workflow %s: %w", row.ID, err)
	}
	r.plan = plan
	return r, nil
}

// now is the time as rows store it.
func (e *Engine) now() time.Time { return e.opts.Now().UTC().Truncate(time.Millisecond) }

// emit adds an event, with the status that the workflow has now.
func (r *record) emit(message string, p atelier.Payload) {
	r.log.Emit(r.row.Head, message, p)
}

// move changes the status of the workflow along the table.
func (r *record) move(to atelier.Status, why atelier.WaitingReason) error {
	if err := r.row.Move(atelier.WorkflowMoves, to, why); err != nil {
		return fmt.Errorf("workflow %s: %w", r.row.ID, err)
	}
	return nil
}

// moveStep changes the status of a step along the table.
func (r *record) moveStep(i int, to atelier.Status) error {
	s := &r.state.Steps[i]
	if !atelier.MayMove(atelier.StepMoves, s.Status, to) {
		return fmt.Errorf("step %q of workflow %s cannot move from %q to %q", r.plan.Steps[i].ID, r.row.ID, s.Status, to)
	}
	s.Status = to
	if to != atelier.StatusWaitingForUser {
		s.Waiting = ""
	}
	s.NoWorker, s.Preview = nil, ""
	if to.Terminal() {
		s.EndedAt = &r.now
	}
	return nil
}

// progress is that of the whole workflow.
func (r *record) progress() float64 {
	var sum float64
	for _, s := range r.state.Steps {
		if s.Status.Terminal() {
			sum++
		} else {
			sum += s.Progress
		}
	}
	return sum / float64(len(r.state.Steps))
}

// ProgressOf is the progress of a stored workflow.
func ProgressOf(row store.StoredWorkflow) (float64, error) {
	var r record
	if err := wire.Unmarshal(row.State, &r.state); err != nil {
		return 0, fmt.Errorf("workflow %s: %w", row.ID, err)
	}
	return r.progress(), nil
}

// awaitsApproval reports whether the cost must be approved before anything is
// dispatched.
func (r *record) awaitsApproval() bool { return r.state.Approval != nil && !r.state.Approval.Given }

// awaitsRise reports whether steps wait for the approval of a cost that has risen.
func (r *record) awaitsRise() bool {
	return slices.ContainsFunc(r.state.Steps, func(s stepState) bool { return s.Waiting == atelier.WaitCostApproval })
}

// hasExpiredRise reports whether the approval of a cost that has risen is too late. Other
// steps are paid for already, so a resume asks for it again.
func (r *record) hasExpiredRise() bool {
	return r.awaitsRise() && r.now.After(r.state.Previews[len(r.state.Previews)-1].ValidityUntil)
}

// change makes one change of a workflow: it loads the row, calls fn, drives the workflow
// and stores it. For a workflow that is over it does not call fn.
func (e *Engine) change(tx *store.Tx, id atelier.WorkflowID, fn func(*record) error) (*record, error) {
	row, err := tx.LockWorkflow(id)
	if err != nil {
		return nil, err
	}
	r, err := e.decode(row, func() ([]byte, error) { return tx.WorkflowPlan(id) })
	if err != nil {
		return nil, err
	}
	r.now = e.now()
	if row.Status.Terminal() {
		return r, nil
	}
	if err := fn(r); errors.Is(err, errUnchanged) {
		return r, nil
	} else if err != nil {
		return nil, err
	}
	if err := e.drive(tx, r); err != nil {
		return nil, err
	}
	if r.stored {
		return r, nil
	}
	return r, e.save(tx, r, false)
}

// errUnchanged means that there is nothing to store.
var errUnchanged = errors.New("workflow: nothing changed")

// save stores a record and its events.
func (e *Engine) save(tx *store.Tx, r *record, fresh bool) (err error) {
	before := len(r.log.Stored)
	if err := e.journal.Store(tx, string(r.row.ID), &r.row.Head, &r.log, r.now, 0); err != nil {
		return err
	}
	if r.row.State, err = wire.Marshal(r.state); err != nil {
		return err
	}
	r.stored = true
	if err := e.endRemake(tx, r); err != nil {
		return err
	}
	if reason := r.endReason(); reason != nil {
		r.row.Reason = reason.Code
	}
	if fresh {
		err = tx.InsertWorkflow(r.row)
	} else {
		err = tx.UpdateWorkflow(&r.row)
	}
	if err != nil {
		return err
	}
	return e.notify(tx, r, r.log.Stored[before:])
}

// kindsOf counts artifacts by kind, under the names of usage.
func kindsOf(refs []apitype.Artifact) map[string]int {
	plural := map[string]string{string(catalog.Image): "images", string(catalog.Video): "videos", string(catalog.Audio): "audio", string(catalog.Object): "models"}
	var out map[string]int
	for _, a := range refs {
		if name, ok := plural[a.Kind]; ok {
			if out == nil {
				out = map[string]int{}
			}
			out[name]++
		}
	}
	return out
}
