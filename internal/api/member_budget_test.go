package api_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
)

// An owner with a budget, who could get more by a new member or by a key of the account, makes neither: with no key of
// theirs. Without the budget they do.
func TestOwnersWithABudgetGetNoMore(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, func(*config.Config) {})
		olga := s.Account(t, account.NewAccount{Operator: true}, billing.Credits{Spark: atelier.MoneyUnit})
		w := olga.Account.Wallet
		ann := join(t, s, olga.Account, atelier.RoleOwner, atelier.KeyBudget{Unit: atelier.BudgetSpark, Day: atelier.MoneyUnit})
		ben := join(t, s, olga.Account, atelier.RoleViewer, atelier.KeyBudget{})
		caller, err := s.Node.Accounts.Authenticate(t.Context(), ann.Key)
		if err != nil {
			t.Fatal(err)
		}
		second, _, err := s.Node.Accounts.CreateOwnKey(t.Context(), caller, "second", atelier.KeyLimits{})
		if err != nil {
			t.Fatal(err)
		}
		own, err := s.Node.Accounts.Authenticate(t.Context(), olga.Key)
		if err != nil {
			t.Fatal(err)
		}
		requests := []struct{ method, path, body string }{
			{"POST", "/v1/account/members", `{"role": "owner"}`},
			{"PATCH", "/v1/account/members/" + string(ben.Member.Person.ID), `{"role": "editor"}`},
			{"PATCH", "/v1/account/keys/" + own.KeyID, `{"limits": {"readOnly": true}}`},
			{"POST", "/v1/operator/accounts/" + string(w) + "/keys", `{"reason": "more"}`},
			{"POST", "/v1/operator/accounts/" + string(w) + "/members", `{"role": "owner", "reason": "more"}`},
		}
		for _, key := range []string{ann.Key, second} {
			for _, q := range requests {
				got := client{t, s, key}.raw(q.method, q.path, q.body)
				if got.status != 403 || !strings.Contains(got.body, `"errorCode":2060`) {
					t.Errorf("%s %s of an owner with a budget: got %d %s, want 403 for the key", q.method, q.path, got.status, got.body)
				}
			}
		}
		if _, err := s.Node.Accounts.ChangeMember(t.Context(), w, ann.Member.Person.ID, account.MemberChange{Budget: &atelier.KeyBudget{}}); err != nil {
			t.Fatal(err)
		}
		if got := (client{t, s, second}).raw("POST", requests[0].path, requests[0].body); got.status != 201 {
			t.Errorf("without a budget: got %d %s, want 201", got.status, got.body)
		}
	})
}
