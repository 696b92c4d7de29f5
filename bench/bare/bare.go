// Package bare is the least that a server can do: handlers of net/http that the service is compared with, and the model
// server that answers at once. Each runs as a separate process, which is this program again.
package bare

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

	"github.com/atelier-project/atelier/bench/server"
)

// command makes this program such a server.
const command = "serve-bare"

// settings is what such a server reads from its input.
type settings struct {
	Kind   kind
	Listen string
	Answer Answer // of the kind answer
	First  []byte // what a stream begins with
	File   string // of the kind files
}

type kind string

const (
	answers kind = "answer"
	streams kind = "streams"
	files   kind = "files"
	model   kind = "model"
)

func (s settings) handler() http.Handler {
	switch s.Kind {
	case answers:
		return s.Answer
	case streams:
		return newStreams(s.First)
	case files:
		return fileHandler(s.File)
	default:
		return &Model{}
	}
}

// Main serves, if that is what this process was started for. It ends with its input, and so with the process that
// started it.
func Main() {
	if len(os.Args) != 2 || os.Args[1] != command {
		return
	}
	var s settings
	input := json.NewDecoder(os.Stdin)
	if err := input.Decode(&s); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(listener, s.handler()))
}

// start starts such a server.
func start(ctx context.Context, s settings) (*server.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if s.Listen == "" {
		s.Listen = "127.0.0.1:0"
	}
	c := exec.CommandContext(ctx, self, command)
	input, err := c.StdinPipe() // open as long as we live
	if err != nil {
		return nil, err
	}
	go func() { _ = json.NewEncoder(input).Encode(s) }() // if it ended early, its own error says why
	return server.Start(c)
}

// StartAnswer starts a server that gives one answer to every request.
func StartAnswer(ctx context.Context, a Answer) (*server.Process, error) {
	return start(ctx, settings{Kind: answers, Answer: a})
}

// StartStreams starts a server of event streams, which begin with first.
func StartStreams(ctx context.Context, first []byte) (*server.Process, error) {
	return start(ctx, settings{Kind: streams, First: first})
}

// StartFiles starts a server that keeps one file.
func StartFiles(ctx context.Context, file string) (*server.Process, error) {
	return start(ctx, settings{Kind: files, File: file})
}

// StartModel starts a model server, at an address or, when it is empty, at any port.
func StartModel(ctx context.Context, listen string) (*server.Process, error) {
	return start(ctx, settings{Kind: model, Listen: listen})
}
