package store

import (
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// The kinds of labels, each before the name.
const (
	labelTool   = "tool:"
	labelModel  = "model:"
	labelReason = "reason:"
)

// addLabel adds labels of a kind to a workflow. It may have them already.
func (tx *Tx) addLabel(w StoredWorkflow, kind string, names ...string) error {
	for _, name := range names {
		if name == "" {
			continue
		}
		_, err := tx.Exec(`INSERT INTO workflow_label (wallet, label, created_at, id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			string(w.Wallet), kind+withoutNUL(name), database.Millis(w.CreatedAt), string(w.ID))
		if err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) labelWorkflow(w StoredWorkflow) error {
	if err := tx.addLabel(w, labelTool, w.Tools...); err != nil {
		return err
	}
	if err := tx.addLabel(w, labelModel, w.Models...); err != nil {
		return err
	}
	return tx.addLabel(w, labelReason, w.Reason)
}

// UnlabelledWorkflows reads and locks workflows of a version that stored no labels: at most limit,
// and fewer when their documents have more than the given bytes.
func (tx *Tx) UnlabelledWorkflows(limit int, bytes int64) ([]StoredWorkflow, error) {
	return tx.someWorkflows(&database.Portion{Limit: limit, Bytes: bytes}, `SELECT w.id, w.wallet, w.status, w.waiting, w.plan, w.state, w.events, w.created_at, w.updated_at
		FROM workflow_unlabelled u CROSS JOIN workflow w WHERE w.id = u.id ORDER BY u.id LIMIT $1`+tx.Dialect.ForUpdate, limit+1)
}

// LabelWorkflow stores the labels of a workflow that had none.
func (tx *Tx) LabelWorkflow(w StoredWorkflow) error {
	if _, err := tx.Exec(`DELETE FROM workflow_unlabelled WHERE id = $1`, string(w.ID)); err != nil {
		return err
	}
	return tx.labelWorkflow(w)
}

// WorkflowNames are what lists of workflows can be filtered by.
type WorkflowNames struct {
	Tools, Models, Reasons []string
}

// maxNames bounds how many labels of an account are listed.
const maxNames = 500

// WorkflowNames lists the tools, models and reasons that workflows of an account have. It reads
// an entry of the index for each, not all rows.
func (tx *Tx) WorkflowNames(owner atelier.Wallet) (out WorkflowNames, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var label string
		err := scan(&label)
		kind, name, _ := strings.Cut(label, ":")
		switch kind + ":" {
		case labelTool:
			out.Tools = append(out.Tools, name)
		case labelModel:
			out.Models = append(out.Models, name)
		case labelReason:
			out.Reasons = append(out.Reasons, name)
		}
		return err
	}, `WITH RECURSIVE found (label) AS (
			SELECT MIN(label) FROM workflow_label WHERE wallet = $1
			UNION ALL
			SELECT (SELECT MIN(l.label) FROM workflow_label l WHERE l.wallet = $1 AND l.label > f.label) FROM found f WHERE f.label IS NOT NULL
		) SELECT label FROM found WHERE label IS NOT NULL LIMIT $2`, string(owner), maxNames)
	return out, err
}
