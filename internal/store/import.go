package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// importedAtOnce is how many jobs are imported before the next ones are read.
const importedAtOnce = 500

// importWork makes records of the renders that completed before there were records,
// and counts them. The counters of their days have them already; the counters by
// model and by application get them here. Of a worker that is no longer connected it
// is not known whose it was: its renders count for the network alone.
func (tx *Tx) importWork() error {
	for after := ""; ; {
		jobs, err := tx.jobs(`WHERE id > $1 AND state = 'completed' AND network IN ('fast', 'relaxed') ORDER BY id LIMIT $2`, after, importedAtOnce)
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, j := range jobs {
			if err := tx.importJob(j); err != nil {
				return fmt.Errorf("job %s: %w", j.ID, err)
			}
		}
		if _, err := tx.CountWork(importedAtOnce); err != nil {
			return err
		}
		after = string(jobs[len(jobs)-1].ID)
	}
}

// jobCause names an attempt at a job in the ledger.
func jobCause(j StoredJob) string { return fmt.Sprintf("job/%s/%d", j.ID, j.Attempt) }

func (tx *Tx) importJob(j StoredJob) error {
	w := Work{
		Cause: jobCause(j), Wallet: j.Wallet, App: j.Charge.App, Network: j.Network, ModelID: j.Spec.ModelID,
		At: j.EndedAt, Imported: true, ByPlan: j.Charge.ByPlan, Spark: j.Charge.Cost.Spark, USD: j.Charge.Cost.USD,
	}
	var delivered int64
	err := tx.Row(`SELECT COUNT(*) FROM artifact WHERE job_id = $1 AND SUBSTR(id, LENGTH(id) - 9) <> '-lastFrame'`, string(j.ID)).Scan(&delivered)
	if err != nil {
		return err
	}
	ordered := int64(0)
	for _, a := range j.Spec.Artifacts {
		if !strings.HasSuffix(a.ID, "-lastFrame") {
			ordered++
		}
	}
	if delivered < ordered { // as it was charged
		w.Spark = w.Spark * atelier.Money(delivered) / atelier.Money(ordered)
		w.USD = w.USD * atelier.Money(delivered) / atelier.Money(ordered)
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			token  atelier.Token
			amount atelier.Money
		)
		err := scan(&token, &amount)
		switch token {
		case atelier.TokenSvc:
			w.SvcSpent += amount
		case atelier.TokenPremiumSpark:
			w.PaidSparkSpent += amount
			w.SparkSpent += amount
		default:
			w.SparkSpent += amount
		}
		return err
	}, `SELECT token, amount FROM ledger WHERE cause = $1 AND kind = 'spend'`, w.Cause)
	if err != nil {
		return err
	}
	worker, err := tx.AnyWorker(j.WorkerID)
	if err == nil {
		w.Worker, w.NFT = worker.Wallet, worker.NFTTokenID
	} else if err != ErrNotFound {
		return err
	}
	return tx.RecordWork(w)
}

// listedAtOnce and listedBytes bound how many documents are read before the next ones.
const (
	listedAtOnce = 500
	listedBytes  = 16 << 20
)

// importLists makes the summaries of the workflows, and the conversations of the chat
// runs, that are older than these tables.
func (tx *Tx) importLists() error {
	if err := tx.importSummaries(); err != nil {
		return err
	}
	return tx.importConversations()
}

func (tx *Tx) importSummaries() error {
	for after := ""; ; {
		p := &database.Portion{Limit: listedAtOnce, Bytes: listedBytes}
		rows, err := tx.someWorkflows(p, `SELECT `+workflowColumns+` FROM workflow WHERE id > $1 ORDER BY id LIMIT $2`, after, listedAtOnce+1)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, w := range rows {
			var plan struct {
				Title string `json:"title"`
				Steps []struct {
					Kind      string         `json:"kind"`
					Arguments map[string]any `json:"arguments"`
				} `json:"steps"`
				Template *struct {
					ID string `json:"id"`
				} `json:"template"`
			}
			if err := wire.Unmarshal(w.Plan, &plan); err != nil {
				return fmt.Errorf("workflow %s: %w", w.ID, err)
			}
			w.Texts = []string{plan.Title}
			for _, s := range plan.Steps {
				if s.Kind != "" {
					w.Kind = s.Kind
				}
				prompt, _ := s.Arguments["prompt"].(string)
				w.Texts = append(w.Texts, prompt)
			}
			if plan.Template != nil {
				w.TemplateID = plan.Template.ID
			}
			if err := tx.insertWorkflowSummary(w); err != nil {
				return err
			}
			after = string(w.ID)
		}
	}
}

func (tx *Tx) importConversations() error {
	for after := ""; ; {
		rows, err := tx.someRuns(&database.Portion{Limit: listedAtOnce, Bytes: listedBytes}, `WHERE id > $1 ORDER BY id LIMIT $2`, after, listedAtOnce+1)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			after = string(r.ID)
			var request struct {
				Session  string `json:"session"`
				Messages []struct {
					Role  string `json:"role"`
					Parts []struct {
						Text string `json:"text"`
					} `json:"parts"`
				} `json:"messages"`
			}
			if err := wire.Unmarshal(r.Request, &request); err != nil {
				return fmt.Errorf("chat run %s: %w", r.ID, err)
			}
			if r.Session = request.Session; r.Session == "" {
				continue
			}
			for _, m := range request.Messages {
				if m.Role == "user" && r.Text == "" && len(m.Parts) > 0 {
					r.Text = m.Parts[0].Text
				}
			}
			if _, err := tx.Exec(`UPDATE chat_run SET session = $2 WHERE id = $1`, string(r.ID), r.Session); err != nil {
				return err
			}
			if err := tx.touchConversation(r); err != nil {
				return err
			}
		}
	}
}

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
	err := tx.Rows(func(scan func(...any) error) error {
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
				_, err = tx.Exec(`INSERT INTO workflow_input (object_key, workflow_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, key, string(id))
			}
		}
	}
	return err
}
