package connection

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
)

// Place is where a server of this machine is looked for.
type Place struct {
	Program string // such as Ollama
	Kind    apitype.ConnectionKind
	BaseURL string
}

// usual are the ports on which programs listen unless they are told otherwise.
var usual = []struct {
	program string
	kind    apitype.ConnectionKind
	port    string
	path    string
}{
	{"Ollama", apitype.ConnectionLLM, "11434", "/v1"},
	{"llama.cpp", apitype.ConnectionLLM, "8080", "/v1"},
	{"vLLM", apitype.ConnectionLLM, "8000", "/v1"},
	{"LM Studio", apitype.ConnectionLLM, "1234", "/v1"},
	{"ComfyUI", apitype.ConnectionComfyUI, "8188", ""},
}

// dockerHost is how a container reaches the machine that it runs on, where that is set up.
const dockerHost = "host.docker.internal"

// Places are the usual ones of this machine, without the service's own address.
func Places(listen string) (list []Place) {
	_, own, _ := net.SplitHostPort(listen)
	for _, host := range []string{"127.0.0.1", dockerHost} {
		for _, u := range usual {
			if u.port == own && host != dockerHost {
				continue
			}
			list = append(list, Place{u.program, u.kind, "http://" + net.JoinHostPort(host, u.port) + u.path})
		}
	}
	return list
}

// lookTimeout is how long one place may take to answer: it is this machine.
const lookTimeout = 3 * time.Second

// Discover asks the usual places of this machine, all at once, and lists the servers that answer.
func (e *Engine) Discover(ctx context.Context) (apitype.FoundServers, error) {
	list, err := e.entries(ctx)
	if err != nil {
		return apitype.FoundServers{}, err
	}
	places := slices.Clone(e.opts.Places)
	outside := func(p Place) bool { return strings.Contains(p.BaseURL, dockerHost) }
	if slices.ContainsFunc(places, outside) {
		if _, err := net.DefaultResolver.LookupHost(ctx, dockerHost); err != nil {
			places = slices.DeleteFunc(places, outside)
		}
	}
	found := make([]*apitype.FoundServer, len(places))
	var running sync.WaitGroup
	for i, place := range places {
		running.Go(func() { found[i] = e.look(ctx, place, list) })
	}
	running.Wait()
	out := apitype.FoundServers{Servers: []apitype.FoundServer{}}
	for _, server := range found {
		if server != nil {
			out.Servers = append(out.Servers, *server)
		}
	}
	return out, ctx.Err()
}

// look asks one place. A place where nothing answers, or something else, is nil.
func (e *Engine) look(ctx context.Context, p Place, list []Entry) *apitype.FoundServer {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	entry := Entry{ID: "place", Kind: p.Kind, Name: "place"}
	if p.Kind == apitype.ConnectionComfyUI {
		entry.Settings.ComfyUI = &apitype.ComfyUIConnection{BaseURL: p.BaseURL}
	} else {
		entry.Settings.LLM = &apitype.LLMConnection{BaseURL: p.BaseURL}
	}
	found, err := e.opts.Probe(ctx, entry)
	if err != nil {
		return nil
	}
	models := found.Models
	if models == nil {
		models = []apitype.FoundModel{}
	}
	return &apitype.FoundServer{
		Kind: p.Kind, Program: p.Program, BaseURL: p.BaseURL, Models: models,
		Connected: slices.ContainsFunc(list, func(o Entry) bool { return o.Kind == p.Kind && sameMachine(o.BaseURL(), p.BaseURL) }),
	}
}

// sameMachine is sameServer, for which localhost is 127.0.0.1.
func sameMachine(a, b string) bool {
	plain := func(address string) string {
		if u, err := url.Parse(address); err == nil && u.Hostname() == "localhost" {
			u.Host = net.JoinHostPort("127.0.0.1", u.Port())
			return u.String()
		}
		return address
	}
	return sameServer(plain(a), plain(b))
}
