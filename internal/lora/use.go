package lora

import (
	"errors"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/store"
)

// requirePlan refuses an account whose plan does not include personal LoRAs now.
func requirePlan(tx *store.Tx, owner atelier.Wallet, now time.Time) error {
	plan, err := tx.Subscription(owner)
	if err == nil && !plan.At(now).Active() {
		err = atelier.Errorf(atelier.CodeNoUnlimitedAccess, "Personal LoRAs need an active Unlimited or Unlimited Pro plan.")
	}
	return err
}

// Resolve finds the personal LoRAs that a render with a model names. One that the
// account cannot use there is refused, with the field of the list that names it.
func Resolve(tx *store.Tx, owner atelier.Wallet, m *catalog.Model, uses []catalog.LoraUse, now time.Time) ([]atelier.JobLora, error) {
	if len(uses) == 0 {
		return nil, nil
	}
	const field = "arguments.loras"
	if err := requirePlan(tx, owner, now); atelier.HasCode(err, atelier.CodeNoUnlimitedAccess) {
		return nil, atelier.Refuse(field, "names the personal LoRA %.60q: %v", uses[0].ID, err)
	} else if err != nil {
		return nil, err
	}
	var out []atelier.JobLora
	for _, use := range uses {
		l, err := tx.Lora(owner, atelier.LoraID(use.ID))
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil, atelier.Refuse(field, "names the personal LoRA %.60q, which is not in your library.", use.ID)
		case err != nil:
			return nil, err
		case l.Status != atelier.LoraReady:
			return nil, atelier.Refuse(field, "names the personal LoRA %q, which is not ready: its status is %s.", use.ID, l.Status)
		case m == nil || m.LoraFamily != l.Family:
			return nil, atelier.Refuse(field, "names the personal LoRA %q, which the model of this render cannot load: its modelIds lists those that can.", use.ID)
		}
		out = append(out, atelier.JobLora{ID: use.ID, Strength: use.Strength, Personal: &atelier.PersonalSource{
			Key: l.Key, Name: l.Name, Provider: l.Provider, Source: l.Source, Version: l.Version, SHA256: l.SHA256,
		}})
	}
	return slices.Clip(out), nil
}
