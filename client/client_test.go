package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/client"
)

// answer is a service's answer to a request; a status of 0 is a connection that
// fails.
type answer struct {
	status int
	header http.Header
	body   string
}

// answers is a service that sends its answers in order and repeats the last, and
// counts the requests.
type answers struct {
	list []answer
	n    int
}

func (s *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a := s.list[min(s.n, len(s.list)-1)]
	s.n++
	if a.status == 0 {
		return nil, errors.New("connection refused")
	}
	if a.header == nil {
		a.header = http.Header{}
	}
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}

func newClient(list ...answer) (*client.Client, *answers) {
	s := &answers{list: list}
	c := client.New("http://service.test/", "key")
	c.HTTP.Transport = s
	return c, s
}

// An error answer becomes an Error with everything in it, or with the status alone
// when a proxy has answered.
func TestErrors(t *testing.T) {
	t.Parallel()
	const full = `{"status":"error","errorCode":104,"message":"size must be at most 64.","details":{"field":"size"}}`
	for name, c := range map[string]struct {
		answer    answer
		want      client.Error
		text      string
		temporary bool
	}{
		"all of it": {answer{400, http.Header{"X-Request-Id": {"r1"}}, full},
			client.Error{Status: 400, Code: 104, Message: "size must be at most 64.", Details: map[string]any{"field": "size"}, RequestID: "r1"}, "size must be at most 64.", false},
		"no details": {answer{404, nil, `{"errorCode":102,"message":"It does not exist."}`},
			client.Error{Status: 404, Code: 102, Message: "It does not exist."}, "It does not exist.", false},
		"later": {answer{429, http.Header{"Retry-After": {"7"}}, `{"errorCode":106,"message":"Too many."}`},
			client.Error{Status: 429, Code: 106, Message: "Too many.", RetryAfter: 7 * time.Second}, "Too many.", true},
		"a date to come back": {answer{503, http.Header{"Retry-After": {"Mon, 16 Nov 2026 00:00:00 GMT"}}, `{}`},
			client.Error{Status: 503}, "the service answered 503", true},
		"a page of a proxy": {answer{502, nil, "<html>Bad gateway</html>"}, client.Error{Status: 502}, "the service answered 502", true},
		"nothing":           {answer{500, nil, ""}, client.Error{Status: 500}, "the service answered 500", true},
		"a redirect":        {answer{304, nil, ""}, client.Error{Status: 304}, "the service answered 304", false},
		"cut off":           {answer{403, nil, `{"errorCode":103,"mess`}, client.Error{Status: 403}, "the service answered 403", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cl, _ := newClient(c.answer)
			cl.Retries = 0
			err := cl.Call(t.Context(), http.MethodGet, "/v1/x", nil, nil)
			var got *client.Error
			if !errors.As(err, &got) || !reflect.DeepEqual(*got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if err == nil || err.Error() != c.text {
				t.Errorf("got the text %q, want %q", err, c.text)
			}
			if !client.Is(err, c.want.Status) || client.Is(err, 418) {
				t.Errorf("Is does not report the status %d", c.want.Status)
			}
			if got := client.IsTemporary(err); got != c.temporary {
				t.Errorf("temporary is %v, want %v", got, c.temporary)
			}
		})
	}
	if client.IsTemporary(nil) || !client.IsTemporary(io.ErrUnexpectedEOF) {
		t.Error("no error is temporary, or a connection that broke is not")
	}
}

// The data of an answer is read into what the caller gives.
func TestData(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want string
		bad  bool
	}{
		"data":     {`{"status":"success","data":{"name":"fox"}}`, "fox", false},
		"no data":  {`{"status":"success"}`, "", false},
		"nothing":  {``, "", false},
		"no JSON":  {`<html>`, "", true},
		"not that": {`{"data":{"name":7}}`, "", true},
	} {
		synctest.Test(t, func(t *testing.T) { // an answer that cannot be read is asked for again, after pauses
			cl, _ := newClient(answer{200, nil, c.body})
			var out struct{ Name string }
			if err := cl.Call(t.Context(), http.MethodGet, "/v1/x", nil, &out); (err != nil) != c.bad || out.Name != c.want {
				t.Errorf("%s: got %q, %v, want %q", name, out.Name, err, c.want)
			}
		})
	}
}

// A call that may succeed later is retried, after growing pauses or the time in
// Retry-After; others are not.
func TestRetries(t *testing.T) {
	t.Parallel()
	ok, down := answer{200, nil, `{}`}, answer{}
	failing := func(status int, after string) answer {
		return answer{status, http.Header{"Retry-After": {after}}, `{}`}
	}
	for name, c := range map[string]struct {
		list        []answer
		calls       int
		fails       bool
		least, most time.Duration // of all pauses together
	}{
		"at once":              {[]answer{ok}, 1, false, 0, 0},
		"after a broken line":  {[]answer{down, ok}, 2, false, 250 * time.Millisecond, 500 * time.Millisecond},
		"after two gateways":   {[]answer{failing(502, ""), failing(504, ""), ok}, 3, false, 750 * time.Millisecond, 1500 * time.Millisecond},
		"when it was asked to": {[]answer{failing(429, "30"), ok}, 2, false, 30 * time.Second, 30 * time.Second},
		"not sooner than that": {[]answer{failing(503, "0"), ok}, 2, false, 250 * time.Millisecond, 500 * time.Millisecond},
		"not without limit":    {[]answer{down}, 5, true, 3750 * time.Millisecond, 7500 * time.Millisecond},
		"not a refusal":        {[]answer{failing(400, ""), ok}, 1, true, 0, 0},
		"not a conflict":       {[]answer{failing(409, ""), ok}, 1, true, 0, 0},
		"not a fault":          {[]answer{failing(500, ""), ok}, 1, true, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cl, s := newClient(c.list...)
				began := time.Now()
				err := cl.Call(t.Context(), http.MethodPost, "/v1/x", map[string]any{"a": 1}, nil)
				if (err != nil) != c.fails || s.n != c.calls {
					t.Errorf("%d calls, %v, want %d", s.n, err, c.calls)
				}
				if took := time.Since(began); took < c.least || took > c.most {
					t.Errorf("it waited %s, want %s to %s", took, c.least, c.most)
				}
			})
		})
	}
}

// A caller that leaves during a pause gets the last error, and no more requests are
// sent.
func TestRetriesEndWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cl, s := newClient(answer{503, http.Header{"Retry-After": {"60"}}, `{}`})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := cl.Call(ctx, http.MethodGet, "/v1/x", nil, nil); !client.Is(err, 503) || s.n != 1 {
			t.Errorf("%d calls, %v, want one and its error", s.n, err)
		}
	})
}
