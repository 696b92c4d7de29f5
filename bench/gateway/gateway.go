package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/atelier-project/atelier/bench/bare"
	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/server"
)

// Gateway is something that answers chat completions.
type Gateway struct {
	Name    string
	Path    string // of chat completions
	Body    string // of a request in another protocol: %s is the model, and then what the model is to answer
	Model   string
	Extra   string          // members of the request that only it knows, each with a comma behind it
	Headers string          // whole lines
	Process *server.Process // nil when it was started elsewhere

	url string // http://host:port
}

// Case is a kind of answer.
type Case struct {
	Stream bool
	Size   int
	Delay  time.Duration
}

func (k Case) String() string {
	how := "whole"
	if k.Stream {
		how = "stream"
	}
	return fmt.Sprintf("%s %d KB", how, k.Size>>10)
}

// At is a gateway at a base URL such as http://127.0.0.1:8080/v1.
func At(name, base, key, model string) (*Gateway, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" || u.Port() == "" {
		return nil, fmt.Errorf("%q is not a URL such as http://127.0.0.1:8080/v1", base)
	}
	g := &Gateway{Name: name, url: "http://" + u.Host, Path: strings.TrimRight(u.Path, "/") + "/chat/completions", Model: model}
	if key != "" {
		g.Headers = load.Bearer(key)
	}
	return g, nil
}

// As is the same gateway asked in another way.
func (g *Gateway) As(name string, change func(*Gateway)) *Gateway {
	other := *g
	other.Name = name
	change(&other)
	return &other
}

// Stop ends a gateway that was started for the run.
func (g *Gateway) Stop() {
	if g.Process != nil {
		g.Process.Stop()
	}
}

// request is what clients send for a kind of answer.
func (g *Gateway) request(k Case) []byte {
	wish := bare.ModelText(k.Size, k.Delay)
	body := fmt.Sprintf(g.Body, g.Model, wish)
	if g.Body == "" {
		stream := ""
		if k.Stream {
			stream = `"stream":true,`
		}
		body = fmt.Sprintf(`{"model":%q,%s%s"temperature":0.7,"max_tokens":4000,"messages":[{"role":"system","content":"You are brief."},{"role":"user","content":"Describe the sea. %s"}]}`,
			g.Model, stream, g.Extra, wish)
	}
	return load.Request("POST", g.Path, g.Headers+load.JSON, []byte(body))
}

// Check asks once and holds the answer against what the model says: a gateway that drops or changes something is not
// compared.
func (g *Gateway) Check(ctx context.Context, k Case) error {
	c, err := load.Dial(ctx, g.url, "")
	if err != nil {
		return err
	}
	defer c.Close()
	_, body, _ := strings.Cut(string(g.request(k)), "\r\n\r\n")
	answer, err := c.Want(200, "POST", g.Path, g.Headers+load.JSON, []byte(body))
	if err != nil {
		return err
	}
	content, err := contentOf(answer, k.Stream)
	if want := bare.ModelContent(k.Size); err == nil && content != want {
		err = fmt.Errorf("it answered %d bytes that are not the %d of the model", len(content), len(want))
	}
	return err
}

// contentOf reads the text of an answer, or of a stream of chunks.
func contentOf(answer []byte, stream bool) (string, error) {
	type part struct{ Content string }
	var content strings.Builder
	for text := range strings.SplitSeq(string(answer), "\n") {
		if stream {
			var data bool
			if text, data = strings.CutPrefix(text, "data:"); !data || strings.TrimSpace(text) == "[DONE]" {
				continue
			}
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		var said struct {
			Choices []struct{ Message, Delta part }
		}
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			return "", fmt.Errorf("%w in %q", err, text)
		}
		for _, choice := range said.Choices {
			content.WriteString(choice.Message.Content + choice.Delta.Content)
		}
	}
	return content.String(), nil
}

// Turn has clients ask for some time, each on a separate connection: servers close those that were idle while it was
// the others' turn. It also returns the gateway's processor time for an answer, in microseconds.
func (g *Gateway) Turn(ctx context.Context, k Case, clients int, d time.Duration) (out load.Calls, cpu float64, err error) {
	conns, err := load.DialAll(ctx, g.url, clients, "")
	if err != nil {
		return out, 0, fmt.Errorf("%s: %w", g.Name, err)
	}
	defer load.CloseAll(conns)
	used := func() (cpu time.Duration) {
		if g.Process != nil {
			cpu = g.Process.CPU()
		}
		return cpu
	}
	before := used()
	if out, err = load.Repeat(ctx, conns, g.request(k), 200, d); err != nil {
		return out, 0, fmt.Errorf("%s: %w", g.Name, err)
	}
	return out, float64((used() - before).Microseconds()) / float64(len(out.Whole)), nil
}
