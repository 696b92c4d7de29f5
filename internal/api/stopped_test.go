package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	caller "github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// narrator is a model server that sends a hundred words, one in a piece, and reports at the
// end what it counted: each word is a token. Asked to stop it sends ninety words and then
// waits until it is left.
func narrator(t *testing.T, prompt func(body []byte) int) (url string, said chan struct{}) {
	said = make(chan struct{}, 1)
	words := strings.Fields(strings.Repeat("The quick brown fox jumps over the lazy dog Today ", 10))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(delta string) {
			fmt.Fprintf(w, "data: %s\n\n", delta)
			_ = http.NewResponseController(w).Flush()
		}
		for i, word := range words {
			if i == len(words)*9/10 && strings.Contains(string(body), "Please stop") {
				said <- struct{}{}
				<-r.Context().Done()
				return
			}
			send(fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":"%s "}}]}`, word))
		}
		send(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
		send(fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, prompt(body), len(words)))
		send("[DONE]")
	}))
	t.Cleanup(s.Close)
	return s.URL, said
}

// A round that was stopped costs no more than one that finished, and something: its server
// counts only at the end.
func TestStoppedRoundsCostNoMore(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		t.Run("counts by length", func(t *testing.T) { testStoppedRounds(t, o, func(body []byte) int { return len(body) / 4 }) })
	})
	t.Run("counts little", func(t *testing.T) { testStoppedRounds(t, storetest.SQLite(t), func([]byte) int { return 20 }) })
}

// hear follows a run until the service has a number of words of its model: what the model has sent may be on its way.
func hear(t *testing.T, c *caller.Client, id string, words int) {
	t.Helper()
	heard := ""
	for n, err := range c.FollowRun(t.Context(), id, -1) {
		switch {
		case err != nil:
			t.Fatal(err)
		case n.Text == nil:
		case n.Text.IsFirst:
			heard = n.Text.Content
		default:
			heard += n.Text.Content
		}
		if len(strings.Fields(heard)) >= words {
			return
		}
	}
	t.Fatalf("the run ended after %q", heard)
}

func testStoppedRounds(t *testing.T, o store.Options, prompt func(body []byte) int) {
	url, said := narrator(t, prompt)
	start := func() *ateliertest.Service {
		return ateliertest.Start(t, o, func(c *config.Config) {
			m := config.UpstreamModel{ID: "narrator", ContextLength: 32768, PricePerMInput: 10 * atelier.MoneyUnit, PricePerMOut: 30 * atelier.MoneyUnit}
			c.LLM.Upstreams = []config.Upstream{{Name: "narrator", BaseURL: url + "/v1", Models: []config.UpstreamModel{m}}}
		})
	}
	s := start()
	var all []account.Opened
	for range 4 {
		all = append(all, s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit}))
	}
	complete := func(a account.Opened, text string) *ateliertest.Stream {
		body := fmt.Sprintf(`{"model": "narrator", "stream": true, "svc_tools": "none", "messages": [{"role": "user", "content": %q}]}`, text)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+a.Key)
		req.Header.Set("Content-Type", "application/json")
		return ateliertest.OpenStream(t, req)
	}
	// Completions: the client reads to the end, or leaves after ninety words.
	for whole := complete(all[0], "Please begin."); ; {
		if _, err := whole.Next(); err != nil {
			break
		}
	}
	part := complete(all[1], "Please stop it.")
	for words := 0; words < 90; {
		f, err := part.Next()
		if err != nil {
			t.Fatalf("after %d words: %v", words, err)
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(f.Data), &chunk); err == nil && len(chunk.Choices) > 0 {
			words += len(strings.Fields(chunk.Choices[0].Delta.Content))
		}
	}
	<-said
	part.Leave()
	// Runs: the run ends, or is cancelled.
	run := func(a account.Opened, text string) (c *caller.Client, id string) {
		c = caller.New(s.URL, a.Key)
		hello := apitype.RunMessage{Role: "user", Content: text}
		started, err := c.StartRun(t.Context(), caller.RunStart{Model: "narrator", Messages: []apitype.RunMessage{hello}})
		if err != nil {
			t.Fatal(err)
		}
		return c, string(started.RunID)
	}
	c, id := run(all[2], "Please begin.")
	for _, err := range c.FollowRun(t.Context(), id, -1) { // until it has ended
		if err != nil {
			t.Fatal(err)
		}
	}
	c, id = run(all[3], "Please stop it.")
	hear(t, c, id, 90)
	<-said
	if _, err := c.CancelRun(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	s.Stop() // which ends after all rounds are paid
	s = start()
	var spent [4]float64
	for i, a := range all {
		_, text := s.Get(t, "/v4/account/balance", a.Key)
		var balance struct {
			Data struct{ Spark struct{ Net string } }
		}
		if err := json.Unmarshal([]byte(text), &balance); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if _, err := fmt.Sscan(balance.Data.Spark.Net, &spent[i]); err != nil {
			t.Fatal(err)
		}
		spent[i] = 1000 - spent[i]
	}
	t.Logf("spent %v", spent)
	for i, name := range map[int]string{0: "a completion", 2: "a run"} {
		if finished, stopped := spent[i], spent[i+1]; stopped > finished || stopped < finished/2 {
			t.Errorf("%s: stopped it cost %v Spark, finished %v", name, stopped, finished)
		}
	}
}
