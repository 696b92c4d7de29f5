package comfyui

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/mint"
)

// maxMessage is the longest message of the socket. A longer one ends the
// connection, and the listener reconnects.
const maxMessage = 16 << 20

// listener follows one prompt on ComfyUI's socket, and reconnects under the same
// name when the connection is lost. It keeps only the newest state, so that a slow
// reader costs nothing.
type listener struct {
	api    *api
	client string
	retry  time.Duration // the least pause before connecting again
	want   bool          // whether previews are shown

	mu      sync.Mutex
	prompt  string
	meter   *meter
	loading loadTimer
	preview *frame
	begun   time.Time // when a frame first named the prompt: it is or was running
	from    float64   // progress when the node began that runs now
	since   time.Time // when that was
	check   bool      // the state of the prompt may have changed
	queued  int       // prompts in the queue, as the last status said
	fewer   bool      // there are fewer of them since takeQueueChange
	nudge   chan struct{}
	ready   chan struct{} // closed when ComfyUI has registered this client, or could not be reached
	once    sync.Once
}

func newListener(r *run) *listener {
	return &listener{
		api: r.api, client: mint.UUID(), prompt: r.id, meter: newMeter(r.graph, r.weight), retry: r.pace.retry, want: r.show != nil,
		loading: loadTimer{graph: r.graph, reads: r.reads}, nudge: make(chan struct{}, 1), ready: make(chan struct{}),
	}
}

// run listens until ctx ends.
func (l *listener) run(ctx context.Context) {
	for pause := (clock.Backoff{First: l.retry, Most: 5 * time.Second}); ctx.Err() == nil; {
		began := time.Now()
		err := l.listen(ctx)
		l.once.Do(func() { close(l.ready) })
		if ctx.Err() != nil {
			return
		}
		l.note(func() bool { l.check = true; return true }) // the history has what was missed
		if err == nil || time.Since(began) > 10*time.Second {
			pause.Reset()
		}
		if !clock.Sleep(ctx, pause.Next()) {
			return
		}
	}
}

// listen reads one connection to its end.
func (l *listener) listen(ctx context.Context) error {
	u := l.api.base.JoinPath("/ws")
	u.RawQuery = url.Values{"clientId": {l.client}}.Encode()
	dial, cancel := context.WithTimeout(ctx, 10*time.Second)
	conn, _, err := websocket.Dial(dial, u.String(), &websocket.DialOptions{HTTPClient: l.api.http, CompressionMode: websocket.CompressionDisabled})
	cancel()
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxMessage)
	// ComfyUI sends previews that name their prompt only to clients that request
	// them in their first message.
	hello := []byte(`{"type":"feature_flags","data":{"supports_preview_metadata":true}}`)
	if err := conn.Write(ctx, websocket.MessageText, hello); err != nil {
		return err
	}
	l.note(func() bool { l.check = true; return true })
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return nil // it was connected for a while
		}
		// ComfyUI sends its first frame when it has registered this client, and
		// frames of a prompt go to registered clients only.
		l.once.Do(func() { close(l.ready) })
		var f frame
		var ok bool
		if kind == websocket.MessageText {
			f, ok = parseText(data)
		} else {
			f, ok = parseBinary(data)
		}
		if ok {
			l.note(func() bool { return l.handleFrame(f) })
		}
	}
}

// handleFrame handles a frame. It reports whether the history should be read.
func (l *listener) handleFrame(f frame) bool {
	if f.prompt != "" && f.prompt != l.prompt {
		return false
	}
	if f.prompt != "" && l.begun.IsZero() {
		l.begun = time.Now()
	}
	switch f.kind {
	case "status":
		isFewer := f.queued < l.queued
		l.queued = f.queued
		if !l.begun.IsZero() || !isFewer {
			return false
		}
		l.fewer, l.check = true, true
		return true
	case "preview":
		if !l.want {
			return false
		}
		l.preview = &f
		return true
	case "execution_success", "execution_error", "execution_interrupted":
		l.check = true
		return true
	case "executing":
		if f.node == "" && f.prompt != "" { // the prompt has ended
			l.loading.update(f, time.Now())
			l.check = true
			return true
		}
	}
	l.loading.update(f, time.Now())
	changed := l.meter.update(f)
	if f.kind == "executing" || f.kind == "execution_cached" {
		l.from, l.since = l.meter.at, time.Now()
	}
	return changed
}

// note changes the state, and notifies the reader when change reports true.
func (l *listener) note(change func() bool) {
	l.mu.Lock()
	changed := change()
	l.mu.Unlock()
	if !changed {
		return
	}
	select {
	case l.nudge <- struct{}{}:
	default:
	}
}

// update is what a listener has received since the last call of poll.
type update struct {
	progress float64
	text     string
	preview  *frame
	check    bool
	begun    time.Time

	from  float64 // progress when the node began that runs now
	since time.Time
}

// isEnding reports whether the prompt will be done within some time, as far as the progress of the
// node tells that runs now. What was cached, or ran before, was of another speed.
func (u update) isEnding(within time.Duration) bool {
	const least = 0.2 // progress that says something
	made := u.progress - u.from
	return made >= least && !u.since.IsZero() && float64(time.Since(u.since))*(1-u.progress)/made <= float64(within)
}

func (l *listener) poll() update {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := update{l.meter.at, l.meter.text, l.preview, l.check, l.begun, l.from, l.since}
	l.preview, l.check = nil, false
	return n
}

// hasBegun reports whether ComfyUI has begun to render the prompt, as far as frames came.
func (l *listener) hasBegun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.begun.IsZero()
}

// takeQueueChange reports whether ComfyUI has said since the last call that a prompt has
// left its queue.
func (l *listener) takeQueueChange() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	fewer := l.fewer
	l.fewer = false
	return fewer
}

// loadTime is how long the prompt has loaded files.
func (l *listener) loadTime() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loading.finish(time.Now())
	return l.loading.total
}

// follow sets the id of the prompt, when ComfyUI chose another one.
func (l *listener) follow(prompt string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prompt = prompt
}
