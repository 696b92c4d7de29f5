package comfyui_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

const turbo = "z_image_turbo_bf16"

// open makes a renderer with short intervals.
func open(t *testing.T, more func(*comfyui.Options), instances ...*comfy) *comfyui.Renderer {
	t.Helper()
	o := comfyui.Options{Library: library(t), Dial: network.Dial, Patience: time.Minute, Sweep: 200 * time.Millisecond, Retry: 10 * time.Millisecond}
	for _, c := range instances {
		o.URLs = append(o.URLs, c.URL)
	}
	if more != nil {
		more(&o)
	}
	r, err := comfyui.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// own are the program's graphs, read once for all tests.
var own = sync.OnceValues(func() (*comfyui.Library, error) { return comfyui.LoadLibrary("") })

func library(t *testing.T) *comfyui.Library {
	t.Helper()
	return must(own())(t)
}

// progressLog is what a job reported.
type progressLog struct {
	mu       sync.Mutex
	progress []float64
	messages []string
}

func (d *progressLog) report(p float64, m string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.progress, d.messages = append(d.progress, p), append(d.messages, m)
}

func (d *progressLog) check(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.IsSorted(d.progress) {
		t.Errorf("progress went back: %v", d.progress)
	}
	if len(d.progress) == 0 || d.progress[len(d.progress)-1] < 0.9 || d.progress[len(d.progress)-1] > 1 {
		t.Errorf("progress ended at %v, want nearly 1", d.progress)
	}
}

// task is a job for artifacts of the given types.
func task(t *testing.T, tool, model string, args map[string]any, types ...string) (worker.Task, *progressLog) {
	t.Helper()
	d := &progressLog{}
	k := worker.Task{
		Assignment: apitype.Assignment{JobID: "job", ToolName: tool, ModelID: model, Arguments: args, Seed: 41},
		Folder:     t.TempDir(), Files: map[string]string{}, Report: d.report,
	}
	for i, contentType := range types {
		k.Artifacts = append(k.Artifacts, apitype.AssignmentArtifact{ID: string(rune('a' + i)), Kind: filetype.Kind(contentType), ContentType: contentType})
	}
	return k, d
}

func paint(t *testing.T) (worker.Task, *progressLog) {
	t.Helper()
	return task(t, "generate_image", turbo, map[string]any{"prompt": "a lighthouse", "width": 256.0, "height": 320.0}, "image/png")
}

// code is that of a failure.
func code(err error) string {
	var f *worker.Failure
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}

// last is the graph of the newest prompt.
func (c *comfy) last() map[string]graphNode {
	defer c.lock()()
	if c.running != nil {
		return c.running.graph
	}
	var newest map[string]graphNode
	number := -1
	for _, h := range c.history {
		if p := h.(map[string]any)["prompt"].([]any); p[0].(int) > number {
			number = p[0].(int)
			newest = nil
			if err := jsonInto(p[2], &newest); err != nil {
				c.t.Errorf("history: %v", err)
			}
		}
	}
	return newest
}

func TestAPictureIsRendered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := make(chan string, 10)
		var previews []string
		c := start(t, func(c *comfy) {
			c.step = func(p *prompt, _ string, n int) {
				if n == 1 {
					return
				}
				select { // the step before sent one
				case s := <-seen:
					previews = append(previews, s)
				case <-p.gone:
				}
			}
		})
		r := open(t, nil, c)
		k, d := paint(t)
		k.Preview = func(artifact, contentType string, picture []byte) {
			seen <- artifact + " " + contentType + " " + string(picture[4:])
		}
		k.Arguments["negativePrompt"], k.Arguments["guidance"], k.Arguments["gptImageQuality"] = "fog", 1.5, "high"
		out, err := r.Render(t.Context(), k)
		if err != nil || len(out) != 1 {
			t.Fatalf("render: %+v, %v", out, err)
		}
		if o := out[0]; o.ID != "a" || o.Width != 256 || o.Height != 320 || o.Seed != 41 || o.Metadata["graph"] != "z_image" {
			t.Errorf("output: %+v", o)
		}
		if got := out[0].Metadata["unusedArguments"]; !slices.Equal(got.([]string), []string{"gptImageQuality"}) {
			t.Errorf("unused: %v", got)
		}
		data, err := os.ReadFile(out[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() != 256 {
			t.Errorf("the picture: %v", err)
		}
		d.check(t)
		g := c.last()
		if in := g["sampler"].Inputs; in["seed"] != 41.0 || in["cfg"] != 1.5 || in["steps"] != 8.0 || in["denoise"] != 1.0 {
			t.Errorf("sampler: %v", in)
		}
		if g["positive"].Inputs["text"] != "a lighthouse" || g["negative"].Inputs["text"] != "fog" {
			t.Errorf("texts: %v, %v", g["positive"].Inputs, g["negative"].Inputs)
		}
		if want := []string{"a image/jpeg preview 1", "a image/jpeg preview 2", "a image/jpeg preview 3"}; !slices.Equal(previews, want) {
			t.Errorf("previews: %q, want %q", previews, want)
		}
		for _, gone := range []string{"source", "fitted", "begun", "save_webp"} {
			if _, there := g[gone]; there {
				t.Errorf("the prompt holds node %s, which it does not need", gone)
			}
		}
	})
}

