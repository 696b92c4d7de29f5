package endpoint

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/wire"
)

// The log line of a request names the application, where the request does; also
// for a request that was refused for something else.
func TestTheLogNamesTheApplication(t *testing.T) {
	t.Parallel()
	type request struct {
		Model string `wire:"model,required"`
		Source
	}
	for _, tc := range []struct {
		path, body, header string
		level              slog.Level
		status             int
		want               string // "": no word of an application
	}{
		{"/v1/x", `{"model":"m"}`, "", slog.LevelDebug, 201, ""},
		{"/v1/x", `{"model":"m","app_source":""}`, "", slog.LevelDebug, 201, ""},
		{"/v1/x", `{"model":"m","app_source":"body"}`, "header", slog.LevelDebug, 201, "app=body\n"},
		{"/v1/x", `{"model":"m"}`, "header", slog.LevelDebug, 201, "app=header\n"},
		{"/v1/x", `{"model":"m","app_source":"two\nlines app=x"}`, "", slog.LevelDebug, 201, `app="two\nlines app=x"` + "\n"},
		{"/v1/x", `{"model":"m","app_source":"` + strings.Repeat("狐", 200) + `"}`, "", slog.LevelDebug, 201, "app=" + strings.Repeat("狐", 128) + "\n"},
		{"/v1/x", `{"app_source":"body"}`, "", slog.LevelDebug, 400, "app=body\n"},
		{"/v1/x", `{"model":"m","app_source":7}`, "", slog.LevelDebug, 400, ""},
		{"/v1/changes", `{}`, "", slog.LevelDebug, 201, ""},
		{"/v1/changes", `{"app_source":"body"}`, "", slog.LevelDebug, 201, "app=body\n"},
		{"/v1/stream", `{"model":"m","app_source":"body"}`, "", slog.LevelDebug, 200, "app=body\n"},
		{"/v1/x", `{"model":"m","app_source":"body"}`, "", slog.LevelInfo, 201, ""}, // requests are not logged one by one
	} {
		var log bytes.Buffer
		s := serverOf(io.Discard,
			line("POST", "/v1/x", Standard, wire.Strict, NoKey, Handle(func(*Call, request) (Empty, error) { return Empty{}, nil })),
			line("POST", "/v1/changes", Standard, wire.Strict, NoKey, Handle(func(*Call, changeRequest) (Empty, error) { return Empty{}, nil })),
			line("POST", "/v1/stream", Standard, wire.Strict, NoKey, Stream(func(c *Call, _ request) error {
				_, err := io.WriteString(c.Response, ": hello\n\n")
				return err
			})))
		s.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: tc.level}))
		w := send1(s, "POST", tc.path, "application/json", tc.body, "X-App-Source", tc.header)
		if text := log.String(); w.Code != tc.status || !strings.HasSuffix(text, tc.want) || strings.Contains(text, "app=") != (tc.want != "") {
			t.Errorf("%s %.60s:\n got %d %s\nwant %d %s", tc.path, tc.body, w.Code, text, tc.status, tc.want)
		}
	}
}

// changeRequest names the application in its own field, which may be absent.
type changeRequest struct {
	AppSource *string `wire:"app_source,truncate=128"`
}

func (q changeRequest) App() string {
	if q.AppSource == nil {
		return ""
	}
	return *q.AppSource
}
