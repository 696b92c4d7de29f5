package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// server is the scripted model server.
type server struct {
	key string // that every request must bring; empty for none

	mu    sync.Mutex
	asked map[string]int           // requests of each key of "fail"
	gone  map[string]chan struct{} // closed when the reader of an "endless" left
	next  map[string]chan struct{} // asks for the next part of "steps"
}

// embed answers with the vector 1, 0.5, -2 for each text, as numbers or as their bytes.
func (s *server) embed(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Input  any    `json:"input"`
		Format string `json:"encoding_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	texts, several := q.Input.([]any)
	if !several {
		texts = []any{q.Input}
	}
	vector := any([]float32{1, 0.5, -2})
	if q.Format == "base64" {
		vector = "AACAPwAAAD8AAADA"
	}
	var data []map[string]any
	for i := range texts {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vector})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "usage": map[string]int{"prompt_tokens": 7, "total_tokens": 7}})
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("upstream: ")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	s := &server{key: os.Getenv("UPSTREAM_KEY"), asked: map[string]int{}, gone: map[string]chan struct{}{}, next: map[string]chan struct{}{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("POST /v1/embeddings", s.embed)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /asked/{key}", s.tellAsked)
	mux.HandleFunc("GET /gone/{key}", s.tellGone)
	mux.HandleFunc("GET /next/{key}", s.goOn)
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}

// request is what is read of a chat completion.
type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// text is the text of a message, whether it came alone or in parts.
func (m message) text() string {
	var all string
	if json.Unmarshal(m.Content, &all) == nil {
		return all
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(m.Content, &parts)
	for _, p := range parts {
		all += p.Text
	}
	return all
}

func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	if !s.admitted(w, r) {
		return
	}
	var raw map[string]json.RawMessage
	var q request
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		refuse(w, http.StatusBadRequest, "This is not JSON.")
		return
	}
	whole, _ := json.Marshal(raw)
	if err := json.Unmarshal(whole, &q); err != nil || len(q.Messages) == 0 {
		refuse(w, http.StatusBadRequest, "This is not a chat completion.")
		return
	}
	part, err := read(q, raw)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if part.status != 0 && s.count(part.key) <= part.times {
		w.Header().Set("Retry-After", "0")
		refuse(w, part.status, fmt.Sprintf("The script says %d.", part.status))
		return
	}
	if q.Stream {
		s.stream(w, r, q, part)
		return
	}
	if part.hangsUp {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(part.whole(q.Model))
}

func (s *server) admitted(w http.ResponseWriter, r *http.Request) bool {
	if s.key == "" || r.Header.Get("Authorization") == "Bearer "+s.key {
		return true
	}
	refuse(w, http.StatusUnauthorized, "The key is not the one of this server.")
	return false
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"error": object{"message": text, "type": "scripted", "param": nil, "code": nil}})
}

func (s *server) models(w http.ResponseWriter, r *http.Request) {
	if s.admitted(w, r) {
		_ = json.NewEncoder(w).Encode(object{"object": "list", "data": []object{}})
	}
}

// count counts a request of a key.
func (s *server) count(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[key]++
	return s.asked[key]
}

// tellAsked tells how often a key of "fail" was asked.
func (s *server) tellAsked(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprint(w, s.asked[r.PathValue("key")])
}

// left is closed once the reader of an "endless" has left.
func (s *server) left(key string) chan struct{} { return s.signal(s.gone, key) }

// nexts are the wishes for the next part of "steps".
func (s *server) nexts(key string) chan struct{} { return s.signal(s.next, key) }

// signal is the channel of a key, made when it is first asked for.
func (s *server) signal(of map[string]chan struct{}, key string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of[key] == nil {
		of[key] = make(chan struct{})
	}
	return of[key]
}

// tellGone waits until the reader of an "endless" has left.
func (s *server) tellGone(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.left(r.PathValue("key")):
		fmt.Fprint(w, "gone")
	case <-time.After(2 * time.Minute):
		http.Error(w, "still there", http.StatusRequestTimeout)
	case <-r.Context().Done():
	}
}

// awaitNext waits until the next part of "steps" is asked for. It reports false when the reader leaves before.
func (s *server) awaitNext(r *http.Request, key string) bool {
	select {
	case <-s.nexts(key):
		return true
	case <-r.Context().Done():
		return false
	}
}

// goOn has "steps" say its next part.
func (s *server) goOn(w http.ResponseWriter, r *http.Request) {
	select {
	case s.nexts(r.PathValue("key")) <- struct{}{}:
	case <-time.After(2 * time.Minute):
		http.Error(w, "there is no next part", http.StatusRequestTimeout)
	case <-r.Context().Done():
	}
}
