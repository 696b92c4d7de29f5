package llm

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/wire"
)

// The bounds of an answer about models. A list of a thousand models has a few
// hundred kilobytes.
const (
	maxFacts     = 1 << 20
	factsTimeout = 5 * time.Second
)

// The range of a context length. Anything else is an error of the server.
const (
	minContext = 128
	maxContext = 1 << 27
)

// contextOf is a context length that a server reports, or 0 when it is out of
// range.
func contextOf(n float64) int {
	if n >= minContext && n <= maxContext {
		return int(n)
	}
	return 0
}

// askModelList reads the context lengths in the list of models, as vLLM reports
// them. An adapter has the context of its base model.
func (u *Upstream) askModelList(ctx context.Context, reported map[string]served) error {
	var list struct {
		Data []struct {
			ID          string  `json:"id"`
			Parent      string  `json:"parent"`
			MaxModelLen float64 `json:"max_model_len"`
		} `json:"data"`
	}
	if _, err := u.ask(ctx, u.opts.BaseURL+"/models", nil, &list); err != nil {
		return err
	}
	lengths, parents := map[string]int{}, map[string]string{}
	for _, m := range list.Data {
		lengths[m.ID], parents[m.ID] = contextOf(m.MaxModelLen), m.Parent
	}
	for id, own := range u.unreported(reported) {
		n := lengths[own]
		if parent := parents[own]; n == 0 && parent != "" {
			n = lengths[parent]
		}
		if n > 0 {
			reported[id] = served{tokens: n, option: "--max-model-len"}
		}
	}
	return nil
}

// askProps reads llama.cpp's properties: the context of one of its slots, which
// is what a request gets. A server of several models takes the name of one, and
// must not load it for this.
func (u *Upstream) askProps(ctx context.Context, reported map[string]served) error {
	for id, own := range u.unreported(reported) {
		var props struct {
			Default struct {
				Context float64 `json:"n_ctx"`
			} `json:"default_generation_settings"`
		}
		query := url.Values{"model": {own}, "autoload": {"false"}}
		status, err := u.ask(ctx, u.root()+"/props?"+query.Encode(), nil, &props)
		if err != nil {
			return err
		}
		if status != http.StatusOK && status != http.StatusBadRequest { // which is for a model that is not loaded
			return nil
		}
		if n := contextOf(props.Default.Context); n > 0 {
			reported[id] = served{tokens: n, option: "--ctx-size, which the slots of --parallel may share,"}
		}
	}
	return nil
}

// ollamaDefault is the least context that Ollama gives a model without a
// configured one.
const ollamaDefault = 4096

// askOllama asks Ollama, which silently truncates what is longer than the context.
// A loaded model has the context that it was loaded with, at most the one in its
// Modelfile. A model that is not loaded and has none in its Modelfile gets a
// default that depends on the machine. Until that default is known, the last known
// length applies, or the configured one, or the least default.
func (u *Upstream) askOllama(ctx context.Context, reported, before map[string]served) (unloaded bool, err error) {
	var loaded struct {
		Models []struct {
			Model         string  `json:"model"`
			ContextLength float64 `json:"context_length"`
		} `json:"models"`
	}
	if status, err := u.ask(ctx, u.root()+"/api/ps", nil, &loaded); status != http.StatusOK || loaded.Models == nil {
		return false, err // it is another server
	}
	for id, own := range u.unreported(reported) {
		set, most, found, err := u.askOllamaModel(ctx, own)
		if err != nil {
			return false, err
		}
		if !found {
			continue
		}
		running := false
		for _, m := range loaded.Models {
			if strings.EqualFold(m.Model, ollamaName(own)) {
				running = true
				set = shorter(set, contextOf(m.ContextLength))
			}
		}
		if set == 0 {
			unloaded = unloaded || !running
			if last := before[id]; !last.guess {
				set = last.tokens
			}
		}
		guess := set == 0
		if guess {
			set = cmp.Or(u.opts.Contexts[id], ollamaDefault)
		}
		reported[id] = served{tokens: shorter(set, most), guess: guess, option: "OLLAMA_CONTEXT_LENGTH, or num_ctx in the Modelfile,"}
	}
	return unloaded, nil
}

// askOllamaModel reads what Ollama knows about a model: the context that its
// Modelfile sets, and the most that the model supports, each 0 when it is not
// known. A model that runs in Ollama's cloud has the most that it supports.
func (u *Upstream) askOllamaModel(ctx context.Context, own string) (set, most int, found bool, err error) {
	var model struct {
		Parameters string              `json:"parameters"`
		Info       map[string]wire.Raw `json:"model_info"`
		RemoteHost string              `json:"remote_host"`
	}
	status, err := u.ask(ctx, u.root()+"/api/show", map[string]string{"model": own}, &model)
	if status != http.StatusOK {
		return 0, 0, false, err
	}
	for line := range strings.Lines(model.Parameters) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "num_ctx" {
			n, _ := strconv.ParseFloat(words[1], 64)
			set = contextOf(n)
		}
	}
	var family string
	var n float64
	_ = wire.UnmarshalLenient(model.Info["general.architecture"], &family)
	_ = wire.UnmarshalLenient(model.Info[family+".context_length"], &n)
	most = contextOf(n)
	if model.RemoteHost != "" {
		set = most
	}
	return set, most, true, nil
}

// ollamaName is how Ollama writes the name of a model.
func ollamaName(id string) string {
	if !strings.Contains(id[strings.LastIndexByte(id, '/')+1:], ":") {
		return id + ":latest"
	}
	return id
}

// shorter is the lesser of two lengths; either may be 0 for unknown.
func shorter(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// root is the base URL of endpoints that are not part of OpenAI's API.
func (u *Upstream) root() string { return strings.TrimSuffix(u.opts.BaseURL, "/v1") }

// ask sends a GET, or a POST when there is a body, and reads the JSON of the
// answer. The status is 0 for an answer that is not JSON; err says that the server
// could not be asked.
func (u *Upstream) ask(ctx context.Context, at string, body, into any) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, factsTimeout)
	defer cancel()
	method, content := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		if content, err = wire.Marshal(body); err != nil {
			return 0, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	u.authorize(req)
	resp, err := u.facts.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxFacts))
	switch {
	case err != nil:
		return 0, err
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return 0, fmt.Errorf("it answers %d", resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return resp.StatusCode, nil
	}
	if !wire.Valid(text) {
		return 0, nil
	}
	_ = wire.UnmarshalLenient(text, into) // despite a member of another type, the others are read
	return http.StatusOK, nil
}
