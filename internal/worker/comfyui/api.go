package comfyui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/worker"
)

// Limits of answers. Object info is the largest: every node of every extension.
const (
	maxAnswer  = 64 << 20
	maxRefusal = 1 << 20
)

// callTime is the timeout of a call without a file; for files only the caller's
// context counts.
const callTime = 30 * time.Second

// unreachableError says that ComfyUI could not be reached, or that a proxy answered
// instead.
type unreachableError struct {
	url string
	err error
}

func (e *unreachableError) Error() string {
	return fmt.Sprintf("ComfyUI at %s does not answer: %v", e.url, e.err)
}
func (e *unreachableError) Unwrap() error { return e.err }

// isUnreachable reports whether an error means that ComfyUI could not be reached.
func isUnreachable(err error) bool {
	var e *unreachableError
	return errors.As(err, &e)
}

// wasReached reports whether a request that failed may have reached ComfyUI: there was a
// connection for it.
func wasReached(err error) bool {
	var op *net.OpError
	return !errors.As(err, &op) || op.Op != "dial"
}

// refusedError is an error answer of ComfyUI.
type refusedError struct {
	status int
	path   string
	body   []byte
}

func (e *refusedError) Error() string {
	text := strings.Join(strings.Fields(string(e.body)), " ")
	if text == "" {
		return fmt.Sprintf("ComfyUI answered %d to %s", e.status, e.path)
	}
	return fmt.Sprintf("ComfyUI answered %d to %s: %s", e.status, e.path, worker.Shorten(text, 300))
}

// api is a client of one ComfyUI.
type api struct {
	base *url.URL
	http *http.Client
}

// name is the address for messages, without a password.
func (a *api) name() string { return a.base.Redacted() }

func (a *api) url(path string, query url.Values) string {
	u := a.base.JoinPath(path)
	u.RawQuery = query.Encode()
	return u.String()
}

// do sends a request. An answer with an error status is an error.
func (a *api) do(ctx context.Context, method, path string, query url.Values, contentType string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.url(path, query), body)
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil, err
		}
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the message has the address
		}
		return nil, &unreachableError{a.name(), err}
	}
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
		refused := &refusedError{resp.StatusCode, path, text}
		if resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusGatewayTimeout {
			return nil, &unreachableError{a.name(), refused} // a proxy that cannot reach its ComfyUI
		}
		return nil, refused
	}
	return resp, nil
}

// call sends and reads JSON. Either may be nil.
func (a *api) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var body io.Reader
	contentType := ""
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body, contentType = bytes.NewReader(text), "application/json"
	}
	resp, err := a.do(ctx, method, path, nil, contentType, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return &unreachableError{a.name(), err}
	case len(text) > maxAnswer:
		return fmt.Errorf("ComfyUI answered %s with more than %d bytes", path, maxAnswer)
	case out == nil:
		return nil
	}
	return readAnswer(method+" "+path, text, out)
}

// readAnswer reads the answer to what was asked. What ComfyUI would not send is a
// worker.OddAnswer.
func readAnswer(asked string, text []byte, out any) error {
	err := json.Unmarshal(text, out)
	var (
		wrong *json.UnmarshalTypeError
		cut   *json.SyntaxError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return odd(asked, text, nil, fmt.Sprintf("%s is a %s", wrong.Field, wrong.Value))
	case errors.As(err, &wrong):
		return odd(asked, text, nil, "")
	case errors.As(err, &cut) && cut.Offset >= int64(len(text)):
		err = io.ErrUnexpectedEOF
	}
	return odd(asked, text, err, "")
}

// odd is an answer that ComfyUI would not send.
func odd(asked string, text []byte, fault error, where string) error {
	return &worker.OddAnswer{Server: "ComfyUI", Asked: asked, Body: text, Fault: fault, Where: where, Check: checkAddress}
}

// checkAddress is what to check when something else than ComfyUI seems to answer.
const checkAddress = "check that the address is that of ComfyUI, and that no other program or proxy answers there"

// submission is the body of a prompt.
type submission struct {
	Prompt    graph          `json:"prompt"`
	ClientID  string         `json:"client_id"`
	PromptID  string         `json:"prompt_id"`
	ExtraData map[string]any `json:"extra_data,omitempty"`
}

// accepted is the answer to a prompt, and the shape of its refusal.
type accepted struct {
	PromptID   string               `json:"prompt_id"`
	Error      json.RawMessage      `json:"error"`
	NodeErrors map[string]nodeError `json:"node_errors"`
}

