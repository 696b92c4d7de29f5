package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/internal/lora/loratest"
)

const (
	loraSize  = 2 << 30
	loraTurns = 3
)

// loras measures the import of a large LoRA file: its memory, and its time as a ratio to copying the file.
func (b *bench) loras(ctx context.Context) error {
	size := int64(b.scaled(loraSize))
	b.out.Begin("Loras", fmt.Sprintf("the import of a LoRA file of %d MB from a site on this machine, every byte hashed, checked and synced", size>>20))
	file := filepath.Join(b.dir, "fox.safetensors")
	if err := writeFile(file, loratest.LoRA{Family: "h3", DType: "F32"}.Sized(size)); err != nil {
		return err
	}
	site, stop, err := loraSite(file, size)
	if err != nil {
		return err
	}
	defer stop()
	took, copied := measure.Side{Name: "import", Unit: "ms"}, measure.Side{Name: "copy", Unit: "ms"}
	var idle, peak measure.Series
	for turn := range loraTurns {
		p, headers, err := b.loraService(ctx, fmt.Sprint("loras-", turn), site)
		if err != nil {
			return err
		}
		idle = append(idle, p.Memory(server.Resident))
		began := time.Now()
		err = importLora(ctx, p.URL, headers)
		took.Turns = append(took.Turns, since(began))
		peak = append(peak, p.Memory(server.Peak))
		p.Stop()
		if err != nil {
			return err
		}
		began = time.Now()
		if err := copyFile(filepath.Join(b.dir, "copy.safetensors"), file); err != nil {
			return err
		}
		copied.Turns = append(copied.Turns, since(began))
		if err := os.RemoveAll(filepath.Join(b.dir, fmt.Sprint("loras-", turn))); err != nil {
			return err
		}
	}
	b.out.Add(measure.Value("memory at most, whole process", "MB", measure.Less, peak))
	b.out.Add(measure.Value("memory before", "MB", measure.Less, idle))
	b.out.Add(measure.Ratio("time, to a synced copy", measure.Less, took, copied))
	return nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeFile(to, in)
}

// writeFile writes a file, synced.
func writeFile(name string, content io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(f, content); err != nil {
		return err
	}
	return f.Sync()
}

// loraSite is a site with one file.
func loraSite(file string, size int64) (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	commit := loratest.Commit("fox")
	site := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			_ = json.NewEncoder(w).Encode(map[string]any{"id": "ann/fox", "sha": commit, "private": false, "gated": false, "siblings": []any{
				map[string]any{"rfilename": "fox.safetensors", "size": size},
			}})
			return
		}
		http.ServeFile(w, r, file)
	})}
	go func() { _ = site.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = site.Close() }, nil
}

// loraService starts a service that imports from a site.
func (b *bench) loraService(ctx context.Context, name, site string) (*server.Process, string, error) {
	s := b.service(name, append([]string{"ATELIER_LIMITS_LORA_READS_PER_MINUTE=" + server.Enough}, server.WorkLimits...)...)
	created, err := s.Account(ctx, "--plan", "unlimited")
	if err != nil {
		return nil, "", err
	}
	p, err := s.Configured(ctx, map[string]any{"lora": map[string]any{"sources": []any{
		map[string]any{"kind": "huggingface", "host": "huggingface.co", "base_url": site},
	}}})
	return p, created.Headers(), err
}

// importLora imports the file and waits until it is ready.
func importLora(ctx context.Context, url, headers string) error {
	c, err := load.Dial(ctx, url, headers)
	if err != nil {
		return err
	}
	defer c.Close()
	const path = "/v1/loras/personal"
	answer, err := c.Ask("POST", path, load.JSON, []byte(
		`{"url":"https://huggingface.co/ann/fox/resolve/main/fox.safetensors","name":"Fox","modelId":"minimax-h3-fl2va-fp8_t2v","rightsConfirmed":true}`))
	var got struct {
		Message string
		Data    struct{ ID, Status, Reason string }
	}
	for err == nil {
		if err = json.Unmarshal(answer.Body, &got); err != nil {
			return err
		}
		switch {
		case answer.Status >= 300:
			return fmt.Errorf("%d: %s", answer.Status, got.Message)
		case got.Data.Status == "ready":
			return nil
		case got.Data.Status != "queued" && got.Data.Status != "validating":
			return fmt.Errorf("the import is %s: %s", got.Data.Status, got.Data.Reason)
		}
		if err = load.Sleep(ctx, 50*time.Millisecond); err == nil {
			answer, err = c.Ask("GET", path+"/"+got.Data.ID, "", nil)
		}
	}
	return err
}
