package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// join makes a person a member of an account, with a key.
func join(t *testing.T, s *ateliertest.Service, a atelier.Account, role atelier.Role, budget atelier.KeyBudget) account.Accepted {
	t.Helper()
	code, _, err := s.Node.Accounts.Invite(t.Context(), a.Wallet, "", account.NewMember{Name: string(role), Role: role, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Node.Accounts.Accept(t.Context(), code, "")
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// Every endpoint with a credential is walked with a member of every role of an operator's account, and refuses those
// whose role the table of the endpoints does not include.
func TestRolesOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Limits.AuthFailuresPerMinute = 10_000 })
	olga := s.Account(t, account.NewAccount{Operator: true, Worker: true}, billing.Credits{Spark: atelier.MoneyUnit})
	members := map[atelier.Role]account.Accepted{}
	for _, role := range atelier.Roles {
		members[role] = join(t, s, olga.Account, role, atelier.KeyBudget{})
	}
	table, walked, refusals := routeLimits(t), 0, 0
	for _, op := range ateliertest.Operations(t, s) {
		limit, listed := table[op.Method+" "+op.Path]
		if !listed {
			continue
		}
		walked++
		for role, m := range members {
			status, text := ask(t, op.Method, s.URL+op.Path, m.Key)
			refused := strings.Contains(text, "This needs the role")
			want := !limit.any && !role.Includes(limit.least)
			if want {
				refusals++
			}
			if refused != want || refused && status != 403 {
				t.Errorf("%s %s as %s: got %d %s, want a refusal for the role: %v", op.Method, op.Path, role, status, text, want)
			}
		}
	}
	if walked < 200 || refusals < 150 {
		t.Errorf("%d endpoints were walked with %d refusals, want more than 200 and 150", walked, refusals)
	}
}

// What a member asks for with any of their keys counts on the one budget of the member, and what is beyond it is not
// started; the key of the membership is named as who asked.
func TestMembersSpendWithinTheirBudget(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		h := openStudio(t, o)
		owner := h.s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
		ann := join(t, h.s, owner.Account, atelier.RoleEditor, atelier.KeyBudget{Unit: atelier.BudgetSpark, Day: 100 * atelier.MoneyUnit})
		caller, err := h.s.Node.Accounts.Authenticate(t.Context(), ann.Key)
		if err != nil {
			t.Fatal(err)
		}
		second, _, err := h.s.Node.Accounts.CreateOwnKey(t.Context(), caller, "second", atelier.KeyLimits{})
		if err != nil {
			t.Fatal(err)
		}
		used := func() atelier.Money {
			t.Helper()
			var team apitype.Members
			client{t, h.s, owner.Key}.do("GET", "/v1/account/members", "", 200, &team)
			if len(team.Members) != 1 || team.Members[0].KeyID != caller.PaysAs() || team.Members[0].Budget == nil {
				t.Fatalf("the members are %+v", team.Members)
			}
			return team.Members[0].Budget.Day.Used
		}
		client{t, h.s, ann.Key}.begin("a fox")
		one := used()
		client{t, h.s, second}.begin("a fox")
		if two := used(); one == 0 || two != 2*one {
			t.Errorf("%s is used after one picture and %s after another with a second key, want twice as much", one, two)
		}
		low := atelier.KeyBudget{Unit: atelier.BudgetSpark, Day: 2 * one}
		if _, err := h.s.Node.Accounts.ChangeMember(t.Context(), owner.Account.Wallet, ann.Member.Person.ID, account.MemberChange{Budget: &low}); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{ann.Key, second} {
			_, _ = post(t, h.s.URL, workflows, key, "", `{"input": {"steps": [{"id": "a", "toolName": "generate_image", "arguments": {"prompt": "a hare"}}]}}`)
		}
		if got := used(); got != 2*one {
			t.Errorf("%s is used of a budget of %s", got, 2*one)
		}
	})
}

// A member who is removed on one node is refused on the others by the next request, and open streams end, although the
// next heartbeat is far away.
func TestRemovedMembersOnEveryNode(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		slow := func(c *config.Config) { c.Limits.SSEHeartbeat, c.SessionSecret = time.Hour, "the secret of the nodes" }
		node := ateliertest.Start(t, o, slow)
		other := node
		if o.URL != "" {
			other = ateliertest.Start(t, o, slow)
		}
		owner := node.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
		id := client{t, node, owner.Key}.begin("a fox")
		ann := join(t, node, owner.Account, atelier.RoleViewer, atelier.KeyBudget{})
		stream := client{t, node, ann.Key}.stream(node, id, "")
		until(t, stream, "workflow_status")
		if status, text := ask(t, "DELETE", other.URL+"/v1/account/members/"+string(ann.Member.Person.ID), owner.Key); status != 200 {
			t.Fatalf("removing a member: got %d %s", status, text)
		}
		for ended := false; !ended; { // or the test does not end
			_, err := stream.NextEvent()
			ended = err != nil
		}
		for _, s := range []*ateliertest.Service{node, other} {
			if status, text := ask(t, "GET", s.URL+workflows, ann.Key); status != 401 {
				t.Errorf("a removed member: got %d %s, want 401", status, text)
			}
		}
	})
}

// account is the artist's account.
func (h studio) account() atelier.Account {
	h.t.Helper()
	caller, err := h.s.Node.Accounts.Authenticate(h.t.Context(), h.key)
	if err != nil {
		h.t.Fatal(err)
	}
	return caller.Account
}

func (h studio) member() account.Accepted {
	h.t.Helper()
	return join(h.t, h.s, h.account(), atelier.RoleEditor, atelier.KeyBudget{})
}

// invitation is the code and the id of an invitation to the artist's account.
func (h studio) invitation() (code, id string) {
	h.t.Helper()
	code, i, err := h.s.Node.Accounts.Invite(h.t.Context(), h.account().Wallet, "", account.NewMember{Role: atelier.RoleEditor})
	if err != nil {
		h.t.Fatal(err)
	}
	return code, i.ID
}

// ownSession is the id of a console session of the artist.
func (h studio) ownSession() string {
	h.t.Helper()
	h.fromConsole("GET", "/v1/console/session")
	var r apitype.Sessions
	h.do("GET", "/v1/account/sessions", "", 200, &r)
	return r.Sessions[0].SessionID
}

// operateMember is a request of an operator about a member of an account.
func (h studio) operateMember() actual {
	h.t.Helper()
	bob := h.s.Account(h.t, account.NewAccount{}, billing.Credits{})
	m := join(h.t, h.s, bob.Account, atelier.RoleEditor, atelier.KeyBudget{})
	return h.operating(map[string]string{"wallet": string(bob.Account.Wallet), "id": string(m.Member.Person.ID)}, nil)
}
