package run

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// A request and a state as installations store them. They must be read, and written,
// as they are.
const (
	storedRequest = `{"model":"m","messages":[{"role":"user","parts":[{"text":"a <fox>"},{"image":"https://x/a.png","detail":"low"}],"name":"ann"},{"role":"assistant","toolCalls":[{"id":"c0","name":"t","arguments":"{}"}]},{"role":"tool","parts":[{"text":"ok"}],"toolCallId":"c0"}],"tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object"}}}],"toolFunction":"t","maxTokens":4096,"thinking":true,"profile":"coding","params":{"temperature":0.5},"media":[{"kind":"image","url":"https://x/a","original":{"kind":"image","note":"mine"}}],"made":[{"kind":"video","url":"https://x/b"}],"token":"spark","mode":"tokens","app":"app","apiKey":"key","models":["m"],"hostedTools":["generate_image"],"groups":["chat"],"filter":true,"tier":"hq","confirm":true,"confirmSpending":true,"session":"s","clientMessageId":"cm","key":"k","maxUnits":5,"confirmCost":true,"sampling":{"max_tokens":4096},"runtimeConfig":{"qualityTier":"hq"},"webhook":{"url":"https://example.com/hook","events":["run.completed"]},"note":{"store":true},"whole":true,"noTools":true,"allowed":["generate_image"]}`
	storedState   = `{"rounds":[{"text":"Hello","finish":"tool_calls","calls":[{"id":"c1","name":"generate_image","arguments":"{}","workflowId":"wf","approved":true,"filter":false,"outcome":{"result":{"ok":true},"made":[{"id":"a","kind":"image","key":"results/a","type":"image/png","stepId":"s","tool":"generate_image","workflowId":"wf","metadata":{"seed":1}},{"id":"b","kind":"image","url":"https://x/b"}],"workflowId":"wf","status":"completed","model":"m","text":"t","note":"n","over":true}}],"theirs":[{"id":"c2","name":"mine","arguments":"{}"}]}],"waiting":{"reason":"cost_approval_required","message":"m","flavor":"insufficient_credits","calls":[{"id":"c1","name":"generate_image","units":1,"spark":"1.600000","premium":"2.000000"}],"preview":{"units":1,"token":"auto","validityUntil":"2026-03-01T12:00:00.005Z","calls":[]},"workflowId":"wf","review":{"stepId":"s","source":"content_filter","categories":["x"]}},"previews":[{"units":1,"token":"auto","validityUntil":"2026-03-01T12:00:00.005Z","calls":[]}],"final":{"content":"c","pending":[{"id":"c2","name":"mine","arguments":"{}"}],"finish":"stop"},"failure":{"code":"internal_error","message":"no"},"cancelled":"enough","resumes":2,"usage":{"model":"m","promptTokens":20,"completionTokens":10,"cachedTokens":5,"milliseconds":1200,"spark":"0.008000","svc":"0.000001","usd":"0.000040","byPlan":true},"endedAt":"2026-03-01T12:00:00.005Z"}`
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	for text, v := range map[string]any{storedRequest: &requestDocument{}, storedState: &state{}} {
		if err := wire.Unmarshal([]byte(text), v); err != nil {
			t.Fatal(err)
		}
		again, err := wire.Marshal(reflect.ValueOf(v).Elem().Interface())
		if err != nil || string(again) != text {
			t.Errorf("it is stored as\n%s, %v\nwant\n%s", again, err, text)
		}
	}
	// A field that the text above does not name would change unseen.
	for _, v := range []any{requestDocument{}, state{}} {
		fields := reflect.TypeOf(v)
		for i := range fields.NumField() {
			name := fields.Field(i).Name
			var full any = &requestDocument{}
			source := storedRequest
			if _, ok := v.(state); ok {
				full, source = &state{}, storedState
			}
			if err := wire.Unmarshal([]byte(source), full); err != nil {
				t.Fatal(err)
			}
			if f := reflect.ValueOf(full).Elem().FieldByName(name); f.IsZero() && name != "ToolMode" {
				t.Errorf("%T.%s is in no stored text", v, name)
			}
		}
	}
}

// A request is continued as it was sent.
func TestRequestsAreKept(t *testing.T) {
	t.Parallel()
	one, yes := 1.0, true
	call := llm.ToolCall{ID: "c0", Type: "function"}
	call.Function.Name, call.Function.Arguments = "t", "{}"
	messages := []llm.Message{
		llm.Text("system", "Be brief."),
		{Role: "user", Name: "ann", Content: []llm.Part{{Type: "text", Text: "Look"}, {Type: "image_url", Image: llm.Image{URL: "https://x/a.png"}, Detail: "low"}}},
		{Role: "assistant", ToolCalls: []llm.ToolCall{call}},
		{Role: "tool", ToolCallID: "c0", Content: []llm.Part{{Type: "text", Text: "ok"}}},
	}
	d := newRequestDocument(StartRequest{Chat: chat.Request{Messages: messages}, MaxUnits: &one, ConfirmCost: &yes})
	for i, m := range d.Messages {
		if got := m.message(); !reflect.DeepEqual(got, messages[i]) {
			t.Errorf("message %d\n got %+v\nwant %+v", i, got, messages[i])
		}
	}
}

// The moves that there are, from each status. Whatever is not here is refused.
func TestMoves(t *testing.T) {
	t.Parallel()
	allowed := map[atelier.Status][]atelier.Status{
		"":                           {atelier.StatusQueued},
		atelier.StatusQueued:         {atelier.StatusRunning, atelier.StatusFailed, atelier.StatusCancelled},
		atelier.StatusRunning:        {atelier.StatusWaitingForUser, atelier.StatusCompleted, atelier.StatusPartialFailure, atelier.StatusFailed, atelier.StatusCancelled},
		atelier.StatusWaitingForUser: {atelier.StatusRunning, atelier.StatusCompleted, atelier.StatusCancelled},
	}
	for _, from := range append([]atelier.Status{""}, atelier.Statuses...) {
		for _, to := range atelier.Statuses {
			if from == to {
				continue
			}
			r := &record{now: time.Now()}
			r.row.Status = from
			err := r.move(to, "")
			if want := slices.Contains(allowed[from], to); (err == nil) != want {
				t.Errorf("from %q to %q: %v, want %v", from, to, err, want)
			}
			if err != nil && r.row.Status != from {
				t.Errorf("a refused move from %q to %q was made", from, to)
			}
		}
	}
}
