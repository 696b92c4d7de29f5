package ateliertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Frame is one frame of a stream of server-sent events: an event, or a comment
// such as a heartbeat.
type Frame struct {
	ID      string // empty when the frame has none
	Event   string
	Data    string
	Comment string // of a frame that is nothing else
}

// Stream is an open stream of server-sent events.
type Stream struct {
	Answer *http.Response
	frames chan Frame
	err    error // why it ended, once frames is closed; nil when the server ended it
	leave  context.CancelFunc
}

// OpenStream sends a request whose answer is a stream, and reads it from then
// on. The stream is left when the test ends.
func OpenStream(t testing.TB, req *http.Request) *Stream {
	t.Helper()
	ctx, leave := context.WithCancel(req.Context())
	t.Cleanup(leave)
	resp, err := http.DefaultClient.Do(req.WithContext(ctx))
	if err != nil {
		t.Fatalf("open a stream: %v", err)
	}
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		t.Fatalf("open a stream: got %d %s, want 200", resp.StatusCode, shown(body))
	}
	s := &Stream{Answer: resp, frames: make(chan Frame, 1024), leave: leave}
	go s.read(ctx)
	return s
}

// read takes the stream apart until it ends.
func (s *Stream) read(ctx context.Context) {
	defer close(s.frames)
	defer s.Answer.Body.Close()
	var f Frame
	lines := bufio.NewReader(s.Answer.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if err != io.EOF || line != "" {
				s.err = fmt.Errorf("the stream was interrupted: %w", err)
			}
			return
		}
		switch name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":"); {
		case line == "\n":
			if f != (Frame{}) {
				select {
				case s.frames <- f:
				case <-ctx.Done():
					return
				}
			}
			f = Frame{}
		case name == "":
			f.Comment = strings.TrimSpace(value)
		case name == "id":
			f.ID = strings.TrimPrefix(value, " ")
		case name == "event":
			f.Event = strings.TrimPrefix(value, " ")
		case name == "data":
			f.Data += strings.TrimPrefix(value, " ")
		}
	}
}

// Next waits for a frame. The error is io.EOF when the server has ended the
// stream.
func (s *Stream) Next() (Frame, error) { return s.next(time.Now().Add(patience)) }

// NextEvent waits for a frame that is no comment.
func (s *Stream) NextEvent() (Frame, error) {
	until := time.Now().Add(patience)
	for {
		f, err := s.next(until)
		if err != nil || f.Event != "" || f.Data != "" {
			return f, err
		}
	}
}

func (s *Stream) next(until time.Time) (Frame, error) {
	select {
	case f, ok := <-s.frames:
		switch {
		case ok && time.Now().Before(until):
			return f, nil
		case ok:
			return f, fmt.Errorf("nothing but comments came for %s", patience)
		case s.err != nil:
			return Frame{}, s.err
		}
		return Frame{}, io.EOF
	case <-time.After(time.Until(until)):
		return Frame{}, fmt.Errorf("nothing came for %s", patience)
	}
}

// Leave closes the stream from the reader's side.
func (s *Stream) Leave() { s.leave() }
