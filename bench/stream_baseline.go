package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
)

// baselineStreamsCommand makes this program a bare server of event streams.
const baselineStreamsCommand = "serve-baseline-streams"

// baselineStreams is the least that a server of event streams can do: a reader that
// follows a log gets what was there, and then every message posted to it.
type baselineStreams struct {
	first []byte // what a stream sends at once

	mu   sync.Mutex
	logs map[string]map[chan string]bool // who follows
}

// serveBaselineStreams serves streams that begin with what it reads from its input,
// and ends with its input.
func serveBaselineStreams() {
	s := &baselineStreams{logs: map[string]map[chan string]bool{}}
	if err := json.NewDecoder(os.Stdin).Decode(&s.first); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /logs/{log}", s.follow)
	mux.HandleFunc("POST /logs/{log}", s.tell)
	log.Fatal(http.Serve(listener, mux))
}

func (s *baselineStreams) follow(w http.ResponseWriter, r *http.Request) {
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

func (s *baselineStreams) tell(w http.ResponseWriter, r *http.Request) {
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

// baselineStreaming starts the bare server in a separate process, with as many
// who can have it tell something as the service has.
func baselineStreaming(ctx context.Context, first []byte) (s streaming, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return s, nil, err
	}
	command := exec.CommandContext(ctx, self, baselineStreamsCommand)
	input, err := command.StdinPipe()
	if err != nil {
		return s, nil, err
	}
	go func() { _ = json.NewEncoder(input).Encode(first) }() // if it ended early, its own error says why
	p, err := start(command)
	if err != nil {
		return s, nil, err
	}
	conns, err := dialAll(ctx, p.url, []string{"none"}, streamWorkers)
	if err != nil {
		p.kill()
		return s, nil, err
	}
	path := func(i int) string { return "/logs/" + strconv.Itoa(i) }
	s = streaming{process: p, key: "none", path: path, tellers: len(conns), tell: func(who, i int, message string) error {
		_, err := conns[who].want(204, "POST", path(i), "", []byte(message))
		return err
	}}
	return s, func() { closeAll(conns); p.stop() }, nil
}
