package workflow

import (
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// drive moves a workflow as far as it can go: it dispatches the steps whose sources are
// ready, fails the steps that can no longer be done, and sets the status that follows.
func (e *Engine) drive(tx *store.Tx, r *record) error {
	if r.awaitsApproval() || r.row.Status.Terminal() {
		return nil
	}
	if err := e.fetchFiles(tx, r); err != nil {
		return err
	}
	for again := true; again; {
		again = false
		for i := range r.state.Steps {
			moved, err := e.advance(tx, r, i)
			if err != nil {
				return err
			}
			again = again || moved
		}
	}
	return r.conclude()
}

// advance moves one step as far as it can go. It reports whether other steps may go on
// because of it.
func (e *Engine) advance(tx *store.Tx, r *record, i int) (bool, error) {
	s := &r.state.Steps[i]
	if s.Status != atelier.StatusQueued || s.JobID != "" {
		return false, nil
	}
	switch ready, blame := r.ready(i); {
	case blame != "":
		return true, r.failStep(i, atelier.StepError{Code: "dependency_failed", Message: blame, Classification: "validation"})
	case !ready:
		return false, nil
	}
	if tool, ok := e.catalog.Tool(r.plan.Steps[i].ToolName); ok && tool.Immediate() {
		if tool.Asks != "" && !s.Answered {
			question, _ := r.plan.Steps[i].Arguments[tool.Asks].(string)
			return false, r.pauseStep(i, atelier.WaitQuestion, question)
		}
		return true, r.completeStep(i, nil, 0)
	}
	err := e.dispatch(tx, r, i)
	var (
		refused *atelier.Error
		rise    errCostRise
	)
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &rise):
		return false, e.askAgain(r, i, rise.price)
	case atelier.HasCode(err, atelier.CodeInsufficientBalance):
		return false, r.pauseStep(i, atelier.WaitCredit, err.Error())
	case errors.Is(err, errFiltered):
		if err := e.recordRefusal(tx, r, i); err != nil {
			return false, err
		}
		return false, r.pauseStep(i, atelier.WaitSafetyReview, filterMessage(r.plan.Steps[i].Flagged))
	case atelier.HasCode(err, atelier.CodeSubscriptionLimit):
		return true, r.failStep(i, atelier.StepError{Code: "subscription_limit", Message: err.Error(), Classification: "billing"})
	case errors.As(err, &refused):
		return true, r.failStep(i, atelier.StepError{Code: refused.Code.Slug, Message: refused.Message, Classification: "validation"})
	}
	return false, err
}

// ready reports whether all sources of a step are ready. The second result says why one
// never will be.
func (r *record) ready(i int) (bool, string) {
	after := r.plan.Steps[i].After
	ready := after == nil || r.state.Steps[*after].Status.Terminal()
	for _, src := range r.plan.Steps[i].Sources {
		over, missing := true, ""
		if src.Step < 0 && src.Value != "" {
			continue // a URL that is passed as text
		}
		if src.Step >= 0 {
			from := r.state.Steps[src.Step]
			over = from.Status.Terminal()
			if _, ok := from.artifact(src); over && !ok {
				missing = fmt.Sprintf("It needs a result of the step %q, which has none.", r.plan.Steps[src.Step].ID)
			}
		} else {
			from := r.state.Files[src.File]
			over = from.isOver()
			if from.Error != "" {
				missing = fmt.Sprintf("The media for %s could not be read: %s", src.Argument, from.Error)
			}
		}
		if missing != "" && !src.Optional {
			return false, missing
		}
		ready = ready && over
	}
	return ready, ""
}

// artifact is the one that a source names.
func (s stepState) artifact(src source) (made, bool) {
	for _, m := range s.Made {
		if src.ID != "" && m.ID == src.ID {
			return m, true
		}
	}
	if src.Artifact < len(s.Made) {
		return s.Made[src.Artifact], true
	}
	return made{}, false
}

// failStep ends a step that failed.
func (r *record) failStep(i int, fault atelier.StepError) error {
	if err := r.moveStep(i, atelier.StatusFailed); err != nil {
		return err
	}
	p := r.plan.Steps[i]
	fault.StepID, fault.ToolName = p.ID, p.ToolName
	r.state.Steps[i].Error = (*errorDocument)(&fault)
	r.emit(fault.Message, apitype.StepFailed{
		StepID: p.ID, ToolName: p.ToolName, ErrorType: fault.Code, Retryable: fault.Retryable, Error: apitype.NewEventError(fault),
	})
	return nil
}

