package account_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Two devices that keep presets at the same time lose none of them, and both together stay within the limit.
func TestPresetsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		e := account.New(storetest.Open(t, o), []string{secret}, newClock().Now)
		opened, err := e.Create(t.Context(), account.NewAccount{Username: "ann"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ann := opened.Account.Wallet
		put := func(kind, name string) error {
			_, err := e.PutPreset(t.Context(), ann, kind, name, strings.Repeat("ü", account.MostPresetLength))
			return err
		}
		for n := range account.MostPresets - 5 {
			if err := put("style", fmt.Sprint("s", n)); err != nil {
				t.Fatal(err)
			}
		}
		var running sync.WaitGroup
		refused := make(chan error, 10)
		for n := range 10 {
			running.Go(func() {
				if err := put("style", fmt.Sprint("new", n)); err != nil {
					refused <- err
				}
			})
		}
		running.Wait()
		if len(refused) != 5 {
			t.Errorf("%d of 10 were refused, want 5", len(refused))
		}
		for len(refused) > 0 {
			if err := <-refused; !atelier.HasCode(err, atelier.CodeWrongState) {
				t.Errorf("got %v, want that there are too many", err)
			}
		}
		if got, err := e.Presets(t.Context(), ann, "style"); err != nil || len(got.Presets) != account.MostPresets {
			t.Errorf("%d presets, %v", len(got.Presets), err)
		}
		if err := put("style", "s0"); err != nil {
			t.Errorf("a preset cannot be replaced in a full list: %v", err)
		}
		if err := put("view", "one"); err != nil {
			t.Errorf("a preset of another kind: %v", err)
		}
	})
}