type nodeError struct {
	Class  string `json:"class_type"`
	Errors []struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Details string `json:"details"`
	} `json:"errors"`
}

// prompt queues a graph.
func (a *api) prompt(ctx context.Context, s submission) (accepted, error) {
	var out accepted
	err := a.call(ctx, http.MethodPost, "/prompt", s, &out)
	return out, err
}

// history reads the record of a prompt; nil when it has not ended.
func (a *api) history(ctx context.Context, id string) (*record, error) {
	var out map[string]*record
	if err := a.call(ctx, http.MethodGet, "/history/"+url.PathEscape(id), nil, &out); err != nil {
		return nil, err
	}
	return out[id], nil
}

// place is the state of a prompt in the queue.
type place int

const (
	nowhere  place = iota
	pending        // behind a prompt that runs
	starting       // in the queue while none runs: ComfyUI begins with it, or with one before it
	running
)

// queue finds a prompt in the queue.
func (a *api) queue(ctx context.Context, id string) (place, error) {
	var out struct {
		Running [][]json.RawMessage `json:"queue_running"`
		Pending [][]json.RawMessage `json:"queue_pending"`
	}
	if err := a.call(ctx, http.MethodGet, "/queue", nil, &out); err != nil {
		return nowhere, err
	}
	at, queued := nowhere, pending
	if len(out.Running) == 0 {
		queued = starting
	}
	for where, list := range map[place][][]json.RawMessage{running: out.Running, queued: out.Pending} {
		for _, item := range list {
			var name string
			if len(item) > 1 && json.Unmarshal(item[1], &name) == nil && name == id {
				at = where
			}
		}
	}
	return at, nil
}

// load is how many prompts are waiting or running.
func (a *api) load(ctx context.Context) (int, error) {
	var out struct {
		Info struct {
			Remaining int `json:"queue_remaining"`
		} `json:"exec_info"`
	}
	err := a.call(ctx, http.MethodGet, "/prompt", nil, &out)
	return out.Info.Remaining, err
}

// unqueue removes a prompt from the queue unless it is running.
func (a *api) unqueue(ctx context.Context, id string) error {
	return a.call(ctx, http.MethodPost, "/queue", map[string]any{"delete": []string{id}}, nil)
}

// interrupt stops a prompt that is running.
func (a *api) interrupt(ctx context.Context, id string) error {
	return a.call(ctx, http.MethodPost, "/interrupt", map[string]any{"prompt_id": id}, nil)
}

// free makes ComfyUI unload its models and forget its results, which keep models in the
// memory of the GPU when it runs with --gpu-only or --highvram. One flag asks for both.
// With unload_models beside it ComfyUI may notice that one first, and the other only after
// the next prompt.
func (a *api) free(ctx context.Context) error {
	return a.call(ctx, http.MethodPost, "/free", map[string]any{"free_memory": true}, nil)
}

// files lists the files of a model folder; none when ComfyUI has no such
// folder.
func (a *api) files(ctx context.Context, folder string) ([]string, error) {
	var out []string
	err := a.call(ctx, http.MethodGet, "/models/"+url.PathEscape(folder), nil, &out)
	var refused *refusedError
	if errors.As(err, &refused) && refused.status == http.StatusNotFound {
		return nil, nil
	}
	return out, err
}

// system describes a ComfyUI.
type system struct {
	System *struct {
		Version   string   `json:"comfyui_version"`
		Arguments []string `json:"argv"`      // with which it was started
		Free      int64    `json:"ram_free"`  // memory of the machine
		Total     int64    `json:"ram_total"` // zero when it does not say
	} `json:"system"`
	Devices []device `json:"devices"`
}

// device is a GPU as ComfyUI sees it, with its memory in bytes and what of it ComfyUI's own
// process has.
type device struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Total   float64 `json:"vram_total"`
	Free    float64 `json:"vram_free"`
	Own     float64 `json:"torch_vram_total"`
	OwnFree float64 `json:"torch_vram_free"`
}

// heldByOthers is the memory that other programs have.
func (d device) heldByOthers() float64 { return d.Total - d.Free - (d.Own - d.OwnFree) }

func (a *api) stats(ctx context.Context) (out system, err error) {
	var text json.RawMessage
	if err := a.call(ctx, http.MethodGet, "/system_stats", nil, &text); err != nil {
		return out, err
	}
	if err = readAnswer("GET /system_stats", text, &out); err == nil && out.System == nil {
		err = odd("GET /system_stats", text, nil, "there is no system")
	}
	return out, err
}
