package hostile

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/worktest"
)

// attacks is everything that a hostile tenant tries.
var attacks = []struct {
	name string
	do   func(context.Context, *tenant, *arsenal) error
}{
	{"chat: empty parts", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.send(ctx, http.MethodPost, "/v1/chat/completions", a.emptyParts)
	}},
	{"chat: empty tools", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.send(ctx, http.MethodPost, "/v1/chat/completions", a.emptyTools)
	}},
	{"chat: empty tool calls", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.send(ctx, http.MethodPost, "/v1/chat/completions", a.emptyCalls)
	}},
	{"chat: long text", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.send(ctx, http.MethodPost, "/v1/chat/completions", a.longText)
	}},
	{"workflow: large reference", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.send(ctx, http.MethodPost, "/v1/creative-agent/workflows", a.largeReference)
	}},
	{"workflow: list", func(ctx context.Context, t *tenant, _ *arsenal) error {
		return t.send(ctx, http.MethodGet, "/v1/creative-agent/workflows?limit=100", nil)
	}},
	{"template: large graph", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.send(ctx, http.MethodPost, "/v1/creative-agent/workflows/templates", a.largeGraph)
	}},
	{"template: list", func(ctx context.Context, t *tenant, _ *arsenal) error {
		return t.send(ctx, http.MethodGet, "/v1/creative-agent/workflows/templates?limit=100", nil)
	}},
	{"tool: huge string", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.send(ctx, http.MethodPost, "/v1/creative-agent/tools/execute", a.hugeString)
	}},
	{"upload: tiny WebP", func(ctx context.Context, t *tenant, a *arsenal) error {
		return repeat(10, func() error {
			return t.upload(ctx, t.slot("image", "startingImage", "image/webp"), "image/webp", a.webp)
		})
	}},
	{"upload: 8K PNG", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.upload(ctx, t.slot("image", "cnImage", "image/png"), "image/png", a.png)
	}},
	{"upload: noise", func(ctx context.Context, t *tenant, a *arsenal) error {
		return t.upload(ctx, t.slot("media", "referenceVideo", "video/mp4"), "video/mp4", a.noise)
	}},
	{"upload: forms", func(ctx context.Context, t *tenant, _ *arsenal) error {
		return repeat(50, func() error {
			return t.send(ctx, http.MethodGet, "/v2/image/uploadUrl?type=startingImage&jobId="+mint.UUID(), nil)
		})
	}},
	{"render: slow clip", slowClip},
	{"wrong keys", wrongKeys},
	{"unsent bodies", unsentBodies},
	{"readiness", func(ctx context.Context, t *tenant, _ *arsenal) error {
		return repeat(100, func() error { return t.send(ctx, http.MethodGet, "/readyz", nil) })
	}},
	{"streams", streams},
}

