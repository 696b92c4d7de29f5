package fleet

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// recheckLoras cancels a job that was just leased and whose owner may no longer use
// one of its personal LoRAs. It reports whether the job can be rendered.
func (e *Engine) recheckLoras(tx *store.Tx, j store.StoredJob) (bool, error) {
	why, err := e.lorasUnusable(tx, j)
	if err != nil || why == "" {
		return err == nil, err
	}
	tx.OnCommit(func() { e.bus.Publish(queueTopic(j.Network)) }) // its place may be what kept the dispatcher from other jobs
	return false, e.end(tx, j, atelier.JobCancelled, atelier.JobError{Code: atelier.FailLoraUnavailable, Message: why})
}

// lorasUnusable says why a job cannot load its personal LoRAs, if it cannot.
func (e *Engine) lorasUnusable(tx *store.Tx, j store.StoredJob) (string, error) {
	plan, err := tx.Subscription(j.Wallet)
	if err != nil {
		return "", err
	}
	if !plan.At(e.opts.Now()).Active() {
		return "Personal LoRAs need an active Unlimited or Unlimited Pro plan, and the account had none when the render was due.", nil
	}
	for _, l := range j.Spec.Loras {
		if l.Personal == nil {
			continue
		}
		entry, err := tx.Lora(j.Wallet, atelier.LoraID(l.ID))
		switch {
		case errors.Is(err, store.ErrNotFound):
			return fmt.Sprintf("The personal LoRA %q was removed before the render began.", l.Personal.Name), nil
		case err != nil:
			return "", err
		case entry.Status != atelier.LoraReady:
			return fmt.Sprintf("The personal LoRA %q is no longer ready: its status is %s.", entry.Name, entry.Status), nil
		case entry.Key != l.Personal.Key:
			return fmt.Sprintf("The personal LoRA %q was imported again before the render began.", entry.Name), nil
		}
	}
	return "", nil
}

// CancelWithLora cancels the queued jobs that would load a personal LoRA, in the
// caller's transaction. Jobs that workers render go on.
func (e *Engine) CancelWithLora(tx *store.Tx, id atelier.LoraID, why string) error {
	jobs, err := tx.QueuedWithLora(id)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		j, err := tx.LockJob(job)
		if err != nil {
			return err
		}
		if j.State != atelier.JobQueued {
			continue // a worker has begun meanwhile
		}
		if _, err := e.cancel(tx, j, atelier.JobError{Code: atelier.FailLoraUnavailable, Message: why}); err != nil {
			return err
		}
	}
	return nil
}

// maxReason bounds what a worker says about a personal LoRA, in characters.
const maxReason = 500

// rejectLora rejects the personal LoRA that a worker could not load, if the job loads
// no other: of several it is not known which does not fit.
func (e *Engine) rejectLora(tx *store.Tx, j store.StoredJob, message string) error {
	if len(j.Spec.Loras) != 1 || j.Spec.PersonalLoras() != 1 {
		return nil
	}
	used := j.Spec.Loras[0]
	if err := tx.LockAccount(j.Wallet); err != nil { // lock order: account, then the entry, and what the hooks of jobs lock
		return err
	}
	l, err := tx.Lora(j.Wallet, atelier.LoraID(used.ID))
	if errors.Is(err, store.ErrNotFound) || err == nil && (l.Status != atelier.LoraReady || l.Key != used.Personal.Key) {
		return nil
	}
	if err != nil {
		return err
	}
	l.Status, l.Key, l.UpdatedAt = atelier.LoraRejected, "", e.opts.Now() // the sweeper removes the file
	l.Reason = cmp.Or(shorten(message, maxReason), "The file does not fit the model.")
	if err := tx.UpdateLora(&l, atelier.LoraReady); errors.Is(err, store.ErrNotFound) {
		return nil // an operator has changed it meanwhile
	} else if err != nil {
		return err
	}
	return e.CancelWithLora(tx, l.ID, fmt.Sprintf("The personal LoRA %q does not fit its model.", l.Name))
}

// shorten cuts a text to a number of characters.
func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most])
	}
	return s
}
