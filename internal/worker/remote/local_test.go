package remote_test

import (
	"context"
	"encoding/json"
	"image/color"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

const native = "z_image_turbo_bf16"

// local makes the renderer one of a server of the operator.
func local(o *remote.Options) { o.Local, o.Name = true, "openai-images" }

// extended is a local server with the arguments of stable-diffusion.cpp.
func extended(o *remote.Options) { o.Local, o.Extended, o.Name = true, true, "sdcpp" }

// A server of the operator gets one request for each picture, with its seed. There is no
// receipt.
func TestALocalServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeImages(t)
		k, d := task(t, "generate_image", native, map[string]any{"prompt": "a fox", "width": 1024.0, "height": 512.0, "negativePrompt": "dogs", "guidance": 3.0}, pngs(2))
		k.SafeContentFilter = false
		var said []string
		k.Report = func(_ float64, message string) { said = append(said, message) }
		out, err := open(t, s.URL, native, nil, local).Render(t.Context(), k)
		if err != nil || len(out) != 2 || out[1].Seed != 8 || out[1].ID != "a1" || !reflect.DeepEqual(out[0].Metadata["unusedArguments"], []string{"guidance"}) {
			t.Fatalf("got %+v, %v", out, err)
		}
		for i, seed := range []string{"7", "8"} {
			want := jsonOf(t, `{"model":"acme-1","prompt":"a fox","n":1,"size":"1024x512","output_format":"png","negative_prompt":"dogs","seed":`+seed+`}`)
			if !reflect.DeepEqual(any(s.bodies[i]), want) {
				t.Errorf("the body: %v, want %v", s.bodies[i], want)
			}
		}
		if d.last() != "" || strings.Contains(strings.Join(said, " "), "vendor") {
			t.Errorf("the receipt %s, the progress %q", d.last(), said)
		}
		k.Loras = []apitype.AssignmentLora{{ID: "x"}}
		if _, err := open(t, s.URL, native, nil, local).Render(t.Context(), k); verdict(err) != "error" || err.Error() != "The image server does not load LoRAs." {
			t.Errorf("a LoRA: %v", err)
		}
	})
}

// stable-diffusion.cpp takes more arguments inside the prompt. A caller cannot.
func TestStableDiffusionCpp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeImages(t)
		k, _ := task(t, "generate_image", native, map[string]any{
			"prompt": `a fox <sd_cpp_extra_args>{"sample_params":{"sample_steps":100000}}</sd_cpp_extra_args>`, "negativePrompt": "</sd_cpp_extra_args>", "guidance": 3.5, "starting_image_strength": 0.25,
		}, pngs(1))
		if _, err := open(t, s.URL, native, nil, extended).Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		text, _ := s.bodies[0]["prompt"].(string)
		words, block, _ := strings.Cut(text, " <sd_cpp_extra_args>")
		block, rest, _ := strings.Cut(block, "</sd_cpp_extra_args>")
		var got any
		if err := json.Unmarshal([]byte(block), &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := jsonOf(t, `{"seed":7,"negative_prompt":"</sd_cpp_extra_args>","sample_params":{"guidance":{"txt_cfg":3.5}},"strength":0.75}`)
		if !reflect.DeepEqual(got, want) || rest != "" || strings.Contains(words, "<sd_cpp") || s.bodies[0]["size"] != nil {
			t.Errorf("the prompt: %s, the size: %v", text, s.bodies[0]["size"])
		}
		// Nor does a caller name a LoRA of the worker.
		tag := "a fox <lora:../../secret:1> <<lora:lora:x:1> < LoRA :y:2> <lo<lora:ra:z:1>"
		k, _ = task(t, "generate_image", native, map[string]any{"prompt": tag, "negativePrompt": tag}, pngs(1))
		if _, err := open(t, s.URL, native, nil, extended).Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if text, _ := s.bodies[1]["prompt"].(string); !strings.HasPrefix(text, "a fox lora ../../secret:1> <lora lora:x:1> lora y:2> <lolora ra:z:1> <sd_cpp") || strings.Contains(text, "lora:..") {
			t.Errorf("the prompt with LoRAs: %s", text)
		}
		if _, err := open(t, s.URL, native, nil, local).Render(t.Context(), k); err != nil || s.bodies[2]["prompt"] != tag {
			t.Errorf("another server got %v, %v", s.bodies[2]["prompt"], err)
		}
		// The mask is white where the picture is to be changed, as well as transparent.
		k, _ = task(t, "edit_image", native, map[string]any{"prompt": "a hat"}, pngs(1),
			"sourceImageIndex", pngFile(t, 8, 8, color.Black), "mask_image_url", pngFile(t, 8, 8, color.White))
		if _, err := open(t, s.URL, native, nil, extended).Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if c := color.NRGBAModel.Convert(s.mask.At(4, 4)); c != (color.NRGBA{255, 255, 255, 0}) {
			t.Errorf("the mask: %v", c)
		}
		if form := s.forms[0]; len(form["image[]"]) != 1 || !strings.Contains(form["prompt"][0], `"seed":7`) {
			t.Errorf("the form: %v", form)
		}
	})
}

func TestLocalTrouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before     func(http.ResponseWriter, int) bool
		want, says string
	}{
		"refused":       {respond(400, `{"error":"invalid params"}`), "error", "The image server failed to render it: invalid params."},
		"failed":        {respond(500, `{"error":"generate_image returned no results"}`), "error", "generate_image returned no results."},
		"broke":         {respond(500, `{"error":"server_error","message":"bad alloc"}`), "error", "bad alloc."},
		"out of memory": {respond(500, `{"error":{"message":"CUDA out of memory"}}`), "out_of_memory", "CUDA out of memory."},
		"hangs up":      {hangUp, "dropped", "the image server"},
		"busy":          {respond(503, ``), "dropped", "The image server is overloaded: the image server answered with status 503."},
		"a gateway":     {respond(502, ``), "dropped", "status 502"},
		"not an answer": {respond(200, `hello`), "dropped", "cannot be read: the image server did not answer the request for pictures as it should: it sent text that is not JSON (hello)"},
		"too late":      {nil, "dropped", "did not answer in time"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeImages(t)
			s.before = c.before
			k, _ := task(t, "generate_image", native, map[string]any{"prompt": "x"}, pngs(1))
			r := open(t, s.URL, native, nil, local, func(o *remote.Options) {
				if c.before == nil {
					o.Timeout = 50 * time.Millisecond
				}
			})
			if c.before == nil {
				hold := make(chan struct{})
				t.Cleanup(func() { close(hold) })
				s.before = func(http.ResponseWriter, int) bool { <-hold; return true }
			}
			_, err := r.Render(t.Context(), k)
			if verdict(err) != c.want || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "vendor") {
				t.Errorf("got %s %v, want %s %q", verdict(err), err, c.want, c.says)
			}
		})
	}
}

// A cancelled job does not wait for the server.
func TestALocalRenderIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeImages(t)
		ctx, cancel := context.WithCancel(t.Context())
		hold := make(chan struct{})
		t.Cleanup(func() { close(hold) })
		s.before = func(http.ResponseWriter, int) bool { cancel(); <-hold; return true }
		k, _ := task(t, "generate_image", native, map[string]any{"prompt": "x"}, pngs(1))
		if _, err := open(t, s.URL, native, nil, local, func(o *remote.Options) { o.Timeout = time.Hour }).Render(ctx, k); err != context.Canceled {
			t.Errorf("got %v", err)
		}
	})
}

// Await returns when the server answers, and when it is no longer wanted.
func TestAwait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeImages(t) // it has no /v1/models: any answer is enough
		if err := open(t, s.URL, native, nil, local).Await(t.Context()); err != nil {
			t.Error(err)
		}
		away := open(t, "http://127.0.0.1:1", native, nil, local, func(o *remote.Options) { o.RetryFor = time.Millisecond })
		k, _ := task(t, "generate_image", native, map[string]any{"prompt": "x"}, pngs(1))
		if _, err := away.Render(t.Context(), k); verdict(err) != "dropped" || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("a customer reads %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := away.Await(ctx); err == nil {
			t.Error("a server that is away has answered")
		}
	})
}
