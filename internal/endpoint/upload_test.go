package endpoint

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/pipetest"
	"github.com/atelier-project/atelier/internal/wire"
)

type fileRequest struct {
	Name string `wire:"name,required"`
}

// uploadRoute takes files, and refuses those named no before it reads them.
func uploadRoute() Route {
	return line("POST", "/v1/files", Standard, wire.Strict, NoKey, Upload(func(_ *Call, q fileRequest, file io.Reader) (echoReply, error) {
		if q.Name == "no" {
			return echoReply{}, atelier.Refuse("name", "is taken.")
		}
		n, err := io.Copy(io.Discard, file)
		return echoReply{ID: q.Name, Count: int(n)}, err
	}))
}

func TestUpload(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard, uploadRoute())
	for _, c := range []struct {
		path, kind string
		status     int
		want       string
	}{
		{"/v1/files?name=fox", OctetStream, 201, `"id":"fox"`},
		{"/v1/files?name=fox", "", 201, `"count":3`},
		{"/v1/files?name=fox", "application/json", 415, OctetStream},
		{"/v1/files?name=fox", "multipart/form-data; boundary=x", 415, OctetStream},
		{"/v1/files", OctetStream, 400, `"field":"name"`},
		{"/v1/files?name=fox&more=1", OctetStream, 400, `"field":"more"`},
		{"/v1/files?name=no", OctetStream, 400, "is taken"},
	} {
		w := send1(s, "POST", c.path, c.kind, "abc")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s as %q: got %d %s, want %d with %s", c.path, c.kind, w.Code, w.Body, c.status, c.want)
		}
	}
}

// An upload lasts as long as it makes progress, and ends when it stalls.
func TestSlowUploads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pause time.Duration // between two bytes
		want  string
	}{
		"slow":    {25 * time.Second, "HTTP/1.1 201 "},
		"stalled": {31 * time.Second, "HTTP/1.1 400 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := pipetest.Listen()
				server := serverOf(io.Discard, uploadRoute()).HTTP()
				var served sync.WaitGroup
				served.Go(func() { _ = server.Serve(l) })
				conn, err := l.Dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				served.Go(func() {
					fmt.Fprintf(conn, "POST /v1/files?name=fox HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 40\r\n\r\n")
					for range 40 {
						time.Sleep(c.pause)
						if _, err := io.WriteString(conn, "x"); err != nil {
							return
						}
					}
				})
				answer, _ := io.ReadAll(conn)
				if !strings.HasPrefix(string(answer), c.want) {
					t.Errorf("got %.60q, want %s", answer, c.want)
				}
				conn.Close()
				server.Close()
				served.Wait()
			})
		})
	}
}

// A client that waits to be asked for the file is not asked when it is refused. One that sends
// it at once reads the refusal, and keeps its connection.
func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	_, addr := listen(t, Timeouts{}, uploadRoute())
	conn := dial(t, addr)
	answers := bufio.NewReader(conn)
	const large = 1 << 20 // more than net/http discards itself
	fmt.Fprintf(conn, "POST /v1/files?name=no HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", large, strings.Repeat("x", large))
	resp, err := http.ReadResponse(answers, nil)
	if err != nil || resp.StatusCode != 400 || resp.Close {
		t.Fatalf("refused after it was sent: %+v, %v", resp, err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	fmt.Fprintf(conn, "POST /v1/files?name=no HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", large)
	if resp, err = http.ReadResponse(answers, nil); err != nil || resp.StatusCode != 400 {
		t.Errorf("refused before it was sent: %+v, %v", resp, err)
	}
}
