package comfyui_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// socket is a connection of a client. Frames leave in the order of a queue.
type socket struct {
	conn  *websocket.Conn
	out   chan message
	aware bool // understands previews that name their prompt
}

type message struct {
	kind websocket.MessageType
	data []byte
}

func (c *comfy) ws(w http.ResponseWriter, r *http.Request) {
	unlock := c.lock()
	deaf := c.deaf
	unlock()
	if deaf {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	id := r.URL.Query().Get("clientId")
	s := &socket{conn: conn, out: make(chan message, 4096)}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case m := <-s.out:
				if conn.Write(ctx, m.kind, m.data) != nil {
					return
				}
			}
		}
	})
	unlock = c.lock()
	c.sockets[id] = s
	c.clients[id]++
	s.send(text("status", map[string]any{"status": c.queueInfo(), "sid": id}))
	if c.running != nil && c.running.client == id && c.node != "" {
		s.send(text("executing", map[string]any{"node": c.node})) // it does not name the prompt
	}
	unlock()
	for first := true; ; first = false {
		_, data, err := conn.Read(ctx)
		if err != nil {
			break
		}
		var m struct {
			Type string
			Data map[string]bool
		}
		if first && json.Unmarshal(data, &m) == nil && m.Type == "feature_flags" {
			unlock := c.lock()
			s.aware = m.Data["supports_preview_metadata"] && !c.old
			s.send(text("feature_flags", map[string]any{"supports_preview_metadata": true}))
			unlock()
		}
	}
	unlock = c.lock()
	if c.sockets[id] == s {
		delete(c.sockets, id)
	}
	unlock()
}

func text(kind string, data any) message {
	b, _ := json.Marshal(map[string]any{"type": kind, "data": data})
	return message{websocket.MessageText, b}
}

func (s *socket) send(m message) {
	select {
	case s.out <- m:
	default: // a client that does not read
	}
}

// status sends the length of the queue to all clients.
func (c *comfy) status() {
	for _, s := range c.sockets {
		s.send(text("status", map[string]any{"status": c.queueInfo()}))
	}
}

// player sends the frames of one prompt, as the script says.
type player struct {
	c    *comfy
	p    *prompt
	held *message
}

func (l *player) send(m message) {
	defer l.c.lock()()
	s := l.c.sockets[l.p.client]
	if s == nil {
		return // no client is connected
	}
	if l.c.swapped && l.held == nil {
		l.held = &m
		return
	}
	s.send(m)
	if l.held != nil {
		s.send(*l.held)
		l.held = nil
	}
	if l.c.twice {
		s.send(m)
	}
}

func (l *player) flush() {
	defer l.c.lock()()
	if s := l.c.sockets[l.p.client]; s != nil && l.held != nil {
		s.send(*l.held)
		l.held = nil
	}
}

// run executes the queue.
func (c *comfy) run(quit chan struct{}) {
	for {
		unlock := c.lock()
		var p *prompt
		if len(c.queue) > 0 && !c.idles {
			p, c.queue = c.queue[0], c.queue[1:]
			c.running = p
			c.status()
		}
		unlock()
		if p == nil {
			select {
			case <-quit:
				return
			case <-c.work:
			}
			continue
		}
		if c.begins != nil {
			c.begins(p)
		}
		c.execute(p)
		unlock = c.lock()
		if c.flagged { // it was asked to while it was busy
			c.unload(true)
			c.flagged = false
		}
		unlock()
	}
}

// modelFiles are the model files that a node reads.
func modelFiles(n graphNode) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(n.Inputs)) {
		file, ok := n.Inputs[name].(string)
		if folder := folderOf[name]; ok && folder != "" {
			out = append(out, folder+"/"+file)
		}
	}
	return out
}

// generation is a prompt whose results are kept.
type generation struct {
	files []string
	nodes int
}

// evict drops the results that a new prompt does not use, or with an LRU cache the oldest
// beyond its size, and the models among them.
func (c *comfy) evict(g map[string]graphNode) {
	newest := generation{nodes: len(g)}
	for _, n := range g {
		newest.files = append(newest.files, modelFiles(n)...)
	}
	same := func(x generation) bool {
		return !slices.ContainsFunc(x.files, func(f string) bool { return !slices.Contains(newest.files, f) })
	}
	c.cache = append(slices.DeleteFunc(c.cache, same), newest)
	for size := func() (n int) {
		for _, x := range c.cache {
			n += x.nodes
		}
		return n
	}; len(c.cache) > 1 && size() > c.lru; {
		c.cache = c.cache[1:]
	}
	c.memory = slices.DeleteFunc(c.memory, func(f string) bool {
		return !slices.ContainsFunc(c.cache, func(x generation) bool { return slices.Contains(x.files, f) })
	})
}

