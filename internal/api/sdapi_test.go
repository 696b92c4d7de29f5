package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// webUIClient is a client of AUTOMATIC1111's API: its key is a password.
type webUIClient struct {
	t   *testing.T
	url string
	key string
}

func (c webUIClient) send(method, path, contentType, body string) (*http.Response, string) {
	c.t.Helper()
	req := newRequest(c.t, method, c.url+"/sdapi/v1/"+path, []byte(body))
	req.SetBasicAuth("user", c.key)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp, string(text)
}

// do sends a request that succeeds, and reads its answer.
func (c webUIClient) do(method, path, body string, out any) {
	c.t.Helper()
	contentType := ""
	if body != "" {
		contentType = "application/json"
	}
	resp, text := c.send(method, path, contentType, body)
	if resp.StatusCode != 200 {
		c.t.Fatalf("%s %s: got %d %.500s", method, path, resp.StatusCode, text)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(text), out); err != nil {
			c.t.Fatalf("%s %s: %v in %.500s", method, path, err, text)
		}
	}
}

// webUIReply is what clients read of an answer.
type webUIReply struct {
	Images [][]byte
	Info   string
}

// webUIInfo is what clients read of what pictures were made with.
type webUIInfo struct {
	Seeds   []int64  `json:"all_seeds"`
	Texts   []string `json:"infotexts"`
	Model   string   `json:"sd_model_name"`
	Ignored []string
}

func (r webUIReply) info(t *testing.T) (i webUIInfo) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.Info), &i); err != nil {
		t.Fatal(err)
	}
	return i
}

// named is an entry of a list.
type named struct {
	Name  string
	Title string
	Model string `json:"model_name"`
}

// The requests that SillyTavern and Open WebUI send, in their order, make pictures.
func TestClientsOfTheWebUI(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Workers.Embedded = true })
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	c := webUIClient{t, s.URL, ann.Key}

	// SillyTavern connects: it reads options, and the lists of its settings.
	var options struct {
		Checkpoint string `json:"sd_model_checkpoint"`
	}
	c.do("GET", "options", "", &options)
	var models, upscalers []named
	c.do("GET", "sd-models", "", &models)
	c.do("GET", "upscalers", "", &upscalers)
	for _, list := range []string{"samplers", "schedulers", "latent-upscale-modes", "sd-vae", "sd-modules"} {
		c.do("GET", list, "", &[]named{})
	}
	titles := map[string]bool{}
	for _, m := range models {
		if titles[m.Title] {
			t.Errorf("two checkpoints have the title %s", m.Title)
		}
		titles[m.Title] = true
	}
	if !titles[options.Checkpoint] || upscalers[0].Name != "None" {
		t.Fatalf("got the checkpoint %q of %v, and the upscalers %v", options.Checkpoint, models, upscalers)
	}
	// It sets the model, and waits until nothing is loaded.
	c.do("POST", "options", `{"sd_model_checkpoint": "Chroma1 HD"}`, nil)
	var idle struct {
		Progress float64
		State    struct {
			Jobs *int `json:"job_count"`
		}
	}
	if c.do("GET", "progress", "", &idle); idle.Progress != 0 || idle.State.Jobs == nil || *idle.State.Jobs != 0 {
		t.Errorf("idle: got %+v", idle)
	}
	var made webUIReply
	c.do("POST", "txt2img", fmt.Sprintf(`{"url": %q, "auth": "user:secret", "prompt": "best quality, a fox", "negative_prompt": "lowres, bad anatomy", "sampler_name": "Euler a",
		"scheduler": "karras", "steps": 20, "cfg_scale": 7, "width": 512, "height": 512, "restore_faces": false, "enable_hr": false, "hr_upscaler": "Latent", "hr_scale": 2,
		"denoising_strength": 0.7, "hr_second_pass_steps": 0, "override_settings": {"CLIP_stop_at_last_layers": 1}, "override_settings_restore_afterwards": true,
		"clip_skip": 1, "save_images": true, "send_images": true, "do_not_save_grid": false, "do_not_save_samples": false}`, s.URL), &made)
	info := made.info(t)
	if len(made.Images) != 1 || info.Model != "Chroma1 HD" || !slices.Contains(info.Ignored, "steps") || slices.Contains(info.Ignored, "hr_scale") {
		t.Errorf("SillyTavern: got %d pictures, %s", len(made.Images), made.Info)
	}

	// Open WebUI reads all options and sends them back with its model, if that is another.
	var all map[string]any
	c.do("GET", "options", "", &all)
	all["sd_model_checkpoint"] = "Z-Image Turbo"
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	c.do("POST", "options", string(body), nil)
	c.do("POST", "txt2img", `{"prompt": "a füchs", "batch_size": 2, "width": 512, "height": 512, "steps": 50, "negative_prompt": "red"}`, &made)
	info = made.info(t)
	if len(made.Images) != 2 || len(info.Seeds) != 2 || info.Seeds[1] != info.Seeds[0]+1 || info.Model != "Z-Image Turbo" {
		t.Fatalf("Open WebUI: got %d pictures, %s", len(made.Images), made.Info)
	}
	// Its pictures are PNGs of that size that carry the text, which png-info reads.
	for i, file := range made.Images {
		img, err := png.Decode(bytes.NewReader(file))
		if err != nil || img.Bounds().Dx() != 512 {
			t.Fatalf("got %v, %v", img, err)
		}
		want := fmt.Sprintf("a füchs\nNegative prompt: red\nSteps: 50, Sampler: Euler a, CFG scale: 7, Seed: %d, Size: 512x512, Model: Z-Image Turbo, Ignored: \"cfg_scale, steps\", Version: atelier", info.Seeds[i])
		if bytes.Count(file, []byte("tEXtparameters\x00")) != 1 || bytes.Contains(file, []byte("iTXtparameters")) || info.Texts[i] != want {
			t.Errorf("got the text %q, want %q", info.Texts[i], want)
		}
		var read struct {
			Info       string
			Parameters map[string]string
		}
		if c.do("POST", "png-info", fmt.Sprintf(`{"image": %q}`, base64.StdEncoding.EncodeToString(file)), &read); read.Info != want || read.Parameters["Steps"] != "50" || read.Parameters["Size-1"] != "512" || read.Parameters["Prompt"] != "a füchs" {
			t.Errorf("png-info: got %+v", read)
		}
	}
}

