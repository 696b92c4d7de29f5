package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

const (
	startChat   = "POST /v1/chat/runs"
	readChat    = "GET /v1/chat/runs/run_1"
	followChat  = "GET /v1/chat/runs/run_1/events/stream"
	cancelChat  = "POST /v1/chat/runs/run_1/cancel"
	confirmChat = "POST /v1/chat/runs/run_1/confirm-cost"
)

// chatRun answers with a run that has these members besides its id.
func chatRun(members string) http.HandlerFunc {
	return refuse(200, `{"status": "success", "data": {"run": {"runId": "run_1", `+members+`}}}`)
}

// frames answers with a stream: each frame is an event and its payload, or a status. $HOST is
// the server.
func frames(list ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i, f := range list {
			kind, payload, isEvent := strings.Cut(f, " ")
			if kind == "assistant_message_text" {
				fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, payload)
			} else if isEvent {
				fmt.Fprintf(w, "id: %d\nevent: %s\ndata: {\"sequence\":%d,\"type\":%q,\"payload\":%s}\n\n", i, kind, i, kind, strings.ReplaceAll(payload, "$HOST", r.Host))
			} else {
				fmt.Fprintf(w, "event: run_status\ndata: {\"type\":\"run_status\",\"runId\":\"run_1\",\"status\":%q}\n\n", kind)
			}
		}
	}
}

// inTurn gives its answers one after the other, and then the last one.
func inTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		answers[min(n, len(answers)-1)](w, r)
		n++
	}
}

const (
	onePicture = `tool_call_resolved {"toolCallId":"a","toolName":"generate_image","status":"ok","mediaUrls":[{"url":"http://$HOST/file.png","mediaType":"image"}]}`
	costs      = `"waiting": {"reason": "cost_approval_required", "message": "It costs.", "details": {"toolCallId": "a", "pendingToolCallIds": ["a"],
		"costApprovalPreview": {"totalEstimatedCapacityUnits": 1, "tokenType": "spark"}}}`
	completed = `"status": "completed", "finalResponse": {"finishReason": "stop"}`
)

