package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What chat runs should do.
const (
	runsAim     = 300.0 // finished a second
	nextAskAim  = 2.0   // milliseconds from an answer to the next question
	pausedAim   = 0.001 // of a core, for all paused runs together
	pausedRuns  = 1000
	runClients  = 32
	toolAnswers = 20   // rounds of a run whose gaps are measured
	firstAim    = 50.0 // milliseconds from the first word of the model to that of a reader, p99
	talks       = 50   // runs at once whose words are measured
)

const runsPath = "/v1/chat/runs"

// The words that say to the model what to answer.
const (
	sayHello = "hello"
	sayTools = "tools" // calls a tool that answers at once, a number of times
	sayPaid  = "paid"  // calls a tool that costs something
	sayWords = "words" // writes words with pauses between them; a number follows
)

// runModel is a model server that answers at once, and measures when it is asked
// again.
type runModel struct {
	mu   sync.Mutex
	last time.Time // when it has answered a call of a tool
	gaps []float64 // milliseconds

	began sync.Map // when the first word of an answer was sent, by the message
}

func (m *runModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	var q struct {
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	word, answers := "", 0
	for _, message := range q.Messages {
		switch message.Role {
		case "user":
			word = fmt.Sprint(message.Content)
		case "assistant":
			answers++
		}
	}
	if strings.Contains(word, sayWords) {
		m.write(w, word)
		return
	}
	message := map[string]any{"role": "assistant", "content": "Hello."}
	call := func(name, arguments string) {
		message["content"] = nil
		message["tool_calls"] = []any{map[string]any{
			"id": fmt.Sprintf("call_%d", answers), "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
		}}
	}
	measured := false
	switch {
	case strings.Contains(word, sayTools):
		m.mu.Lock()
		if answers > 0 {
			m.gaps = append(m.gaps, float64(came.Sub(m.last).Microseconds())/1000)
		}
		m.mu.Unlock()
		if measured = answers < toolAnswers; measured {
			call("list_workflows", `{"limit":1}`)
		}
	case strings.Contains(word, sayPaid):
		call("generate_image", `{"prompt":"a fox"}`)
	}
	reason := "stop"
	if message["tool_calls"] != nil {
		reason = "tool_calls"
	}
	body, err := json.Marshal(map[string]any{
		"id": "x", "object": "chat.completion", "model": "free",
		"choices": []any{map[string]any{"index": 0, "finish_reason": reason, "message": message}},
		"usage":   map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if measured {
		m.mu.Lock()
		m.last = time.Now()
		m.mu.Unlock()
	}
	_, _ = w.Write(body)
}

// write answers in pieces.
func (m *runModel) write(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 20 {
		if i == 0 {
			m.began.Store(message, time.Now())
		}
		_, _ = io.WriteString(w, `data: {"id":"x","object":"chat.completion.chunk","model":"free","choices":[{"index":0,"delta":{"content":"word "}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(10 * time.Millisecond)
	}
	_, _ = io.WriteString(w, `data: {"id":"x","object":"chat.completion.chunk","model":"free","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// words measures how long the first word of a model takes to a reader of the run, in milliseconds.
func (b *bench) words(ctx context.Context, s *benchService, client *http.Client, model *runModel) error {
	var (
		mu    sync.Mutex
		waits []float64
		next  atomic.Int64
	)
	_, err := rate(ctx, rateSpan*b.time, talks, func(who int) error {
		message := fmt.Sprint(sayWords, next.Add(1))
		key := s.keys[who%len(s.keys)]
		id, err := s.startRun(ctx, client, key, message, false)
		if err != nil {
			return err
		}
		var read time.Time
		err = s.awaitThen(ctx, client, key, id, "assistant_message_text", func() { read = time.Now() })
		if sent, ok := model.began.Load(message); ok && err == nil {
			mu.Lock()
			waits = append(waits, float64(read.Sub(sent.(time.Time)).Microseconds())/1000)
			mu.Unlock()
		}
		return err
	})
	if err != nil {
		return err
	}
	late := percentile(waits, 99)
	b.out.row("first word to its reader, p99", fmt.Sprintf("%.2f ms", late), below(fmt.Sprintf("%.0f ms", firstAim)), late < firstAim,
		fmt.Sprintf("p50 %.2f ms; %d answers, %d at once", percentile(waits, 50), len(waits), talks))
	return nil
}

// startRunService starts a service whose language model is a model of this process.
func (b *bench) startRunService(ctx context.Context, model http.Handler) (*benchService, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: model}
	go func() { _ = server.Serve(listener) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	config, err := json.Marshal(map[string]any{"llm": map[string]any{"default_model": "free", "upstreams": []any{map[string]any{
		"name": "mock", "base_url": fmt.Sprintf("http://%s/v1", listener.Addr()), "api_key": "none",
		"models": []any{map[string]any{"id": "free", "context_length": 131072}},
	}}}})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, "runs.yaml") // JSON is YAML
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return nil, err
	}
	s := &benchService{}
	for range runClients {
		created, err := b.register(ctx, "runs", "", "--spark", "1000000000")
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, created.APIKey)
	}
	command := service{program: b.program, data: b.serviceDir("runs")}.atelier(ctx, "serve", "--config", file)
	command.Env = append(command.Env, unlimitedEnv("")...)
	command.Env = append(command.Env, "ATELIER_LIMITS_CHAT_RUN_STARTS_PER_MINUTE="+unlimited, "ATELIER_LIMITS_LLM_REQUESTS_PER_MINUTE="+unlimited)
	s.process, err = start(command)
	return s, err
}

// startRun starts a run and returns its id.
func (s *benchService) startRun(ctx context.Context, client *http.Client, key, word string, confirm bool) (string, error) {
	body := fmt.Sprintf(`{"messages":[{"role":"user","content":%q}],"runtime_config":{"requireJobConfirmation":%v}}`, word, confirm)
	answer, err := s.ask(ctx, client, key, http.MethodPost, runsPath, body)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusAccepted {
		return "", fmt.Errorf("start a run: %s %s %w", answer.Status, text, err)
	}
	return value(text, "runId"), nil
}

func (s *benchService) ask(ctx context.Context, client *http.Client, key, method, path, body string) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Authorization", "Bearer "+key)
	q.Header.Set("Content-Type", "application/json")
	return client.Do(q)
}

// await reads the stream of a run until an event comes.
func (s *benchService) await(ctx context.Context, client *http.Client, key, id, event string) error {
	return s.awaitThen(ctx, client, key, id, event, func() {})
}

func (s *benchService) awaitThen(ctx context.Context, client *http.Client, key, id, event string, then func()) error {
	answer, err := s.ask(ctx, client, key, http.MethodGet, runsPath+"/"+id+"/events/stream", "")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(make([]byte, 64<<10), 4<<20)
	for lines.Scan() {
		switch lines.Text() {
		case "event: " + event:
			then()
			_, _ = io.Copy(io.Discard, answer.Body) // to its end, where the connection can be used again
			return nil
		case "event: run_failed":
			return fmt.Errorf("the run %s failed", id)
		}
	}
	return fmt.Errorf("the stream of %s ended before %s: %w", id, event, lines.Err())
}

// runs measures chat runs on SQLite, every accepted and ended run synced.
func (b *bench) runs(ctx context.Context) error {
	b.out.part("Runs: durable chat runs on SQLite with a model that answers at once, every start and end synced")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	model := &runModel{}
	s, err := b.startRunService(ctx, model)
	if err != nil {
		return err
	}
	defer s.stop()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * runClients}}
	finished, err := rate(ctx, rateSpan*b.time, runClients, func(who int) error {
		id, err := s.startRun(ctx, client, s.keys[who], sayHello, false)
		if err == nil {
			err = s.await(ctx, client, s.keys[who], id, "run_completed")
		}
		return err
	})
	if err != nil {
		return err
	}
	b.out.row("one round, finished/s", count(finished), aim(fmt.Sprintf("aim ≥ %.0f", runsAim)), finished >= runsAim, fmt.Sprintf("%d clients, each follows the stream of its run", runClients))
	if theirs, err := b.temporalWorkflows(ctx, shipped); err == nil {
		ratio := finished / max(theirs.Finished, 1e-3)
		b.out.row("  as a ratio to one-step workflows", fmt.Sprintf("%.1f", ratio), "", true, fmt.Sprintf("of the Temporal development server: %.1f/s", theirs.Finished))
	} else {
		b.out.skip("  Temporal", err.Error())
	}
	for range 10 {
		id, err := s.startRun(ctx, client, s.keys[0], sayTools, false)
		if err == nil {
			err = s.await(ctx, client, s.keys[0], id, "run_completed")
		}
		if err != nil {
			return err
		}
	}
	model.mu.Lock()
	gaps := slices.Clone(model.gaps)
	model.mu.Unlock()
	half := percentile(gaps, 50)
	b.out.row("answer to next question, p50", fmt.Sprintf("%.2f ms", half), below(fmt.Sprintf("%.0f ms", nextAskAim)), half < nextAskAim,
		fmt.Sprintf("p99 %.2f ms; %d rounds with a tool that answers at once", percentile(gaps, 99), len(gaps)))
	if err := b.words(ctx, s, client, model); err != nil {
		return err
	}
	return b.paused(ctx, s, client)
}

// paused measures what runs that wait for their user take.
func (b *bench) paused(ctx context.Context, s *benchService, client *http.Client) error {
	share := func() (float64, error) {
		if err := sleep(ctx, settle); err != nil {
			return 0, err
		}
		before, _ := s.cpu()
		err := sleep(ctx, watch)
		after, _ := s.cpu()
		return float64(after-before) / float64(watch), err
	}
	without, err := share()
	if err != nil {
		return err
	}
	for i := range pausedRuns {
		key := s.keys[i%len(s.keys)]
		id, err := s.startRun(ctx, client, key, sayPaid, true)
		if err != nil {
			return err
		}
		if i == pausedRuns-1 {
			go func() { _ = s.await(ctx, client, key, id, "run_waiting_for_user") }()
		}
	}
	with, err := share()
	if err != nil {
		return err
	}
	more := max(0, with-without)
	b.out.row(fmt.Sprintf("%d paused runs, processor", pausedRuns), percent(more), below(percent(pausedAim)+" of a core"), more < pausedAim,
		fmt.Sprintf("%s with them, %s without", percent(with), percent(without)))
	return nil
}
