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

	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// What an import of a LoRA should do.
const (
	loraSize      = 2 << 30
	loraMemoryAim = 100 << 20 // of the whole process, while it imports
)

// loras measures the import of a large LoRA file: its memory, and its time as a ratio
// to copying the file.
func (b *bench) loras(ctx context.Context) error {
	b.out.part("Loras: the import of a LoRA file of 2 GiB from a site on this machine, every byte hashed, checked and synced")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	file := filepath.Join(b.dir, "fox.safetensors")
	if err := writeFile(file, loratest.LoRA{Family: "h3", DType: "F32"}.Sized(loraSize)); err != nil {
		return err
	}
	began := time.Now()
	if err := copyFile(filepath.Join(b.dir, "copy.safetensors"), file); err != nil {
		return err
	}
	copied := time.Since(began)
	if err := os.Remove(filepath.Join(b.dir, "copy.safetensors")); err != nil {
		return err
	}
	p, key, err := b.startLoraService(ctx, file)
	if err != nil {
		return err
	}
	defer p.stop()
	idle, _ := p.memory("VmRSS")
	began = time.Now()
	if err := importLora(ctx, p.url, key); err != nil {
		return err
	}
	took := time.Since(began)
	peak, known := p.memory("VmHWM")
	if !known {
		b.out.skip("memory", "it is not known on this system")
		return nil
	}
	b.out.row("memory at most, whole process", megabytes(peak), below(megabytes(loraMemoryAim)), peak < loraMemoryAim, "idle before: "+megabytes(idle))
	b.out.row("time, as a ratio to a synced copy", fmt.Sprintf("%.1f", took.Seconds()/copied.Seconds()), "", true, fmt.Sprintf("%.1f s, copy %.1f s", took.Seconds(), copied.Seconds()))
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

// startLoraService starts a service that imports from a site with one file.
func (b *bench) startLoraService(ctx context.Context, file string) (*process, string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	commit := loratest.Commit("fox")
	site := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			_ = json.NewEncoder(w).Encode(map[string]any{"id": "ann/fox", "sha": commit, "private": false, "gated": false, "siblings": []any{
				map[string]any{"rfilename": "fox.safetensors", "size": int64(loraSize)},
			}})
			return
		}
		http.ServeFile(w, r, file)
	})}
	go func() { _ = site.Serve(listener) }()
	context.AfterFunc(ctx, func() { _ = site.Close() })
	config := filepath.Join(b.dir, "loras.yaml")
	text := fmt.Sprintf("lora:\n  sources:\n    - { kind: huggingface, host: huggingface.co, base_url: \"http://%s\" }\n", listener.Addr())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, "", err
	}
	created, err := b.register(ctx, "loras", "", "--plan", "unlimited")
	if err != nil {
		return nil, "", err
	}
	command := service{program: b.program, data: b.serviceDir("loras")}.atelier(ctx, "serve", "--config", config)
	command.Env = append(command.Env, "ATELIER_LIMITS_LORA_READS_PER_MINUTE="+unlimited)
	p, err := start(command)
	return p, created.APIKey, err
}

// importLora imports the file and waits until it is ready.
func importLora(ctx context.Context, url, key string) error {
	entry, err := askLora(ctx, http.MethodPost, url+"/v1/loras/personal", key,
		`{"url":"https://huggingface.co/ann/fox/resolve/main/fox.safetensors","name":"Fox","modelId":"minimax-h3-fl2va-fp8_t2v","rightsConfirmed":true}`)
	for err == nil && (entry.Status == "queued" || entry.Status == "validating") {
		if err = sleep(ctx, 50*time.Millisecond); err == nil {
			entry, err = askLora(ctx, http.MethodGet, url+"/v1/loras/personal/"+entry.ID, key, "")
		}
	}
	if err == nil && entry.Status != "ready" {
		err = fmt.Errorf("the import is %s: %s", entry.Status, entry.Reason)
	}
	return err
}

type loraEntry struct{ ID, Status, Reason string }

func askLora(ctx context.Context, method, url, key, body string) (loraEntry, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return loraEntry{}, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return loraEntry{}, err
	}
	defer answer.Body.Close()
	var got struct {
		Message string
		Data    loraEntry
	}
	err = json.NewDecoder(answer.Body).Decode(&got)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", answer.Status, got.Message)
	}
	return got.Data, err
}