// cached are the nodes whose files are loaded: they are not run again.
func (c *comfy) cached(g map[string]graphNode) []string {
	defer c.lock()()
	c.evict(g)
	out := []string{}
	reads := false
	for _, id := range order(g) {
		files := modelFiles(g[id])
		isLoaded := func(f string) bool { return slices.Contains(c.memory, f) }
		if len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !isLoaded(f) }) {
			out = append(out, id)
		} else if len(files) > 0 {
			reads = true
		}
	}
	if reads {
		c.loading++
	}
	return out
}

// load reads the files of a node.
func (c *comfy) load(n graphNode) {
	defer c.lock()()
	for _, f := range modelFiles(n) {
		if !slices.Contains(c.memory, f) {
			c.memory = append(c.memory, f)
			c.loads[f]++
		}
	}
}

// execute simulates one prompt in ComfyUI's order of events.
func (c *comfy) execute(p *prompt) {
	l := &player{c: c, p: p}
	var messages []any
	note := func(kind string, data map[string]any) {
		data["prompt_id"], data["timestamp"] = p.id, time.Now().UnixMilli()
		messages = append(messages, []any{kind, data})
		l.send(text(kind, data))
	}
	note("execution_start", map[string]any{})
	cached := c.cached(p.graph)
	note("execution_cached", map[string]any{"nodes": cached})
	outputs := map[string]any{}
	states := map[string]any{}
	ended := ""
	for _, id := range order(p.graph) {
		if slices.Contains(cached, id) {
			continue
		}
		n := p.graph[id]
		c.load(n)
		unlock := c.lock()
		c.node = id
		unlock()
		l.send(text("executing", map[string]any{"node": id, "display_node": id, "prompt_id": p.id}))
		ended = c.perform(l, id, n, states, note)
		if ended != "" {
			break
		}
		if strings.HasPrefix(n.Class, "Save") {
			out := c.save(p, id, n)
			outputs[id] = out
			l.send(text("executed", map[string]any{"node": id, "display_node": id, "output": out, "prompt_id": p.id}))
		}
	}
	if ended == "gone" {
		return
	}
	if ended == "" {
		note("execution_success", map[string]any{})
	}
	status := map[string]any{"status_str": "success", "completed": true, "messages": messages}
	if ended != "" {
		status["status_str"], status["completed"] = "error", false
	}
	unlock := c.lock()
	c.node = ""
	if c.running == p {
		c.running = nil
		c.history[p.id] = map[string]any{"prompt": []any{p.number, p.id, p.raw}, "outputs": outputs, "status": status, "meta": map[string]any{}}
		c.status()
	}
	unlock()
	l.send(text("executing", map[string]any{"node": nil, "prompt_id": p.id}))
	l.flush()
}

// perform simulates one node. It returns why the prompt ended, or an empty string.
func (c *comfy) perform(l *player, id string, n graphNode, states map[string]any, note func(string, map[string]any)) string {
	p := l.p
	unlock := c.lock()
	steps, step, old := 1, c.step, c.old
	samples := strings.Contains(n.Class, "Sampler") && !strings.HasSuffix(n.Class, "Select") && n.Class != "SamplerEulerAncestral"
	if samples || n.Class == "TextEncodeAceStepAudio1.5" || n.Class == "MiniMaxMusic3TextEncode" { // a language model, token by token
		steps = c.steps
	}
	unlock()
	for i := 1; i <= steps; i++ {
		if steps > 1 && step != nil {
			step(p, n.Class, i)
		}
		select {
		case <-p.gone:
			return "gone"
		case <-p.stop:
			note("execution_interrupted", map[string]any{"node_id": id, "node_type": n.Class, "executed": []string{}})
			return "interrupted"
		default:
		}
		if kind, why := c.breaks(p, n.Class, steps > 1); kind != "" {
			note("execution_error", map[string]any{
				"node_id": id, "node_type": n.Class, "executed": []string{}, "exception_type": kind, "exception_message": why + "\n",
				"traceback": []string{"  File \"x.py\", line 1, in run\n    return f(x)\n"}, "current_inputs": map[string]any{}, "current_outputs": []string{},
			})
			return "failed"
		}
		if steps > 1 {
			states[id] = map[string]any{"value": i, "max": steps, "state": "running", "node_id": id, "prompt_id": p.id}
			c.progress(l, id, i, steps, maps.Clone(states), old)
		}
	}
	states[id] = map[string]any{"value": steps, "max": steps, "state": "finished", "node_id": id, "prompt_id": p.id}
	return ""
}

// breaks is why a node fails, with the type of the exception: the test scripted it, or a
// sampler finds too little memory. ComfyUI then unloads everything.
func (c *comfy) breaks(p *prompt, class string, samples bool) (kind, why string) {
	unlock := c.lock()
	fail := c.fail
	if samples && c.memoryLimit > 0 && len(c.memory) > c.memoryLimit {
		kind, why = "torch.OutOfMemoryError", "Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated : 22.1 GiB"
	}
	unlock()
	if kind == "" && fail != nil {
		kind, why = fail(p, class)
	}
	if strings.Contains(kind, "OutOfMemory") {
		defer c.lock()()
		c.unload(false)
		c.tidying = true
		why += "\nThis error means you ran out of memory on your GPU."
	}
	return kind, why
}

