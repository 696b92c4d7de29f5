package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// rawUpload sends an upload as it is written and returns the status of the answer. One that is
// cut ends its side of the connection.
func rawUpload(t *testing.T, c client, head string, body io.Reader, cut bool) int {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		fmt.Fprintf(conn, "POST /v1/loras/personal/upload?name=Fox&modelId=krea2_turbo_fp8_scaled&rightsConfirmed=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n", c.key, head)
		_, _ = io.Copy(conn, body)
		if cut {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// endlessChunks is a body in chunks that never ends.
func endlessChunks(file []byte) io.Reader {
	chunk := func(b []byte) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(b), b) }
	zeros := chunk(make([]byte, 64<<10))
	return io.MultiReader(bytes.NewReader(chunk(file)), bytes.NewReader(bytes.Repeat(zeros, 100)))
}

// Uploads whose body is not what its head says leave nothing behind.
func TestUploadsThatBreak(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Limits.LoraFileBytes, c.Limits.LoraImportsPerMinute = 2<<20, 1000 })
	file := loratest.LoRA{Family: "krea-2"}.File()
	for what, u := range map[string]struct {
		head   string
		body   io.Reader
		cut    bool
		status int
	}{
		"half of a file":        {fmt.Sprintf("Content-Length: %d", len(file)), bytes.NewReader(file[:len(file)/2]), true, 400},
		"a part of its header":  {fmt.Sprintf("Content-Length: %d", len(file)), bytes.NewReader(file[:100]), true, 400},
		"more than it has":      {fmt.Sprintf("Content-Length: %d", len(file)+1), bytes.NewReader(file), true, 400},
		"less than it has":      {fmt.Sprintf("Content-Length: %d", len(file)-1), bytes.NewReader(file), false, 400},
		"a chunk that is cut":   {"Transfer-Encoding: chunked", strings.NewReader("1000\r\nabc"), true, 400},
		"endless chunks":        {"Transfer-Encoding: chunked", endlessChunks(file), true, 413},
		"more than the limit":   {fmt.Sprintf("Content-Length: %d", 2<<20+1), bytes.NewReader(make([]byte, 2<<20+1)), false, 413},
		"nothing":               {"Content-Length: 0", strings.NewReader(""), false, 400},
		"a whole file in parts": {"Transfer-Encoding: chunked", io.MultiReader(strings.NewReader(fmt.Sprintf("%x\r\n", len(file))), bytes.NewReader(file), strings.NewReader("\r\n0\r\n\r\n")), false, 201},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			ann := newClient(t, s, atelier.TierUnlimited)
			if got := rawUpload(t, ann, u.head, u.body, u.cut); got != u.status {
				t.Errorf("got %d, want %d", got, u.status)
			}
			var lib apitype.LoraLibrary
			ann.do("GET", "/v1/loras/personal", "", 200, &lib)
			if added := u.status == 201; added != (len(lib.Loras) == 1) {
				t.Errorf("the library is %+v", lib.Loras)
			}
		})
	}
}
