package enginetest

import (
	"sync"
	"testing"
	"time"
)

// Signal counts how often something happened, so that a test waits for it
// instead of for time. Its zero value is ready.
type Signal struct {
	mu      sync.Mutex
	count   int           // fired and not waited for
	changed chan struct{} // closed when count grows
}

// patience is how long a test waits for what must happen. It only ends tests that
// hang.
const patience = 2 * time.Minute

// Fire reports that it happened.
func (s *Signal) Fire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Clear forgets how often it has fired.
func (s *Signal) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = 0
}

// Wait returns when the signal has fired n times since the last wait. The test
// fails when it does not.
func (s *Signal) Wait(t testing.TB, n int) {
	t.Helper()
	late := time.After(patience)
	for {
		s.mu.Lock()
		count := s.count
		if count >= n {
			s.count -= n
			s.mu.Unlock()
			return
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-late:
			t.Fatalf("the signal fired %d times in %v, want %d", count, patience, n)
		}
	}
}
