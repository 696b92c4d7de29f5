package node_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store"
)

// A picture is made again by workers of two trusted accounts. A worker that has made something else
// is shown to operators and gets no more jobs.
func TestSpotCheck(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		owners := []string{"eve", "wil", "sue"}
		keys := openAccounts(t, o, owners...)
		s := ateliertest.Start(t, o, func(c *config.Config) {
			c.Workers.SpotCheckPercent, c.Workers.SpotCheckBy, c.Workers.SpotCheckAction = 100, []string{"wil", "sue"}, config.SpotCheckDrain
		})
		artist := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 10})
		olga := s.Account(t, account.NewAccount{Operator: true}, billing.Credits{})
		service, err := s.ServiceAccount(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Node.Billing.Credit(t.Context(), service.Account.Wallet, billing.Credits{Spark: 20}); err != nil {
			t.Fatal(err)
		}
		order := smallPicture(artist.Account.Wallet)
		order.Spec.SafeContentFilter = true
		var sessions []*client.Session
		for i, name := range owners {
			session, err := client.New(s.URL, keys[i]).Connect(t.Context(), apitype.WorkerSpec{Name: name + "s-gpu", Network: "fast", Models: []string{order.Spec.ModelID}, Capacity: 1})
			if err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, session)
		}
		if _, err := s.Submit(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		for i, session := range sessions {
			var j *apitype.Assignment
			for j == nil { // a busy machine may take longer than one claim waits
				if j, err = session.Claim(t.Context(), 20*time.Second); err != nil {
					t.Fatalf("worker %d: %v", i, err)
				}
			}
			if _, err := session.Complete(t.Context(), j.JobID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: "a0", Data: twoColours(t, i == 0)}}}); err != nil {
				t.Fatal(err)
			}
		}
		s.Logged(t, `msg="a worker has made something else than two trusted ones" .*account=`)
		s.Logged(t, `msg="drained workers after a spot check"`)
		list, err := client.New(s.URL, olga.Key).Operator().SpotChecks(t.Context(), apitype.Page{})
		if err != nil || len(list.SpotChecks) != 1 || list.SpotChecks[0].Status != "wrong" || !strings.HasSuffix(list.SpotChecks[0].Reason, "something else.") || len(list.SpotChecks[0].Renders) != 3 {
			t.Fatalf("got %+v, %v", list, err)
		}
		workers, err := client.New(s.URL, olga.Key).Operator().Workers(t.Context(), apitype.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range workers.Workers {
			if w.Draining != (w.Name == "eves-gpu") {
				t.Errorf("the worker %s drains: %v", w.Name, w.Draining)
			}
		}
	})
}

// openAccounts opens accounts of workers in a database before a server does, and returns their
// keys.
func openAccounts(t *testing.T, o store.Options, names ...string) (keys []string) {
	t.Helper()
	db, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	accounts := account.New(db, []string{oldSecret}, time.Now)
	for _, name := range names {
		opened, err := accounts.Create(t.Context(), account.NewAccount{Username: name, Worker: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, opened.Key)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return keys
}

// A server does not start with an account to trust that there is not.
func TestSpotChecksByNoAccount(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.DataDir, c.Listen, c.Workers.SpotCheckPercent, c.Workers.SpotCheckBy = t.TempDir(), "127.0.0.1:0", 1, []string{"sue"}
	_, err := node.Open(t.Context(), c, node.Options{Log: slog.New(slog.DiscardHandler), NoSync: true})
	if err == nil || !strings.HasPrefix(err.Error(), "workers.spot_check_by: ") {
		t.Errorf("got %v", err)
	}
}

// twoColours is a picture of two halves.
func twoColours(t *testing.T, swapped bool) []byte {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, 256, 256))
	for y := range 256 {
		for x := range 256 {
			c := color.RGBA{200, 40, 30, 255}
			if (x < 128) != swapped {
				c = color.RGBA{20, 60, 180, 255}
			}
			p.SetRGBA(x, y, c)
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, p); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
