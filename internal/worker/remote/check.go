package remote

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// valueSlots are the slots for arguments and other values of a job.
var valueSlots = []string{
	"model", "job", "seed", "prompt", "negativePrompt", "duration", "ratio", "width", "height", "size", "targetResolution", "generateAudio", "watermark",
	"returnLastFrame", "controlMode", "audioStart", "expandPrompt", "skipPromptProcessing", "safeContentFilter",
}

// fileSlots take one file, which leads a clip; fileListSlots take all files that
// are references.
var (
	fileSlots     = []string{"image", "endImage", "video", "audio", "mask"}
	fileListSlots = []string{"images", "videos", "audios"}
)

var headerName = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)

// isKnownSlot reports whether a slot exists. More are those of the exchange.
func isKnownSlot(slot string, more ...string) bool {
	return slices.Contains(valueSlots, slot) || slices.Contains(fileSlots, slot) || slices.Contains(fileListSlots, slot) || slices.Contains(more, slot)
}

// check compiles an adapter. Its errors begin with the path of what is wrong.
func (a *Adapter) check() error {
	switch {
	case a.Media != "data" && a.Media != "url":
		return errors.New("media: must be data or url")
	case a.PollEvery < 10*time.Millisecond || a.PollEvery > 10*time.Minute:
		return errors.New("poll_every: must be between 10ms and 10m")
	case a.IdempotencyHeader != "" && !headerName.MatchString(a.IdempotencyHeader):
		return errors.New("idempotency_header: must be the name of a header")
	}
	if err := a.checkExchanges(); err != nil {
		return err
	}
	if err := a.checkSlots(); err != nil {
		return err
	}
	if len(a.Statuses) == 0 {
		return errors.New("statuses: must say what the vendor's words mean")
	}
	for _, word := range slices.Sorted(maps.Keys(a.Statuses)) {
		if !slices.Contains([]string{running, succeeded, failed, filtered, cancelled}, a.Statuses[word]) {
			return fmt.Errorf("statuses.%s: must be running, succeeded, failed, filtered or cancelled", word)
		}
	}
	if !slices.Contains(slices.Collect(maps.Values(a.Statuses)), succeeded) {
		return errors.New("statuses: must have a word for succeeded")
	}
	for i, w := range a.Filtered {
		if strings.TrimSpace(w) == "" {
			return fmt.Errorf("filtered[%d]: must not be empty", i)
		}
	}
	for key, list := range map[string][]int{"busy": a.Busy, "refused": a.Refused} {
		for i, status := range list {
			if status < 400 || status > 599 {
				return fmt.Errorf("%s[%d]: must be an HTTP status from 400 to 599", key, i)
			}
		}
	}
	return nil
}

func (a *Adapter) checkExchanges() error {
	for _, e := range []struct {
		name   string
		of     *exchange
		method string
		late   bool // the vendor's id is known
	}{{"submit", &a.Submit, http.MethodPost, false}, {"poll", &a.Poll, http.MethodGet, true}, {"fetch", a.Fetch, http.MethodGet, true}, {"cancel", a.Cancel, http.MethodPost, true}} {
		if e.of == nil {
			continue
		}
		if e.of.Method == "" {
			e.of.Method = e.method
		}
		more := []string{}
		if e.late {
			more = append(more, "id")
		}
		if err := e.of.compile(a.Headers, more); err != nil {
			return fmt.Errorf("%s.%w", e.name, err)
		}
		if e.late && !strings.Contains(e.of.Path, "{{id}}") && !mentions(e.of.body, "id") {
			return fmt.Errorf("%s.path: must hold {{id}}, so that the vendor knows which render is meant", e.name)
		}
	}
	switch {
	case a.Submit.ID.text == "":
		return errors.New("submit.id: must be the path of the vendor's id in the answer")
	case a.Poll.Status.text == "":
		return errors.New("poll.status: must be the path of the status in the answer")
	case a.Fetch == nil && len(a.Poll.Results) == 0:
		return errors.New("poll.results: must be the paths of result addresses in the answer, unless there is fetch")
	case a.Fetch != nil && len(a.Poll.Results) > 0:
		return errors.New("poll.results: cannot be combined with fetch, which has its own")
	case a.Fetch != nil && !a.Fetch.File && len(a.Fetch.Results) == 0:
		return errors.New("fetch.results: must be the paths of result addresses in the answer, unless file is true")
	case a.Poll.ProgressOf < 0:
		return errors.New("poll.progress_of: must be above 0")
	}
	if a.Submit.body != nil {
		a.Submit.body.slots("", func(_, slot string, _ bool) { a.used[slot] = true })
	}
	for _, p := range a.Submit.path {
		a.used[p.slot] = true
	}
	return nil
}

