package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// An invitation makes one person a member, once, with a key of their role; what they make with it is theirs, and ends
// with the membership. The account and its other members keep theirs.
func TestMembers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db, c := storetest.Open(t, o), newClock()
		e := account.New(db, []string{secret}, c.Now)
		opened, err := e.Create(t.Context(), account.NewAccount{Username: "studio"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := opened.Account.Wallet
		join := func(role atelier.Role) account.Accepted {
			t.Helper()
			budget := atelier.KeyBudget{Unit: atelier.BudgetSpark, Month: 5 * atelier.MoneyUnit}
			code, i, err := e.Invite(t.Context(), w, "", account.NewMember{Email: "Ann@Example.org", Name: " Ann  Bee ", Role: role, Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			if i.Email != "ann@example.org" || i.Name != "Ann Bee" {
				t.Errorf("the invitation is for %q, %q", i.Email, i.Name)
			}
			done, err := e.Accept(t.Context(), code, "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Accept(t.Context(), code, ""); !atelier.HasCode(err, atelier.CodeBadCredential) {
				t.Errorf("accepted twice: got %v, want a refusal", err)
			}
			return done
		}
		ann, ben := join(atelier.RoleEditor), join(atelier.RoleViewer)
		caller := func(key string) atelier.Caller {
			t.Helper()
			got, err := e.Authenticate(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		a := caller(ann.Key)
		if a.Wallet != w || a.Member().Role != atelier.RoleEditor || a.Member().Person != ann.Member.Person.ID || a.PaysAs() == a.KeyID {
			t.Errorf("the caller is %+v, paying as %s", a.Member(), a.PaysAs())
		}
		own, k, err := e.CreateOwnKey(t.Context(), a, "phone", atelier.KeyLimits{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if made := caller(own); made.Member() != a.Member() || made.PaysAs() != a.PaysAs() {
			t.Errorf("a key of a member acts as %+v, want %+v", made.Member(), a.Member())
		}
		if _, _, err := e.CreateOwnKey(t.Context(), a, "rich", atelier.KeyLimits{Budget: atelier.KeyBudget{Unit: atelier.BudgetSpark, Day: 1}}); err == nil {
			t.Error("a key of a member got a separate budget")
		}
		if _, err := e.ChangeOwnKey(t.Context(), a, k.ID, account.KeyChange{Limits: &atelier.KeyLimits{}}); err != nil {
			t.Errorf("removing the limits of the caller's own key: %v", err)
		}
		if made := caller(own); made.Member() != a.Member() {
			t.Errorf("a key without limits acts as %+v, want %+v", made.Member(), a.Member())
		}

		// Members see and change what is theirs; the account sees all but the keys of memberships.
		list := func(c atelier.Caller) int {
			t.Helper()
			keys, err := e.Keys(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			return len(keys)
		}
		if got := []int{list(a), list(caller(ben.Key)), list(caller(opened.Key))}; got[0] != 2 || got[1] != 1 || got[2] != 4 {
			t.Errorf("the editor, the viewer and the account see %v keys, want [2 1 4]", got)
		}
		for what, id := range map[string]string{"another member's": atelier.KeyID(caller(ben.Key).KeyHash), "the account's": caller(opened.Key).KeyID, "the membership's": a.PaysAs()} {
			if _, _, err := e.RevokeOwnKey(t.Context(), a, id); !atelier.HasCode(err, atelier.CodeNotFound) {
				t.Errorf("an editor revokes %s key: got %v, want that it does not exist", what, err)
			}
		}
		if _, _, err := e.RevokeOwnKey(t.Context(), caller(opened.Key), a.PaysAs()); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("the key of a membership was revoked: %v", err)
		}

		// A role and a budget hold for all keys at once.
		viewer := atelier.RoleViewer
		m, err := e.ChangeMember(t.Context(), w, ann.Member.Person.ID, account.MemberChange{Role: &viewer, Budget: &atelier.KeyBudget{}})
		if err != nil || m.Role != viewer || m.Budget != (atelier.KeyBudget{}) {
			t.Errorf("the changed member is %+v, %v", m, err)
		}
		for _, key := range []string{ann.Key, own} {
			if got := caller(key).Member().Role; got != viewer {
				t.Errorf("a key has the role %s, want viewer", got)
			}
		}

		// Revoking all keys of the account leaves memberships, whose keys are never shown; removing a member ends the
		// rest.
		session, err := e.SignIn(t.Context(), own, func(atelier.Caller) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		token, err := e.CreateToken(t.Context(), opened.Account, a.KeyHash, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		_, keys, sessions, err := e.RemoveMember(t.Context(), w, ann.Member.Person.ID)
		if err != nil || keys != 2 || sessions != 1 {
			t.Errorf("%d keys and %d sessions ended, %v, want 2 and 1", keys, sessions, err)
		}
		for _, credential := range []string{ann.Key, own, token} {
			if _, err := e.Authenticate(t.Context(), credential); !atelier.HasCode(err, atelier.CodeBadCredential) {
				t.Errorf("a credential of a removed member: got %v, want a refusal", err)
			}
		}
		if _, err := e.AuthenticateSession(t.Context(), session.Halves.Token, []string{session.Halves.Cookie}); !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("a session of a removed member: got %v, want a refusal", err)
		}
		if caller(ben.Key).Member().Role != viewer || caller(opened.Key).Limits != nil {
			t.Error("others have lost their keys or roles")
		}
		if _, _, err := e.CreateOwnKey(t.Context(), a, "late", atelier.KeyLimits{}); !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("a request that was under way made a key: %v", err)
		}
		if _, _, _, err := e.RemoveMember(t.Context(), w, ann.Member.Person.ID); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("removed twice: %v", err)
		}
	})
}

// An invitation that has expired or was withdrawn is worth nothing.
func TestInvitationsEnd(t *testing.T) {
	t.Parallel()
	c := newClock()
	e := account.New(storetest.Open(t, storetest.SQLite(t)), []string{secret}, c.Now)
	opened, err := e.Create(t.Context(), account.NewAccount{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := opened.Account.Wallet
	invite := func() (string, store.Invitation) {
		code, i, err := e.Invite(t.Context(), w, "", account.NewMember{Role: atelier.RoleEditor})
		if err != nil {
			t.Fatal(err)
		}
		return code, i
	}
	withdrawn, i := invite()
	if err := e.Withdraw(t.Context(), w, i.ID); err != nil {
		t.Fatal(err)
	}
	expired, _ := invite()
	c.Advance(account.InvitationTTL)
	for _, code := range []string{withdrawn, expired, strings.ToLower(expired), ""} {
		if _, err := e.Accept(t.Context(), code, ""); !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("code %q: got %v, want a refusal", code, err)
		}
	}
	for field, n := range map[string]account.NewMember{
		"email":       {Email: "Ann <ann@example.org>", Role: atelier.RoleEditor},
		"name":        {Name: strings.Repeat("n", 81), Role: atelier.RoleEditor},
		"role":        {Role: "boss"},
		"budget.unit": {Role: atelier.RoleEditor, Budget: atelier.KeyBudget{Day: 1}},
	} {
		_, _, err := e.Invite(t.Context(), w, "", n)
		if e, ok := err.(*atelier.Error); !ok || e.Field != field {
			t.Errorf("%+v: got %v, want the field %s", n, err, field)
		}
	}
}