// Several artifacts are several prompts, each with its own seed.
func TestSeveralArtifacts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		r := open(t, nil, c)
		k, d := task(t, "generate_image", turbo, map[string]any{"prompt": "x", "width": 256.0, "height": 256.0}, "image/png", "image/jpeg", "image/webp")
		out, err := r.Render(t.Context(), k)
		if err != nil || len(out) != 3 {
			t.Fatalf("render: %+v, %v", out, err)
		}
		d.check(t)
		for i, o := range out {
			data, err := os.ReadFile(o.Path)
			if err != nil {
				t.Fatal(err)
			}
			if got := filetype.Detect(data); got != k.Artifacts[i].ContentType || o.Seed != int64(41+i) || o.Width != 256 {
				t.Errorf("artifact %d: %s, %+v", i, got, o)
			}
		}
		if _, err := jpeg.Decode(must(os.Open(out[1].Path))(t)); err != nil {
			t.Errorf("the JPEG: %v", err)
		}
		if g := c.last(); g["save_webp"].Class != "SaveAnimatedWEBP" || g["sampler"].Inputs["seed"] != 43.0 {
			t.Errorf("the last prompt: %v", g)
		}
	})
}

// An order that cannot be rendered is refused before anything is rendered.
func TestRefusedBeforeRendering(t *testing.T) {
	t.Parallel()
	c := start(t)
	r := open(t, nil, c)
	image := photo(t)
	for name, tc := range map[string]struct {
		tool, model, contentType, want string
		args                           map[string]any
		files                          map[string]string
	}{
		"a tool":               {tool: "image_to_3d", model: turbo, contentType: "model/gltf-binary", want: "has no graph"},
		"a type":               {tool: "generate_image", model: turbo, contentType: "image/gif", want: "makes image/png, image/webp, not image/gif"},
		"no prompt":            {tool: "generate_image", model: turbo, args: map[string]any{"prompt": ""}, want: "prompt is missing"},
		"a text for number":    {tool: "generate_image", model: turbo, args: map[string]any{"prompt": "x", "guidance": "much"}, want: "guidance must be a number"},
		"a bad ratio":          {tool: "generate_image", model: turbo, args: map[string]any{"prompt": "x", "aspectRatio": "99:1"}, want: "aspectRatio must be a ratio"},
		"an input too many":    {tool: "generate_image", model: turbo, files: map[string]string{"mask_image_url": image}, want: "no place for the input mask_image_url"},
		"a song for a picture": {tool: "generate_image", model: turbo, files: map[string]string{"sourceImageIndex": song(t)}, want: "must be of the kind image, not audio/mpeg"},
		"an input too few":     {tool: "edit_image", model: "qwen_image_edit_2511_fp8", want: "needs the input sourceImageIndex"},
		"points":               {tool: "segment_image", model: "sam3_image_segment_bf16", args: map[string]any{"prompt": "x", "text": "cat", "points": []any{1.0}}, files: map[string]string{"sourceImageIndex": image}, want: "does not take points"},
		"a role":               {tool: "animate_photo", model: "ltx25-22b-int8_i2v_distilled", contentType: "video/mp4", args: map[string]any{"prompt": "x", "frameRole": "end"}, files: map[string]string{"sourceImageIndex": image}, want: "only as start"},
		"LoRAs where none go":  {tool: "generate_music", model: "minimax_music3", contentType: "audio/wav", want: "loads no LoRAs"},
	} {
		inBubble(t, name, func(t *testing.T) {
			if tc.contentType == "" {
				tc.contentType = "image/png"
			}
			if tc.args == nil {
				tc.args = map[string]any{"prompt": "x"}
			}
			k, _ := task(t, tc.tool, tc.model, tc.args, tc.contentType)
			k.Files = tc.files
			if strings.HasPrefix(name, "LoRAs") {
				k.Loras = []apitype.AssignmentLora{{ID: "l", URL: "http://127.0.0.1/l"}}
			}
			if _, err := r.Render(t.Context(), k); code(err) != "error" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	t.Cleanup(func() {
		if n := c.called("POST /prompt"); n != 0 {
			t.Errorf("%d prompts were queued", n)
		}
	})
}

// A starting picture is uploaded and changes the graph.
func TestAStartingPicture(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		r := open(t, nil, c)
		k, _ := task(t, "generate_image", turbo, map[string]any{"prompt": "x", "starting_image_strength": 0.8, "width": 256.0, "height": 256.0}, "image/png")
		k.Files["sourceImageIndex"] = photo(t)
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		g := c.last()
		if l, _ := g["sampler"].Inputs["latent_image"].([]any); len(l) != 2 || l[0] != "begun" {
			t.Errorf("the sampler starts from %v", g["sampler"].Inputs["latent_image"])
		}
		if got := g["sampler"].Inputs["denoise"].(float64); got < 0.19 || got > 0.21 {
			t.Errorf("denoise: %v, want 0.2", got)
		}
		name, _ := g["source"].Inputs["image"].(string)
		if !strings.HasPrefix(name, "atelier/") || !strings.HasSuffix(name, ".png [temp]") {
			t.Errorf("the picture is called %q", name)
		}
		if _, there := g["latent"]; there {
			t.Error("the empty canvas is still in the prompt")
		}
	})
}

// A key goes to ComfyUI in the spelling that its node lists; one that the node does not have
// fails the job before anything is rendered.
func TestKeysAreSpelledAsTheNodeListsThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, func(c *comfy) {
			c.nodes["TextEncodeAceStepAudio1.5"]["required"].(map[string]any)["keyscale"] = []any{
				"COMBO", map[string]any{"options": []any{"C major", "C# major", "Db major", "F# minor", "C minor", "Bb minor", "Bb major"}}}
		})
		r := open(t, nil, c)
		render := func(key any) error {
			k, _ := task(t, "generate_music", "ace_step_1.5_turbo", map[string]any{"prompt": "piano", "keyscale": key}, "audio/wav")
			_, err := r.Render(t.Context(), k)
			return err
		}
		for key, want := range map[any]string{"c minor": "C minor", "Cm": "C minor", "F♯ min": "F# minor", "Db maj": "Db major", "B flat major": "Bb major", "A# minor": "Bb minor", "": "C major"} {
			if err := render(key); err != nil {
				t.Errorf("%s: %v", key, err)
			} else if got := c.last()["positive"].Inputs["keyscale"]; got != want {
				t.Errorf("%s became %v, want %s", key, got, want)
			}
		}
		before := c.called("POST /prompt")
		for _, key := range []string{"D dorian", "A minor", "sad"} {
			want := "the argument keyscale cannot be " + key + " here; it can be C major, C# major, Db major, F# minor, C minor, Bb minor, Bb major"
			if err := render(key); code(err) != "error" || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", key, err, want)
			}
		}
		if n := c.called("POST /prompt"); n != before {
			t.Errorf("%d prompts were sent for keys that the node does not have", n-before)
		}
	})
}

