package ateliertest

import (
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

// logbook sends a service's log to the test's, and keeps it for those who wait
// for a line.
type logbook struct {
	t testing.TB

	mu    sync.Mutex
	lines []string      // that no test has waited for
	more  chan struct{} // closed with the next line
}

func newLogbook(t testing.TB) *logbook { return &logbook{t: t, more: make(chan struct{})} }

func (l *logbook) Write(p []byte) (int, error) {
	l.t.Logf("%s", p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(p))
	close(l.more)
	l.more = make(chan struct{})
	return len(p), nil
}

// take takes a line that matches out of the book. Without any it returns what
// says that there is another line.
func (l *logbook) take(pattern *regexp.Regexp) (found bool, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.lines, pattern.MatchString)
	if i < 0 {
		return false, l.more
	}
	l.lines = slices.Delete(l.lines, i, i+1)
	return true, nil
}

// Logged waits until the service has logged a line that matches a pattern, besides
// those that were waited for before.
func (s *Service) Logged(t testing.TB, pattern string) {
	t.Helper()
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	late := time.After(patience)
	for {
		found, more := s.log.take(wanted)
		if found {
			return
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("no line like %q was logged within %s", pattern, patience)
		}
	}
}
