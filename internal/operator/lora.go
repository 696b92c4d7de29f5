package operator

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/operator/snapshot"
	"github.com/atelier-project/atelier/internal/store"
)

// Loras lists the personal LoRAs of all accounts, newest first.
func (o Operator) Loras(ctx context.Context, q snapshot.LoraQuery) (snapshot.Loras, error) {
	p, err := newPart("loras", q.Page, 2)
	if err != nil {
		return snapshot.Loras{}, err
	}
	at, err := p.moment(0)
	if err != nil {
		return snapshot.Loras{}, err
	}
	owner, err := o.walletOf(ctx, q.Wallet)
	if err != nil {
		return snapshot.Loras{}, err
	}
	rows, err := o.loras.List(ctx, q.Status, owner, at, atelier.LoraID(p.value(1)), p.limit+1)
	rows, next := cut(p, rows, func(l atelier.PersonalLora) []string { return []string{formatMoment(l.CreatedAt), string(l.ID)} })
	return snapshot.Loras{Loras: convert(rows, newLora), NextCursor: next}, err
}

func newLora(l atelier.PersonalLora) snapshot.Lora {
	return snapshot.Lora{
		ID: l.ID, WalletAddress: l.Wallet, Name: l.Name, ModelID: l.ModelID, Family: l.Family, Status: l.Status, Reason: optional(l.Reason), FailureCode: optional(l.Failure),
		Requirements: append([]string{}, l.Requirements...), Link: l.Link, Source: l.Source, Provider: l.Provider, Version: l.Version, Bytes: l.Bytes,
		SHA256: optional(l.SHA256), ObjectKey: optional(l.Key), CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
	}
}

// Lora reads a personal LoRA of any account.
func (o Operator) Lora(ctx context.Context, id atelier.LoraID) (snapshot.Lora, error) {
	l, err := o.loras.Show(ctx, id)
	return newLora(l), err
}

// ReviewLora holds a ready personal LoRA back, so that no render uses it, or releases it.
// Its owner sees the reason.
func (o Operator) ReviewLora(ctx context.Context, id atelier.LoraID, release bool, reason string) (snapshot.Lora, error) {
	if err := checkReason("reason", reason); err != nil {
		return snapshot.Lora{}, err
	}
	if release {
		l, err := o.loras.Release(ctx, id, o.recordLora("release LoRA", reason))
		return newLora(l), err
	}
	l, err := o.loras.HoldBack(ctx, id, reason, o.recordLora("hold LoRA back", reason))
	return newLora(l), err
}

// RevokeLora withdraws a personal LoRA for good. Its owner sees the reason.
func (o Operator) RevokeLora(ctx context.Context, id atelier.LoraID, reason string) (snapshot.Lora, error) {
	if err := checkReason("reason", reason); err != nil {
		return snapshot.Lora{}, err
	}
	l, err := o.loras.Revoke(ctx, id, reason, o.recordLora("revoke LoRA", reason))
	return newLora(l), err
}

func (o Operator) recordLora(action, reason string) lora.Also {
	return func(tx *store.Tx, l atelier.PersonalLora) error {
		return o.record(store.OperatorAction{Action: action, Wallet: l.Wallet, Target: string(l.ID), Detail: l.Name, Reason: reason})(tx)
	}
}
