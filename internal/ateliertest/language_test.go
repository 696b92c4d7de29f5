package ateliertest

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestParagraphs(t *testing.T) {
	t.Parallel()
	got := paragraphs("# a comment\n\none\ntwo\n\n\n# another\nthree\n")
	want := []paragraph{{3, []string{"one", "two"}}, {8, []string{"three"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFramesGoOnBehindASpace(t *testing.T) {
	t.Parallel()
	got := joined([]string{"1 a {", `  "b": 2}`, "...", "end"})
	want := []string{"1 a {\n  \"b\": 2}", "...", "end"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStreamsThatArePosted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		lines  []string
		first  string
		frames int
	}{
		{[]string{"stream /a as ann", "1 b {}"}, "GET /a as ann", 1},
		{[]string{"stream /a", "> X: y", "< Z: 1", "end"}, "GET /a", 3},
		{[]string{"stream POST /a as ann", "{", "}", "=> 200", "< Z: 1", "data {}", "end"}, "POST /a as ann", 5},
		{[]string{"stream POST /a", "{}"}, "POST /a", 2},
	} {
		if first, frames := request(tc.lines); first != tc.first || frames != tc.frames {
			t.Errorf("%q: got %q and %d, want %q and %d", tc.lines, first, frames, tc.first, tc.frames)
		}
	}
}

func TestBareFrames(t *testing.T) {
	t.Parallel()
	w := &world{t: t, saved: map[string]string{}}
	for _, tc := range []struct {
		frame Frame
		want  string
		ok    bool
	}{
		{Frame{Data: "[DONE]"}, "[DONE]", true},
		{Frame{Data: `{"a": 1}`}, "[DONE]", false},
		{Frame{Data: `{"a": 1, "b": 2}`}, `{"a": 1}`, true},
		{Frame{Data: `{"a": 2}`}, `{"a": 1}`, false},
		{Frame{Event: "x", Data: `{"a": 1}`}, `{"a": 1}`, false},
	} {
		if err := w.bare(paragraph{}, tc.frame, tc.want); (err == nil) != tc.ok {
			t.Errorf("%+v against %s: got %v", tc.frame, tc.want, err)
		}
	}
}

func TestAnswersOfModels(t *testing.T) {
	t.Parallel()
	w := &world{t: t, saved: map[string]string{"id": "7"}}
	got := w.answer(paragraph{lines: []string{"says", `thinks "hm"`, `"a "`, `call f {"x": "${id}"}`, "wait", "break", "usage 1 2 3", "finish length", "fail 400 no way"}})
	want := Answer{
		Pieces: []Piece{{Thought: "hm"}, {Content: "a "}, {Call: &Call{"call_1", "f", `{"x": "7"}`}}, {Wait: true}, {Break: true}},
		Usage:  [3]int{1, 2, 3}, Finish: "length", Fail: 400, Reason: "no way",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ want, got, err string }{
		{`{"a": 1}`, `{"a": 1, "b": 2}`, ""},
		{`{"a": 1}`, `{"a": 2}`, ".a: got 2"},
		{`{"a": 1}`, `{}`, ".a is missing"},
		{`{"a": null}`, `{}`, ".a is missing"},
		{`{"a": null}`, `{"a": null}`, ""},
		{`{"a": "<absent>"}`, `{}`, ""},
		{`{"a": "<absent>"}`, `{"a": null}`, "want nothing"},
		{`[1, "<any>"]`, `[1, 2]`, ""},
		{`[1]`, `[1, 2]`, "want 1 items"},
		{`{"a": "<number>"}`, `{"a": "1"}`, "want <number>"},
		{`["<any order>", {"a": 2}, {"a": 1}]`, `[{"a": 1, "b": 1}, {"a": 2}]`, ""},
		{`["<any order>", {"a": 2}, {"a": 2}]`, `[{"a": 1}, {"a": 2}]`, "[1]: none of"},
		{`["<any order>", {"a": 2}]`, `[{"a": 1}, {"a": 2}]`, "want 1 items"},
		{`["<any order>"]`, `{}`, "want 1 items"},
		{`{"a": "<match ^b+$>"}`, `{"a": "bbb"}`, ""},
		{`{"a": "<match ^b+$>"}`, `{"a": "bab"}`, "want <match"},
		{`{"a": "<time>"}`, `{"a": "2026-01-02T03:04:05Z"}`, ""},
		{`{"a": "<maybe>"}`, `{"a": 1}`, "what is <maybe>?"},
		{`{"a": {`, `{}`, "the expected JSON is broken"},
		{`{}`, `<html>`, "the answer is not JSON"},
	} {
		w := &world{t: t, saved: map[string]string{}}
		err := w.matchJSON(tc.want, []byte(tc.got))
		if (err == nil) != (tc.err == "") || (err != nil && !strings.Contains(err.Error(), tc.err)) {
			t.Errorf("%s against %s: got %v, want %q", tc.got, tc.want, err, tc.err)
		}
	}
}

func TestASavedNumberIsWrittenAsItCame(t *testing.T) {
	t.Parallel()
	w := &world{t: t, saved: map[string]string{}}
	if err := w.matchJSON(`{"seed": "<save seed>"}`, []byte(`{"seed": 4294967295}`)); err != nil {
		t.Fatal(err)
	}
	if got := w.expand(paragraph{}, `{"seed": ${seed}}`); got != `{"seed": 4294967295}` {
		t.Errorf("got %s", got)
	}
	if got := w.expand(paragraph{}, `[${{"a": {"b": "${x*2}"}}*2}, 1]`); got != `[{"a": {"b": "xx"}},{"a": {"b": "xx"}}, 1]` {
		t.Errorf("got %s", got)
	}
	if got := w.expand(paragraph{}, "${ab*3}"); got != "ababab" {
		t.Errorf("got %s", got)
	}
}

// The contract refuses what the document does not say, and knows the paths of
// every service.
func TestContract(t *testing.T) {
	t.Parallel()
	s := Start(t, storetest.SQLite(t))
	c := readContract(t, s)
	for _, tc := range []struct {
		status     int
		body, want string
	}{
		{200, `{"status": "success", "data": {"walletAddress": 5}}`, "walletAddress"},
		{200, `{"status": "success"}`, "data"},
		{418, `{}`, "418"},
		{401, `{"status": "error", "errorCode": 101, "message": "No.", "details": {"anything": null}}`, ""},
		{401, `{"status": "error", "errorCode": "101", "message": "No."}`, "errorCode"},
	} {
		req, err := http.NewRequest("GET", s.URL+"/v2/account/me", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp := &http.Response{StatusCode: tc.status, Header: http.Header{"Content-Type": {"application/json"}}}
		err = c.check(req, resp, []byte(tc.body))
		if (err == nil) != (tc.want == "") || (err != nil && !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%d %s: got %v, want %q", tc.status, tc.body, err, tc.want)
		}
	}
}
