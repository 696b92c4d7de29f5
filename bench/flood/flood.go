// Package flood is an account that sends as much as it can: many connections that ask again as soon as they have an
// answer, whatever it says. It is a separate process, this program again, with the lowest priority: what is
// measured beside it is how the service shares itself, not how the machine shares its processors with a client.
package flood

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/work"
)

// The kinds of requests.
const (
	Chats     = "chats"
	Workflows = "workflow starts"
	Streams   = "streams"
	Lists     = "lists"
)

// Kinds are all kinds.
var Kinds = []string{Chats, Workflows, Streams, Lists}

// Options say what is sent. They are what the process reads from its input.
type Options struct {
	URL     string
	Headers string // of the account
	Model   string
	Kinds   []string // with connections for each
	Conns   int
}

// Sent is how many answers of each status came, and how many connections broke.
type Sent struct {
	Answers map[int]int64
	Broken  int64
}

// Share is how many of a hundred answers were not refused.
func (s Sent) Share() float64 {
	good, all := int64(0), int64(0)
	for status, n := range s.Answers {
		if all += n; status < 300 {
			good += n
		}
	}
	return 100 * float64(good) / float64(max(all, 1))
}

// Total is how many answers came.
func (s Sent) Total() (n int64) {
	for _, one := range s.Answers {
		n += one
	}
	return n
}

// command makes this program a flood.
const command = "flood"

// Flood is a flood that is under way.
type Flood struct {
	process *exec.Cmd
	in      io.Closer
	out     *bufio.Reader
}

// Start starts a flood, and returns when its first answers have come.
func Start(ctx context.Context, o Options) (*Flood, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, command)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe() // open as long as it is to last
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	f := &Flood{c, in, bufio.NewReader(out)}
	if err := json.NewEncoder(in).Encode(o); err != nil {
		return nil, errors.Join(err, c.Wait())
	}
	if _, err := f.out.ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("the flood did not begin: %w", err), c.Wait())
	}
	return f, nil
}

// Stop ends it.
func (f *Flood) Stop() (s Sent, err error) {
	f.in.Close()
	err = json.NewDecoder(f.out).Decode(&s)
	return s, errors.Join(err, f.process.Wait())
}

// Main floods, if that is what this process was started for. It ends with its input, and so with the process that
// started it.
func Main() {
	if len(os.Args) != 2 || os.Args[1] != command {
		return
	}
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19)
	var o Options
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		fmt.Fprintln(os.Stderr, "flood:", err)
		os.Exit(1)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	_ = json.NewEncoder(os.Stdout).Encode(o.send(ctx))
	os.Exit(0)
}

// send sends until ctx ends. It prints a line when each connection has had its first answer.
func (o Options) send(ctx context.Context) Sent {
	sent := Sent{Answers: map[int]int64{}}
	var (
		mu            sync.Mutex
		wg, beginning sync.WaitGroup
	)
	for _, kind := range o.Kinds {
		for range o.Conns {
			beginning.Add(1)
			wg.Go(func() {
				began := sync.OnceFunc(beginning.Done)
				defer began()
				for ctx.Err() == nil {
					err := o.connection(ctx, kind, func(status int) {
						began()
						mu.Lock()
						sent.Answers[status]++
						mu.Unlock()
					})
					if err != nil && ctx.Err() == nil {
						mu.Lock()
						sent.Broken++
						mu.Unlock()
						began()
					}
				}
			})
		}
	}
	beginning.Wait()
	fmt.Println("it floods")
	wg.Wait()
	return sent
}

// connection asks again and again on one connection, or opens one stream on it.
func (o Options) connection(ctx context.Context, kind string, answered func(status int)) error {
	c, err := load.Dial(ctx, o.URL, o.Headers)
	if err != nil {
		return err
	}
	defer c.Close()
	method, path, headers, body := "GET", "", "", []byte(nil)
	switch kind {
	case Chats:
		method, path, headers, body = "POST", ChatPath, load.JSON, ChatBody(o.Model)
	case Workflows:
		method, path, headers, body = "POST", work.Path, load.JSON, work.Plan(1)
	case Lists:
		path = work.Path + "?limit=20"
	case Streams:
		err := OpenStream(c)
		switch {
		case err == nil:
			answered(200)
		case strings.Contains(err.Error(), "got 429"):
			answered(429)
			err = nil
		}
		return err
	}
	for ctx.Err() == nil {
		a, err := c.Ask(method, path, headers, body)
		if err != nil {
			return err
		}
		answered(a.Status)
	}
	return nil
}

// ChatPath is where chat completions are asked for.
const ChatPath = "/v1/chat/completions"

// ChatBody asks a model for an answer of a kilobyte.
func ChatBody(model string) []byte {
	return fmt.Appendf(nil, `{"model":%q,"svc_tools":"none","messages":[{"role":"user","content":"Describe the sea. mock:1024:0."}]}`, model)
}

// OpenStream opens the stream of an account, and reads until it is ready. The connection is of no more use.
func OpenStream(c *load.Conn) error {
	return c.Follow("/v1/events/stream", load.Patience, func([]byte) error { return load.ErrEnough })
}
