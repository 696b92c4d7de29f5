package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// imports is where the workflows of package graphimport are, and a list of nodes.
const imports = "../../internal/graphimport/testdata"

func readImport(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(imports, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// painter is a ComfyUI that paints a grey picture of the ordered size for each prompt, and has no socket.
type painter struct {
	mu   sync.Mutex
	made map[string][2]int // sizes by prompt
	text string            // the last prompt's
}

// newPainter runs a ComfyUI with one checkpoint, and returns its address.
func newPainter(t *testing.T) (*painter, string) {
	t.Helper()
	c := &painter{made: map[string][2]int{}}
	info := readImport(t, "object_info.json")
	mux := http.NewServeMux()
	answer := func(route string, value any) {
		mux.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(value) })
	}
	answer("GET /object_info", json.RawMessage(info))
	answer("GET /system_stats", map[string]any{"system": map[string]any{"comfyui_version": "0.7.0"}, "devices": []any{map[string]any{"name": "cuda:0 Stand-in"}}})
	answer("GET /models/checkpoints", []string{"base.safetensors"})
	answer("GET /prompt", map[string]any{"exec_info": map[string]any{"queue_remaining": 0}})
	answer("GET /queue", map[string]any{"queue_running": []any{}, "queue_pending": []any{}})
	answer("POST /queue", map[string]any{})
	answer("POST /free", map[string]any{})
	mux.HandleFunc("POST /prompt", c.submit)
	mux.HandleFunc("GET /history/{id}", c.history)
	mux.HandleFunc("GET /view", c.view)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return c, s.URL
}

func (c *painter) submit(w http.ResponseWriter, r *http.Request) {
	var body struct {
		ID     string `json:"prompt_id"`
		Prompt map[string]struct {
			Inputs map[string]any `json:"inputs"`
		} `json:"prompt"`
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	wide, _ := body.Prompt["5"].Inputs["width"].(float64)
	tall, _ := body.Prompt["5"].Inputs["height"].(float64)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[body.ID] = [2]int{int(wide), int(tall)}
	c.text, _ = body.Prompt["6"].Inputs["text"].(string)
	_ = json.NewEncoder(w).Encode(map[string]any{"prompt_id": body.ID, "number": 1, "node_errors": map[string]any{}})
}

func (c *painter) history(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	file := map[string]any{"filename": id + ".png", "subfolder": "", "type": "output"}
	_ = json.NewEncoder(w).Encode(map[string]any{id: map[string]any{
		"outputs": map[string]any{"9": map[string]any{"images": []any{file}}},
		"status":  map[string]any{"status_str": "success", "completed": true, "messages": []any{}},
	}})
}

func (c *painter) view(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	size := c.made[strings.TrimSuffix(r.URL.Query().Get("filename"), ".png")]
	c.mu.Unlock()
	var picture bytes.Buffer
	_ = png.Encode(&picture, image.NewGray(image.Rect(0, 0, size[0], size[1])))
	_, _ = w.Write(picture.Bytes())
}

// dropWorkflow drops a workflow of ComfyUI on its place.
func (p *page) dropWorkflow(name string, content []byte) {
	p.t.Helper()
	p.wait("the place for a workflow", `document.querySelector(".drop-place") !== null`)
	script := strings.Replace(dropFileScript(content, name, "application/json"), "main section, main form", ".drop-place", 1)
	evaluate[bool](p, script+"; true")
}

// An operator drops a workflow, sees what was found and what is missing, changes where an argument goes, saves it, and
// makes a picture with it, which the connected ComfyUI paints.
func TestBringAWorkflow(t *testing.T) {
	t.Parallel()
	s := startService(t)
	painter, address := newPainter(t)
	op := client.New(s.URL, s.Key).Operator()
	if _, err := op.CreateConnection(t.Context(), apitype.NewConnection{Name: "rig", ConnectionSettings: apitype.ConnectionSettings{ComfyUI: &apitype.ComfyUIConnection{BaseURL: address}}}); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, s.URL, desktop)
	p.allow("400 (Bad Request)", "409 (Conflict)")
	p.signIn(s.Key)
	p.open("/operator/connections")
	p.click("link", "Bring a workflow")
	p.seeText("No workflow was brought yet")
	p.checkAccess("before a workflow")

	p.dropWorkflow("essay.json", []byte("once upon a time"))
	p.seeText("The file is not a workflow that ComfyUI has saved")
	p.dropWorkflow("empty.json", []byte(`{"nodes": []}`))
	p.seeText("no active nodes")
	p.checkAccess("a file that is no workflow")

	p.dropWorkflow("film.json", readImport(t, "custom_nodes.json"))
	p.seeText("Missing custom nodes")
	p.see("link", "comfyui-film")
	p.see("link", "someone/comfyui-sharp")
	p.checkAccess("missing nodes")

	p.dropWorkflow("Old Harbour.json", readImport(t, "text_to_image.json"))
	p.gone("link", "comfyui-film")
	p.seeText("rig has all nodes and files.")
	p.seeText("the text behind the sampler's positive input")
	p.choose("Where Negative prompt goes", "-")
	p.seeText("rig has all nodes and files.")
	p.checkAccess("a workflow that was looked at")
	p.fill("Id of the model", "z_image_turbo_bf16")
	p.click("button", "Save")
	p.seeText("Choose another name.")
	p.fill("Id of the model", "old_harbour")
	p.fill("Name for people", "Old Harbour")
	p.click("button", "Save")
	p.seeText("Old Harbour is a model now.")
	p.checkAccess("a workflow that was saved")

	p.fill("Prompt", "a pier in the fog")
	p.click("button", "Try it")
	p.wait("the picture", fmt.Sprintf(`[...document.querySelectorAll(".graph-result img")].some((i) => i.complete && i.naturalWidth > 0 && i.alt === %s)`, quote("a pier in the fog")))
	p.checkAccess("a picture that was made to try it")
	painter.mu.Lock()
	if painter.text != "a pier in the fog" {
		t.Errorf("the ComfyUI got the prompt %q", painter.text)
	}
	painter.mu.Unlock()

	p.open("/operator/graphs")
	p.see("heading", "Old Harbour")
	p.click("button", "Remove")
	p.checkAccess("removing a workflow")
	p.click("button", "Remove")
	p.gone("heading", "Old Harbour")
}

// The form fits a phone in the dark.
func TestBringAWorkflowOnAPhone(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, look{width: phone.width, height: phone.height, dark: true})
	p.signIn(s.Key)
	p.open("/operator/graphs")
	p.dropWorkflow("harbour.json", readImport(t, "text_to_image.json"))
	p.see("button", "Save")
	p.checkAccess("a workflow on a phone")
}
