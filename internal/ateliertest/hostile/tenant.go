package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/atelier-project/atelier/internal/mint"
)

// tenant is one attacker: an account without a balance, at its own address.
type tenant struct {
	url, host string // of the service
	key       string
	project   string // what it uploads into
	from      net.IP
	http      *http.Client
	forms     map[string]form // upload forms, kept to be used again
}

// form is what an upload needs.
type form struct {
	URL    string            `json:"url"`
	Fields map[string]string `json:"fields"`
}

func newTenant(service, key string, number int) (*tenant, error) {
	u, err := url.Parse(service)
	if err != nil {
		return nil, err
	}
	from := net.IPv4(127, 0, 0, byte(2+number))
	t := &tenant{url: service, host: u.Host, key: key, project: mint.UUID(), from: from, forms: map[string]form{}}
	t.http = &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{DialContext: t.dial}}
	return t, nil
}

func (t *tenant) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: t.from}, Timeout: 10 * time.Second}
	return d.DialContext(ctx, network, address)
}

// send posts a body and forgets the answer: a refusal is what an attack expects.
func (t *tenant) send(ctx context.Context, method, path string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, method, t.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+t.key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := t.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// upload posts a file with a form, which is used again and again.
func (t *tenant) upload(ctx context.Context, query, contentType string, file []byte) error {
	f, ok := t.forms[query]
	if !ok {
		if err := post(ctx, t.http, t.url, t.key, query, nil, &f); err != nil {
			return err
		}
		t.forms[query] = f
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(keys(f.Fields)) {
		_ = w.WriteField(name, f.Fields[name])
	}
	part, _ := w.CreateFormFile("file", "file")
	_, _ = part.Write(file)
	_ = w.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.URL, &b)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	resp, err := t.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusNoContent {
		delete(t.forms, query)
		return fmt.Errorf("the storage answered %d", resp.StatusCode)
	}
	return nil
}

// post calls an endpoint, with GET when there is no body, and reads data of the
// answer into out.
func post(ctx context.Context, c *http.Client, service, key, path string, in, out any) error {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		method, body = http.MethodPost, bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, service+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s answered %d: %.300s", method, path, resp.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, &struct{ Data any }{out})
}
