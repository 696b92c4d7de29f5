package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
)

// A worker that connects and only sends heartbeats does not keep the jobs of its models from
// fallback workers, and operators see it. It counts again as soon as it claims.
func TestAWorkerThatOnlySendsHeartbeats(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		const lease = time.Hour // so long that only the test records which workers were seen
		s := ateliertest.Start(t, o, func(c *config.Config) {
			c.Workers.Lease, c.Workers.FallbackAfter, c.Workers.NoWorkerTimeout = lease, 0, time.Minute
		})
		artist := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100})
		olga := s.Account(t, account.NewAccount{Operator: true}, billing.Credits{})
		connect := func(name string, fallback bool) *client.Session {
			t.Helper()
			owner := s.Account(t, account.NewAccount{Username: name, Worker: true}, billing.Credits{})
			session, err := client.New(s.URL, owner.Key).Connect(t.Context(), apitype.WorkerSpec{
				Name: name, Network: "fast", Models: []string{smallPicture("").Spec.ModelID}, Capacity: 4, Fallback: fallback})
			if err != nil {
				t.Fatal(err)
			}
			return session
		}
		cpu, idle := connect("cpu", true), connect("idle", false)
		pass := func(d time.Duration) {
			t.Helper()
			s.Clock.Advance(d)
			for _, session := range []*client.Session{cpu, idle} {
				if _, err := session.Beat(t.Context(), apitype.Heartbeat{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Node.RecordPresence(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want := func(when string, session *client.Session, want bool) {
			t.Helper()
			if j, err := session.Claim(t.Context(), 0); err != nil || (j != nil) != want {
				t.Errorf("%s: got %+v, %v, want a job: %v", when, j, err, want)
			}
		}
		shown := func(when, path, key string, want string) {
			t.Helper()
			if _, body := s.Get(t, path, key); !strings.Contains(body, want) {
				t.Errorf("%s: GET %s does not contain %s: %s", when, path, want, body)
			}
		}
		submit := func() {
			t.Helper()
			if _, err := s.Submit(t.Context(), smallPicture(artist.Account.Wallet)); err != nil {
				t.Fatal(err)
			}
		}

		submit()
		pass(lease)
		pass(lease - time.Minute)
		want("the fallback worker, before two leases", cpu, false)
		pass(2 * time.Minute)
		want("the fallback worker, after two leases", cpu, false)
		pass(2 * time.Minute)
		want("the fallback worker, when the other had time to come back", cpu, true)
		shown("after two leases", "/v1/operator/workers", olga.Key, `"notClaimingSince":"20`)
		shown("after two leases", "/v1/network", artist.Key, `"notClaimingSince":"20`)
		shown("after two leases", "/v1/model-demand", "", `"servedBy":"preview"`)

		submit()
		want("the worker, when it claims", idle, true)
		submit()
		want("the fallback worker, when the other claims", cpu, false)
		if _, body := s.Get(t, "/v1/operator/workers", olga.Key); strings.Contains(body, `"notClaimingSince":"20`) {
			t.Errorf("when it claims: %s", body)
		}
	})
}
