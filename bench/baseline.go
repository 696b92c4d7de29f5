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
)

// answer is what a server says to one request.
type answer struct {
	Status      int
	ContentType string
	ETag        string
	Body        []byte
}

// baselineCommand makes this program the bare handler.
const baselineCommand = "serve-baseline"

// serveBaseline answers every request with the answer it reads from its input. It
// ends with its input, and so with the process that started it.
func serveBaseline() {
	input := json.NewDecoder(os.Stdin)
	var a answer
	if err := input.Decode(&a); err != nil {
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
	log.Fatal(http.Serve(listener, a))
}

// ServeHTTP is the least that a handler can do for this answer.
func (a answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	if a.ETag != "" {
		h.Set("ETag", a.ETag)
	}
	if len(a.Body) > 0 {
		h.Set("Content-Type", a.ContentType)
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

// startBaseline starts the bare handler with an answer, in a separate process.
func startBaseline(ctx context.Context, a answer) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, self, baselineCommand)
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	go func() { _ = json.NewEncoder(input).Encode(a) }() // if it ended early, its own error says why
	return start(command)
}
