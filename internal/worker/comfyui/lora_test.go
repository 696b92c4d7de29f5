package comfyui_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/codec/safetensors"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// loraServer serves LoRA files by the name in the path, and counts the requests.
type loraServer struct {
	URL   string
	files map[string][]byte
	count atomic.Int32
	asked chan struct{} // has one for each request
	hold  chan struct{} // when it is set, answers wait for it
}

func newLoraServer(t *testing.T, files map[string][]byte) *loraServer {
	t.Helper()
	s := &loraServer{files: files, asked: make(chan struct{}, 100)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.count.Add(1)
		s.asked <- struct{}{}
		if s.hold != nil {
			<-s.hold
		}
		data, ok := s.files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(data)
	}))
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// lora is a LoRA of the server, under an address that is signed again each time.
func (s *loraServer) lora(name string, strength float64) apitype.AssignmentLora {
	return apitype.AssignmentLora{ID: "lora-" + name, URL: fmt.Sprintf("%s/%s?signature=%d", s.URL, name, time.Now().UnixNano()), Strength: strength}
}

// tensors is a small safetensors file with some content.
func tensors(content string) []byte {
	head := fmt.Sprintf(`{"__metadata__":{"content":%q}}`, content)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
}

// loraRig is a renderer that loads LoRAs.
func loraRig(t *testing.T, more func(*comfyui.Options)) (*comfyui.Renderer, *comfy, string) {
	t.Helper()
	dir := t.TempDir()
	c := start(t, func(c *comfy) { c.loraDir = dir })
	return loraRenderer(t, c, dir, more), c, dir
}

// loraRenderer is a renderer that loads LoRAs from a directory of a ComfyUI.
func loraRenderer(t *testing.T, c *comfy, dir string, more func(*comfyui.Options)) *comfyui.Renderer {
	t.Helper()
	return open(t, func(o *comfyui.Options) {
		o.LoraDir, o.LoraCache, o.Download = dir, filepath.Join(t.TempDir(), "cache"), client.New("", "").Download
		if more != nil {
			more(o)
		}
	}, c)
}

func delivered(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, e := range must(os.ReadDir(dir))(t) {
		names = append(names, e.Name())
	}
	return names
}

