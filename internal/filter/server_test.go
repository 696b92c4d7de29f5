package filter_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filter"
)

const calm = `{"results":[{"flagged":false,"categories":{"violence":false}}]}`

// moderation starts a server and a filter that asks it. It counts the requests.
func moderation(t *testing.T, o filter.Options, handle http.HandlerFunc) (*filter.Filter, *atomic.Int32) {
	t.Helper()
	asked := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	o.Endpoint, o.Timeout = s.URL+o.Endpoint, time.Minute
	f, err := filter.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return f, asked
}

func says(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}
}

func TestServerRequest(t *testing.T) {
	t.Parallel()
	var path, key, kind string
	var body map[string]any
	f, asked := moderation(t, filter.Options{Endpoint: "/v1/", APIKey: "sk-test", Model: "omni"}, func(w http.ResponseWriter, r *http.Request) {
		path, key, kind = r.Method+" "+r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Content-Type")
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		says(`{"results":[{"flagged":false},{"flagged":false}]}`)(w, r)
	})
	v, err := f.Check(context.Background(), "a lake", " \n", "", "a hill \xff")
	if err != nil || v.Flagged || asked.Load() != 1 {
		t.Fatalf("got %+v, %v after %d requests, want a clean verdict after one", v, err, asked.Load())
	}
	if path != "POST /v1/moderations" || key != "Bearer sk-test" || kind != "application/json" {
		t.Errorf("got %q, key %q, type %q", path, key, kind)
	}
	input, _ := json.Marshal(body)
	if want := `{"input":["a lake","a hill ` + "\uFFFD" + `"],"model":"omni"}`; string(input) != want {
		t.Errorf("got body %s, want %s", input, want)
	}
}

func TestServerWithoutModelAndKey(t *testing.T) {
	t.Parallel()
	f, _ := moderation(t, filter.Options{}, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if got, want := string(raw), `{"input":["a lake"]}`; got != want || r.Header.Get("Authorization") != "" || r.URL.Path != "/moderations" {
			t.Errorf("got %s %s with key %q, want %s", r.URL.Path, got, r.Header.Get("Authorization"), want)
		}
		says(calm)(w, r)
	})
	if v, err := f.Check(context.Background(), "a lake"); err != nil || v.Flagged {
		t.Errorf("got %+v, %v, want a clean verdict", v, err)
	}
}

// The built-in lexicon is checked first, and the server gets no empty requests.
func TestServerNotAsked(t *testing.T) {
	t.Parallel()
	f, asked := moderation(t, filter.Options{}, says(calm))
	if v, err := f.Check(context.Background(), "a lake", "nude woman"); err != nil || !v.Flagged {
		t.Errorf("got %+v, %v, want it flagged", v, err)
	}
	if v, err := f.Check(context.Background(), "", "  "); err != nil || v.Flagged {
		t.Errorf("got %+v, %v, want a clean verdict", v, err)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

func TestServerFlags(t *testing.T) {
	t.Parallel()
	f, _ := moderation(t, filter.Options{}, says(`{"id":"modr-1","model":"m","results":[
		{"flagged":false,"categories":{"sexual":true}},
		{"flagged":true,"categories":{"violence":true,"hate":false,"illicit":null},"category_scores":{"violence":0.9}},
		{"flagged":true,"categories":{"violence":true,"harassment":true}}]}`))
	v, err := f.Check(context.Background(), "one", "two", "three")
	if want := []string{"harassment", "violence"}; err != nil || !v.Flagged || !slices.Equal(v.Categories, want) {
		t.Errorf("got %+v, %v, want flagged with %q", v, err, want)
	}
}

// A request that fails once is retried; a server that keeps failing is an error,
// never a clean verdict.
func TestServerTrouble(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Error(w, "sorry", code) }
	}
	hangUp := func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}
	huge := func(w http.ResponseWriter, r *http.Request) {
		piece := []byte(strings.Repeat(" ", 64<<10))
		for range 64 { // four times what is read
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, calm)
	}
	for _, c := range []struct {
		name   string
		first  http.HandlerFunc
		then   http.HandlerFunc
		asked  int32
		failed bool
	}{
		{"500 then fine", status(500), says(calm), 2, false},
		{"hung up then fine", hangUp, says(calm), 2, false},
		{"503 twice", status(503), status(503), 2, true},
		{"hung up twice", hangUp, hangUp, 2, true},
		{"401", status(401), says(calm), 1, true},
		{"429", status(429), says(calm), 1, true},
		{"redirect", redirect, says(calm), 1, true},
		{"no JSON", says("<html>"), says(calm), 1, true},
		{"cut JSON", says(`{"results":[{"flagged":fal`), says(calm), 1, true},
		{"empty", says(""), says(calm), 1, true},
		{"no results", says(`{"results":[]}`), says(calm), 1, true},
		{"too many results", says(`{"results":[{"flagged":false},{"flagged":false}]}`), says(calm), 1, true},
		{"no verdict", says(`{"results":[{"categories":{}}]}`), says(calm), 1, true},
		{"wrong types", says(`{"results":[{"flagged":"no"}]}`), says(calm), 1, true},
		{"huge", huge, says(calm), 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var before atomic.Bool
			f, asked := moderation(t, filter.Options{}, func(w http.ResponseWriter, r *http.Request) {
				if before.Swap(true) {
					c.then(w, r)
				} else {
					c.first(w, r)
				}
			})
			v, err := f.Check(context.Background(), "a lake")
			if v.Flagged || (err != nil) != c.failed || asked.Load() != c.asked {
				t.Fatalf("got %+v, %v after %d requests, want failed %v after %d", v, err, asked.Load(), c.failed, c.asked)
			}
			if c.failed && !atelier.HasCode(err, atelier.CodeUnavailable) {
				t.Errorf("got %v, want code %d", err, atelier.CodeUnavailable.Number)
			}
			if c.failed && strings.Contains(err.Error(), "127.0.0.1:") && strings.Contains(err.Error(), "http://") {
				t.Errorf("got %v, which contains the address", err)
			}
		})
	}
}

func TestServerTooSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, began := 0, time.Now()
		f, err := filter.New(filter.Options{Endpoint: "https://moderation.example/v1", Timeout: 5 * time.Second, Transport: transport(func(r *http.Request) (*http.Response, error) {
			asked++
			<-r.Context().Done()
			return nil, r.Context().Err()
		})})
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Check(context.Background(), "a lake")
		if !atelier.HasCode(err, atelier.CodeUpstreamTimeout) || !errors.Is(err, context.DeadlineExceeded) || asked != 1 {
			t.Errorf("got %v after %d requests, want code %d after one", err, asked, atelier.CodeUpstreamTimeout.Number)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %v, want %v", took, 5*time.Second)
		}
	})
}

func TestServerCallerLeaves(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	f, _ := moderation(t, filter.Options{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-arrived
		cancel()
	}()
	var e *atelier.Error
	if _, err := f.Check(ctx, "a lake"); !errors.Is(err, context.Canceled) || errors.As(err, &e) {
		t.Errorf("got %v, want only %v", err, context.Canceled)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestServerTransport(t *testing.T) {
	t.Parallel()
	tries := 0
	f, err := filter.New(filter.Options{Endpoint: "https://moderation.example/v1", APIKey: "sk-secret", Transport: transport(func(r *http.Request) (*http.Response, error) {
		tries++
		if r.URL.String() != "https://moderation.example/v1/moderations" {
			t.Errorf("got %s", r.URL)
		}
		return nil, errors.New("no route")
	})})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Check(context.Background(), "a lake")
	if !atelier.HasCode(err, atelier.CodeUnavailable) || tries != 2 {
		t.Fatalf("got %v after %d tries, want code %d after two", err, tries, atelier.CodeUnavailable.Number)
	}
	if s := err.Error(); strings.Contains(s, "example") || strings.Contains(s, "secret") {
		t.Errorf("got %q, which contains the address or the key", s)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]filter.Options{
		"no scheme":        {Endpoint: "host/v1"},
		"another scheme":   {Endpoint: "ftp://host/v1"},
		"no host":          {Endpoint: "https:///v1"},
		"not a URL":        {Endpoint: "http://[::1"},
		"a query":          {Endpoint: "https://host/v1?key=secret"},
		"a fragment":       {Endpoint: "https://host/v1#secret"},
		"a key in lines":   {Endpoint: "https://host/v1", APIKey: "secret\nsecret"},
		"negative timeout": {Endpoint: "https://host/v1", Timeout: -time.Second},
	} {
		if f, err := filter.New(o); err == nil || f != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, %v, want a refusal that repeats no secret", name, f, err)
		}
	}
}
