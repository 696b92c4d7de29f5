package api

import (
	"bytes"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/wire"
)

// The line of a request says which application asks, where it says so; also of
// a request that was refused for something else.
func TestTheLogNamesTheApplication(t *testing.T) {
	t.Parallel()
	type request struct {
		Model string `wire:"model,required"`
		source
	}
	type change struct {
		changes
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
			line("POST", "/v1/x", standard, wire.Strict, ignored, handle(func(*call, request) (empty, error) { return empty{}, nil })),
			line("POST", "/v1/changes", standard, wire.Strict, ignored, handle(func(*call, change) (empty, error) { return empty{}, nil })),
			line("POST", "/v1/stream", standard, wire.Strict, ignored, stream(func(c *call, _ request) error {
				_, err := io.WriteString(c.w, ": hello\n\n")
				return err
			})))
		s.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: tc.level}))
		w := send1(s, "POST", tc.path, "application/json", tc.body, "X-App-Source", tc.header)
		if text := log.String(); w.Code != tc.status || !strings.HasSuffix(text, tc.want) || strings.Contains(text, "app=") != (tc.want != "") {
			t.Errorf("%s %.60s:\n got %d %s\nwant %d %s", tc.path, tc.body, w.Code, text, tc.status, tc.want)
		}
	}
}

// No route takes an application and keeps it to itself.
func TestEverySourceIsLogged(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard)
	count := 0
	for _, rt := range s.routes() {
		if rt.handler.request == nil {
			continue
		}
		takes := false
		for _, f := range reflect.VisibleFields(rt.handler.request) {
			takes = takes || strings.HasPrefix(f.Tag.Get("wire"), "app_source,")
		}
		if says := reflect.PointerTo(rt.handler.request).Implements(reflect.TypeFor[hasAppSource]()); takes != says {
			t.Errorf("%s %s: takes app_source %v, logs it %v", rt.method, rt.pattern, takes, says)
		}
		if takes {
			count++
		}
	}
	if count < 5 {
		t.Errorf("%d routes take app_source, want chat, tools, and start, resume and reseed of workflows", count)
	}
}