// repeat does something n times and returns the first error.
func repeat(n int, do func() error) error {
	for range n {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// slot is the query of an upload into one and the same slot of the tenant.
func (t *tenant) slot(kind, name, contentType string) string {
	return fmt.Sprintf("/v2/%s/uploadUrl?type=%s&jobId=%s&contentType=%s", kind, name, t.project, contentType)
}

// slowClip has a clip analyzed that takes the longest to read, without a cent,
// and cancels it while it is read.
func slowClip(ctx context.Context, t *tenant, a *arsenal) error {
	project := mint.UUID()
	query := fmt.Sprintf("type=referenceVideo&jobId=%s&contentType=video/quicktime", project)
	if err := t.upload(ctx, "/v2/media/uploadUrl?"+query, "video/quicktime", a.clip); err != nil {
		return err
	}
	var link struct{ DownloadURL string }
	if err := post(ctx, t.http, t.url, t.key, "/v2/media/downloadUrl?"+query, nil, &link); err != nil {
		return err
	}
	var started struct{ Workflow struct{ WorkflowID string } }
	err := post(ctx, t.http, t.url, t.key, "/v1/creative-agent/workflows", map[string]any{
		"input": map[string]any{"steps": []any{map[string]any{
			"id": "a", "toolName": "analyze_video", "arguments": map[string]any{"sourceVideoIndex": -1, "query": "What is heard?"},
		}}},
		"media_references": []any{map[string]any{"kind": "video", "url": link.DownloadURL}},
	}, &started)
	if err != nil {
		return err
	}
	if rand.IntN(2) == 0 {
		return nil // left to run
	}
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done():
	}
	return t.send(context.WithoutCancel(ctx), http.MethodPost, "/v1/creative-agent/workflows/"+started.Workflow.WorkflowID+"/cancel", nil)
}

// wrongKeys tries keys that do not exist.
func wrongKeys(ctx context.Context, t *tenant, _ *arsenal) error {
	thief := *t
	return repeat(70, func() error {
		thief.key = mint.UUID()
		return thief.send(ctx, http.MethodGet, "/v2/account/me", nil)
	})
}

// unsentBodies announces bodies that never come, without a credential.
func unsentBodies(ctx context.Context, t *tenant, _ *arsenal) error {
	var held []func()
	defer func() {
		for _, drop := range held {
			drop()
		}
	}()
	for i := range 50 {
		c, err := t.dial(ctx, "tcp", t.host)
		if err != nil {
			return err
		}
		held = append(held, func() { c.Close() })
		line := "POST /v1/assets/prepare"
		if i%2 == 1 {
			line = "GET /healthz"
		}
		fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", line)
	}
	return wait(ctx, 5*time.Second)
}

// streams follows one workflow on as many connections as it is given.
func streams(ctx context.Context, t *tenant, _ *arsenal) error {
	var list struct{ Workflows []struct{ WorkflowID string } }
	if err := post(ctx, t.http, t.url, t.key, "/v1/creative-agent/workflows?limit=1", nil, &list); err != nil || len(list.Workflows) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for range 100 {
		c, err := t.dial(ctx, "tcp", t.host)
		if err != nil {
			return err
		}
		defer c.Close()
		fmt.Fprintf(c, "GET /v1/creative-agent/workflows/%s/events/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n", list.Workflows[0].WorkflowID, t.key)
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// many is a JSON array of n times the same value.
func many(value string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + "]"
}

func body(format string, parts ...any) []byte { return fmt.Appendf(nil, format, parts...) }

func newArsenal() *arsenal {
	return &arsenal{
		emptyParts: body(`{"messages":[{"role":"user","content":%s}]}`, many("{}", 6_000_000)),
		emptyTools: body(`{"messages":[{"role":"user","content":"hi"}],"tools":%s}`, many("{}", 5_000_000)),
		emptyCalls: body(`{"messages":[{"role":"assistant","tool_calls":%s}]}`, many("{}", 5_000_000)),
		longText:   body(`{"messages":[{"role":"user","content":"%s"}]}`, strings.Repeat("lorem ipsum 漢字 ", 200_000)),
		largeReference: body(`{"input":{"steps":[{"id":"a","toolName":"extract_metadata","arguments":{"sourceImageIndex":-1}}]},`+
			`"media_references":[{"kind":"image","url":"https://nosuch.invalid/x.png","x":%s}]}`, many("{}", 640_000)),
		largeGraph: body(`{"name":"large","graph":{"x":%s}}`, many("{}", 80_000)),
		hugeString: body(`{"tool":"enhance_prompt","arguments":{"prompt":"%s","target_output":"image_prompt","destination_model":"z-turbo"}}`,
			strings.Repeat("a red boat, ", 150_000)),
		webp: worktest.WebP(wide, high), png: deepPNG(wide, high), noise: noise(8 << 20), clip: slowMovie(),
	}
}

// arsenal holds what attackers send, made once.
type arsenal struct {
	emptyParts, emptyTools, emptyCalls, longText, largeReference, largeGraph, hugeString []byte
	webp, png, noise, clip                                                               []byte
}

func noise(n int) []byte {
	b := bytes.NewBuffer(make([]byte, 0, n))
	b.WriteString("\x00\x00\x00\x18ftypisom")
	for r := rand.New(rand.NewPCG(1, 2)); b.Len() < n; {
		v := r.Uint64()
		b.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24), byte(v >> 32), byte(v >> 40), byte(v >> 48), byte(v >> 56)})
	}
	return b.Bytes()
}
