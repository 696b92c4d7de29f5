package server_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/bench/server"
)

func TestStart(t *testing.T) {
	t.Parallel()
	p, err := server.Start(exec.CommandContext(t.Context(), "sh", "-c", "echo hello; echo the API: http://127.0.0.1:5/v1; exec sleep 600"))
	if err != nil {
		t.Fatal(err)
	}
	if p.URL != "http://127.0.0.1:5" || p.Memory(server.Resident) <= 0 || p.TreeCPU() < 0 {
		t.Errorf("got %s, %v MB", p.URL, p.Memory(server.Resident))
	}
	p.Kill()
	if _, err := server.Start(exec.CommandContext(t.Context(), "sh", "-c", "echo the port is taken >&2; exit 1")); err == nil || !strings.Contains(err.Error(), "the port is taken") {
		t.Errorf("a program that ends at once: got %v", err)
	}
}