func TestSoundIsDecoded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		r := open(t, nil, c)
		k, _ := task(t, "generate_music", "ace_step_1.5_turbo", map[string]any{"prompt": "piano", "duration": 30.0, "bpm": 99.6, "timesig": 3.0, "keyscale": "A minor"}, "audio/wav")
		out, err := r.Render(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(out[0].Path)
		if filetype.Detect(data) != "audio/wav" || len(data) != 44+44100*4 || out[0].DurationSeconds != 1 {
			t.Errorf("%d bytes of %s, %v s", len(data), filetype.Detect(data), out[0].DurationSeconds)
		}
		if in := c.last()["positive"].Inputs; in["bpm"] != 100.0 || in["timesignature"] != "3" || in["keyscale"] != "A minor" || in["lyrics"] != "[Instrumental]" || in["seed"] != 41.0 {
			t.Errorf("inputs: %v", in)
		}
	})
}

// Composing is most of the time of a song, and of its progress.
func TestTheProgressOfASong(t *testing.T) {
	t.Parallel()
	for model, least := range map[string]float64{"ace_step_1.5_turbo": 0.25, "minimax_music3": 0.35} {
		inBubble(t, model, func(t *testing.T) {
			k, d := task(t, "generate_music", model, map[string]any{"prompt": "piano"}, "audio/mpeg")
			seen := make(chan float64, 100)
			report := k.Report
			k.Report = func(p float64, m string) {
				report(p, m)
				if strings.Contains(m, "Composing") && strings.HasSuffix(m, " 2/4") {
					seen <- p
				}
			}
			half := 0.0
			c := start(t, func(c *comfy) {
				c.step = func(p *prompt, class string, n int) {
					if strings.Contains(class, "TextEncode") && n == 3 {
						select {
						case half = <-seen:
						case <-p.gone:
						}
					}
				}
			})
			if _, err := open(t, nil, c).Render(t.Context(), k); err != nil {
				t.Fatal(err)
			}
			d.check(t)
			if half < least || half > 0.5 {
				t.Errorf("half of the composing is %.2f of the progress, want at least %.2f", half, least)
			}
		})
	}
}

