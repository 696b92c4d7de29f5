package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// importLibrary makes the library of the artifacts that are older than its table, and
// notes which of them workflows that are not over use.
func (tx *Tx) importLibrary() error {
	steps := planSteps{tx: tx}
	for after := ""; ; {
		jobs, err := tx.jobs(`WHERE id > $1 AND state = 'completed' AND owner_kind = 'workflow' ORDER BY id LIMIT $2`, after, importedAtOnce)
		if err != nil {
			return err
		}
		if len(jobs) == 0 {
			return tx.importInputs()
		}
		for _, j := range jobs {
			if err := tx.importArtifacts(j, &steps); err != nil {
				return fmt.Errorf("job %s: %w", j.ID, err)
			}
		}
		after = string(jobs[len(jobs)-1].ID)
	}
}

func (tx *Tx) importArtifacts(j StoredJob, steps *planSteps) error {
	number, isStep := strings.CutPrefix(j.Owner.Part, "step/")
	if !isStep {
		return nil // a file that the workflow fetched
	}
	step, err := steps.id(atelier.WorkflowID(j.Owner.ID), number)
	if err != nil {
		return err
	}
	artifacts, err := tx.Artifacts(j.ID)
	for _, a := range artifacts {
		if err == nil && !strings.HasSuffix(a.ID, lastFrame) {
			err = tx.InsertLibraryItem(NewLibraryItem(j.Job, a, step, j.EndedAt))
		}
	}
	return err
}

// planSteps finds the ids of the steps of workflows. It keeps the last workflow: jobs of
// one are usually neighbours.
type planSteps struct {
	tx       *Tx
	workflow atelier.WorkflowID
	ids      []string
}

func (s *planSteps) id(w atelier.WorkflowID, number string) (string, error) {
	if w != s.workflow {
		text, err := s.tx.WorkflowPlan(w)
		if errors.Is(err, ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		var plan struct {
			Steps []struct {
				ID string `json:"id"`
			} `json:"steps"`
		}
		if err := wire.Unmarshal(text, &plan); err != nil {
			return "", err
		}
		s.workflow, s.ids = w, nil
		for _, step := range plan.Steps {
			s.ids = append(s.ids, step.ID)
		}
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(s.ids) {
		return "", nil // no reason to refuse the whole database
	}
	return s.ids[n], nil
}

// importInputs notes which artifacts the workflows that are not over were started with.
func (tx *Tx) importInputs() error {
	inputs := map[atelier.WorkflowID][]string{}
	err := tx.rows(func(scan func(...any) error) error {
		var (
			id    atelier.WorkflowID
			text  string
			state struct {
				Files []struct {
					Key string `json:"key"`
				} `json:"files"`
			}
		)
		if err := scan(&id, &text); err != nil {
			return err
		}
		if err := wire.Unmarshal([]byte(text), &state); err != nil {
			return fmt.Errorf("workflow %s: %w", id, err)
		}
		for _, f := range state.Files {
			if f.Key != "" {
				inputs[id] = append(inputs[id], f.Key)
			}
		}
		return nil
	}, `SELECT id, state FROM workflow WHERE status IN ('queued', 'running', 'waiting_for_user')`)
	for id, keys := range inputs {
		for _, key := range keys {
			if err == nil {
				_, err = tx.exec(`INSERT INTO workflow_input (object_key, workflow_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, key, string(id))
			}
		}
	}
	return err
}
