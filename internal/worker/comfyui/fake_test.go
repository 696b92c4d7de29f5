package comfyui_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/pipetest"
)

// network has the servers of all tests, in memory.
var network pipetest.Network

// patience is how long a test waits for what must happen.
const patience = 5 * time.Minute

// inBubble runs a test where timeouts cost no time, and where it does not matter how
// busy the machine is.
func inBubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// comfy is a fake ComfyUI with the same routes, bodies, frames and order of events.
// Its results are scripted.
type comfy struct {
	t   *testing.T
	URL string

	mu      sync.Mutex
	nodes   map[string]map[string]any // object info
	folders map[string][]string
	queue   []*prompt
	running *prompt
	history map[string]any
	files   map[string][]byte // inputs and outputs by type/subfolder/name
	sockets map[string]*socket
	clients map[string]int // connections by client
	calls   []string
	number  int
	node    string         // that is executing
	memory  []string       // model files that are loaded
	cache   []generation   // prompts whose results are kept, the newest last
	loads   map[string]int // how often each was read from disk
	loading int            // prompts that read files
	flagged bool           // it was asked to free its memory while it was busy
	tidying bool           // it cleans up after it ran out of memory: the next flag does not wake it
	down    bool
	refused int // connections while it was down
	work    chan struct{}
	changed chan struct{} // closed when the lock is released
	exit    func()        // ends the process once it has answered what it was asked

	// What tests script, before anything is rendered.
	old         bool                                        // a version that chooses prompt ids itself and has no progress_state
	twice       bool                                        // every frame is sent twice
	swapped     bool                                        // neighbouring frames change places
	loraDir     string                                      // a folder that LoRAs are read from, too
	memoryLimit int                                         // of model files: more run out of memory at a sampler; 0 is no limit
	lru         int                                         // --cache-lru: results of nodes that are kept; 0 keeps those of the last prompt
	ram         [2]int64                                    // free memory, and all
	gpuOnly     bool                                        // unloaded models stay in memory until results are forgotten
	lateLoras   int                                         // how often files of that folder are not listed yet
	deaf        bool                                        // no socket is accepted
	idles       bool                                        // no prompt is taken from the queue
	begins      func(*prompt)                               // called when a prompt was taken, before its first frame
	seen        string                                      // the running prompt, when the queue was last read
	steps       int                                         // of a sampler
	step        func(p *prompt, class string, n int)        // is called at each step of a sampler
	fail        func(p *prompt, class string) (t, m string) // makes a node fail with a type and a message
	before      func(r *http.Request)                       // is called before a request is answered, without the lock
	ill         func(r *http.Request) bool                  // whether a request is answered with an error
	free        int                                         // GiB of 100 of the GPU; ComfyUI has 2
	previews    []string                                    // the methods that prompts named
	extra       map[string][]byte                           // files that nodes of a class make instead
	output      func(class string) map[string]any           // the output of a node instead
	about       func() any                                  // what it says of itself instead
}

// prompt is one in the queue.
type prompt struct {
	number int
	id     string
	client string
	graph  map[string]graphNode
	raw    json.RawMessage
	stop   chan struct{} // closed when it is interrupted
	gone   chan struct{} // closed when ComfyUI is restarted
	once   sync.Once
}

func (p *prompt) interrupt() { p.once.Do(func() { close(p.stop) }) }

type graphNode struct {
	Class  string         `json:"class_type"`
	Inputs map[string]any `json:"inputs"`
}

// lock locks the state. The returned function unlocks it and wakes those that wait
// for a change.
func (c *comfy) lock() (unlock func()) {
	c.mu.Lock()
	return func() {
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
	}
}