func mentions(body *shape, slot string) (found bool) {
	if body != nil {
		body.slots("", func(_, s string, _ bool) { found = found || s == slot })
	}
	return found
}

var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// compile reads the templates of an exchange. More are the slots that it has
// besides those of every job.
func (e *exchange) compile(shared map[string]string, more []string) error {
	if !slices.Contains(methods, e.Method) {
		return fmt.Errorf("method: must be one of %s", strings.Join(methods, ", "))
	}
	var err error
	if e.path, err = parseText(e.Path); err != nil {
		return fmt.Errorf("path: %w", err)
	}
	if !strings.HasPrefix(e.Path, "/") || strings.ContainsAny(e.Path, "# \r\n") {
		return errors.New("path: must begin with / and hold no spaces or #")
	}
	for _, p := range e.path {
		if p.slot != "" && !slices.Contains(valueSlots, p.slot) && !slices.Contains(more, p.slot) {
			return fmt.Errorf("path: there is no slot {{%s}} here", p.slot)
		}
	}
	e.headers = map[string]text{}
	for _, set := range []map[string]string{shared, e.Headers} {
		for _, name := range slices.Sorted(maps.Keys(set)) {
			t, err := parseText(set[name])
			switch {
			case !headerName.MatchString(name):
				err = errors.New("is not the name of a header")
			case strings.ContainsAny(set[name], "\r\n\x00"):
				err = errors.New("must be one line")
			}
			for _, p := range t {
				if p.slot != "" && !slices.Contains([]string{"key", "job", "model", "id"}, p.slot) {
					err = fmt.Errorf("there is no slot {{%s}} for headers", p.slot)
				}
			}
			if err != nil {
				return fmt.Errorf("headers.%s: %w", name, err)
			}
			e.headers[name] = t
		}
	}
	if e.Body == nil {
		return nil
	}
	body, err := parseShape(e.Body, 0)
	if err != nil {
		return fmt.Errorf("body%w", err)
	}
	if body.keys == nil {
		return errors.New("body: must be an object")
	}
	e.body = &body
	return body.check(more)
}

// check refuses unknown slots, and lists where a value is needed.
func (s *shape) check(more []string) (err error) {
	s.slots("body", func(at, slot string, inEach bool) {
		switch {
		case err != nil || inEach && slot == "item":
		case !isKnownSlot(slot, more...):
			err = fmt.Errorf("%s: there is no slot {{%s}}", at, slot)
		case strings.HasSuffix(at, ".each") && !slices.Contains(fileListSlots, slot):
			err = fmt.Errorf("%s: must be one of %s", at, strings.Join(fileListSlots, ", "))
		}
	})
	return err
}

func (a *Adapter) checkSlots() error {
	for _, name := range slices.Sorted(maps.Keys(a.Slots)) {
		rule := a.Slots[name]
		switch {
		case !slices.Contains(valueSlots, name):
			return fmt.Errorf("slots.%s: there is no such slot for a value", name)
		case !a.used[name]:
			return fmt.Errorf("slots.%s: submit does not use it", name)
		case !slices.Contains([]string{"", "up", "down", "nearest"}, rule.Round):
			return fmt.Errorf("slots.%s.round: must be up, down or nearest", name)
		}
	}
	return nil
}
