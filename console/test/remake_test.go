package test

import (
	"encoding/json"
	"strings"
	"testing"
)

// connectGPU connects a worker that has Z-Image Turbo. It takes no job.
func (s *service) connectGPU() {
	s.t.Helper()
	var gpu struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run("account", "create", "--username", "gpu", "--worker", "--json")), &gpu); err != nil {
		s.t.Fatal(err)
	}
	own := s.Key
	s.Key = gpu.APIKey
	defer func() { s.Key = own }()
	s.call("POST", "/v1/worker/sessions", map[string]any{"name": "gpu", "network": "fast", "models": []string{"z_image_turbo_bf16"}})
}

// What the CPU worker made is made again with a button, once there is a worker with the model: the
// page of the new workflow names the step, and the old one leads there.
func TestMakeAgainOnAGPU(t *testing.T) {
	t.Parallel()
	s := startService(t)
	started := s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	id := started["workflow"].(map[string]any)["workflowId"].(string)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/workflows/" + id)
	p.seeText("Workflow completed")
	p.gone("button", "Make again on a GPU, free")
	s.connectGPU()
	p.open("/workflows/" + id)
	p.see("button", "Make again on a GPU, free")
	p.checkAccess("a step that can be made again")
	p.click("button", "Make again on a GPU, free")
	p.see("link", "Makes draw again, free of charge")
	if got := evaluate[string](p, "location.pathname"); strings.HasSuffix(got, id) {
		t.Errorf("it shows %s still", got)
	}
	p.gone("button", "New seeds")
	p.checkAccess("a workflow that makes a step again")
	p.click("link", "Makes draw again, free of charge")
	p.see("link", "Made again: see the workflow")
	p.gone("button", "Make again on a GPU, free")
	p.checkAccess("a step that is made again")
}
