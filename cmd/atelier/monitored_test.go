//go:build linux

package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// newStandIn is a server of language models, a vendor that always fails, and a receiver of webhooks that
// always fails. The models fail when told so.
func newStandIn(t *testing.T, fails *atomic.Bool) (url string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/models":
			fmt.Fprint(w, `{"data": [{"id": "wise"}]}`)
		case r.URL.Path == "/v1/chat/completions" && !fails.Load():
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, `data: {"choices": [{"index": 0, "delta": {"content": "hello"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}}`+"\n\ndata: [DONE]\n\n")
		default:
			http.Error(w, "broken", http.StatusInternalServerError)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// smallDisk mounts a file system with a little more space than AtelierDiskFull asks for.
func smallDisk(t *testing.T) string {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2300m"); err != nil {
		t.Fatalf("mount a tmpfs, which takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// occupy takes some of the space on a small disk.
func occupy(t *testing.T, dir string) {
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 400<<20), 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "atelier.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// outage is a proxy before a server that can be made to be away.
type outage struct {
	url             string // of the server, by way of the proxy
	network, target string
	address         string

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
}

func newOutage(t *testing.T, network, target string) *outage {
	o := &outage{network: network, target: target, address: "127.0.0.1:0"}
	o.end(t)
	t.Cleanup(o.begin)
	return o
}

// end begins to accept connections.
func (o *outage) end(t *testing.T) {
	l, err := net.Listen("tcp", o.address)
	if err != nil {
		t.Fatal(err)
	}
	o.mu.Lock()
	o.listener, o.address = l, l.Addr().String()
	o.mu.Unlock()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial(o.network, o.target)
			if err != nil {
				in.Close()
				continue
			}
			o.mu.Lock()
			o.conns = append(o.conns, in, out)
			o.mu.Unlock()
			for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					pair[0].Close()
				}()
			}
		}
	}()
}

// begin ends all connections, and accepts no more.
func (o *outage) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listener.Close()
	for _, c := range o.conns {
		c.Close()
	}
	o.conns = nil
}

// proxyPostgres is a proxy before a PostgreSQL that is named by its socket or its host.
func proxyPostgres(t *testing.T, address string) *outage {
	u, err := neturl.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	network, target := "tcp", u.Host
	if dir := u.Query().Get("host"); dir != "" {
		network, target = "unix", filepath.Join(dir, ".s.PGSQL.5432")
	}
	o := newOutage(t, network, target)
	u.Host, u.RawQuery = o.address, "sslmode=disable"
	o.url = u.String()
	return o
}

func proxyS3(t *testing.T, u *neturl.URL) *outage {
	q := u.Query()
	endpoint, err := neturl.Parse(q.Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	o := newOutage(t, "tcp", endpoint.Host)
	q.Set("endpoint", "http://"+o.address)
	u.RawQuery = q.Encode()
	o.url = u.String()
	return o
}

// startFox starts a workflow that makes a picture.
func startFox(t *testing.T, c *client.Client, model string) {
	t.Helper()
	arguments := map[string]any{"prompt": "a fox"}
	if model != "" {
		arguments["model"] = model
	}
	if _, err := c.StartWorkflow(t.Context(), client.Start{Steps: []atelier.StepInput{{ID: "fox", ToolName: "generate_image", Arguments: arguments}}}); err != nil {
		t.Fatal(err)
	}
}

// hand is a worker that does what the test says.
type hand struct{ *client.Session }

func connectHand(t *testing.T, p *process, data string) hand {
	t.Helper()
	var out, errs strings.Builder
	if code := run([]string{"account", "create", "--worker", "--json", "--data", data}, &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	_, key, _ := strings.Cut(out.String(), `"apiKey": "`)
	key, _, _ = strings.Cut(key, `"`)
	c := client.New(p.URL, key)
	s, err := c.Connect(t.Context(), apitype.WorkerSpec{Name: "hand", Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 4})
	if err != nil {
		t.Fatal(err)
	}
	return hand{s}
}

// report says how warm the GPU of the worker is, and how much space it has.
func (h hand) report(t *testing.T, celsius float64, free int64) {
	t.Helper()
	gpu := apitype.GPU{Name: "card", MemoryTotalBytes: new(int64(8 << 30)), MemoryFreeBytes: new(int64(2 << 30)), TemperatureCelsius: &celsius, PowerWatts: new(celsius)}
	if _, err := h.Beat(t.Context(), apitype.Heartbeat{Machine: &apitype.Machine{GPUs: []apitype.GPU{gpu}, DiskFreeBytes: &free}}); err != nil {
		t.Fatal(err)
	}
}

func (h hand) claim(t *testing.T) apitype.Assignment {
	t.Helper()
	job, err := h.Claim(t.Context(), 20*time.Second)
	if err != nil || job == nil {
		t.Fatalf("claim: %v, %v", job, err)
	}
	return *job
}

// render makes a picture, and says how long it took to load the model.
func (h hand) render(t *testing.T) {
	t.Helper()
	job := h.claim(t)
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	done := apitype.Completion{Metrics: apitype.RenderMetrics{RenderSeconds: 2, ModelSwitchSeconds: 3}}
	for _, a := range job.Artifacts {
		done.Artifacts = append(done.Artifacts, apitype.ReportedArtifact{ID: a.ID, ContentType: "image/png", Width: 64, Height: 64, Data: picture.Bytes()})
	}
	if _, err := h.Complete(t.Context(), job.JobID, done); err != nil {
		t.Fatal(err)
	}
}
