package comfyui_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// stepBlock blocks a sampler at one of its steps until it is opened.
type stepBlock struct {
	at      int
	reached chan struct{}
	open    chan struct{}
	once    sync.Once
}

func newStepBlock(at int) *stepBlock {
	return &stepBlock{at: at, reached: make(chan struct{}), open: make(chan struct{})}
}

func (g *stepBlock) step(p *prompt, _ string, n int) {
	if n != g.at {
		return
	}
	g.once.Do(func() { close(g.reached) })
	select {
	case <-g.open:
	case <-p.stop:
	case <-p.gone:
	}
}

// begin renders until the blocked step is reached.
func begin(t *testing.T, script func(*comfy), more func(*comfyui.Options)) (*comfy, *stepBlock, *progressLog, chan error) {
	t.Helper()
	g := newStepBlock(2)
	c := start(t, func(c *comfy) {
		c.step = g.step
		if script != nil {
			script(c)
		}
	})
	r := open(t, more, c)
	k, d := paint(t)
	ended := make(chan error, 1)
	go func() {
		out, err := r.Render(t.Context(), k)
		if err == nil && len(out) == 1 {
			_, err = os.Stat(out[0].Path)
		}
		ended <- err
	}()
	<-g.reached
	return c, g, d, ended
}

func await(t *testing.T, ended chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		t.Fatal("the render never ended")
		return nil
	}
}

// The socket is lost, and the listener reconnects under the same name.
func TestTheSocketIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, g, d, ended := begin(t, nil, nil)
		for n := 2; n <= 4; n++ {
			c.dropSockets()
			c.until("the client is back", func() bool {
				return len(c.clients) == 1 && c.clients[c.running.client] >= n && len(c.sockets) == 1
			})
		}
		close(g.open)
		if err := await(t, ended); err != nil {
			t.Errorf("the render: %v", err)
		}
		d.check(t)
	})
}

// The prompt ends while no client is connected: the end is read from the history.
func TestTheEndIsMissed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, g, d, ended := begin(t, nil, nil)
		unlock := c.lock()
		c.deaf = true
		unlock()
		c.dropSockets()
		close(g.open)
		if err := await(t, ended); err != nil {
			t.Errorf("the render: %v", err)
		}
		d.check(t)
	})
}

// Without a socket, the history alone is enough.
func TestThereIsNoSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, func(c *comfy) { c.deaf = true })
		r := open(t, nil, c)
		k, d := paint(t)
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Errorf("the render: %v", err)
		}
		d.check(t)
	})
}

// Frames are repeated, reordered, and sent by a version with fewer of them.
func TestFramesAreHints(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]func(*comfy){
		"twice":          func(c *comfy) { c.twice = true },
		"swapped":        func(c *comfy) { c.swapped = true },
		"both":           func(c *comfy) { c.twice, c.swapped = true, true },
		"an old version": func(c *comfy) { c.old = true },
	} {
		inBubble(t, name, func(t *testing.T) {
			c := start(t, func(c *comfy) {
				c.steps = 30
				c.step = func(*prompt, string, int) { time.Sleep(2 * time.Millisecond) }
				script(c)
			})
			r := open(t, nil, c)
			k, d := paint(t)
			if _, err := r.Render(t.Context(), k); err != nil {
				t.Fatalf("the render: %v", err)
			}
			d.check(t)
			d.mu.Lock()
			defer d.mu.Unlock()
			if len(d.progress) < 5 {
				t.Errorf("only %d reports of 30 steps: %v", len(d.progress), d.progress)
			}
		})
	}
}

// ComfyUI is restarted and has lost the prompt: the job is dropped, to be retried.
func TestARestartDropsTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _, _, ended := begin(t, nil, nil)
		c.setDown(true)
		c.restart()
		c.missed(2)
		c.setDown(false)
		if err := await(t, ended); code(err) != "dropped" || !strings.Contains(err.Error(), "restarted") {
			t.Errorf("the render ended with %v, want a drop", err)
		}
	})
}

// ComfyUI cannot be reached for a moment, and continues to render.
func TestComfyUIIsOutOfReachForAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, g, d, ended := begin(t, nil, nil)
		c.setDown(true)
		close(g.open) // it finishes while unreachable
		c.missed(2)
		c.setDown(false)
		if err := await(t, ended); err != nil {
			t.Errorf("the render: %v", err)
		}
		d.check(t)
	})
}

