package chat_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

var errLeft = errors.New("the client disconnected")

// spark is the price of a number of tokens: two hundred Spark are a dollar, and a
// dollar is a million tokens.
func spark(tokens int) atelier.Money { return atelier.Money(tokens) * 200 }

// Every round is paid once, by what its server counted, else by what was heard
// of it; also when the client leaves in the middle.
func TestRoundsArePaidOnce(t *testing.T) {
	t.Parallel()
	enhance := `{"prompt":"a fox","target_output":"image_prompt","destination_model":"krea-2-turbo"}`
	for _, c := range []struct {
		name    string
		says    []llm.Delta
		leave   int // after this number of events; 0 for never
		silent  error
		rounds  int
		tokens  int
		tools   int // at their own price
		failing bool
	}{
		{name: "one round", says: []llm.Delta{text("Hello.")}, rounds: 1, tokens: 150},
		{name: "a tool that writes", tools: 1, says: []llm.Delta{call("enhance_prompt", enhance), text(`{"prompt":"A red fox"}`), text("There.")}, rounds: 3, tokens: 450},
		{name: "a tool that is corrected", tools: 1, says: []llm.Delta{call("enhance_prompt", enhance), text("no"), text(`{"prompt":"A red fox"}`), text("There.")}, rounds: 4, tokens: 600},
		// A prompt of 1 word is 4 + 1 tokens, and 8 characters are 2.
		{name: "a server that does not count", says: []llm.Delta{{Content: "abcdefgh", FinishReason: "stop"}}, rounds: 1, tokens: 7},
		{name: "the client leaves at the first word", says: []llm.Delta{piece("abcd"), piece("efgh"), text("ijkl")}, leave: 1, rounds: 1, tokens: 6, failing: true},
		{name: "the client leaves in mid-stream", says: []llm.Delta{piece("abcd"), piece("efgh"), text("ijkl")}, leave: 2, rounds: 1, tokens: 7, failing: true},
		{name: "the client leaves in the second round", says: []llm.Delta{call("enhance_prompt", enhance), text(`{"prompt":"A red fox"}`), piece("abcd"), text("x")}, leave: 3, rounds: 3, failing: true},
		{name: "the server says nothing", silent: atelier.Errorf(atelier.CodeUpstream, "down"), rounds: 1, failing: true},
		{name: "the server fails midway", says: []llm.Delta{piece("abcd")}, silent: atelier.Errorf(atelier.CodeUpstream, "down"), rounds: 1, tokens: 6, failing: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := newFixture(t, storetest.SQLite(t), c.says...)
			env.model.err = c.silent
			q := env.ask("word")
			if c.tokens != 450 && c.tokens != 600 && c.name != "the client leaves in the second round" {
				q.Family = ""
			}
			q.Stream = true
			events := 0
			_, err := env.e.Complete(t.Context(), &q, func(ev chat.Event) error {
				if ev.Model == "" {
					events++
				}
				if c.leave > 0 && events == c.leave {
					return errLeft
				}
				return nil
			})
			if (err != nil) != c.failing || (c.leave > 0 && !errors.Is(err, errLeft)) {
				t.Errorf("got the error %v", err)
			}
			if n := len(env.model.asked); n != c.rounds {
				t.Errorf("the model was asked %d times, want %d", n, c.rounds)
			}
			got := env.paid()
			if c.tokens > 0 && got != spark(c.tokens)+toolPrice(c.tools) || c.tokens == 0 && c.silent != nil && got != 0 || c.leave == 3 && got <= spark(300) {
				t.Errorf("paid %s, want %s", got, spark(c.tokens)+toolPrice(c.tools))
			}
		})
	}
}

// The client may leave before the model has said anything: the prompt was read.
func TestLeavingEarly(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t), piece("abcd"), text("efgh"))
	ctx, cancel := context.WithCancel(t.Context())
	q := env.ask("word")
	q.Family = ""
	if _, err := env.engineOf(leaver{cancel}).Complete(ctx, &q, func(chat.Event) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if got := env.paid(); got != spark(5) {
		t.Errorf("paid %s, want %s", got, spark(5))
	}
}

// leaver is a model whose client leaves while it thinks.
type leaver struct{ leave func() }

func (l leaver) Complete(ctx context.Context, _ llm.Request, _ func(llm.Delta) error) error {
	l.leave()
	<-ctx.Done()
	return ctx.Err()
}

// A caller who cannot pay is refused before the model is asked, and nothing stays held.
func TestUnpaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		terms atelier.PaymentTerms
		want  atelier.Code
	}{
		{"no svc", atelier.PaymentTerms{Token: atelier.PaySvc, Mode: atelier.BillAuto}, atelier.CodeInsufficientBalance},
		{"no plan", atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillSubscription}, atelier.CodeSubscriptionLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := newFixture(t, storetest.SQLite(t))
			q := env.ask("word")
			q.Terms = c.terms
			if _, err := env.e.Complete(t.Context(), &q, func(chat.Event) error { return nil }); !atelier.HasCode(err, c.want) {
				t.Errorf("complete: got %v, want %v", err, c.want)
			}
			_, err := env.e.Execute(t.Context(), chat.Execution{Caller: q.Caller, Tool: "enhance_prompt", Terms: c.terms, Filter: true,
				Arguments: map[string]any{"prompt": "a fox", "target_output": "image_prompt", "destination_model": "krea-2-turbo"}})
			if !atelier.HasCode(err, c.want) {
				t.Errorf("execute: got %v, want %v", err, c.want)
			}
			if n := len(env.model.asked); n != 0 {
				t.Errorf("the model was asked %d times", n)
			}
			if got := env.paid(); got != 0 {
				t.Errorf("paid %s", got)
			}
		})
	}
}

