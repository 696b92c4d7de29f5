package ateliertest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// exchange is a request and the answer that is expected.
type exchange struct {
	method, path string
	as, by       string
	headers      []string
	body         string
	lora         []string // the LoRA file that is the body
	parts        []string // of the form that is the body
	status       string
	wantHeaders  []string
	want         string // JSON
	wantText     []string
	wantFile     string // in base64
}

func parseExchange(lines []string) (e exchange, err error) {
	words := strings.Fields(lines[0])
	if len(words) < 2 || (words[1][0] != '/' && !strings.HasPrefix(words[1], "${")) {
		return e, fmt.Errorf("want METHOD /path, got %q", lines[0])
	}
	e.method, e.path = words[0], words[1]
	for i := 2; i+1 < len(words); i += 2 {
		switch words[i] {
		case "as":
			e.as = words[i+1]
		case "by":
			e.by = words[i+1]
		default:
			return e, fmt.Errorf("what is %q?", words[i])
		}
	}
	body := &e.body
	for _, line := range lines[1:] {
		switch {
		case strings.HasPrefix(line, "> "):
			e.headers = append(e.headers, line[2:])
		case strings.HasPrefix(line, "lora ") && e.status == "":
			e.lora = strings.Fields(line)[1:]
		case strings.HasPrefix(line, "part ") && e.status == "":
			e.parts = append(e.parts, line[len("part "):])
		case strings.HasPrefix(line, "=> "):
			e.status = strings.TrimSpace(line[3:])
			body = &e.want
		case strings.HasPrefix(line, "< "):
			e.wantHeaders = append(e.wantHeaders, line[2:])
		case strings.HasPrefix(line, "file ") && e.status != "":
			e.wantFile = line[len("file "):]
		case strings.HasPrefix(line, "|"):
			e.wantText = append(e.wantText, strings.TrimPrefix(line[1:], " "))
		default:
			*body += line + "\n"
		}
	}
	return e, nil
}

func (w *world) exchange(p paragraph) {
	e, err := parseExchange(p.lines)
	if err != nil {
		w.fail(p, "%v", err)
	}
	if e.status == "" {
		w.fail(p, "the request has no => STATUS")
	}
	w.check(p, e, w.request(p, e))
}

// request is what a scenario sends.
func (w *world) request(p paragraph, e exchange) *http.Request {
	var body io.Reader
	if e.body != "" {
		body = strings.NewReader(w.expand(p, strings.TrimSuffix(e.body, "\n")))
	}
	if e.lora != nil {
		body = bytes.NewReader(w.file(p, e.lora))
	}
	contentType := "application/json"
	if e.parts != nil {
		contentType, body = w.formOf(p, e.parts)
	}
	url := w.expand(p, e.path)
	if strings.HasPrefix(url, "/") {
		url = w.start().URL + url
	}
	req, err := http.NewRequestWithContext(w.t.Context(), e.method, url, body)
	if err != nil {
		w.fail(p, "%v", err)
	}
	if e.body != "" || e.parts != nil {
		req.Header.Set("Content-Type", contentType)
	}
	if e.as != "" {
		credential := w.person(p, e.as).Key
		if e.by == "token" {
			credential = w.service.Token(w.t, w.people[e.as].Account, time.Hour)
		}
		req.Header.Set("Authorization", "Bearer "+credential)
	}
	for _, line := range e.headers {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(w.expand(p, value))
		if name == "Host" { // the client takes it from here
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	return req
}

// formOf is a form with parts, each a name and a text, or a name, a filename behind @ and the file in base64.
func (w *world) formOf(p paragraph, parts []string) (contentType string, body io.Reader) {
	var text bytes.Buffer
	out := multipart.NewWriter(&text)
	for _, part := range parts {
		name, value, _ := strings.Cut(w.expand(p, part), " ")
		filename, file, isFile := strings.Cut(value, " ")
		var (
			to  io.Writer
			err error
		)
		if isFile = isFile && strings.HasPrefix(filename, "@"); isFile {
			to, err = out.CreateFormFile(name, filename[1:])
		} else {
			to, err = out.CreateFormField(name)
		}
		if err == nil && isFile {
			var data []byte
			if data, err = base64.StdEncoding.DecodeString(file); err == nil {
				value = string(data)
			}
		}
		if err == nil {
			_, err = io.WriteString(to, value)
		}
		if err != nil {
			w.fail(p, "%s: %v", name, err)
		}
	}
	_ = out.Close() // it writes to memory
	return out.FormDataContentType(), &text
}

// check sends the request and holds the answer against what is expected.
func (w *world) check(p paragraph, e exchange, req *http.Request) {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		w.fail(p, "%v", err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		w.fail(p, "%v", err)
	}
	if strconv.Itoa(resp.StatusCode) != e.status {
		w.fail(p, "%s %s: got status %d, want %s\n%s", e.method, e.path, resp.StatusCode, e.status, shown(got))
	}
	w.checkHeaders(p, e, resp)
	if e.wantText != nil {
		if want := w.expand(p, strings.Join(e.wantText, "\n")); strings.TrimSpace(string(got)) != strings.TrimSpace(want) {
			w.fail(p, "got text %q, want %q", shown(got), want)
		}
	}
	if e.wantFile != "" {
		if want := w.expand(p, e.wantFile); base64.StdEncoding.EncodeToString(got) != want {
			w.fail(p, "%s %s: got a file of %d bytes, want another: %.80s…", e.method, e.path, len(got), want)
		}
	}
	if e.want != "" {
		if err := w.matchJSON(w.expand(p, e.want), got); err != nil {
			w.fail(p, "%s %s: %v\ngot %s", e.method, e.path, err, shown(got))
		}
	}
	if err := w.contract.check(req, resp, got); err != nil {
		w.fail(p, "%s %s: the answer is not what openapi.json says: %v\n%s", e.method, e.path, err, shown(got))
	}
}

// shown is an answer as a failure prints it: the beginning of a text, and only the
// type and size of a file.
func shown(answer []byte) string {
	const most = 4000
	switch {
	case !utf8.Valid(answer):
		return fmt.Sprintf("%d bytes of %s", len(answer), http.DetectContentType(answer))
	case len(answer) > most:
		return fmt.Sprintf("%.*s… (%d bytes)", most, answer, len(answer))
	}
	return string(answer)
}

func (w *world) checkHeaders(p paragraph, e exchange, resp *http.Response) {
	for _, line := range e.wantHeaders {
		name, want, _ := strings.Cut(line, ":")
		if err := w.matchText(w.expand(p, strings.TrimSpace(want)), resp.Header.Get(name)); err != nil {
			w.fail(p, "header %s: %v", name, err)
		}
	}
}