// age makes the files a minute older: the oldest are evicted first.
func age(t *testing.T, dir string) {
	t.Helper()
	for _, name := range delivered(t, dir) {
		path := filepath.Join(dir, name)
		at := must(os.Stat(path))(t).ModTime().Add(-time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLorasAreLoaded(t *testing.T) {
	t.Parallel()
	s := newLoraServer(t, map[string][]byte{"one": tensors("one"), "two": tensors("two")})
	r, c, dir := loraRig(t, nil)
	for range 2 {
		k, _ := paint(t)
		k.Loras = []apitype.AssignmentLora{s.lora("one", 0.8), s.lora("two", -0.5)}
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.count.Load(); n != 2 {
		t.Errorf("fetched %d files for two jobs with the same two, want 2", n)
	}
	names := delivered(t, dir)
	if len(names) != 2 || !strings.HasPrefix(names[0], "atelier-") {
		t.Errorf("delivered: %v", names)
	}
	g := c.last()
	first, second := g["atelier-lora-0-0"], g["atelier-lora-0-1"]
	if first.Class != "LoraLoaderModelOnly" || first.Inputs["strength_model"] != 0.8 || second.Inputs["strength_model"] != -0.5 {
		t.Errorf("loaders: %+v, %+v", first, second)
	}
	if name, _ := first.Inputs["lora_name"].(string); !strings.HasPrefix(name, "mine/atelier-") {
		t.Errorf("the name: %q, want the one that ComfyUI lists", name)
	}
	at := func(id, input string) string {
		l, _ := g[id].Inputs[input].([]any)
		if len(l) != 2 {
			return fmt.Sprint(g[id].Inputs[input])
		}
		return fmt.Sprintf("%v %v", l[0], l[1])
	}
	if at("atelier-lora-0-0", "model") != "model 0" || at("atelier-lora-0-1", "model") != "atelier-lora-0-0 0" || at("shifted", "model") != "atelier-lora-0-1 0" {
		t.Errorf("the chain: %s, %s, %s", at("atelier-lora-0-0", "model"), at("atelier-lora-0-1", "model"), at("shifted", "model"))
	}

	// A checkpoint's text encoder is changed, too.
	unlock := c.lock()
	c.folders["checkpoints"] = append(c.folders["checkpoints"], "pony-v7.safetensors")
	unlock()
	r2 := open(t, func(o *comfyui.Options) {
		o.LoraDir, o.LoraCache, o.Download = dir, t.TempDir(), client.New("", "").Download
	}, c)
	k, _ := paint(t)
	k.ModelID, k.Loras = "pony-v7", []apitype.AssignmentLora{s.lora("one", 1), s.lora("two", 1)}
	if _, err := r2.Render(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	g = c.last()
	if at("sampler", "model") != "atelier-lora-0-1 0" || at("positive", "clip") != "atelier-lora-0-1 1" || at("negative", "clip") != "atelier-lora-0-1 1" ||
		at("atelier-lora-0-1", "clip") != "atelier-lora-0-0 1" || at("atelier-lora-0-0", "clip") != "checkpoint 1" || at("picture", "vae") != "checkpoint 2" {
		t.Errorf("the chain: %+v", g)
	}
}

func TestLorasThatFail(t *testing.T) {
	t.Parallel()
	s := newLoraServer(t, map[string][]byte{"good": tensors("good"), "fresh": tensors("fresh"), "pickle": []byte("PK\x03\x04 not tensors at all"), "short": []byte("x")})
	r, c, dir := loraRig(t, nil)
	render := func(r *comfyui.Renderer, l apitype.AssignmentLora) error {
		k, _ := paint(t)
		k.Loras = []apitype.AssignmentLora{l}
		_, err := r.Render(t.Context(), k)
		return err
	}
	for name, want := range map[string]string{"pickle": "lora_mismatch", "short": "lora_mismatch", "nowhere": "error"} {
		if err := render(r, s.lora(name, 1)); code(err) != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	away := apitype.AssignmentLora{ID: "away", URL: "http://127.0.0.1:1/x?signature=secret"}
	if err := render(r, away); code(err) != "error" || err.Error() != "The LoRA away could not be fetched: connect: connection refused." {
		t.Errorf("without an answer: %v", err)
	}
	if err := render(r, apitype.AssignmentLora{ID: "x"}); code(err) != "error" || !strings.Contains(err.Error(), "has no file x.safetensors") {
		t.Errorf("without an address: %v", err)
	}
	unlock := c.lock()
	c.folders["loras"] = append(c.folders["loras"], "styles/x.safetensors")
	unlock()
	if err := render(r, apitype.AssignmentLora{ID: "x", Strength: 1}); err != nil || c.last()["atelier-lora-0-0"].Inputs["lora_name"] != "styles/x.safetensors" {
		t.Errorf("installed by its id: %v", err)
	}
	if names := delivered(t, dir); len(names) != 0 {
		t.Errorf("delivered: %v", names)
	}
	unlock = c.lock()
	c.fail = func(_ *prompt, class string) (string, string) {
		if strings.HasPrefix(class, "Lora") {
			return "RuntimeError", "The size of tensor a (64) must match the size of tensor b (128)"
		}
		return "", ""
	}
	unlock()
	if err := render(r, s.lora("good", 1)); code(err) != "lora_mismatch" {
		t.Errorf("the loader fails: %v", err)
	}
	unlock = c.lock()
	c.fail = func(_ *prompt, class string) (string, string) {
		if class == "KSampler" {
			return "RuntimeError", "lora shape mismatch for layer 3"
		}
		return "", ""
	}
	unlock()
	if err := render(r, s.lora("good", 1)); code(err) != "lora_mismatch" {
		t.Errorf("the sampler names it: %v", err)
	}
	if err := render(open(t, nil, c), s.lora("good", 1)); code(err) != "error" || !strings.Contains(err.Error(), "--lora-dir") {
		t.Errorf("without a folder: %v", err)
	}
	elsewhere := open(t, func(o *comfyui.Options) {
		o.LoraDir, o.LoraCache, o.Download = t.TempDir(), t.TempDir(), client.New("", "").Download
	}, c)
	if err := render(elsewhere, s.lora("fresh", 1)); code(err) != "error" || !strings.Contains(err.Error(), "does not find") {
		t.Errorf("with a folder that ComfyUI does not read: %v", err)
	}
}

// A LoRA whose digest the service knows is cached by it, and a download that differs
// from it is an error of the download, not of the LoRA.
func TestLorasAreCachedByTheirDigest(t *testing.T) {
	t.Parallel()
	file := tensors("one")
	digest := hex.EncodeToString(sum(file))
	s := newLoraServer(t, map[string][]byte{"one": file, "copy": file, "other": tensors("two"), "pickle": []byte("PK\x03\x04 not tensors at all"), "half": file[:20]})
	r, c, dir := loraRig(t, nil)
	render := func(name, digest string) error {
		k, _ := paint(t)
		l := s.lora(name, 1)
		l.SHA256 = digest
		k.Loras = []apitype.AssignmentLora{l}
		_, err := r.Render(t.Context(), k)
		return err
	}
	for _, name := range []string{"other", "pickle", "half"} {
		if err := render(name, digest); code(err) != "error" || !strings.Contains(err.Error(), "its SHA-256 is ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{"../" + digest[3:], strings.ToUpper(digest), digest[1:], "one"} {
		if err := render("one", bad); code(err) != "error" || !strings.Contains(err.Error(), "64 lower-case hexadecimal digits") {
			t.Errorf("with the digest %s: %v", bad, err)
		}
	}
	if n, names := s.count.Load(), delivered(t, dir); n != 3 || len(names) != 0 {
		t.Fatalf("fetched %d, delivered %v", n, names)
	}
	// Signed again, and as another LoRA: it is fetched once.
	for _, name := range []string{"one", "one", "copy", "nowhere"} {
		if err := render(name, digest); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := "atelier-" + digest + ".safetensors"
	if n, names := s.count.Load(), delivered(t, dir); n != 4 || len(names) != 1 || names[0] != want {
		t.Errorf("fetched %d, want 4; delivered %v, want %s", n, names, want)
	}
	if name := c.last()["atelier-lora-0-0"].Inputs["lora_name"]; name != "mine/"+want {
		t.Errorf("ComfyUI loads %v", name)
	}
	// Without a digest it is found by its address, as before, and then shares the file.
	for range 2 {
		if err := render("copy", ""); err != nil {
			t.Error(err)
		}
	}
	if n, names := s.count.Load(), delivered(t, dir); n != 5 || len(names) != 1 {
		t.Errorf("fetched %d, want 5; delivered %v", n, names)
	}
}

// ComfyUI skips weights whose names it does not know, and reports success. It gets the
// names that it knows.
func TestLorasGetTheNamesOfComfyUI(t *testing.T) {
	t.Parallel()
	content := func(file []byte) (names []string, data []byte) {
		h := must(safetensors.Read(bytes.NewReader(file), int64(len(file))))(t)
		for _, x := range h.Tensors {
			names = append(names, x.Name)
		}
		return names, file[len(file)-int(h.Tensors[len(h.Tensors)-1].End):]
	}
	peft := loratest.LoRA{Family: "krea-2", Naming: loratest.PEFT, Layers: 1, Metadata: map[string]string{"by": "me"}}.File()
	flat := loratest.LoRA{Family: "krea-2", Naming: loratest.LyCORIS, Layers: 1}.File()
	known := loratest.LoRA{Family: "krea-2", Layers: 1}.File()
	s := newLoraServer(t, map[string][]byte{"peft": peft, "flat": flat, "known": known})
	dir, cache := t.TempDir(), t.TempDir()
	c := start(t, func(c *comfy) { c.loraDir = dir })
	// A file of an earlier version, which did not rename it.
	if err := os.WriteFile(filepath.Join(cache, hex.EncodeToString(sum(peft))+".safetensors"), peft, 0o600); err != nil {
		t.Fatal(err)
	}
	for round := range int32(2) { // the second with what the first has left
		r := loraRenderer(t, c, dir, func(o *comfyui.Options) { o.LoraCache = cache })
		for n, tc := range []struct {
			name   string
			file   []byte
			digest string
			want   []string
		}{
			{"peft", peft, hex.EncodeToString(sum(peft)), []string{"transformer.transformer_blocks.0.attn.to_q.lora_A.default.weight", "transformer.transformer_blocks.0.attn.to_q.lora_B.default.weight"}},
			{"flat", flat, "", []string{"diffusion_model.blocks.0.attn.wq.lora_down.weight", "diffusion_model.blocks.0.attn.wq.lora_up.weight", "diffusion_model.blocks.0.attn.wq.alpha"}},
			{"known", known, hex.EncodeToString(sum(known)), []string{"diffusion_model.blocks.0.attn.wq.lora_A.weight", "diffusion_model.blocks.0.attn.wq.lora_B.weight"}},
		} {
			for range 2 {
				k, _ := paint(t)
				k.ModelID = krea
				l := s.lora(tc.name, 1)
				l.SHA256 = tc.digest
				k.Loras = []apitype.AssignmentLora{l}
				if _, err := r.Render(t.Context(), k); err != nil {
					t.Fatalf("%s: %v", tc.name, err)
				}
			}
			if got := s.count.Load(); got != min(3, 3*round+int32(n)+1) {
				t.Errorf("%s, round %d: %d files were fetched", tc.name, round, got)
			}
			name, _ := c.last()["atelier-lora-0-0"].Inputs["lora_name"].(string)
			placed := must(os.ReadFile(filepath.Join(dir, strings.TrimPrefix(name, "mine/"))))(t)
			names, data := content(placed)
			if _, want := content(tc.file); !slices.Equal(names, tc.want) || !bytes.Equal(data, want) {
				t.Errorf("%s: names %v, want %v, or other weights", tc.name, names, tc.want)
			}
			if tc.name == "known" && !bytes.Equal(placed, known) {
				t.Error("a file with names that ComfyUI knows was written again")
			}
		}
	}
	if n := len(delivered(t, dir)); n != 3 {
		t.Errorf("%d files were delivered, want 3", n)
	}
}

// A file of an earlier version that cannot be removed, as one that another process reads on
// some systems, is not fetched without end.
func TestALoraBesideOneThatCannotBeRemoved(t *testing.T) {
	t.Parallel()
	file := loratest.LoRA{Family: "krea-2", Naming: loratest.PEFT, Layers: 1}.File()
	digest := hex.EncodeToString(sum(file))
	s := newLoraServer(t, map[string][]byte{"peft": file})
	cache := t.TempDir()
	if err := os.MkdirAll(filepath.Join(cache, digest+".safetensors", "in use"), 0o700); err != nil {
		t.Fatal(err)
	}
	r, _, _ := loraRig(t, func(o *comfyui.Options) {
		download := o.Download
		o.LoraCache, o.Download = cache, func(ctx context.Context, url string) (io.ReadCloser, string, error) {
			if s.count.Load() > 0 {
				return nil, "", errors.New("it was fetched before")
			}
			return download(ctx, url)
		}
	})
	for range 2 {
		k, _ := paint(t)
		k.ModelID = krea
		l := s.lora("peft", 1)
		l.SHA256 = digest
		k.Loras = []apitype.AssignmentLora{l}
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	// One that cannot be stored at all goes to another worker, without a path.
	file = tensors("one")
	digest = hex.EncodeToString(sum(file))
	s = newLoraServer(t, map[string][]byte{"one": file})
	if err := os.MkdirAll(filepath.Join(cache, digest+".safetensors", "in use"), 0o700); err != nil {
		t.Fatal(err)
	}
	k, _ := paint(t)
	k.Loras = []apitype.AssignmentLora{s.lora("one", 1)}
	if _, err := r.Render(t.Context(), k); code(err) != "dropped" || !strings.Contains(err.Error(), "could not be stored: ") || strings.Contains(err.Error(), cache) {
		t.Errorf("it cannot be stored: %s, %v", code(err), err)
	}
}

// The cache keeps to its limit, but never removes files in use.
func TestTheLoraCacheIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{}
	for _, name := range []string{"a", "b", "c", "d"} {
		files[name] = append(tensors(name), make([]byte, 1000)...)
	}
	size := int64(len(files["a"]))
	s := newLoraServer(t, files)
	r, _, dir := loraRig(t, func(o *comfyui.Options) { o.LoraBytes = 2*size + 10 })
	render := func(names ...string) {
		t.Helper()
		k, _ := paint(t)
		for _, n := range names {
			k.Loras = append(k.Loras, s.lora(n, 1))
		}
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		age(t, dir)
	}
	render("a")
	render("b")
	render("a")
	render("c") // b was used longest ago
	if n := s.count.Load(); n != 3 || len(delivered(t, dir)) != 2 {
		t.Fatalf("fetched %d, delivered %v", n, delivered(t, dir))
	}
	render("a")
	if n := s.count.Load(); n != 3 {
		t.Errorf("a was evicted before b: fetched %d", n)
	}
	render("a", "b", "c", "d") // more than fits, and all in use
	if n := len(delivered(t, dir)); n != 4 {
		t.Errorf("delivered %d files to a job that uses 4", n)
	}
	render("b")
}

// Two jobs need the same LoRA at the same time: it is fetched once.
func TestALoraIsFetchedOnce(t *testing.T) {
	t.Parallel()
	s := newLoraServer(t, map[string][]byte{"one": tensors("one")})
	s.hold = make(chan struct{})
	r, _, _ := loraRig(t, nil)
	var wg sync.WaitGroup
	for range 3 {
		k, _ := paint(t)
		k.Loras = []apitype.AssignmentLora{s.lora("one", 1)}
		wg.Go(func() {
			if _, err := r.Render(t.Context(), k); err != nil {
				t.Errorf("render: %v", err)
			}
		})
	}
	<-s.asked
	// One that gives up while another fetches.
	ctx, cancel := context.WithCancel(t.Context())
	k, _ := paint(t)
	k.Loras = []apitype.AssignmentLora{s.lora("one", 1)}
	ended := make(chan error, 1)
	go func() { _, err := r.Render(ctx, k); ended <- err }()
	cancel()
	if err := await(t, ended); err == nil {
		t.Error("a cancelled job was rendered")
	}
	close(s.hold)
	wg.Wait()
	if n := s.count.Load(); n != 1 {
		t.Errorf("fetched %d times, want once", n)
	}
}

// The directory that ComfyUI reads is made when it is missing, and a start is refused
// when the path cannot be right.
func TestTheLoraDirectoryIsMade(t *testing.T) {
	t.Parallel()
	s := newLoraServer(t, map[string][]byte{"one": tensors("one")})
	parent := t.TempDir()
	dir := filepath.Join(parent, "atelier")
	c := start(t)
	r := loraRenderer(t, c, dir, nil)
	unlock := c.lock()
	c.loraDir = dir
	unlock()
	k, _ := paint(t)
	k.Loras = []apitype.AssignmentLora{s.lora("one", 1)}
	if _, err := r.Render(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{filepath.Join(parent, "models", "loras"): "there is no directory " + filepath.Join(parent, "models"), file: "--lora-dir: "} {
		_, err := comfyui.Open(t.Context(), comfyui.Options{
			Library: library(t), Dial: network.Dial, URLs: []string{c.URL}, LoraDir: path, LoraCache: t.TempDir(), Download: client.New("", "").Download,
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// ComfyUI lists a new LoRA file only after a while: it is asked again.
func TestLoraFileAppearsAfterSurvey(t *testing.T) {
	t.Parallel()
	s := newLoraServer(t, map[string][]byte{"one": tensors("one")})
	r, c, _ := loraRig(t, nil)
	unlock := c.lock()
	c.lateLoras = 2
	unlock()
	k, _ := paint(t)
	k.Loras = []apitype.AssignmentLora{s.lora("one", 1)}
	if _, err := r.Render(t.Context(), k); err != nil {
		t.Error(err)
	}
}

// What an earlier process has left behind is checked and cleaned up: a file that was
// cut short is fetched again, whether in the cache or as ComfyUI's copy.
func TestLeftoversOfTheLoraCache(t *testing.T) {
	t.Parallel()
	s := newLoraServer(t, map[string][]byte{"one": tensors("one")})
	digest := hex.EncodeToString(sum(tensors("one")))
	name := digest + ".safetensors"
	dir, cache := t.TempDir(), t.TempDir()
	c := start(t, func(c *comfy) { c.loraDir = dir })
	long, recent := time.Now().Add(-2*time.Hour), time.Now()
	unknown := strings.Repeat("ab", 32)
	for path, at := range map[string]time.Time{
		filepath.Join(cache, name):                                             recent, // cut short
		filepath.Join(cache, "dead.part"):                                      long,
		filepath.Join(cache, "alive.part"):                                     recent,
		filepath.Join(cache, strings.Repeat("cd", 32)+".key"):                  recent,
		filepath.Join(dir, "atelier-"+name):                                    recent,
		filepath.Join(dir, "atelier-"+unknown+".safetensors"):                  long,
		filepath.Join(dir, "atelier-of-a-person.safetensors"):                  long,
		filepath.Join(cache, strings.Repeat("ef", 32)+".safetensors"):          recent.Add(-40 * 24 * time.Hour),
		filepath.Join(dir, "atelier-"+strings.Repeat("ef", 32)+".safetensors"): recent,
	} {
		if err := errors.Join(os.WriteFile(path, []byte("half"), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	r := loraRenderer(t, c, dir, func(o *comfyui.Options) { o.LoraCache = cache })
	if got, want := delivered(t, dir), []string{"atelier-" + name, "atelier-of-a-person.safetensors"}; !slices.Equal(got, want) {
		t.Errorf("in ComfyUI's directory: %v, want %v", got, want)
	}
	if got, want := delivered(t, cache), []string{name, "alive.part"}; !slices.Equal(got, want) {
		t.Errorf("in the cache: %v, want %v", got, want)
	}
	for range 2 {
		k, _ := paint(t)
		l := s.lora("one", 1)
		l.SHA256 = digest
		k.Loras = []apitype.AssignmentLora{l}
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.count.Load(); n != 1 {
		t.Errorf("fetched %d times, want once", n)
	}
	placed := filepath.Join(dir, "atelier-"+name)
	if data := must(os.ReadFile(placed))(t); !bytes.Equal(data, tensors("one")) {
		t.Errorf("ComfyUI reads %q", data)
	}
	if a, b := must(os.Stat(placed))(t), must(os.Stat(filepath.Join(cache, name)))(t); !os.SameFile(a, b) {
		t.Error("it was copied, although a link is possible")
	}
	// A copy that was cut short is made again.
	if err := errors.Join(os.Remove(placed), os.WriteFile(placed, []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	k, _ := paint(t)
	k.Loras = []apitype.AssignmentLora{{ID: "one", URL: s.URL + "/one", SHA256: digest, Strength: 1}}
	if _, err := r.Render(t.Context(), k); err != nil || !bytes.Equal(must(os.ReadFile(placed))(t), tensors("one")) {
		t.Errorf("the copy was not made again: %v", err)
	}
	// A copy that a job uses is not old.
	if err := errors.Join(os.Remove(placed), os.WriteFile(placed, tensors("one"), 0o600), os.Chtimes(placed, long, long)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Render(t.Context(), k); err != nil || must(os.Stat(placed))(t).ModTime().Before(recent) {
		t.Errorf("the copy may be taken for a leftover: %v", err)
	}
}

func sum(data []byte) []byte {
	s := sha256.Sum256(data)
	return s[:]
}