// ComfyUI cannot be reached any more. What it rendered counts as tried, because that may be
// the reason; what was in its queue does not. Only the log has the address of ComfyUI.
func TestComfyUINeverComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		g := newStepBlock(2)
		c := start(t, func(c *comfy) { c.step = g.step })
		r := open(t, func(o *comfyui.Options) {
			o.Patience, o.Sweep, o.Log = 500*time.Millisecond, 20*time.Millisecond, slog.New(slog.NewTextHandler(&log, nil))
		}, c)
		render := func() chan error {
			k, _ := paint(t)
			ended := make(chan error, 1)
			go func() { _, err := r.Render(t.Context(), k); ended <- err }()
			return ended
		}
		rendering := render()
		<-g.reached
		waiting := render()
		c.until("the second prompt is queued", func() bool { return len(c.queue) == 1 })
		id := c.queued()
		c.until("it was seen there", func() bool { return c.count("GET /history/"+id) > 2 })
		c.setDown(true)
		for name, job := range map[string]struct {
			ended chan error
			code  string
		}{"rendered": {rendering, "dropped"}, "waiting": {waiting, "worker_unavailable"}} {
			if err := await(t, job.ended); code(err) != job.code || err.Error() != "ComfyUI did not come back within 500ms." {
				t.Errorf("%s: it ended with %s, %v", name, code(err), err)
			}
		}
		r.Close() // it logs nothing after
		if !strings.Contains(log.String(), `msg="render with ComfyUI failed" comfyui=`+c.URL) {
			t.Errorf("the log: %s", log.String())
		}
	})
}

// A job that ComfyUI was about to begin when it ended counts as tried, also when no frame of
// it came: it may be the reason.
func TestComfyUIEndsBeforeTheFirstFrame(t *testing.T) {
	t.Parallel()
	inBubble(t, "nothing was before it", func(t *testing.T) {
		c := start(t, func(c *comfy) { c.idles = true })
		r := open(t, func(o *comfyui.Options) { o.Patience, o.Sweep = 500*time.Millisecond, 20*time.Millisecond }, c)
		k, _ := paint(t)
		ended := make(chan error, 1)
		go func() { _, err := r.Render(t.Context(), k); ended <- err }()
		c.until("the prompt is queued", func() bool { return len(c.queue) == 1 })
		id := c.queued()
		c.until("it was seen there", func() bool { return c.count("GET /history/"+id) > 2 })
		c.setDown(true)
		if err := await(t, ended); code(err) != "dropped" {
			t.Errorf("it ended with %s, %v", code(err), err)
		}
	})
	inBubble(t, "another was before it", func(t *testing.T) {
		g, proceed := newStepBlock(2), make(chan struct{})
		began := 0
		c := start(t, func(c *comfy) {
			c.step = g.step
			c.begins = func(*prompt) {
				if began++; began == 2 {
					<-proceed
				}
			}
		})
		defer close(proceed)
		r := open(t, func(o *comfyui.Options) { o.Patience, o.Sweep = 500*time.Millisecond, time.Hour }, c) // only frames have it look
		render := func() chan error {
			k, _ := paint(t)
			ended := make(chan error, 1)
			go func() { _, err := r.Render(t.Context(), k); ended <- err }()
			return ended
		}
		first := render()
		<-g.reached
		second := render()
		c.until("the second prompt is queued", func() bool { return len(c.queue) == 1 })
		id := c.queued()
		c.until("it was seen there", func() bool { return c.count("GET /history/"+id) > 0 })
		close(g.open)
		if err := await(t, first); err != nil {
			t.Errorf("the first: %v", err)
		}
		c.until("it was looked for again", func() bool { return c.seen == id })
		c.setDown(true)
		if err := await(t, second); code(err) != "dropped" {
			t.Errorf("it ended with %s, %v", code(err), err)
		}
	})
}

// A ComfyUI that ends when it is given a job, or between two pictures of one, is not
// followed by another: the job counts as tried, and may be the reason.
func TestAJobThatEndsComfyUI(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]struct {
		call   string
		before int  // such calls
		files  bool // the job has some
		exits  bool // the last call is answered
		memory int  // the limit of its memory; 0 for no limit
	}{
		"at the prompt":   {call: "POST /prompt"},
		"at an upload":    {call: "POST /upload/image", files: true},
		"after an upload": {call: "POST /upload/image", files: true, exits: true},
		"at the second":   {call: "POST /prompt", before: 1},
		"before a retry":  {call: "POST /free", memory: 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			var lost atomic.Int32
			end := func(c *comfy) {
				c.memoryLimit = last.memory
				c.before = func(r *http.Request) {
					switch {
					case r.Method+" "+r.URL.Path != last.call || c.called(last.call) != last.before:
						return
					case last.exits:
						c.exit()
					default:
						c.setDown(true)
					}
					lost.Add(1)
				}
			}
			r := open(t, nil, start(t, end), start(t, end))
			k, _ := task(t, "generate_image", turbo, map[string]any{"prompt": "x", "width": 256.0, "height": 256.0}, "image/png", "image/png")
			if last.files {
				k.Files["sourceImageIndex"] = photo(t)
			}
			_, err := r.Render(t.Context(), k)
			want := []string{"ComfyUI stopped answering during the job."}
			if last.before > 0 { // the second prompt is handed over ahead, perhaps while the first is not known to be over
				want = append(want, "ComfyUI did not come back within 1 minutes.")
			}
			if code(err) != "dropped" || !slices.Contains(want, err.Error()) {
				t.Errorf("it ended with %s, %v", code(err), err)
			}
			if n := lost.Load(); n != 1 {
				t.Errorf("%d instances were lost", n)
			}
		})
	}
}