func TestChatOutcomes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		answers    map[string]http.HandlerFunc
		code       int
		out        string
		want, lack []string // on stderr
	}{
		{"a model that failed", map[string]http.HandlerFunc{
			followChat: frames(`run_failed {}`, "failed"), readChat: chatRun(`"status": "failed", "error": {"code": "x", "message": "The model is unavailable."}`),
		}, 1, "", []string{"atelier: The model is unavailable.\n"}, nil},
		{"a tool that failed", map[string]http.HandlerFunc{
			followChat: frames(`tool_call_resolved {"toolName":"generate_image","status":"err","summary":"No worker."}`, "partial_failure"),
			readChat:   chatRun(`"status": "partial_failure", "finalResponse": {"content": "Sorry."}, "toolResults": [{"status": "err", "summary": "No worker."}]`),
		}, 1, "Sorry.\n", []string{"generate_image failed: No worker.\n", "atelier: the run ended as partial_failure: No worker.\n"}, nil},
		{"cancelled elsewhere", map[string]http.HandlerFunc{
			followChat: frames("cancelled"), readChat: chatRun(`"status": "cancelled", "cancellationReason": "suspended"`),
		}, 1, "", []string{"atelier: the run was cancelled (suspended)\n"}, nil},
		{"a stream that fails", map[string]http.HandlerFunc{followChat: refuse(500, `{"message": "Something went wrong."}`)},
			1, "", []string{"Something went wrong.; the run was left as it is: continue with ", " chat --url http://$HOST --resume run_1 -o "}, nil},
		{"a download that fails", map[string]http.HandlerFunc{
			followChat: frames(onePicture, `assistant_message_delta {"content":"Here."}`, "completed"), readChat: chatRun(completed), toFetch: refuse(403, ""),
		}, 1, "Here.\n", []string{"the service answered 403; the result was made but not saved; it is at http://$HOST/file.png\n"}, nil},
		{"a tool that has the last word", map[string]http.HandlerFunc{
			followChat: frames(`assistant_message_delta {"content":"Well."}`, "completed"),
			readChat:   chatRun(`"status": "completed", "finalResponse": {"content": "Well.\n\nWhich fox?", "finishReason": "stop"}`),
		}, 0, "Well.\nWhich fox?\n", nil, []string{"atelier"}},
		{"an event that comes twice", map[string]http.HandlerFunc{
			followChat: frames(`llm_spend {"eventId":"1","modelName":"wise","inputTokens":10,"outputTokens":2,"costInSpark":"0.500000","costInSvc":"0.000000"}`,
				`llm_spend {"eventId":"1","modelName":"wise","inputTokens":10,"outputTokens":2,"costInSpark":"0.500000","costInSvc":"0.000000"}`,
				`llm_spend {"eventId":"2","modelName":"wise","inputTokens":5,"outputTokens":1,"costInSpark":"0.000000","costInSvc":"0.250000","coveredByPlan":true}`, "completed"),
			readChat: chatRun(completed),
		}, 0, "", []string{"wise: 15 tokens in, 3 out, 0.5 Spark and 0.25 svc and paid by the plan\n"}, nil},
		{"text in pieces", map[string]http.HandlerFunc{
			followChat: frames(`assistant_message_text {"first":true,"content":"\n A "}`, `assistant_message_text {"content":"fo\u001b[2J"}`, `assistant_message_delta {"content":"A fo\u001b[2Jx."}`,
				`assistant_message_completed {"content":"A fo\u001b[2Jx."}`, `assistant_message_text {"first":true,"content":"And "}`, `assistant_message_delta {"content":"And"}`, "completed"),
			readChat: chatRun(completed),
		}, 0, "A fo[2Jx.\nAnd \n", nil, nil},
		{"text that is written again", map[string]http.HandlerFunc{
			followChat: frames(`assistant_message_text {"first":true,"content":"Good even"}`, `run_resumed {"reason":"interrupted"}`, `assistant_message_text {"first":true,"content":"Good"}`,
				`assistant_message_delta {"content":"Good morning"}`, "completed"),
			readChat: chatRun(completed),
		}, 0, "Good even\nGood morning\n", []string{"The service was interrupted and continues the run.\n"}, nil},
		{"text that controls a terminal", map[string]http.HandlerFunc{
			followChat: frames(`assistant_message_delta {"content":"a\u001b[2Jb\u009bc\td"}`, "completed"), readChat: chatRun(completed),
		}, 0, "a[2Jbc\td\n", nil, nil},
		{"a preview that has expired", map[string]http.HandlerFunc{
			followChat:  frames("waiting_for_user", "cancelled"),
			readChat:    inTurn(chatRun(costs+`, "status": "waiting_for_user"`), chatRun(costs+`, "status": "waiting_for_user"`), chatRun(`"status": "cancelled"`)),
			confirmChat: refuse(409, `{"message": "The cost preview has expired."}`), cancelChat: refuse(200, `{}`),
		}, 1, "", []string{"atelier: The cost preview has expired; the run was cancelled\n"}, nil},
		{"a decision that was made elsewhere", map[string]http.HandlerFunc{
			followChat:  frames("waiting_for_user", "running", "completed"),
			readChat:    inTurn(chatRun(costs+`, "status": "waiting_for_user"`), chatRun(`"status": "running"`), chatRun(completed)),
			confirmChat: refuse(409, `{"message": "This was decided before."}`),
		}, 0, "", nil, []string{"atelier"}},
		{"a status that is old", map[string]http.HandlerFunc{
			followChat: frames("waiting_for_user", "completed"), readChat: chatRun(completed),
		}, 0, "", nil, []string{"atelier"}},
		{"a decision that fails", map[string]http.HandlerFunc{
			followChat: frames("waiting_for_user"),
			readChat: chatRun(costs + `, "status": "waiting_for_user", "events": [
				{"type": "run_awaiting_cost_confirmation", "payload": {"toolCallId": "b", "toolName": "of an earlier pause", "estimatedCost": 7}},
				{"type": "run_awaiting_cost_confirmation", "payload": {"toolCallId": "a", "toolName": "edit_image", "estimatedCost": 2.08, "capacityUnits": 1, "toolArgs": {"prompt": "a\n\u001b[2Jfox"}}},
				{"type": "run_awaiting_cost_confirmation", "payload": {"toolCallId": "a", "toolName": "generate_image", "modelKey": "z", "estimatedCost": 1.6, "capacityUnits": 1.5}}]`),
			confirmChat: refuse(500, `{"message": "Something went wrong."}`),
		}, 1, "", []string{"  edit_image      2.08 Spark  1             a [2Jfox\n", "  total           3.68 Spark  1\n", "atelier: Something went wrong.; the run waits for an answer: continue with "}, []string{"earlier"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.answers[startChat] = chatRun(`"status": "queued"`)
			s := fakeService(t, c.answers)
			var out, errs strings.Builder
			code := run([]string{"chat", "a fox", "--yes", "--url", s.URL, "--api-key", "key", "-o", t.TempDir()}, &out, &errs)
			if code != c.code || out.String() != c.out {
				t.Errorf("got exit code %d and %q, want %d and %q; stderr: %s", code, &out, c.code, c.out, &errs)
			}
			for _, want := range c.want {
				if want := strings.ReplaceAll(want, "$HOST", s.Listener.Addr().String()); !strings.Contains(errs.String(), want) {
					t.Errorf("got %q, want %q in it", &errs, want)
				}
			}
			for _, lack := range c.lack {
				if strings.Contains(errs.String(), lack) {
					t.Errorf("got %q, want no %q in it", &errs, lack)
				}
			}
		})
	}
}