// The words of a selection say how many objects are found.
func TestSelectionsCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			text  string
			limit any
			want  string
		}{
			{"boat", nil, "boat:200"}, {"boat", 5.0, "boat:5"}, {"the red car , dog,", nil, "the red car:200, dog:200"},
			{"boat, dog", 5.0, "boat:3, dog:2"}, {"boat:5", nil, "boat:5"}, {"boat : 9, dog", 4.0, "boat:2, dog:2"}, {"boat:0", nil, "boat:1"},
		} {
			if got, err := comfyui.CountEach(tc.text, tc.limit); err != nil || got != tc.want {
				t.Errorf("%q, %v: %q, %v, want %q", tc.text, tc.limit, got, err, tc.want)
			}
		}
		c := start(t)
		r := open(t, nil, c)
		for _, tc := range []struct {
			args map[string]any
			want string
		}{
			{map[string]any{"text": "boat", "maxInstances": 3.0}, ""}, {map[string]any{"text": "boat, dog", "maxInstances": 1.0, "applyMask": true}, "names 2 things, which is more than the 1"},
			{map[string]any{"text": " , "}, "names nothing"},
		} {
			k, _ := task(t, "segment_image", "sam3_image_segment_bf16", tc.args, "image/png")
			k.Files["sourceImageIndex"] = photo(t)
			out, err := r.Render(t.Context(), k)
			if tc.want != "" {
				if code(err) != "error" || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v: %v, want %q", tc.args, err, tc.want)
				}
				continue
			}
			if err != nil || c.last()["words"].Inputs["text"] != "boat:3" || out[0].Metadata["unusedArguments"] != nil {
				t.Errorf("%v: %+v, %v; the words are %v", tc.args, out, err, c.last()["words"].Inputs["text"])
			}
		}
	})
}

