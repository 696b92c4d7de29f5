package node_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/pipetest"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A chat run on one node whose picture is made at the other is not kept waiting: without
// NATS, and when NATS is lost to the node, stalls, or is away altogether.
func TestRunAcrossNodes(t *testing.T) {
	t.Parallel()
	cut := func(p *pipetest.Proxy) { p.PointAt("") }
	for name, c := range map[string]struct {
		nats bool
		lose []func(*pipetest.Proxy) // for each node: how its NATS is lost
	}{
		"without NATS":              {false, nil},
		"with NATS":                 {true, nil},
		"NATS lost to one node":     {true, []func(*pipetest.Proxy){cut}},
		"NATS stalls for one node":  {true, []func(*pipetest.Proxy){(*pipetest.Proxy).Stall}},
		"NATS lost to the renderer": {true, []func(*pipetest.Proxy){nil, cut}},
		"NATS lost to both":         {true, []func(*pipetest.Proxy){cut, cut}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var proxies []*pipetest.Proxy
			database, data, server := storetest.Postgres(t), t.TempDir(), ""
			if c.nats {
				server = natsServer(t).Addr().String()
			}
			join := func() *ateliertest.Service {
				return ateliertest.Start(t, database, func(o *config.Config) {
					o.DataDir, o.SessionSecret = data, oldSecret
					if c.nats {
						p := pipetest.NewProxy(t, "tcp", server)
						proxies = append(proxies, p)
						o.NATSURL = "nats://" + p.Addr()
					}
				})
			}
			nodes := []*ateliertest.Service{join(), join()}
			a, b := nodes[0], nodes[1]
			ann := a.Account(t, account.NewAccount{}, billing.Credits{Spark: 1 << 40})
			worker := b.Worker(t, b.Account(t, account.NewAccount{Worker: true}, billing.Credits{}))
			for i, lose := range c.lose {
				if lose != nil {
					lose(proxies[i])
					nodes[i].Logged(t, "bus: not connected")
				}
			}
			for range 3 {
				id := startRun(t, a, ann.Key)
				stream := followRun(t, a, id, ann.Key)
				worker.Complete(t, worker.Claim(t), 1, nil)
				for {
					f, err := stream.NextEvent()
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatalf("the run does not go on: %v", err)
					}
					if f.Event == "run_failed" {
						t.Fatalf("the run failed: %s", f.Data)
					}
				}
				if _, body := a.Get(t, "/v1/chat/runs/"+id, ann.Key); !strings.Contains(body, `"status":"completed"`) {
					t.Errorf("the run: %s", body)
				}
			}
		})
	}
}

func startRun(t *testing.T, s *ateliertest.Service, key string) string {
	t.Helper()
	body := strings.NewReader(`{"messages": [{"role": "user", "content": "Make a picture of a red fox"}]}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/chat/runs", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, answer := exchange(t, req)
	var started struct {
		Data struct{ Run struct{ RunID string } }
	}
	if err := json.Unmarshal([]byte(answer), &started); err != nil || resp.StatusCode != http.StatusAccepted {
		t.Fatalf("start a run: %d %s", resp.StatusCode, answer)
	}
	return started.Data.Run.RunID
}

func followRun(t *testing.T, s *ateliertest.Service, id, key string) *ateliertest.Stream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/chat/runs/"+id+"/events/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	return ateliertest.OpenStream(t, req)
}