// A prompt moves from the queue to the history between the two requests.
func TestThePromptEndsBetweenTheRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newStepBlock(2)
		var armed atomic.Bool
		c := start(t, func(c *comfy) {
			c.step = g.step
			c.deaf = true
		})
		c.before = func(r *http.Request) {
			if r.Method == "GET" && r.URL.Path == "/queue" && armed.CompareAndSwap(true, false) {
				close(g.open)
				c.until("the prompt is over", func() bool { return c.running == nil && len(c.queue) == 0 })
			}
		}
		r := open(t, nil, c)
		k, _ := paint(t)
		ended := make(chan error, 1)
		go func() { _, err := r.Render(t.Context(), k); ended <- err }()
		<-g.reached
		armed.Store(true)
		if err := await(t, ended); err != nil {
			t.Errorf("the render ended with %v", err)
		}
	})
}

// Models come and go with their files, without a request.
func TestFilesComeAndGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		r := open(t, func(o *comfyui.Options) {
			o.Sweep, o.Survey, o.Models = 10*time.Millisecond, 20*time.Millisecond, []string{turbo, "pony-v7"}
		}, c)
		set := func(names ...string) {
			defer c.lock()()
			c.folders["checkpoints"] = names
		}
		for _, want := range [][]string{{turbo}, {"pony-v7", turbo}, {turbo}} {
			set()
			if len(want) == 2 {
				set("pony-v7.safetensors")
			}
			until(t, r, strings.Join(want, " and "), func(s worker.State) bool { return slices.Equal(s.Models, want) })
		}
		unlock := c.lock()
		clear(c.folders)
		unlock()
		none := until(t, r, "nothing is left", func(s worker.State) bool { return s.Unavailable != "" })
		if !strings.Contains(none.Unavailable, "no longer has the files") || !slices.Equal(none.Models, []string{turbo}) {
			t.Errorf("without files: %+v", none)
		}
	})
}

// While ComfyUI is away, the message says only that.
func TestProgressWhileComfyUIIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, g, d, ended := begin(t, nil, func(o *comfyui.Options) { o.Sweep = 20 * time.Millisecond })
		c.until("a frame came", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return len(d.messages) > 0 })
		c.setDown(true)
		c.missed(20)
		d.mu.Lock()
		waits := slices.Index(d.messages, "waiting for ComfyUI to come back")
		for _, m := range d.messages[max(0, waits):] {
			if m != "waiting for ComfyUI to come back" || waits < 0 {
				t.Errorf("the messages flap: %q", d.messages)
				break
			}
		}
		d.mu.Unlock()
		c.setDown(false)
		close(g.open)
		if err := await(t, ended); err != nil {
			t.Errorf("the render: %v", err)
		}
		d.check(t)
	})
}

// A render that takes too long is ended.
func TestTheLongestRender(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _, _, ended := begin(t, nil, func(o *comfyui.Options) { o.Longest = 600 * time.Millisecond })
		if err := await(t, ended); code(err) != "error" || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("the render ended with %v", err)
		}
		if !c.idle() {
			t.Error("ComfyUI still renders")
		}
	})
}

// A worker that is started before ComfyUI waits for it.
func TestOpenWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		c.setDown(true)
		opened := make(chan error, 1)
		go func() {
			r, err := comfyui.Open(t.Context(), comfyui.Options{Library: library(t), Dial: network.Dial, URLs: []string{c.URL}, Retry: 5 * time.Millisecond})
			if err == nil {
				r.Close()
			}
			opened <- err
		}()
		c.missed(1)
		c.setDown(false)
		if err := await(t, opened); err != nil {
			t.Errorf("open: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		c.setDown(true)
		go func() {
			_, err := comfyui.Open(ctx, comfyui.Options{Library: library(t), Dial: network.Dial, URLs: []string{c.URL}})
			opened <- err
		}()
		cancel()
		if err := await(t, opened); !errors.Is(err, context.Canceled) {
			t.Errorf("open, cancelled: %v", err)
		}
	})
}

// ComfyUI answers with errors for a while.
func TestComfyUIFailsForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newStepBlock(2)
		var ill atomic.Bool
		c := start(t, func(c *comfy) {
			c.step = g.step
			c.ill = func(r *http.Request) bool {
				return ill.Load() && r.Method == "GET" && strings.HasPrefix(r.URL.Path, "/history")
			}
		})
		r := open(t, nil, c)
		k, _ := paint(t)
		ended := make(chan error, 1)
		go func() { _, err := r.Render(t.Context(), k); ended <- err }()
		<-g.reached
		ill.Store(true)
		close(g.open)
		c.until("it has been asked in vain", func() bool { return c.count("GET /history") > 3 })
		ill.Store(false)
		if err := await(t, ended); err != nil {
			t.Errorf("the render: %v", err)
		}
	})
}
