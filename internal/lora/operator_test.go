package lora_test

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// An operator holds back what can be used, and releases what was held back: nothing
// becomes ready without a file.
func TestOnlyHeldEntriesAreReleased(t *testing.T) {
	t.Parallel()
	c := overlay(t, withToy)
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)), func(s *settings) { s.catalog = c })
	f.addAccounts()
	q := request(f.put("fox", loratest.LoRA{}))
	q.ModelID = "toy_model"
	r, err := f.e.Import(t.Context(), ann, q)
	if err != nil {
		t.Fatal(err)
	}
	operator := lora.NewOperator(f.DB, f.Now)
	if l, err := operator.HoldBack(t.Context(), r.ID, "", nil); err == nil {
		t.Errorf("an entry that is being imported was held back: %+v", l)
	}
	retired := newFixtureOn(t, f.DB, func(s *settings) { s.sites = f.sites })
	if n, err := retired.e.Sweep(t.Context()); n != 1 || err != nil {
		t.Fatalf("Sweep = %d, %v; want the entry in review", n, err)
	}
	if l, err := operator.Release(t.Context(), r.ID, nil); err == nil {
		t.Errorf("an entry that was not held back was released: %+v", l)
	}
	if got := f.read(r.ID); got.Status != atelier.LoraReview {
		t.Errorf("the entry is %+v", got)
	}
}