// Progress and interrupt are those of the account, and of what this API has started.
func TestInterruptIsPerAccount(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		h := openStudio(t, o)
		ann, bob := h.artist(t), h.artist(t)
		begin := func(h studio) chan answer {
			answered := make(chan answer, 1)
			go func() {
				answered <- h.raw("POST", "/sdapi/v1/txt2img", `{"prompt": "a fox", "width": 256, "height": 256}`)
			}()
			return answered
		}
		var seen struct {
			Progress float64
			Current  []byte `json:"current_image"`
		}
		progress := func(h studio) float64 {
			webUIClient{t, h.s.URL, h.key}.do("GET", "progress", "", &seen)
			return seen.Progress
		}
		anns := begin(ann)
		annsJob := h.worker.Claim(t)
		wil := client{t, h.s, h.wil}
		var preview form
		wil.do("GET", fmt.Sprintf("/v2/image/uploadUrl?type=preview&jobId=%s&imageId=%s&contentType=image/png", annsJob.ProjectID, annsJob.Artifacts[0].ID), "", 200, &preview)
		if status, text := wil.post(preview, "image/png", picture(8, 8)); status != 204 {
			t.Fatalf("the preview: got %d %s", status, text)
		}
		wil.do("POST", fmt.Sprintf("/v1/worker/sessions/%s/jobs/%s/progress", h.worker.ID, annsJob.JobID), `{"progress": 0.5}`, 200, nil)
		if got := progress(ann); got != 0.5 || !bytes.Equal(seen.Current, picture(8, 8)) {
			t.Errorf("got the progress %v with a preview of %d bytes, want 0.5 and the picture", got, len(seen.Current))
		}
		bobsOther, _ := bob.workflow("a hen")
		if got := progress(bob); got != 0 {
			t.Errorf("a workflow of another protocol: got the progress %v, want 0", got)
		}
		bobs := begin(bob)
		bobsJobs := []string{h.worker.Claim(t).ToolName, h.worker.Claim(t).ToolName}
		if a, b := progress(ann), progress(bob); a <= 0 || b <= 0 || len(bobsJobs) != 2 {
			t.Errorf("got the progress %v and %v, want both above 0", a, b)
		}
		webUIClient{t, h.s.URL, bob.key}.do("POST", "interrupt", "", nil)
		if a := <-bobs; a.status != 409 || !strings.Contains(a.body, `"detail":`) {
			t.Errorf("the interrupted request: got %d %s", a.status, a.body)
		}
		if got := progress(bob); got != 0 {
			t.Errorf("after the interrupt: got the progress %v, want 0", got)
		}
		var other struct {
			Workflow struct{ Status atelier.Status }
		}
		if bob.do("GET", workflows+"/"+bobsOther, "", 200, &other); other.Workflow.Status.Terminal() {
			t.Errorf("the workflow of another protocol is %s", other.Workflow.Status)
		}
		if progress(ann) <= 0 {
			t.Error("the interrupt has ended what another account makes")
		}
		h.worker.CompleteAsOrdered(t, annsJob)
		if a := <-anns; a.status != 200 {
			t.Errorf("the other account: got %d %.300s", a.status, a.body)
		}
	})
}

// The key is the password under this prefix alone. A page of another origin cannot spend with a password that the
// browser knows: it cannot send JSON without being allowed to.
func TestPasswordIsTheKey(t *testing.T) {
	t.Parallel()
	h := openStudio(t, storetest.SQLite(t)).artist(t)
	c := webUIClient{t, h.s.URL, h.key}
	c.do("GET", "options", "", nil)
	if resp, text := c.send("POST", "txt2img", "", `{"prompt": "a fox"}`); resp.StatusCode != 415 {
		t.Errorf("without a type: got %d %s", resp.StatusCode, text)
	}
	c.key = "wrong"
	if resp, text := c.send("GET", "options", "", ""); resp.StatusCode != 401 || resp.Header.Get("WWW-Authenticate") != `Basic realm="atelier"` || !strings.Contains(text, `"detail":`) {
		t.Errorf("a wrong password: got %d %v %s", resp.StatusCode, resp.Header, text)
	}
	req := newRequest(t, "GET", h.s.URL+"/v2/account/me", nil)
	req.SetBasicAuth("user", h.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 401 || !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("another prefix: got %d %v", resp.StatusCode, resp.Header)
	}
}
