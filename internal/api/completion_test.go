package api_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// newChatService starts a service that asks an oracle, at a dollar for a million tokens.
func newChatService(t *testing.T, o store.Options) (*ateliertest.Service, *ateliertest.Oracle, account.Opened) {
	t.Helper()
	wise := ateliertest.NewOracle(t, "wise")
	s := ateliertest.Start(t, o, func(c *config.Config) {
		c.LLM.Upstreams = []config.Upstream{{Name: "oracle", BaseURL: wise.URL + "/v1", Models: []config.UpstreamModel{{
			ID: "wise", ContextLength: 32768, PricePerMInput: atelier.MoneyUnit, PricePerMOut: atelier.MoneyUnit}}}}
	})
	return s, wise, s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
}

func completion(t *testing.T, ctx context.Context, s *ateliertest.Service, key, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// A round that its client leaves in the middle is paid for what was said of it,
// once, and nothing stays held.
func TestLeavingInMidStream(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s, wise, ann := newChatService(t, o)
		wise.Say(ateliertest.Answer{Pieces: []ateliertest.Piece{{Content: "abcdefgh"}, {Wait: true}, {Content: "never heard"}}})
		st := ateliertest.OpenStream(t, completion(t, t.Context(), s, ann.Key, `{"stream":true,"svc_tools":"none","messages":[{"role":"user","content":"word"}]}`))
		for range 2 { // who speaks, and the first piece
			if _, err := st.NextEvent(); err != nil {
				t.Fatal(err)
			}
		}
		st.Leave()
		wise.Left(t)
		// The prompt is estimated at 4 + 1 tokens and the piece at 2.
		paid(t, s, ann, 7)
	})
}

// The same for an answer that was to come whole.
func TestLeavingBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s, wise, ann := newChatService(t, o)
		wise.Say(ateliertest.Answer{Pieces: []ateliertest.Piece{{Wait: true}}})
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		req := completion(t, ctx, s, ann.Key, `{"svc_tools":"none","messages":[{"role":"user","content":"word"}]}`)
		go func() {
			resp, err := http.DefaultClient.Do(req)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			gone <- err
		}()
		wise.Asked(t)
		leave()
		if err := <-gone; err == nil {
			t.Error("the client got an answer after it had left")
		}
		wise.Left(t)
		paid(t, s, ann, 5)
	})
}

// paid waits until a number of tokens are paid and nothing is held.
func paid(t *testing.T, s *ateliertest.Service, who account.Opened, tokens int) {
	t.Helper()
	want := atelier.Money(tokens) * 200 // two hundred Spark are a dollar
	req := newRequest(t, "GET", s.URL+"/v1/events/stream?topics=balance", nil)
	req.Header.Set("Authorization", "Bearer "+who.Key)
	changes := ateliertest.OpenStream(t, req)
	defer changes.Leave()
	var b atelier.Balance
	for b.Spark.Debit != want || b.Spark.Net != 100*atelier.MoneyUnit-want {
		if _, err := changes.NextEvent(); err != nil { // ready, then whenever the balance changes
			t.Fatalf("the balance is %+v, want %s to be paid: %v", b.Spark, want, err)
		}
		var err error
		if b, err = s.Node.Billing.Balance(t.Context(), who.Account.Wallet); err != nil {
			t.Fatal(err)
		}
	}
	if _, differences, err := s.Node.Billing.Audit(t.Context()); err != nil || len(differences) > 0 {
		t.Errorf("audit: %v %q", err, differences)
	}
}

// A stream that is under way when the service stops is told to its end.
func TestStreamOutlivesTheStop(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s, wise, ann := newChatService(t, o)
		wise.Say(ateliertest.Answer{Pieces: []ateliertest.Piece{{Content: "Once "}, {Wait: true}, {Content: "upon a time."}}, Usage: [3]int{10, 5, 0}})
		st := ateliertest.OpenStream(t, completion(t, t.Context(), s, ann.Key, `{"stream":true,"svc_tools":"none","messages":[{"role":"user","content":"word"}]}`))
		for range 2 {
			if _, err := st.NextEvent(); err != nil {
				t.Fatal(err)
			}
		}
		stopped := make(chan struct{})
		go func() { defer close(stopped); s.Stop() }()
		for { // until it drains
			resp, err := http.Get(s.URL + "/readyz")
			if err != nil {
				break
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				break
			}
		}
		wise.Go()
		var last string
		for {
			f, err := st.NextEvent()
			if err != nil {
				break
			}
			last = f.Data
		}
		if last != "[DONE]" {
			t.Errorf("the stream ended with %q, want [DONE]", last)
		}
		<-stopped
	})
}