// start runs a fake ComfyUI with every node and file of the program's graphs.
func start(t *testing.T, script ...func(*comfy)) *comfy {
	t.Helper()
	c := &comfy{
		t: t, nodes: map[string]map[string]any{}, folders: map[string][]string{}, history: map[string]any{}, files: map[string][]byte{},
		sockets: map[string]*socket{}, clients: map[string]int{}, loads: map[string]int{}, work: make(chan struct{}, 1), changed: make(chan struct{}), steps: 4, free: 98,
	}
	c.stock()
	for _, s := range script {
		s(c)
	}
	mux := http.NewServeMux()
	for route, h := range map[string]http.HandlerFunc{
		"GET /ws": c.ws, "GET /system_stats": c.stats, "GET /object_info": c.objectInfo, "GET /models/{folder}": c.models,
		"GET /prompt": c.remaining, "POST /prompt": c.submit, "GET /queue": c.showQueue, "POST /queue": c.changeQueue,
		"GET /history/{id}": c.showHistory, "POST /interrupt": c.interrupt, "POST /free": c.freed,
		"POST /upload/image": c.upload, "GET /view": c.view,
	} {
		mux.HandleFunc(route, h)
	}
	srv := network.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.before != nil {
			c.before(r)
		}
		unlock := c.lock()
		down := c.down
		if down {
			c.refused++
		} else {
			c.calls = append(c.calls, r.Method+" "+r.URL.Path)
		}
		unlock()
		if down { // as if the process did not run
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
			return
		}
		if c.ill != nil && c.ill(r) {
			w.WriteHeader(500)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	c.URL = srv.URL
	c.exit = func() {
		srv.Listener.Close()
		srv.Config.SetKeepAlivesEnabled(false)
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() { defer close(ended); c.run(quit) }()
	t.Cleanup(func() {
		c.restart()
		close(quit)
		<-ended
	})
	return c
}

// folderOf are the model folders behind inputs of loaders.
var folderOf = map[string]string{
	"ckpt_name": "checkpoints", "unet_name": "diffusion_models", "clip_name": "text_encoders", "clip_name1": "text_encoders", "clip_name2": "text_encoders",
	"text_encoder": "text_encoders", "vae_name": "vae", "lora_name": "loras", "model_name": "latent_upscale_models", "bg_removal_name": "background_removal",
}

func (c *comfy) stats(w http.ResponseWriter, _ *http.Request) {
	if c.about != nil {
		reply(w, 200, c.about())
		return
	}
	reply(w, 200, map[string]any{
		"system":  map[string]any{"comfyui_version": "0.7.0", "os": "posix", "ram_free": c.ram[0], "ram_total": c.ram[1], "argv": []string{"main.py"}},
		"devices": []any{map[string]any{"name": "cuda:0 Stand-in 7 : native", "vram_total": 100 << 30, "vram_free": c.free << 30, "torch_vram_total": 8 << 30, "torch_vram_free": 6 << 30}},
	})
}

func (c *comfy) models(w http.ResponseWriter, r *http.Request) {
	defer c.lock()()
	list, ok := c.folder(r.PathValue("folder"))
	if !ok {
		w.WriteHeader(404)
		return
	}
	reply(w, 200, list)
}

func (c *comfy) remaining(w http.ResponseWriter, _ *http.Request) {
	defer c.lock()()
	reply(w, 200, c.queueInfo())
}

func (c *comfy) queueInfo() map[string]any {
	n := len(c.queue)
	if c.running != nil {
		n++
	}
	return map[string]any{"exec_info": map[string]any{"queue_remaining": n}}
}

func (c *comfy) submit(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Prompt   json.RawMessage `json:"prompt"`
		ClientID string          `json:"client_id"`
		Extra    struct {
			Preview string `json:"preview_method"`
		} `json:"extra_data"`
		PromptID string `json:"prompt_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		w.WriteHeader(400)
		return
	}
	var g map[string]graphNode
	if err := json.Unmarshal(body.Prompt, &g); err != nil {
		c.t.Errorf("a prompt that is no graph: %v", err)
	}
	defer c.lock()()
	problem, nodeErrors := c.validate(g)
	if problem != nil {
		reply(w, 400, map[string]any{"error": problem, "node_errors": nodeErrors})
		return
	}
	c.number++
	c.previews = append(c.previews, body.Extra.Preview)
	p := &prompt{number: c.number, id: body.PromptID, client: body.ClientID, graph: g, raw: body.Prompt, stop: make(chan struct{}), gone: make(chan struct{})}
	if c.old || p.id == "" {
		p.id = fmt.Sprintf("server-%d", c.number)
	}
	c.queue = append(c.queue, p)
	c.status()
	select {
	case c.work <- struct{}{}:
	default:
	}
	reply(w, 200, map[string]any{"prompt_id": p.id, "number": p.number, "node_errors": map[string]any{}})
}

func (c *comfy) showQueue(w http.ResponseWriter, _ *http.Request) {
	defer c.lock()()
	item := func(p *prompt) []any {
		return []any{p.number, p.id, p.raw, map[string]any{"client_id": p.client}, []string{"save"}}
	}
	running, pending := []any{}, []any{}
	if c.running != nil {
		c.seen = c.running.id
		running = append(running, item(c.running))
	}
	for _, p := range c.queue {
		pending = append(pending, item(p))
	}
	reply(w, 200, map[string]any{"queue_running": running, "queue_pending": pending})
}

func (c *comfy) changeQueue(_ http.ResponseWriter, r *http.Request) {
	var body struct{ Delete []string }
	_ = json.NewDecoder(r.Body).Decode(&body)
	defer c.lock()()
	c.queue = slices.DeleteFunc(c.queue, func(p *prompt) bool { return slices.Contains(body.Delete, p.id) })
	c.status()
}

func (c *comfy) showHistory(w http.ResponseWriter, r *http.Request) {
	defer c.lock()()
	out := map[string]any{}
	if h, ok := c.history[r.PathValue("id")]; ok {
		out[r.PathValue("id")] = h
	}
	reply(w, 200, out)
}

func (c *comfy) interrupt(_ http.ResponseWriter, r *http.Request) {
	var body struct {
		ID string `json:"prompt_id"`
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	defer c.lock()()
	if c.running != nil && (c.old || body.ID == "" || body.ID == c.running.id) {
		c.running.interrupt()
	}
}

// freed asks to free the memory. ComfyUI does it between two prompts: at once only when
// it is idle, and of two flags at once only the first. What it does not notice waits for
// the next flag or the end of the next prompt.
func (c *comfy) freed(_ http.ResponseWriter, r *http.Request) {
	var body struct {
		Unload bool `json:"unload_models"`
		Forget bool `json:"free_memory"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		c.t.Errorf("POST /free: %v", err)
	}
	defer c.lock()()
	idle := c.running == nil && len(c.queue) == 0 && !c.tidying
	if idle {
		c.unload(body.Forget && !body.Unload)
	}
	c.flagged, c.tidying = !idle || body.Unload && body.Forget, false
}

// unload unloads the models, and forgets results or not.
func (c *comfy) unload(forget bool) {
	if forget || !c.gpuOnly {
		c.memory, c.cache = nil, nil
	}
}

func (c *comfy) upload(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(32 << 20); err != nil {
		w.WriteHeader(400)
		return
	}
	f, head, err := r.FormFile("image")
	if err != nil {
		w.WriteHeader(400)
		return
	}
	defer f.Close()
	data, _ := io.ReadAll(f)
	kind, sub := r.FormValue("type"), r.FormValue("subfolder")
	defer c.lock()()
	c.files[kind+"/"+strings.TrimPrefix(sub+"/"+head.Filename, "/")] = data
	reply(w, 200, map[string]any{"name": head.Filename, "subfolder": sub, "type": kind})
}

func (c *comfy) view(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	defer c.lock()()
	data, ok := c.files[q.Get("type")+"/"+strings.TrimPrefix(q.Get("subfolder")+"/"+q.Get("filename"), "/")]
	if !ok {
		w.WriteHeader(404)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(data)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// restart is a crash and a new start: memory and temporary files are lost.
func (c *comfy) restart() {
	unlock := c.lock()
	c.queue, c.history, c.memory, c.cache, c.flagged = nil, map[string]any{}, nil, nil, false
	if c.running != nil {
		close(c.running.gone)
		c.running = nil
	}
	maps.DeleteFunc(c.files, func(name string, _ []byte) bool { return strings.HasPrefix(name, "temp/") })
	unlock()
	c.dropSockets()
}

// setDown makes the fake ComfyUI unreachable, or reachable again.
func (c *comfy) setDown(down bool) {
	unlock := c.lock()
	c.down, c.refused = down, 0
	unlock()
	if down {
		c.dropSockets()
	}
}

// pause makes the fake ComfyUI take no prompts from its queue, or go on.
func (c *comfy) pause(idles bool) {
	unlock := c.lock()
	c.idles = idles
	unlock()
	select {
	case c.work <- struct{}{}:
	default:
	}
}

// dropSockets ends every connection of the socket.
func (c *comfy) dropSockets() {
	unlock := c.lock()
	list := slices.Collect(maps.Values(c.sockets))
	unlock()
	for _, s := range list {
		s.conn.CloseNow()
	}
}

// called counts the requests of a kind.
func (c *comfy) called(what string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count(what)
}

// count is called, for callers that hold the lock.
func (c *comfy) count(what string) (n int) {
	for _, call := range c.calls {
		if strings.HasPrefix(call, what) {
			n++
		}
	}
	return n
}

// queued is the id of the first prompt in the queue.
func (c *comfy) queued() string {
	defer c.lock()()
	return c.queue[0].id
}

// idle reports whether nothing is queued or running.
func (c *comfy) idle() bool {
	defer c.lock()()
	return c.running == nil && len(c.queue) == 0
}

// until waits until holds, which is called under the lock, reports true.
func (c *comfy) until(what string, holds func() bool) {
	c.t.Helper()
	late := time.After(patience)
	for {
		c.mu.Lock()
		held, changed := holds(), c.changed
		c.mu.Unlock()
		if held {
			return
		}
		select {
		case <-changed:
		case <-late:
			c.t.Fatalf("timeout: %s", what)
		}
	}
}

// missed waits until an unreachable ComfyUI was called n times.
func (c *comfy) missed(n int) {
	c.t.Helper()
	c.until("it is missed", func() bool { return c.refused >= n })
}