// pauseStep makes a step wait for the user.
func (r *record) pauseStep(i int, why atelier.WaitingReason, message string) error {
	if err := r.moveStep(i, atelier.StatusWaitingForUser); err != nil {
		return err
	}
	s := &r.state.Steps[i]
	s.Waiting, s.Message, s.JobID = why, message, ""
	r.emit(message, apitype.StepWaiting{StepID: r.plan.Steps[i].ID, Reason: why, Message: message, Details: *r.stepWaiting(i).Details})
	return nil
}

// completeStep ends a step that is done. Fewer results than were ordered are a
// partial failure.
func (r *record) completeStep(i int, results []made, ordered int) error {
	p, s := r.plan.Steps[i], &r.state.Steps[i]
	to := atelier.StatusCompleted
	if len(results) < ordered {
		to = atelier.StatusPartialFailure
	}
	if err := r.moveStep(i, to); err != nil {
		return err
	}
	s.Progress, s.Made = 1, results
	refs := []apitype.Artifact{}
	for _, m := range results {
		ref := r.ref(i, m)
		refs = append(refs, ref)
		r.emit("", apitype.ArtifactCreated{ArtifactID: m.ID, Artifact: ref})
	}
	r.emit("", apitype.StepCompleted{StepID: p.ID, ToolName: p.ToolName, Artifacts: refs})
	return nil
}

// conclude sets the status of the workflow that follows from its steps.
func (r *record) conclude() error {
	var flying, waiting, done, failed int
	first := -1
	for i, s := range r.state.Steps {
		switch {
		case s.Status == atelier.StatusWaitingForUser:
			if waiting++; first < 0 {
				first = i
			}
		case s.Status == atelier.StatusCompleted:
			done++
		case s.Status == atelier.StatusPartialFailure:
			done, failed = done+1, failed+1
		case s.Status.Terminal():
			failed++
		case s.JobID != "":
			flying++
		}
	}
	for i, f := range r.state.Files {
		if r.plan.Files[i].Used && f.JobID != "" && !f.isOver() {
			flying++
		}
	}
	switch {
	case flying > 0:
		to := atelier.StatusQueued
		if r.state.Started {
			to = atelier.StatusRunning
		}
		return r.move(to, "")
	case waiting > 0:
		return r.wait(first)
	case failed == 0:
		return r.end(atelier.StatusCompleted)
	case done > 0:
		return r.end(atelier.StatusPartialFailure)
	}
	return r.end(atelier.StatusFailed)
}

// wait pauses the workflow for one of its steps.
func (r *record) wait(i int) error {
	s := r.state.Steps[i]
	if r.row.Status == atelier.StatusWaitingForUser && r.row.Waiting == s.Waiting {
		return nil
	}
	if err := r.move(atelier.StatusWaitingForUser, s.Waiting); err != nil {
		return err
	}
	r.emit(s.Message, apitype.WorkflowWaiting{StepID: r.plan.Steps[i].ID, Reason: s.Waiting, Message: s.Message, Details: *r.stepWaiting(i).Details})
	return nil
}

func (r *record) end(to atelier.Status) error {
	if err := r.move(to, ""); err != nil {
		return err
	}
	r.state.EndedAt = &r.now
	if to == atelier.StatusFailed || to == atelier.StatusPartialFailure {
		r.state.Error = r.firstError()
	}
	if to == atelier.StatusFailed {
		fault := atelier.StepError(*r.state.Error)
		r.emit(fault.Message, apitype.WorkflowFailed{Status: to, Error: apitype.NewEventError(fault), Retryable: fault.Retryable})
		return nil
	}
	refs := []apitype.Artifact{}
	for i, s := range r.state.Steps {
		for _, m := range s.Made {
			refs = append(refs, r.ref(i, m))
		}
	}
	r.emit("", apitype.WorkflowCompleted{Status: to, Artifacts: refs})
	return nil
}

// firstError is the first error that is not the consequence of another.
func (r *record) firstError() *errorDocument {
	var found *errorDocument
	for _, s := range r.state.Steps {
		if s.Error == nil {
			continue
		}
		if s.Error.Code != "dependency_failed" {
			return s.Error
		}
		if found == nil {
			found = s.Error
		}
	}
	if found == nil {
		found = &errorDocument{Code: "incomplete", Message: "A step made fewer results than ordered.", Classification: "provider"}
	}
	return found
}