// chatRunOf is a run with these messages, of the user and the model in turn.
func chatRunOf(status atelier.Status, messages ...string) apitype.Run {
	r := apitype.Run{Status: status}
	for i, m := range messages {
		r.Messages = append(r.Messages, apitype.RunMessage{Role: []string{"user", "assistant"}[i%2], Content: m})
	}
	return r
}

// A conversation sends what was said and made before. A message without an answer is not
// sent again.
func TestChatConversation(t *testing.T) {
	t.Parallel()
	talk := &conversation{}
	answered := chatRunOf("completed", "a fox", "Here it is.")
	talk.remember(answered)
	for _, status := range []atelier.Status{atelier.StatusCancelled, atelier.StatusFailed} {
		talk.remember(chatRunOf(status, "a fox", "Here it is.", "a bear"))
		if got := len(talk.next.Messages); got != len(answered.Messages) {
			t.Errorf("after a run that was %s the conversation has %d messages, want %d", status, got, len(answered.Messages))
		}
	}
	talk.remember(chatRunOf("partial_failure", "a fox", "Here it is.", "a bear", "Only half."))
	if got := len(talk.next.Messages); got != 4 {
		t.Errorf("after a partial failure the conversation has %d messages, want 4", got)
	}
}

// A conversation continues from a run that is resumed, with its settings and the flags.
func TestChatGoesOn(t *testing.T) {
	t.Parallel()
	var got client.RunStart
	s := fakeService(t, map[string]http.HandlerFunc{
		readChat: chatRun(completed + `, "request": {"sessionId": "s", "model": "wise", "messages": [{"role": "user", "content": "a fox"}], "runtimeConfig": {"qualityTier": "hq", "requireJobConfirmation": true}},
			"scope": {"tokenType": "svc"}, "messages": [{"role": "user", "content": "a fox"}, {"role": "assistant", "content": "Here."}], "mediaContext": {"images": ["http://x/1.png"]}`),
		followChat: frames("completed"),
		startChat: func(w http.ResponseWriter, r *http.Request) {
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
				t.Error(err)
			}
			chatRun(`"status": "queued"`)(w, r)
		},
	})
	var out, errs strings.Builder
	code := run([]string{"chat", "make it blue", "--resume", "run_1", "--tier", "pro", "--image", "http://x/2.png", "--no-save", "--url", s.URL, "--api-key", "key"}, &out, &errs)
	if code != 0 {
		t.Fatalf("got exit code %d and %s", code, &errs)
	}
	want := client.RunStart{
		Messages:  []apitype.RunMessage{{Role: "user", Content: "a fox"}, {Role: "assistant", Content: "Here."}, {Role: "user", Content: "make it blue"}},
		SessionID: "s", Model: "wise", TokenType: "svc", Config: client.RunConfig{QualityTier: "pro", RequireJobConfirmation: true},
		Media: []client.Media{{Kind: "image", URL: "http://x/2.png"}}, MediaContext: apitype.MediaContext{Images: []string{"http://x/1.png"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMediaTarget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, kind, link, want string }{
		{"generate_image", "image", "http://x/a.png?name=b.gif", "made/image.png"},
		{"animate_photo", "video", "http://x/a.mp4", "made/video.mp4"},
		{"generate_music", "audio", "http://x/a.wav", "made/music.wav"},
		{"generate_speech", "audio", "http://x/a.flac", "made/speech.flac"},
		{"image_to_3d", "model", "http://x/a.glb", "made/3d.glb"},
		{"future_tool", "hologram", "http://x/..%2f..%2fa", "made/file.bin"},
	} {
		if got := filepath.ToSlash(mediaTarget("made", c.tool, c.kind, c.link).name); got != c.want {
			t.Errorf("%s: got %s, want %s", c.tool, got, c.want)
		}
	}
}
