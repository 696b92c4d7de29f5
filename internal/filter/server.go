package filter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

const (
	usualTimeout = 5 * time.Second
	tries        = 2
	maxAnswer    = 1 << 20 // the limit of an answer; a valid one has a kilobyte or two for each text
)

// server is an OpenAI-compatible server that moderates texts.
type server struct {
	url, key, model string
	timeout         time.Duration
	client          *http.Client
}

func newServer(o Options) (*server, error) {
	u, err := url.Parse(o.Endpoint)
	switch {
	// The endpoint may hold a key, so the errors do not repeat it.
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("the moderation endpoint is not an http or https URL")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("the moderation endpoint must have no query and no fragment: /moderations is added to it")
	case strings.ContainsFunc(o.APIKey, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return nil, errors.New("the key of the moderation endpoint has control characters in it")
	case o.Timeout < 0:
		return nil, errors.New("the timeout of the moderation endpoint is negative")
	}
	s := &server{
		url: u.JoinPath("moderations").String(), key: o.APIKey, model: o.Model, timeout: o.Timeout,
		client: &http.Client{
			Transport: o.Transport,
			// Texts go to the server that the operator named and to no other.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if s.timeout == 0 {
		s.timeout = usualTimeout
	}
	return s, nil
}

type question struct {
	Input []string `json:"input"`
	Model string   `json:"model,omitempty"`
}

type answer struct {
	Results []struct {
		Flagged    *bool            `json:"flagged"`
		Categories map[string]*bool `json:"categories"` // null for what a model does not judge
	} `json:"results"`
}

// ask sends the texts to the server.
func (s *server) ask(parent context.Context, texts []string) (Verdict, error) {
	body, err := wire.Marshal(question{Input: texts, Model: s.model})
	if err != nil {
		return Verdict{}, err
	}
	ctx, cancel := context.WithTimeout(parent, s.timeout)
	defer cancel()
	for range tries {
		var v Verdict
		var again bool
		if v, again, err = s.try(ctx, body, len(texts)); err == nil {
			return v, nil
		}
		if !again || ctx.Err() != nil {
			break
		}
	}
	switch {
	case parent.Err() != nil:
		return Verdict{}, parent.Err()
	// Two errors in one: the first for the caller, the second for the log.
	case ctx.Err() != nil:
		return Verdict{}, fmt.Errorf("%w (%w)", atelier.Errorf(atelier.CodeUpstreamTimeout,
			"The content filter did not answer in time. Try again later."), err)
	}
	return Verdict{}, fmt.Errorf("%w (%w)", atelier.Errorf(atelier.CodeUnavailable,
		"The content filter is not available. Try again later."), err)
}

// try sends one request. again means that a retry may help: the connection or the server
// failed.
func (s *server) try(ctx context.Context, body []byte, texts int) (v Verdict, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return v, false, withoutURL(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return v, true, withoutURL(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case res.StatusCode != http.StatusOK: // the rest of the answer may repeat a text or the key
		return v, res.StatusCode >= 500, fmt.Errorf("the moderation server answers HTTP status %d", res.StatusCode)
	case err != nil:
		return v, true, err
	case len(raw) > maxAnswer:
		return v, false, fmt.Errorf("the moderation server's answer is longer than %d bytes", maxAnswer)
	}
	v, err = read(raw, texts)
	return v, false, err
}

// read decodes an answer. It must have one result for each text, each with its verdict;
// otherwise the verdict of the others is unknown.
func read(raw []byte, texts int) (v Verdict, err error) {
	var a answer
	if err := wire.UnmarshalLenient(raw, &a); err != nil {
		return v, fmt.Errorf("the moderation server's answer cannot be read: %w", err)
	}
	if len(a.Results) != texts {
		return v, fmt.Errorf("the moderation server has %d results for %d texts", len(a.Results), texts)
	}
	for i, r := range a.Results {
		if r.Flagged == nil {
			return Verdict{}, fmt.Errorf("result %d of the moderation server does not say whether it is flagged", i)
		}
		if !*r.Flagged {
			continue
		}
		v.Flagged = true
		for name, yes := range r.Categories {
			if yes != nil && *yes {
				v.Categories = append(v.Categories, name)
			}
		}
	}
	slices.Sort(v.Categories)
	v.Categories = slices.Compact(v.Categories)
	return v, nil
}

// withoutURL removes the URL from an error of the HTTP client: it may hold a key.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
