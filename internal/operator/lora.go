package operator

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/lora"

	"github.com/atelier-project/atelier/internal/store"
)

// Loras lists the personal LoRAs of all accounts, newest first.
func (o Operator) Loras(ctx context.Context, q apitype.LoraQuery) (apitype.OperatorLoras, error) {
	p, err := newPart("loras", q.Page, 2)
	if err != nil {
		return apitype.OperatorLoras{}, err
	}
	at, err := p.Time(0)
	if err != nil {
		return apitype.OperatorLoras{}, err
	}
	owner, err := o.walletOf(ctx, q.Wallet)
	if err != nil {
		return apitype.OperatorLoras{}, err
	}
	rows, err := o.loras.List(ctx, q.Status, owner, at, atelier.LoraID(p.Text(1)), p.limit+1)
	rows, next := cut(p, rows, func(l atelier.PersonalLora) []string { return []string{cursor.Time(l.CreatedAt), string(l.ID)} })
	if err != nil {
		return apitype.OperatorLoras{}, err
	}
	names, err := o.usernames(ctx, convert(rows, func(l atelier.PersonalLora) atelier.Wallet { return l.Wallet }))
	return apitype.OperatorLoras{Loras: convert(rows, func(l atelier.PersonalLora) apitype.OperatorLora { return newLora(l, names) }), NextCursor: next}, err
}

// named describes a LoRA with the name of its account.
func (o Operator) named(ctx context.Context, l atelier.PersonalLora, err error) (apitype.OperatorLora, error) {
	if err != nil {
		return apitype.OperatorLora{}, err
	}
	names, err := o.usernames(ctx, []atelier.Wallet{l.Wallet})
	return newLora(l, names), err
}

func newLora(l atelier.PersonalLora, names usernames) apitype.OperatorLora {
	return apitype.OperatorLora{
		ID: l.ID, WalletAddress: l.Wallet, Username: names[l.Wallet], Name: l.Name, ModelID: l.ModelID, Family: l.Family, Status: l.Status, Reason: optional(l.Reason), FailureCode: optional(l.Failure),
		Requirements: append([]string{}, l.Requirements...), Link: l.Link, Source: l.Source, Provider: l.Provider, Version: l.Version, Bytes: l.Bytes,
		SHA256: optional(l.SHA256), ObjectKey: optional(l.Key), CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
	}
}

// Lora reads a personal LoRA of any account.
func (o Operator) Lora(ctx context.Context, id atelier.LoraID) (apitype.OperatorLora, error) {
	l, err := o.loras.Show(ctx, id)
	return o.named(ctx, l, err)
}

// ReviewLora holds a ready personal LoRA back, so that no render uses it, or releases it.
// Its owner sees the reason.
func (o Operator) ReviewLora(ctx context.Context, id atelier.LoraID, release bool, reason string) (apitype.OperatorLora, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.OperatorLora{}, err
	}
	if release {
		l, err := o.loras.Release(ctx, id, o.recordLora("release LoRA", reason))
		return o.named(ctx, l, err)
	}
	l, err := o.loras.HoldBack(ctx, id, reason, o.recordLora("hold LoRA back", reason))
	return o.named(ctx, l, err)
}

// RevokeLora withdraws a personal LoRA for good. Its owner sees the reason.
func (o Operator) RevokeLora(ctx context.Context, id atelier.LoraID, reason string) (apitype.OperatorLora, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.OperatorLora{}, err
	}
	l, err := o.loras.Revoke(ctx, id, reason, o.recordLora("revoke LoRA", reason))
	return o.named(ctx, l, err)
}

func (o Operator) recordLora(action, reason string) lora.Also {
	return func(tx *store.Tx, l atelier.PersonalLora) error {
		return o.record(store.Action{Action: action, Wallet: l.Wallet, Target: string(l.ID), Detail: l.Name, Reason: reason})(tx)
	}
}
