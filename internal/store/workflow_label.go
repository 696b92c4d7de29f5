package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// The kinds of labels, each before the name.
const (
	labelTool   = "tool:"
	labelModel  = "model:"
	labelReason = "reason:"

	labelProtocol = "protocol:" // of another service whose list has it; runs have it too
)

// label is a label of a kind, or nothing without a name.
func label(kind, name string) string {
	if name == "" {
		return ""
	}
	return kind + withoutNUL(name)
}

// addLabels adds labels to a workflow or a run. It may have them already.
func (tx *Tx) addLabels(h Head, id string, labels ...string) {
	slices.Sort(labels) // in one order, so that two transactions do not wait for each other
	labels = slices.DeleteFunc(slices.Compact(labels), func(l string) bool { return l == "" })
	if len(labels) == 0 {
		return
	}
	args, values := []any{string(h.Wallet), database.Millis(h.CreatedAt), id}, make([]string, len(labels))
	for i, l := range labels {
		args, values[i] = append(args, l), fmt.Sprintf("($1, $%d, $2, $3)", i+4)
	}
	tx.Later(`INSERT INTO workflow_label (wallet, label, created_at, id) VALUES `+strings.Join(values, ", ")+` ON CONFLICT DO NOTHING`, args...)
}

func (tx *Tx) labelWorkflow(w StoredWorkflow) {
	labels := []string{label(labelProtocol, w.Protocol), label(labelReason, w.Reason)}
	for _, name := range w.Tools {
		labels = append(labels, label(labelTool, name))
	}
	for _, name := range w.Models {
		labels = append(labels, label(labelModel, name))
	}
	tx.addLabels(w.Head, string(w.ID), labels...)
}

// ProtocolItem is a workflow or a run in the list of a protocol.
type ProtocolItem struct {
	CreatedAt time.Time
	ID        string // of either
}

// ProtocolItems lists the workflows and runs of an account that a protocol has started: at most limit of those that
// are older than a place, the newest first, or of those that are newer, the oldest first. Without a place it begins
// with the newest.
func (tx *Tx) ProtocolItems(owner atelier.Wallet, protocol string, from *ProtocolItem, newer bool, limit int) (list []ProtocolItem, err error) {
	where, args := `wallet = $1 AND label = $2`, []any{string(owner), labelProtocol + protocol, limit}
	compare, order := `<`, `DESC`
	if newer {
		compare, order = `>`, `ASC`
	}
	if from != nil {
		where += ` AND created_at ` + compare + `= $4 AND (created_at ` + compare + ` $4 OR id ` + compare + ` $5)`
		args = append(args, database.Millis(from.CreatedAt), from.ID)
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			item ProtocolItem
			at   int64
		)
		err := scan(&at, &item.ID)
		item.CreatedAt = database.FromMillis(at)
		list = append(list, item)
		return err
	}, `SELECT created_at, id FROM workflow_label WHERE `+where+` ORDER BY created_at `+order+`, id `+order+` LIMIT $3`, args...)
	return list, err
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
	tx.labelWorkflow(w)
	return nil
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
