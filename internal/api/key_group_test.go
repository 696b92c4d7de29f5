package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// limitedKey makes a key with limits.
func limitedKey(t *testing.T, s *ateliertest.Service, a atelier.Account, l atelier.KeyLimits) string {
	t.Helper()
	key, _, err := s.Node.Accounts.AddKey(t.Context(), a, "", l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// routeLimits are the lines of testdata/key_groups.txt: for each endpoint with a credential, whether it changes
// something, its groups, and the role that a member needs.
func routeLimits(t *testing.T) map[string]routeLimit {
	t.Helper()
	text, err := os.ReadFile("testdata/key_groups.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]routeLimit{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		l := routeLimit{changes: f[2] == "changes", any: f[3] == "any", least: atelier.Role(f[4])}
		for name := range strings.SplitSeq(f[3], ",") {
			l.groups = append(l.groups, atelier.KeyGroup(name))
		}
		out[f[0]+" "+f[1]] = l
	}
	return out
}

type routeLimit struct {
	changes, any bool
	groups       []atelier.KeyGroup
	least        atelier.Role // that a member needs
}

// Every endpoint with a credential is walked with keys of every limit, and refuses those that the table of the
// endpoints says: by the group, by what it changes, by the address of the client, and by the expiry.
func TestKeyLimitsOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Limits.AuthFailuresPerMinute = 10_000 })
	olga := s.Account(t, account.NewAccount{Operator: true, Worker: true}, billing.Credits{Spark: atelier.MoneyUnit})
	type walker struct {
		name, key string
		want      func(routeLimit) string // a part of the refusal; empty when it is not refused for a limit
	}
	var walkers []walker
	for _, g := range atelier.KeyGroups {
		walkers = append(walkers, walker{"group " + string(g), limitedKey(t, s, olga.Account, atelier.KeyLimits{Groups: []atelier.KeyGroup{g}}), func(l routeLimit) string {
			if l.any || slices.Contains(l.groups, g) {
				return ""
			}
			return fmt.Sprintf("may use endpoints of %s alone", g)
		}})
	}
	elsewhere := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	expiring := limitedKey(t, s, olga.Account, atelier.KeyLimits{ExpiresAt: s.Clock.Now().Add(time.Hour)})
	walkers = append(walkers,
		walker{"read-only", limitedKey(t, s, olga.Account, atelier.KeyLimits{ReadOnly: true}), func(l routeLimit) string {
			if l.any || !l.changes {
				return ""
			}
			return "is read-only"
		}},
		walker{"another address", limitedKey(t, s, olga.Account, atelier.KeyLimits{Addresses: elsewhere}), func(routeLimit) string { return "may not be used from the address" }},
		walker{"this address", limitedKey(t, s, olga.Account, atelier.KeyLimits{Addresses: here}), func(routeLimit) string { return "" }},
		walker{"expired", expiring, func(routeLimit) string { return "expired at" }},
	)
	s.Clock.Advance(2 * time.Hour)
	table, walked := routeLimits(t), 0
	for _, op := range ateliertest.Operations(t, s) {
		limit, listed := table[op.Method+" "+op.Path]
		if !listed {
			continue // TestKeyGroupsOfRoutes finds those that are missing
		}
		walked++
		for _, w := range walkers {
			status, text := ask(t, op.Method, s.URL+op.Path, w.key)
			want := w.want(limit)
			refused := ""
			for _, part := range []string{"alone, and this one is of", "is read-only", "may not be used from the address", "expired at"} {
				if strings.Contains(text, part) {
					refused = part
				}
			}
			wantStatus := 403
			if w.name == "expired" {
				wantStatus = 401
			}
			switch {
			case want == "" && refused != "":
				t.Errorf("%s %s with a key of %s: got %d %s, want no refusal for a limit", op.Method, op.Path, w.name, status, text)
			case want != "" && (status != wantStatus || !strings.Contains(text, want)):
				t.Errorf("%s %s with a key of %s: got %d %s, want %d with %q", op.Method, op.Path, w.name, status, text, wantStatus, want)
			}
		}
	}
	if walked < 200 {
		t.Errorf("%d endpoints were walked, want 200 or more", walked)
	}
}

// ask sends a request without a body, and reads what comes at once.
func ask(t *testing.T, method, url, key string) (status int, text string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // of a stream
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(body)
	}
	return resp.StatusCode, text
}

// A key that is revoked or limited on one node ends its open streams on the others at once, although the next heartbeat
// is far away: a number in the database tells them.
func TestKeyChangesEndStreamsOnEveryNode(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		slow := func(c *config.Config) { c.Limits.SSEHeartbeat, c.SessionSecret = time.Hour, "the secret of the nodes" }
		node := ateliertest.Start(t, o, slow)
		other := node
		if o.URL != "" {
			other = ateliertest.Start(t, o, slow)
		}
		ann := node.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
		owner, err := node.Node.Accounts.Authenticate(t.Context(), ann.Key)
		if err != nil {
			t.Fatal(err)
		}
		id := client{t, node, ann.Key}.begin("a fox")
		for what, change := range map[string]func(key string) error{
			"revoked": func(key string) error { return other.Node.Accounts.RevokeKey(t.Context(), key) },
			"limited": func(key string) error {
				caller, err := other.Node.Accounts.Authenticate(t.Context(), key)
				if err != nil {
					return err
				}
				limits := atelier.KeyLimits{Groups: []atelier.KeyGroup{atelier.GroupChat}}
				_, err = other.Node.Accounts.ChangeOwnKey(t.Context(), owner, caller.KeyID, account.KeyChange{Limits: &limits})
				return err
			},
		} {
			key := limitedKey(t, node, ann.Account, atelier.KeyLimits{})
			stream := client{t, node, key}.stream(node, id, "")
			until(t, stream, "workflow_status")
			if err := change(key); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for ended := false; !ended; { // or the test does not end
				_, err := stream.NextEvent()
				ended = err != nil
			}
			if status, text := ask(t, "GET", node.URL+workflows, key); status != 401 && status != 403 {
				t.Errorf("a key that was %s: got %d %s, want a refusal", what, status, text)
			}
		}
	})
}
