package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/client"
)

// chatBody asks for a completion by the scripted model, without tools.
type chatBody struct {
	Model    string        `json:"model"`
	Stream   bool          `json:"stream"`
	Tools    string        `json:"svc_tools"`
	Messages []chatMessage `json:"messages"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// askModel asks for a chat completion.
func askModel(ctx context.Context, url, key, script string, stream bool) (*http.Response, error) {
	body, err := json.Marshal(chatBody{"scripted", stream, "none", []chatMessage{{"user", script}}})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return nil, &client.Error{Status: resp.StatusCode, Message: string(text)}
	}
	return resp, nil
}

// completeWhole asks for a chat completion that comes as a whole and returns its words.
func completeWhole(ctx context.Context, url, key, script string) (string, error) {
	resp, err := askModel(ctx, url, key, script, false)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Choices []struct{ Message chatMessage }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", err
	}
	if len(answer.Choices) != 1 {
		return "", fmt.Errorf("the answer has %d choices", len(answer.Choices))
	}
	return answer.Choices[0].Message.Content, nil
}

// complete asks for a chat completion as a stream and returns its words.
func complete(ctx context.Context, url, key, script string) (string, error) {
	resp, err := askModel(ctx, url, key, script, true)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var words strings.Builder
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found {
			continue
		}
		if data == "[DONE]" {
			return words.String(), nil
		}
		var chunk struct {
			Choices []struct {
				Delta struct{ Content string }
			}
			Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return "", err
		}
		if chunk.Error != nil {
			return "", fmt.Errorf("the answer has an error: %s", chunk.Error)
		}
		for _, c := range chunk.Choices {
			words.WriteString(c.Delta.Content)
		}
	}
	return "", fmt.Errorf("the answer ended after %q", words.String())
}

// receiver gets webhooks. It remembers the ids of deliveries by what they are about.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	ids   map[string]map[string]int // subject and type, to the ids and how often each came
	first func(r *http.Request)     // is called with the next request, and once
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{ids: map[string]map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

func (r *receiver) serve(w http.ResponseWriter, q *http.Request) {
	var event struct {
		Type string
		Data struct{ WorkflowID, RunID string }
	}
	if err := json.NewDecoder(q.Body).Decode(&event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	first := r.first
	r.first = nil
	r.mu.Unlock()
	if first != nil {
		first(q)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	about := event.Type + " " + event.Data.WorkflowID + event.Data.RunID
	if r.ids[about] == nil {
		r.ids[about] = map[string]int{}
	}
	r.ids[about][q.Header.Get("Webhook-Id")]++
}

// hold calls f with the next delivery, before it is answered.
func (r *receiver) hold(f func(*http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first = f
}

// came are the ids of the deliveries about something.
func (r *receiver) came(about string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ids[about])
}
