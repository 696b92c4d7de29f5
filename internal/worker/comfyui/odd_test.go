package comfyui_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// Whatever answers in place of ComfyUI, the error says in words what was asked, what came
// back and what to check.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	const stats, nodes, models = "/system_stats", "/object_info", "/models/"
	const page = "<!DOCTYPE html>\n<html><head>\n<title>Grafana</title></head></html>"
	for _, tc := range []struct {
		name, path string
		status     int
		body       string
		says       string
	}{
		{"a page", stats, 200, page, "did not answer GET /system_stats as it should: it sent an HTML page (<!DOCTYPE html> <html><head> <title>Grafana</title></head></html>)"},
		{"nothing", stats, 200, "", "did not answer GET /system_stats as it should: it sent nothing;"},
		{"text", stats, 200, "It works!", "it sent text that is not JSON (It works!)"},
		{"cut off", stats, 200, `{"system": {"comfyui_version": "0.3.7`, `it sent JSON that ends too early ({"system": {"comfyui_version": "0.3.7)`},
		{"not JSON after all", stats, 200, `{"system": nan}`, `it sent JSON of another form ({"system": nan})`},
		{"another program's JSON", stats, 200, `{"status": "ok"}`, `it sent JSON of another form, in which there is no system ({"status": "ok"})`},
		{"null", stats, 200, `null`, "it sent JSON of another form, in which there is no system (null)"},
		{"a list", stats, 200, `[1, 2]`, "it sent JSON of another form ([1, 2])"},
		{"wrong types", stats, 200, `{"system": {"comfyui_version": 3}}`, "it sent JSON of another form, in which system.comfyui_version is a number"},
		{"devices of another type", stats, 200, `{"system": {}, "devices": "none"}`, "in which devices is a string"},
		{"an error", stats, 404, "404 page not found\n", "ComfyUI answered 404 to /system_stats: 404 page not found;"},
		{"an error page", stats, 401, page, "ComfyUI answered 401 to /system_stats: <!DOCTYPE html>"},
		{"an error without text", stats, 500, "", "ComfyUI answered 500 to /system_stats;"},
		{"bytes", stats, 200, "\xff\xfe\x00", "it sent text that is not JSON"},
		{"nodes as a page", nodes, 200, page, "did not answer GET /object_info as it should: it sent an HTML page"},
		{"nodes cut off", nodes, 200, `{"KSampler": {"input": {"req`, "it sent JSON that ends too early"},
		{"nodes as a list", nodes, 200, `["KSampler"]`, `it sent JSON of another form (["KSampler"])`},
		{"no nodes", nodes, 200, `{}`, "in which there are no nodes"},
		{"a node of another type", nodes, 200, `{"KSampler": {"input": "none"}}`, "did not answer GET /object_info for the node KSampler as it should: it sent JSON of another form, in which input is a string"},
		{"nodes refused", nodes, 403, "Forbidden", "ComfyUI answered 403 to /object_info: Forbidden;"},
		{"files of another type", models, 200, `{"files": 3}`, "did not answer GET /models/"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasPrefix(r.URL.Path, tc.path):
					w.WriteHeader(tc.status)
					fmt.Fprint(w, tc.body)
				case r.URL.Path == stats:
					fmt.Fprint(w, `{"system": {"comfyui_version": "0.3.70"}, "devices": [{"name": "cuda:0"}]}`)
				case r.URL.Path == nodes:
					fmt.Fprint(w, `{"KSampler": {"input": {"required": {}}}, "Custom": {"input": "of no interest"}}`)
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(srv.Close)
			r, err := comfyui.Open(t.Context(), comfyui.Options{URLs: []string{srv.URL}})
			if err == nil {
				r.Close()
				t.Fatal("the worker starts")
			}
			text := err.Error()
			if !strings.HasPrefix(text, "--comfy-url: ComfyUI ") || !strings.Contains(text, tc.says) || !strings.Contains(text, "; check that the address is that of ComfyUI") {
				t.Errorf("got %s\nwant %s and what to check", text, tc.says)
			}
			for _, of := range []string{"json:", "unmarshal", "invalid character", "Go value", "unexpected end"} {
				if strings.Contains(text, of) {
					t.Errorf("got %s, which shows %q", text, of)
				}
			}
		})
	}
}