// toolPrice is the price of n calls of tools that write, besides their words.
func toolPrice(n int) atelier.Money { return atelier.Money(n) * atelier.MoneyUnit / 5 }

// Usage is that of all rounds together, those of tools that write among them.
func TestUsage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o, call("compose_instrumental", `{"prompt":"slow piano"}`), text("no"), text("no"), text("There."))
		done, _ := env.complete(env.ask("A tune"))
		if want := (llm.Usage{PromptTokens: 400, CompletionTokens: 200, CachedTokens: 80}); done.Usage != want {
			t.Errorf("used %+v, want %+v", done.Usage, want)
		}
		if got, want := env.paid(), spark(600)+toolPrice(1); got != want {
			t.Errorf("paid %s, want %s", got, want)
		}
	})
}

// What the server counted beyond what was set aside is paid for every caller: rounds
// of a conversation, of a tool in it, and of a tool alone.
func TestBeyondTheHold(t *testing.T) {
	t.Parallel()
	more := func(d llm.Delta) llm.Delta {
		d.Usage = &llm.Usage{PromptTokens: 100, CompletionTokens: 60_000} // tools ask for at most 6000
		return d
	}
	enhance := map[string]any{"prompt": "a fox", "target_output": "image_prompt", "destination_model": "krea-2-turbo"}
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o, more(call("enhance_prompt", `{"prompt":"a fox","target_output":"image_prompt","destination_model":"krea-2-turbo"}`)),
			more(text(`{"prompt":"A red fox"}`)), more(text("There.")), more(text(`{"prompt":"A red fox"}`)))
		q := env.ask("word")
		q.MaxTokens = 1
		env.complete(q)
		if got, want := env.paid(), spark(3*60_100)+toolPrice(1); got != want {
			t.Errorf("a conversation paid %s, want %s", got, want)
		}
		if _, err := env.e.Execute(t.Context(), chat.Execution{Caller: q.Caller, Tool: "enhance_prompt", Arguments: enhance, Terms: q.Terms, Filter: true}); err != nil {
			t.Fatal(err)
		}
		if got, want := env.paid(), spark(4*60_100)+toolPrice(2); got != want {
			t.Errorf("with a tool %s were paid, want %s", got, want)
		}
	})
}

// A server may count the prompt before it has said anything. Who leaves then pays
// for the words as well, by what they are likely to be: leaving before the server has
// counted costs no more than staying.
func TestLeavingBeforeTheCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		says   []llm.Delta
		tokens int
	}{
		{"counted so far", []llm.Delta{{Content: "abcd", Usage: &llm.Usage{PromptTokens: 100}}, piece("efgh"), text("x")}, 102},
		{"digits", []llm.Delta{piece("31415926"), piece("53589793"), text("x")}, 5 + 4},
		{"Chinese", []llm.Delta{piece("你好"), piece("世界"), text("x")}, 5 + 4},
	} {
		env := newFixture(t, storetest.SQLite(t), c.says...)
		q, events := env.ask("word"), 0
		q.Family, q.Stream = "", true
		_, err := env.e.Complete(t.Context(), &q, func(ev chat.Event) error {
			if ev.Model == "" {
				events++
			}
			if events == 2 {
				return errLeft
			}
			return nil
		})
		if !errors.Is(err, errLeft) {
			t.Errorf("%s: got the error %v", c.name, err)
		}
		if got := env.paid(); got != spark(c.tokens) {
			t.Errorf("%s: paid %s, want %s", c.name, got, spark(c.tokens))
		}
	}
}

// A round that is read slowly ends before what was set aside for it is given back
// as lost, and is paid.
func TestSlowRound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		env := newFixture(t, storetest.SQLite(t))
		q := env.ask("word")
		q.Family, q.Stream = "", true
		_, err := env.engineOf(endless{}).Complete(t.Context(), &q, func(chat.Event) error {
			time.Sleep(20 * time.Second)
			if _, err := env.Billing.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
			return nil
		})
		if !atelier.HasCode(err, atelier.CodeUpstreamTimeout) {
			t.Errorf("got the error %v", err)
		}
		if got := env.paid(); got < spark(100) {
			t.Errorf("paid %s for an hour of words", got)
		}
	})
}

// endless is a model that continues until its reader leaves.
type endless struct{}

func (endless) Complete(ctx context.Context, _ llm.Request, emit func(llm.Delta) error) error {
	for ctx.Err() == nil {
		if err := emit(piece("word")); err != nil {
			return err
		}
	}
	return ctx.Err()
}
