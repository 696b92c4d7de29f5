package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// How chains are measured.
const (
	chainSteps = 12
	chainRuns  = 100
	chainWarm  = 5
	chainConns = 4
)

// chains is how long chains of steps take, one after the other: from the call
// that starts one to the event that it has ended, in milliseconds.
func (s *benchService) chains(ctx context.Context) (took []float64, err error) {
	inner, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	c, err := startWorkers(inner, s.url, s.worker, 1, chainConns)
	defer c.stop()
	if err != nil {
		return nil, err
	}
	fault := make(chan error, len(c))
	for _, h := range c {
		wg.Go(func() {
			for inner.Err() == nil {
				if _, err := h.work(); err != nil {
					fault <- err
					return
				}
			}
		})
	}
	conns, err := dialAll(inner, s.url, s.keys[:1], 2)
	if err != nil {
		return nil, err
	}
	defer closeAll(conns)
	stream := conns[1].listen()
	body := plan(chainSteps)
	for i := range chainWarm + chainRuns {
		began := time.Now()
		id, err := conns[0].start(body)
		if err == nil {
			err = stream.until(id, "workflow_completed")
		}
		if err != nil {
			select {
			case first := <-fault: // why it did not end
				err = errors.Join(err, first)
			default:
			}
			return nil, err
		}
		if i >= chainWarm {
			took = append(took, float64(time.Since(began).Microseconds())/1e3)
		}
	}
	return took, nil
}

// listener reads streams of events from a connection, one after the other.
type listener struct {
	*rawConn
	read *bufio.Reader
}

func (l *rawConn) listen() *listener { return &listener{l, bufio.NewReaderSize(l.conn, 4<<10)} }

// open asks for a stream of events.
func (l *listener) open(path string) (*http.Response, error) {
	if err := l.send("GET", path, "Accept: text/event-stream\r\n", nil); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(l.read, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return nil, fmt.Errorf("GET %s: %s: %s", path, resp.Status, text)
	}
	return resp, nil
}

// streamPath is the stream of a workflow.
func streamPath(id string) string { return workflowsPath + "/" + id + "/events/stream" }

// until follows a workflow until an event of some type has come, and on to the
// end of its stream.
func (l *listener) until(id, event string) error {
	resp, err := l.open(streamPath(id))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	told, came := "", false
	frames := bufio.NewScanner(resp.Body)
	frames.Buffer(make([]byte, 4<<10), 1<<20)
	for frames.Scan() {
		if name, ok := strings.CutPrefix(frames.Text(), "event: "); ok {
			told, came = name, came || name == event
		}
	}
	if err := frames.Err(); err != nil {
		return err
	}
	if !came {
		return fmt.Errorf("workflow %s: the stream ended after %s without %s", id, told, event)
	}
	return nil
}
