package account_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// What can be done again and again does not fill the records: of a day, keys are changed a thousand times at most, and
// of sign-ins no more is recorded. A key can still be revoked, which is.
func TestActionsOfADayAreBounded(t *testing.T) {
	t.Parallel()
	db, clock := storetest.Open(t, storetest.SQLite(t)), newClock()
	e := account.New(db, []string{secret}, clock.Now)
	ann, err := e.Create(t.Context(), account.NewAccount{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := e.Authenticate(t.Context(), ann.Key)
	if err != nil {
		t.Fatal(err)
	}
	made, k, err := e.CreateOwnKey(t.Context(), caller, "shop", atelier.KeyLimits{})
	if err != nil {
		t.Fatal(err)
	}
	change := func(name string) error {
		_, err := e.ChangeOwnKey(t.Context(), caller, k.ID, account.KeyChange{Name: &name})
		return err
	}
	for i := range 999 {
		if err := change(fmt.Sprint("shop ", i)); err != nil {
			t.Fatalf("change %d: %v", i, err)
		}
	}
	if err := change("again"); !atelier.HasCode(err, atelier.CodeWrongState) {
		t.Errorf("change 1000: got %v, want that it is too many", err)
	}
	if _, err := e.SignIn(t.Context(), made, func(atelier.Caller) error { return nil }); err != nil {
		t.Errorf("sign in: %v", err)
	}
	if _, _, err := e.RevokeOwnKey(t.Context(), caller, k.ID); err != nil {
		t.Errorf("revoke: %v", err)
	}
	var all []store.Action
	err = db.Read(t.Context(), func(tx *store.Tx) (err error) {
		all, err = tx.Actions(store.ActionQuery{Wallet: caller.Wallet, Limit: 2000})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1001 || all[0].Action != "revoke key" || all[0].Detail != "shop 998" || all[1000].Action != "create key" {
		t.Errorf("recorded %d, the newest %+v, the oldest %+v", len(all), all[0], all[len(all)-1])
	}
	clock.Advance(24 * time.Hour)
	if _, _, err := e.CreateOwnKey(t.Context(), caller, "next day", atelier.KeyLimits{}); err != nil {
		t.Errorf("the next day: %v", err)
	}
}
