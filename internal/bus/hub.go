package bus

import "sync"

// hub holds the subscriptions of this node.
type hub struct {
	mu     sync.RWMutex
	topics map[string]*topic
}

// topic holds its subscribers in a slice, so that waking them is a plain loop. Each
// seat has its index, so that leaving needs no search.
type topic struct {
	name  string
	seats []*seat
}

// seat is one subscription's place in one topic.
type seat struct {
	sub   *Subscription
	topic *topic
	place int
}

func (h *hub) subscribe(names []string) *Subscription {
	s := &Subscription{hub: h, c: make(chan struct{}, 1), seats: make([]seat, len(names))}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, name := range names {
		t := h.topics[name]
		if t == nil {
			t = &topic{name: name}
			h.topics[name] = t
		}
		s.seats[i] = seat{sub: s, topic: t, place: len(t.seats)}
		t.seats = append(t.seats, &s.seats[i])
	}
	return s
}

// leave removes a subscription from all its topics. A topic without subscribers is
// removed, and so is the map itself when it was the last: a Go map never shrinks.
func (h *hub) leave(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range s.seats {
		t, place, last := s.seats[i].topic, s.seats[i].place, len(s.seats[i].topic.seats)-1
		t.seats[place] = t.seats[last]
		t.seats[place].place = place
		t.seats[last] = nil
		t.seats = t.seats[:last]
		if last == 0 {
			delete(h.topics, t.name)
		}
	}
	s.seats = nil
	if len(h.topics) == 0 {
		h.topics = make(map[string]*topic)
	}
}

// wake nudges the subscribers of one topic.
func (h *hub) wake(name string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.topics[name]; t != nil {
		t.wake()
	}
}

// wakeAll nudges all subscribers.
func (h *hub) wakeAll() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, t := range h.topics {
		t.wake()
	}
}

func (t *topic) wake() {
	for _, s := range t.seats {
		select {
		case s.sub.c <- struct{}{}:
		default: // one is waiting already, and one is enough
		}
	}
}
