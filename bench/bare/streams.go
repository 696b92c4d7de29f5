package bare

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// eventStreams is the least that a server of event streams can do: a reader that
// follows a log gets what was there, and then every message posted to it.
type eventStreams struct {
	first []byte // what a stream sends at once

	mu   sync.Mutex
	logs map[string]map[chan string]bool // who follows
}

func newStreams(first []byte) http.Handler {
	s := &eventStreams{first: first, logs: map[string]map[chan string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /logs/{log}", s.follow)
	mux.HandleFunc("POST /logs/{log}", s.tell)
	return mux
}

func (s *eventStreams) follow(w http.ResponseWriter, r *http.Request) {
	name, told := r.PathValue("log"), make(chan string, 1)
	s.mu.Lock()
	if s.logs[name] == nil {
		s.logs[name] = map[chan string]bool{}
	}
	s.logs[name][told] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.logs[name], told)
		s.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_, err := w.Write(s.first)
	for err == nil {
		if err = out.Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case message := <-told:
			_, err = fmt.Fprintf(w, "event: workflow_progress\ndata: {\"message\":%q}\n\n", message)
		}
	}
}

func (s *eventStreams) tell(w http.ResponseWriter, r *http.Request) {
	message, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	var all []chan string
	for told := range s.logs[r.PathValue("log")] {
		all = append(all, told)
	}
	s.mu.Unlock()
	for _, told := range all {
		select {
		case told <- string(message):
		case <-r.Context().Done():
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
