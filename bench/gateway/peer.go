package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/bench/server"
)

// Peer is a gateway that the service is compared with: a program that is started, or a URL where one runs.
type Peer struct {
	Name    string
	Program string
	Running *url.URL

	start func(ctx context.Context, e environment) (*server.Process, *Gateway, error)
}

// environment is what a peer is started in.
type environment struct {
	program string
	dir     string // empty, its own
	model   string // the URL of the model server
	port    string
	meters  bool // whether it keeps usage or logs
}

// kind is a program that can be a peer.
type kind struct {
	program string   // on PATH
	ways    []string // what its peers are called: with the second one it meters
	start   func(ctx context.Context, e environment) (*server.Process, *Gateway, error)
}

var kinds = map[string]kind{
	"gomodel": {program: "gomodel", ways: []string{"GoModel", "GoModel with usage"}, start: startGoModel},
	"bifrost": {program: "bifrost-http", ways: []string{"Bifrost", "Bifrost with logs"}, start: startBifrost},
	"portkey": {program: "portkey.js", ways: []string{"Portkey"}, start: startPortkey},
}

// ParsePeers reads a list of peers with commas between them. Each is a kind, a kind with the program that it is
// (gomodel=/opt/gomodel), or the base URL of a gateway that runs already, with its key before the host and the name of
// its model behind it (http://key@127.0.0.1:8080/v1#mock).
func ParsePeers(list string) (peers []Peer, err error) {
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if strings.HasPrefix(text, "http://") {
			u, err := url.Parse(text)
			if err != nil {
				return nil, err
			}
			peers = append(peers, Peer{Name: u.Host, Running: u})
			continue
		}
		name, program, _ := strings.Cut(text, "=")
		k, known := kinds[name]
		if !known {
			return nil, fmt.Errorf("%q is not a peer: use http://… or one of %s", name, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
		}
		for i, way := range k.ways {
			start := k.start
			if i > 0 {
				start = func(ctx context.Context, e environment) (*server.Process, *Gateway, error) {
					e.meters = true
					return k.start(ctx, e)
				}
			}
			peers = append(peers, Peer{Name: way, Program: cmp.Or(program, k.program), start: start})
		}
	}
	return peers, nil
}

// Start starts the peer in front of a model server, in a separate directory.
func (p Peer) Start(ctx context.Context, dir, model string) (*Gateway, error) {
	if p.Running != nil {
		base := url.URL{Scheme: p.Running.Scheme, Host: p.Running.Host, Path: p.Running.Path}
		return At(p.Name, base.String(), p.Running.User.Username(), cmp.Or(p.Running.Fragment, "mock"))
	}
	program, err := exec.LookPath(p.Program)
	if strings.HasSuffix(p.Program, ".js") {
		program, err = filepath.Abs(p.Program) // node is what runs it
	}
	if err != nil {
		return nil, fmt.Errorf("%w: build it, and name it as in PEERS=gomodel=/opt/gomodel", err)
	}
	dir, err = os.MkdirTemp(dir, "peer-")
	if err != nil {
		return nil, err
	}
	port, err := server.FreePort() // none of them can choose one itself
	if err != nil {
		return nil, err
	}
	process, g, err := p.start(ctx, environment{program: program, dir: dir, model: model, port: port})
	if err != nil {
		if process != nil {
			process.Stop()
		}
		return nil, err
	}
	g.Name, g.Process = p.Name, process
	return g, nil
}

// run starts a peer that answers a path once it is ready. It sees nothing of the caller's own settings, which could
// have keys of real model servers.
func (e environment) run(ctx context.Context, key, model, ready string, env []string, args ...string) (*server.Process, *Gateway, error) {
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Dir = e.dir
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + e.dir, "TMPDIR=" + e.dir}, env...)
	base := "http://127.0.0.1:" + e.port
	process, err := server.StartAt(ctx, command, base, ready)
	if err != nil {
		return nil, nil, err
	}
	g, err := At("", base+"/v1", key, model)
	return process, g, err
}

// startGoModel starts GoModel: with its defaults, but that it fetches no list of models, and keeps usage only where
// that is asked for.
func startGoModel(ctx context.Context, e environment) (*server.Process, *Gateway, error) {
	return e.run(ctx, "bench", "openai/mock", "/health", []string{
		"PORT=" + e.port, "GOMODEL_MASTER_KEY=bench", "MODEL_LIST_URL=", "LOG_LEVEL=error",
		"OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + e.model + "/v1",
		"SQLITE_PATH=" + filepath.Join(e.dir, "gomodel.db"), "GOMODEL_CACHE_DIR=" + filepath.Join(e.dir, "cache"),
		fmt.Sprintf("USAGE_ENABLED=%v", e.meters), fmt.Sprintf("BUDGETS_ENABLED=%v", e.meters),
	}, e.program)
}

// startBifrost starts Bifrost: with empty lists of prices and models from files, as it ends without them, and with a
// store of logs only where that is asked for.
func startBifrost(ctx context.Context, e environment) (*server.Process, *Gateway, error) {
	empty := filepath.Join(e.dir, "empty.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o600); err != nil {
		return nil, nil, err
	}
	type object = map[string]any
	store := func(name string, enabled bool) object {
		return object{"enabled": enabled, "type": "sqlite", "config": object{"path": filepath.Join(e.dir, name+".db")}}
	}
	config := object{
		"client": object{"enable_logging": e.meters, "drop_excess_requests": false, "initial_pool_size": 300},
		"framework": object{"pricing": object{
			"pricing_url": "file://" + empty, "model_parameters_url": "file://" + empty, "mcp_library_url": "file://" + empty,
			"mcp_library_sync_interval": 0, "live_models_sync_interval": 0,
		}},
		"providers": object{"openai": object{
			"keys":           []any{object{"name": "bench", "value": "none", "models": []string{"*"}, "weight": 1}},
			"network_config": object{"base_url": e.model},
		}},
		"config_store": store("config", false), "logs_store": store("logs", e.meters),
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(e.dir, "config.json"), text, 0o600); err != nil {
		return nil, nil, err
	}
	return e.run(ctx, "", "openai/mock", "/health", nil,
		e.program, "-app-dir", e.dir, "-host", "127.0.0.1", "-port", e.port, "-log-level", "error")
}

// startPortkey starts Portkey's gateway, which is told by each request where the model server is.
func startPortkey(ctx context.Context, e environment) (*server.Process, *Gateway, error) {
	if _, err := os.Stat(e.program); err != nil {
		return nil, nil, errors.New("it is not installed")
	}
	process, g, err := e.run(ctx, "none", "mock", "/", []string{"NODE_ENV=production"}, "node", e.program, "--port="+e.port, "--headless")
	if err == nil {
		g.Headers += "x-portkey-provider: openai\r\nx-portkey-custom-host: " + e.model + "/v1\r\n"
	}
	return process, g, err
}
