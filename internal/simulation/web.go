package simulation

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"

	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// web is the machines outside of the service.
type web struct {
	world     *world
	sites     *loratest.Sites // that LoRAs are imported from
	receivers int
	arrived   map[string]int // how often the receivers of webhooks have confirmed an event
}

func newWeb(w *world) *web { return &web{world: w, sites: sites(), arrived: map[string]int{}} }

// receiver is the address of another receiver of events.
func (b *web) receiver() string {
	b.receivers++
	return fmt.Sprintf("http://hooks.example/%d", b.receivers)
}

// dial connects a node to a machine that answers one request.
func (b *web) dial(_ context.Context, network, where string) (net.Conn, error) {
	if b.fails(8) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		r := bufio.NewReader(there)
		q, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, q.Body); err != nil {
			return
		}
		if q.Host == sitesHost {
			b.serve(there, r, q)
		} else {
			b.answer(there, r, q)
		}
	}()
	return here, nil
}

// fails draws whether something fails, one time in a number of times.
func (b *web) fails(oneIn int) bool {
	return !b.world.calm && b.world.rules.faults > 0 && b.world.r.IntN(oneIn) == 0
}

// answer answers an event, or does not.
func (b *web) answer(conn net.Conn, r *bufio.Reader, q *http.Request) {
	status := http.StatusOK
	switch {
	case b.fails(12): // until the node leaves
		_, _ = r.ReadByte()
		return
	case b.fails(8):
		status = http.StatusServiceUnavailable
	case b.fails(60):
		status = http.StatusGone
	}
	if status == http.StatusOK {
		b.arrived[q.Header.Get("webhook-id")]++
		if b.fails(10) { // it has the event, and the answer is lost
			return
		}
	}
	fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status, http.StatusText(status))
}

// sitesHost serves the sites that LoRAs are imported from.
const sitesHost = "sites.example"

// loras are the files that the sites have, by their name. A bad one cannot be imported.
var loras = sync.OnceValue(func() map[string][]byte {
	file := func(seed byte, rank int) []byte {
		return loratest.LoRA{Family: "krea-2", Layers: 1, Rank: rank, Seed: seed}.File()
	}
	return map[string][]byte{"fox": file(1, 1), "owl": file(2, 1), "hen": file(3, 1), "bad": file(4, 200)}
})

// links are where the files are.
var links = map[string]string{}

// sites are the sites with the files.
var sites = sync.OnceValue(func() *loratest.Sites {
	s := loratest.NewSites()
	for name, content := range loras() {
		links[name] = s.AddHubFile("ann/"+name, name+".safetensors", content)
	}
	return s
})

// serve answers as a site does, or is interrupted.
func (b *web) serve(conn net.Conn, r *bufio.Reader, q *http.Request) {
	switch {
	case b.fails(25): // until the node leaves
		_, _ = r.ReadByte()
		return
	case b.fails(12):
		fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return
	}
	rec := httptest.NewRecorder()
	b.sites.ServeHTTP(rec, q)
	answer := rec.Result()
	answer.Close, answer.ContentLength = true, int64(rec.Body.Len())
	var text bytes.Buffer
	if err := answer.Write(&text); err != nil {
		b.world.t.Errorf("write an answer: %v", err)
	}
	whole := text.Bytes()
	if b.fails(12) {
		whole = whole[:len(whole)/2]
	}
	_, _ = conn.Write(whole)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
