package operator

import (
	"context"

	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

// PublishTemplate makes a template public, given by its fields. When its id is public
// already, it becomes the next version.
func (o Operator) PublishTemplate(ctx context.Context, fields map[string]wire.Raw, reason string) (apitype.PublishedTemplate, error) {
	return o.ReplaceTemplate(ctx, fields, nil, reason)
}

// ReplaceTemplate is PublishTemplate for a caller that knows the version that it replaces; it
// is empty when the template is not public yet, and nil replaces any version.
func (o Operator) ReplaceTemplate(ctx context.Context, fields map[string]wire.Raw, version *string, reason string) (apitype.PublishedTemplate, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.PublishedTemplate{}, err
	}
	e, err := o.opts.Templates()
	if err != nil {
		return apitype.PublishedTemplate{}, err
	}
	saved, err := e.Publish(ctx, fields, version, o.recordTemplate("publish template", reason))
	t := saved.Template
	return apitype.PublishedTemplate{ID: t.ID, Version: t.Version, Name: t.Name, Warnings: append([]atelier.Issue{}, saved.Warnings...)}, err
}

// WithdrawTemplate removes a template that an operator has published.
func (o Operator) WithdrawTemplate(ctx context.Context, id, reason string) (apitype.WithdrawnTemplate, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.WithdrawnTemplate{}, err
	}
	e, err := o.opts.Templates()
	if err != nil {
		return apitype.WithdrawnTemplate{}, err
	}
	return apitype.WithdrawnTemplate{Withdrawn: true, ID: id}, e.Withdraw(ctx, id, o.recordTemplate("withdraw template", reason))
}

func (o Operator) recordTemplate(action, reason string) template.Also {
	return func(tx *store.Tx, t atelier.Template) error {
		return o.record(store.Action{Action: action, Target: t.ID, Detail: t.Name + " " + t.Version, Reason: reason})(tx)
	}
}
