package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// gateway is something that answers chat completions: the mock itself, this
// service in front of it, or another gateway in front of it.
type gateway struct {
	name    string
	address string // host:port
	path    string // of chat completions
	headers string // whole conns
	model   string
	extra   string   // members of the request that only it knows, each with a comma behind it
	body    string   // of a request in another protocol; empty for chat completions
	process *process // nil when it was started elsewhere
}

// gatewayCase is a kind of answer.
type gatewayCase struct {
	stream bool
	size   int
	delay  time.Duration
}

func (k gatewayCase) String() string {
	how := "whole"
	if k.stream {
		how = "stream"
	}
	return fmt.Sprintf("%s %d KB", how, k.size>>10)
}

// request is what clients send for a kind of answer.
func (g *gateway) request(k gatewayCase) []byte {
	stream := ""
	if k.stream {
		stream = `"stream":true,`
	}
	body := fmt.Sprintf(`{"model":%q,%s%s"temperature":0.7,"max_tokens":4000,"messages":[{"role":"system","content":"You are brief."},{"role":"user","content":"Describe the sea. %s"}]}`,
		g.model, stream, g.extra, mockText(k.size, k.delay))
	if g.body != "" {
		body = fmt.Sprintf(g.body, g.model, mockText(k.size, k.delay))
	}
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", g.path, g.address, g.headers, len(body), body)
}

// used is the processor time of the gateway so far, where it is known.
func (g *gateway) used() time.Duration {
	if g.process == nil {
		return 0
	}
	used, _ := g.process.cpu()
	return used
}

// stop ends a gateway that was started for the run.
func (g *gateway) stop() {
	if g.process != nil {
		g.process.stop()
	}
}

// gatewayAt is a gateway at a base URL such as http://127.0.0.1:8080/v1.
func gatewayAt(name, base, key, model string) (*gateway, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("%q is not a URL such as http://127.0.0.1:8080/v1", base)
	}
	g := &gateway{name: name, address: u.Host, path: strings.TrimRight(u.Path, "/") + "/chat/completions", model: model}
	if u.Port() == "" {
		g.address += ":80"
	}
	if key != "" {
		g.headers = "Authorization: Bearer " + key + "\r\n"
	}
	return g, nil
}

// The models of the service in front of the mock, and what hosted tools it
// offers: none, so that it passes on what it gets like other gateways.
const (
	freeModel   = "free"
	pricedModel = "priced"
	noTools     = `"svc_tools":"none",`
)

// ownGateway starts this service in front of the mock.
func (b *bench) ownGateway(ctx context.Context, name, mock string) (*gateway, error) {
	config, err := json.Marshal(map[string]any{"llm": map[string]any{"upstreams": []any{map[string]any{
		"name": "mock", "base_url": mock + "/v1", "api_key": "none",
		"models": []any{
			map[string]any{"id": freeModel, "context_length": 131072},
			map[string]any{"id": pricedModel, "context_length": 131072, "price_per_million_input": "0.25", "price_per_million_output": "1.00"},
		},
	}}}})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, name+".yaml") // JSON is YAML
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return nil, err
	}
	account, err := b.register(ctx, name, "", "--spark", "1000000000")
	if err != nil {
		return nil, err
	}
	command := service{program: b.program, data: b.serviceDir(name)}.atelier(ctx, "serve", "--config", file)
	command.Env = append(command.Env, unlimitedEnv("")...)
	command.Env = append(command.Env, "ATELIER_LIMITS_LLM_REQUESTS_PER_MINUTE="+unlimited, "ATELIER_LIMITS_CHAT_RUN_STARTS_PER_MINUTE="+unlimited)
	p, err := start(command)
	if err != nil {
		return nil, err
	}
	g, err := gatewayAt("atelier", p.url+"/v1", account.APIKey, freeModel)
	if err != nil {
		p.stop()
		return nil, err
	}
	g.extra, g.process = noTools, p
	return g, nil
}

// portkey starts Portkey's gateway in front of the mock.
func portkey(ctx context.Context, program, mock string) (*gateway, error) {
	// It cannot choose a free port itself.
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	free.Close()
	command := exec.CommandContext(ctx, "node", program, "--port="+port, "--headless")
	command.Env = append(os.Environ(), "NODE_ENV=production")
	p, err := start(command)
	if err != nil {
		return nil, err
	}
	g, err := gatewayAt("Portkey", "http://"+address+"/v1", "none", "mock")
	if err != nil {
		p.stop()
		return nil, err
	}
	g.headers += "x-portkey-provider: openai\r\nx-portkey-custom-host: " + mock + "/v1\r\n"
	g.process = p
	return g, nil
}

// peer is the gateway that the caller has running: PEER_URL is its base URL,
// PEER_MODEL what it calls the mock's model, PEER_KEY its key.
func peer() (*gateway, error) {
	base := os.Getenv("PEER_URL")
	if base == "" {
		return nil, errors.New("PEER_URL names none")
	}
	model := os.Getenv("PEER_MODEL")
	if model == "" {
		model = "mock"
	}
	g, err := gatewayAt("peer", base, os.Getenv("PEER_KEY"), model)
	if err != nil {
		return nil, fmt.Errorf("PEER_URL: %w", err)
	}
	return g, nil
}