// A selection that finds nothing fails the job, as on the CPU renderer: an empty mask is no
// result to pay for.
func TestAnEmptySelectionFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		r := open(t, nil, c)
		frame := image.Rect(0, 0, 8, 8)
		black, dot, around, shadow := image.NewRGBA(frame), image.NewRGBA(frame), image.NewNRGBA(frame), image.NewNRGBA(frame)
		for y := range 8 {
			for x := range 8 {
				black.Set(x, y, color.Black)
				dot.Set(x, y, color.Black)
				around.Set(x, y, color.NRGBA{R: 0x80, G: 0x40}) // what is not selected keeps its colour
			}
		}
		dot.Set(7, 7, color.White)
		shadow.Set(3, 3, color.Black)
		for name, tc := range map[string]struct {
			made    image.Image
			isMask  bool
			isEmpty bool
		}{
			"a black mask":                {black, true, true},
			"a gray mask":                 {image.NewGray(frame), true, true},
			"a mask of one pixel":         {dot, true, false},
			"a transparent cut-out":       {around, false, true},
			"a cut-out of a black object": {shadow, false, false},
		} {
			unlock := c.lock()
			c.extra = map[string][]byte{"SaveImage": encodePNG(tc.made)}
			unlock()
			k, _ := task(t, "segment_image", "sam3_image_segment_bf16", map[string]any{"text": "boat, dog", "applyMask": !tc.isMask}, "image/png")
			k.Files["sourceImageIndex"] = photo(t)
			_, err := r.Render(t.Context(), k)
			var f *worker.Failure
			switch {
			case !tc.isEmpty && err != nil:
				t.Errorf("%s: %v", name, err)
			case tc.isEmpty && (!errors.As(err, &f) || f.Code != "error" || f.Retryable || f.Message != `Nothing in the picture matches "boat, dog".`):
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A cancel during a render removes the prompt from ComfyUI before Render returns,
// within two seconds.
func TestCancelStopsThePrompt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := make(chan struct{}, 100)
		c := start(t, func(c *comfy) {
			c.steps = 1000
			c.step = func(p *prompt, _ string, n int) {
				began <- struct{}{}
				select {
				case <-p.stop:
				case <-p.gone:
				}
			}
		})
		r := open(t, nil, c)
		ctx, cancel := context.WithCancel(t.Context())
		k, _ := paint(t)
		ended := make(chan error, 1)
		go func() { _, err := r.Render(ctx, k); ended <- err }()
		<-began
		// Another job is queued after it, and must not be affected.
		other, _ := paint(t)
		waiting, stop := context.WithCancel(t.Context())
		ended2 := make(chan error, 1)
		go func() { _, err := r.Render(waiting, other); ended2 <- err }()
		c.until("the second prompt is queued", func() bool { return len(c.queue) == 1 })

		stop() // the one that waits
		if err := <-ended2; !errors.Is(err, context.Canceled) {
			t.Errorf("the waiting job ended with %v", err)
		}
		unlock := c.lock()
		if len(c.queue) != 0 || c.running == nil {
			t.Errorf("queue: %d, running: %v; want only the first to run", len(c.queue), c.running != nil)
		}
		unlock()
		if n := c.called("POST /interrupt"); n != 0 {
			t.Errorf("%d interrupts for a prompt that was waiting", n)
		}

		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the job ended with %v", err)
		}
		if !c.idle() {
			t.Error("ComfyUI still has a prompt")
		}
	})
}

// A cancel while the prompt is being queued leaves nothing behind, not even
// when ComfyUI answers late.
func TestCancelWhileQueueing(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"before the job has ended": false, "after it": true} {
		inBubble(t, name, func(t *testing.T) {
			posted, answer := make(chan struct{}, 1), make(chan struct{})
			c := start(t, func(c *comfy) {
				c.steps = 1000
				c.step = func(p *prompt, _ string, _ int) {
					select {
					case <-p.stop:
					case <-p.gone:
					}
				}
				c.before = func(r *http.Request) {
					if r.Method == "POST" && r.URL.Path == "/prompt" {
						posted <- struct{}{}
						<-answer
					}
				}
			})
			r := open(t, nil, c)
			ctx, cancel := context.WithCancel(t.Context())
			k, _ := paint(t)
			ended := make(chan error, 1)
			go func() { _, err := r.Render(ctx, k); ended <- err }()
			<-posted
			cancel()
			if !late {
				close(answer)
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			if late {
				close(answer)
			}
			r.Close()
			if c.called("POST /prompt") != 1 || !c.idle() {
				t.Error("a prompt was left behind")
			}
		})
	}
}

func song(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "song")
	if err := os.WriteFile(path, []byte("ID3\x04 la la la"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func photo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "photo")
	if err := os.WriteFile(path, picture(96, 64), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
