package account_test

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Who is removed, or is an owner no more, gets in by no link that they have made, nor by another invitation to them;
// the invitations of others stay.
func TestInvitationsEndWithTheirOwner(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		e := account.New(storetest.Open(t, o), []string{secret}, newClock().Now)
		opened, err := e.Create(t.Context(), account.NewAccount{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := opened.Account.Wallet
		invite := func(by atelier.PersonID, email string) string {
			t.Helper()
			code, _, err := e.Invite(t.Context(), w, by, account.NewMember{Email: email, Role: atelier.RoleOwner})
			if err != nil {
				t.Fatal(err)
			}
			return code
		}
		join := func(code string) atelier.PersonID {
			t.Helper()
			done, err := e.Accept(t.Context(), code, "")
			if err != nil {
				t.Fatal(err)
			}
			return done.Member.Person.ID
		}
		ann, ben := join(invite("", "ann@example.org")), join(invite("", ""))
		gone := []string{invite(ann, ""), invite("", "ann@example.org"), invite(ben, "")}
		stays := invite("", "cat@example.org")
		if _, _, _, err := e.RemoveMember(t.Context(), w, ann); err != nil {
			t.Fatal(err)
		}
		editor := atelier.RoleEditor
		if _, err := e.ChangeMember(t.Context(), w, ben, account.MemberChange{Role: &editor}); err != nil {
			t.Fatal(err)
		}
		for i, code := range gone {
			if _, err := e.Accept(t.Context(), code, ""); !atelier.HasCode(err, atelier.CodeBadCredential) {
				t.Errorf("invitation %d: got %v, want a refusal", i, err)
			}
		}
		join(stays)
	})
}

// What a sign-in does to memberships is in the actions of the account, as what owners do.
func TestSignInsAreRecorded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		e := account.New(db, []string{secret}, newClock().Now)
		opened, err := e.Create(t.Context(), account.NewAccount{Username: "studio"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		signIn := func(i account.Identity) {
			t.Helper()
			i.Issuer, i.Subject = "https://op.example", "ann"
			i.Grants = []account.Grant{{Group: "artists", Account: "studio", Role: atelier.RoleEditor}}
			if _, err := e.SignInPerson(t.Context(), i); err != nil && !atelier.HasCode(err, atelier.CodeForbidden) {
				t.Fatal(err)
			}
		}
		signIn(account.Identity{Groups: []string{"artists"}})
		signIn(account.Identity{Groups: []string{"artists"}})
		signIn(account.Identity{})
		code, _, err := e.Invite(t.Context(), opened.Account.Wallet, "", account.NewMember{Role: atelier.RoleViewer})
		if err != nil {
			t.Fatal(err)
		}
		signIn(account.Identity{Invitation: code})
		got := map[string]int{}
		err = db.Read(t.Context(), func(tx *store.Tx) error {
			list, err := tx.Actions(store.ActionQuery{Wallet: opened.Account.Wallet, Limit: 100})
			clear(got)
			for _, a := range list {
				got[a.Action]++
				if a.KeyID == "" || a.Target == "" && a.Action != "sign in" {
					t.Errorf("%s has the key %q and the target %q", a.Action, a.KeyID, a.Target)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got["role by group"] != 1 || got["left group"] != 1 || got["accept invitation"] != 1 || got["sign in"] != 3 {
			t.Errorf("the actions are %v, want one for each change and three sign-ins", got)
		}
	})
}
