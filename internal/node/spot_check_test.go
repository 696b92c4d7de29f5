package node_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
)

// A picture is made again by workers of two other accounts. One that has made something else is
// shown to operators and gets no more jobs.
func TestSpotCheck(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, func(c *config.Config) {
			c.Workers.SpotCheckPercent, c.Workers.SpotCheckAction = 100, config.SpotCheckDrain
		})
		artist := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 10})
		olga := s.Account(t, account.NewAccount{Operator: true}, billing.Credits{})
		service, err := s.Node.ServiceAccount(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Node.Billing.Credit(t.Context(), service.Account.Wallet, billing.Credits{Spark: 20}); err != nil {
			t.Fatal(err)
		}
		order := smallPicture(artist.Account.Wallet)
		order.Spec.SafeContentFilter = true
		var sessions []*client.Session
		for _, name := range []string{"eve", "wil", "sue"} {
			owner := s.Account(t, account.NewAccount{Username: name, Worker: true}, billing.Credits{})
			session, err := client.New(s.URL, owner.Key).Connect(t.Context(), client.WorkerSpec{Name: name + "s-gpu", Network: "fast", Models: []string{order.Spec.ModelID}, Capacity: 1})
			if err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, session)
		}
		if _, err := s.Node.Submit(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		for i, session := range sessions {
			var j *client.Job
			for j == nil { // a busy machine may take longer than one claim waits
				if j, err = session.Claim(t.Context(), 20*time.Second); err != nil {
					t.Fatalf("worker %d: %v", i, err)
				}
			}
			if _, err := session.Complete(t.Context(), j.JobID, []client.ReportedArtifact{{ID: "a0", Data: twoColours(t, i == 0)}}, client.Metrics{}, false); err != nil {
				t.Fatal(err)
			}
		}
		s.Logged(t, `msg="a worker has made something else than two others" .*account=`)
		s.Logged(t, `msg="drained workers after a spot check"`)
		list, err := client.New(s.URL, olga.Key).Operator().SpotChecks(t.Context(), client.Page{})
		if err != nil || len(list.SpotChecks) != 1 || list.SpotChecks[0].Status != "wrong" || !strings.HasSuffix(list.SpotChecks[0].Reason, "something else.") || len(list.SpotChecks[0].Renders) != 3 {
			t.Fatalf("got %+v, %v", list, err)
		}
		workers, err := client.New(s.URL, olga.Key).Operator().Workers(t.Context(), client.Page{})
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
