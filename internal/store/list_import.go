package store

import (
	"fmt"

	"github.com/atelier-project/atelier/internal/wire"
)

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
		p := &part{limit: listedAtOnce, bytes: listedBytes}
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
		rows, err := tx.someRuns(&part{limit: listedAtOnce, bytes: listedBytes}, `WHERE id > $1 ORDER BY id LIMIT $2`, after, listedAtOnce+1)
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
			if _, err := tx.exec(`UPDATE chat_run SET session = $2 WHERE id = $1`, string(r.ID), r.Session); err != nil {
				return err
			}
			if err := tx.touchConversation(r); err != nil {
				return err
			}
		}
	}
}