func (c *comfy) progress(l *player, id string, i, steps int, states map[string]any, old bool) {
	if !old {
		l.send(text("progress_state", map[string]any{"prompt_id": l.p.id, "nodes": states}))
	}
	l.send(text("progress", map[string]any{"value": i, "max": steps, "prompt_id": l.p.id, "node": id}))
	unlock := c.lock()
	s := c.sockets[l.p.client]
	aware := s != nil && s.aware
	unlock()
	picture := []byte(fmt.Sprintf("\xff\xd8\xff preview %d", i))
	be := binary.BigEndian
	if aware {
		about, _ := json.Marshal(map[string]any{"node_id": id, "prompt_id": l.p.id, "image_type": "image/jpeg"})
		data := be.AppendUint32(be.AppendUint32(nil, 4), uint32(len(about)))
		l.send(message{websocket.MessageBinary, append(append(data, about...), picture...)})
		return
	}
	data := be.AppendUint32(be.AppendUint32(nil, 1), 1)
	l.send(message{websocket.MessageBinary, append(data, picture...)})
}

// order lists the nodes of a graph so that each comes after what it reads.
func order(g map[string]graphNode) (out []string) {
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		for _, name := range slices.Sorted(maps.Keys(g[id].Inputs)) {
			if l, ok := g[id].Inputs[name].([]any); ok {
				visit(l[0].(string))
			}
		}
		out = append(out, id)
	}
	for _, id := range slices.Sorted(maps.Keys(g)) {
		visit(id)
	}
	return out
}

func encodePNG(img image.Image) []byte {
	var b bytes.Buffer
	_ = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	return b.Bytes()
}

// save makes the file of an output node, and reports it as that node does.
func (c *comfy) save(p *prompt, id string, n graphNode) map[string]any {
	prefix, _ := n.Inputs["filename_prefix"].(string)
	sub, base, ok := strings.Cut(prefix, "/")
	if !ok {
		sub, base = "", prefix
	}
	list, ext, data := "images", ".png", []byte(nil)
	w, h := canvas(p.graph)
	switch n.Class {
	case "SaveImage":
		white := image.NewGray(image.Rect(0, 0, w, h))
		for i := range white.Pix {
			white.Pix[i] = 0xff
		}
		data = encodePNG(white)
	case "SaveAnimatedWEBP":
		ext, data = ".webp", webp(w, h)
	case "SaveVideo":
		ext, data = ".mp4", append([]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isommp42"), make([]byte, 64)...)
	case "SaveAudio":
		list, ext, data = "audio", ".flac", flac(44100, 2, 44100)
	case "SaveAudioMP3":
		list, ext, data = "audio", ".mp3", []byte("ID3\x04\x00\x00\x00\x00\x00\x00")
	}
	defer c.lock()()
	if other := c.extra[n.Class]; other != nil {
		data = other
	}
	name := fmt.Sprintf("%s_%05d_%s", base, p.number, ext)
	c.files["output/"+strings.TrimPrefix(sub+"/"+name, "/")] = data
	if c.output != nil {
		return c.output(n.Class)
	}
	return map[string]any{list: []any{map[string]any{"filename": name, "subfolder": sub, "type": "output"}}, "animated": []bool{false}}
}

// canvas is how large a graph renders.
func canvas(g map[string]graphNode) (int, int) {
	for _, id := range order(g) {
		w, ok1 := g[id].Inputs["width"].(float64)
		h, ok2 := g[id].Inputs["height"].(float64)
		if ok1 && ok2 && strings.HasPrefix(g[id].Class, "Empty") {
			return int(w), int(h)
		}
	}
	return 64, 48
}

// webp is the head of a lossless WebP picture.
func webp(w, h int) []byte {
	b := append([]byte("RIFF\x1c\x00\x00\x00WEBPVP8L\x10\x00\x00\x00\x2f"), make([]byte, 15)...)
	binary.LittleEndian.PutUint32(b[21:], uint32(w-1)|uint32(h-1)<<14)
	return b
}

// flac is silence: one constant subframe a channel, in blocks of 4096.
func flac(rate, channels, frames int) []byte {
	b := []byte("fLaC\x80\x00\x00\x22")
	info := make([]byte, 34)
	binary.BigEndian.PutUint16(info, 4096)
	binary.BigEndian.PutUint16(info[2:], 4096)
	binary.BigEndian.PutUint64(info[10:], uint64(rate)<<44|uint64(channels-1)<<41|15<<36|uint64(frames))
	b = append(b, info...)
	for n := byte(0); frames > 0; n++ {
		size := min(frames, 4096)
		b = append(b, 0xff, 0xf8, 0x79, byte(channels-1)<<4|4<<1, n&0x7f, byte((size-1)>>8), byte(size-1), 0)
		for range channels {
			b = append(b, 0, 0, 7) // constant, and its value
		}
		b = append(b, 0, 0)
		frames -= size
	}
	return b
}
