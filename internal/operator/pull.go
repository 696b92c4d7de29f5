package operator

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/pull"
	"github.com/atelier-project/atelier/internal/store"
)

// ModelFolders lists the folders into which files of a model can be fetched.
func (o Operator) ModelFolders(ctx context.Context, model string) (apitype.ModelFolders, error) {
	return o.opts.Pulls.Folders(ctx, model)
}

// PullModel has a node fetch the files of a model.
func (o Operator) PullModel(ctx context.Context, model string, n apitype.NewPull) (apitype.Pull, error) {
	if err := checkReason("reason", n.Reason); err != nil {
		return apitype.Pull{}, err
	}
	return o.opts.Pulls.Start(ctx, model, n, o.recordPull("pull model", n.Reason))
}

// CancelPull ends a pull.
func (o Operator) CancelPull(ctx context.Context, model, connectionID, reason string) (apitype.Pull, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.Pull{}, err
	}
	return o.opts.Pulls.Cancel(ctx, model, connectionID, o.recordPull("cancel pull", reason))
}

// recordPull records what was done to a pull.
func (o Operator) recordPull(action, reason string) pull.Also {
	return func(tx *store.Tx, p apitype.Pull) error {
		detail := fmt.Sprintf("%s into %s", p.ModelID, p.ModelsDir)
		return o.record(store.Action{Action: action, Target: p.PullID, Detail: detail, Reason: reason})(tx)
	}
}