// However many answers cost more than the balance at once, all of it is paid and
// no more, the books agree, and what was lost is counted.
func TestAnswersBeyondTheBalance(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s, wise, ann := newChatService(t, o)
		const answers, tokens = 12, 60_000 // 12 Spark each, of a hundred
		for range answers {
			wise.Say(ateliertest.Answer{Pieces: []ateliertest.Piece{{Content: "Once "}, {Wait: true}, {Content: "upon a time."}}, Usage: [3]int{10, tokens - 10, 0}})
		}
		var wg sync.WaitGroup
		for i := range answers {
			body := fmt.Sprintf(`{"stream":%t,"max_tokens":10,"svc_tools":"none","messages":[{"role":"user","content":"word"}]}`, i%2 == 0)
			req := completion(t, t.Context(), s, ann.Key, body)
			wg.Go(func() {
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				if said, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(said), "upon a time.") {
					t.Errorf("%d %s, %v", resp.StatusCode, said, err)
				}
			})
		}
		for range answers { // all hold a little before the first is settled
			wise.Asked(t)
		}
		for range answers {
			wise.Go()
		}
		wg.Wait()
		b, err := s.Node.Billing.Balance(t.Context(), ann.Account.Wallet)
		if err != nil || b.Spark.Debit != 100*atelier.MoneyUnit || b.Spark.Net != 0 {
			t.Errorf("the balance is %+v, %v", b.Spark, err)
		}
		if _, differences, err := s.Node.Billing.Audit(t.Context()); err != nil || len(differences) > 0 {
			t.Errorf("audit: %v %q", err, differences)
		}
		if got := metric(t, s, "atelier_llm_unpaid_spark_total"); math.Abs(got-44) > 1e-6 {
			t.Errorf("the metrics count %v Spark that went unpaid, want 44", got)
		}
	})
}

// metric reads a metric that has no labels.
func metric(t *testing.T, s *ateliertest.Service, name string) float64 {
	t.Helper()
	resp, err := http.Get(s.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

// Text that comes in one piece with a call reaches the readers of every protocol, before the call.
func TestTextWithACall(t *testing.T) {
	t.Parallel()
	s, wise, ann := newChatService(t, storetest.SQLite(t))
	for path, tools := range map[string]string{
		"/v1/chat/completions": `"svc_tools": "none", "messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function": {"name": "weather"}}]`,
		"/v1/messages":         `"max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "tools": [{"name": "weather", "input_schema": {"type": "object"}}]`,
		"/v1/responses":        `"store": false, "input": "Hi", "tools": [{"type": "function", "name": "weather"}]`,
	} {
		wise.Say(ateliertest.Answer{Pieces: []ateliertest.Piece{{Content: "Let me look.", Call: &ateliertest.Call{ID: "c1", Name: "weather", Arguments: `{}`}}}})
		req := newRequest(t, "POST", s.URL+path, []byte(`{"stream": true, "model": "wise", `+tools+`}`))
		req.Header.Set("Authorization", "Bearer "+ann.Key)
		req.Header.Set("Content-Type", "application/json")
		st := ateliertest.OpenStream(t, req)
		wise.Asked(t)
		var got []string
		for {
			f, err := st.NextEvent()
			if err != nil {
				break
			}
			if strings.Contains(f.Data, "delta") && strings.Contains(f.Data, "Let me look.") {
				got = append(got, "text")
			}
			if strings.Contains(f.Data, `"c1"`) {
				got = append(got, "call")
			}
		}
		if len(got) < 2 || got[0] != "text" || got[1] != "call" {
			t.Errorf("%s: got %v, want the text and then the call", path, got)
		}
	}
}
