package blob_test

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
)

// BenchmarkDiskServer moves a gigabyte through the disk server and through a bare net/http
// handler that copies between the connection and a file, in turns. x-bare is
// the disk server's throughput as a ratio to the other's; the aim is above 0.7.
// peak-MB is the most memory this process ever held, the client's included; the
// aim is below 100.
func BenchmarkDiskServer(b *testing.B) {
	const size = 1 << 30
	dir := b.TempDir()
	d := openServer(b, dir, blob.DiskServerOptions{})
	bare := bareServer(b, filepath.Join(b.TempDir(), "file"))
	b.Run("upload", func(b *testing.B) {
		compare(b, size, func() {
			resp, err := http.Post(bare, "image/png", media(size))
			finish(b, resp, err, http.StatusNoContent)
		}, func() {
			if status, text := post(b, pngForm(b, d, "a/large.png", size), media(size), size); status != http.StatusNoContent {
				b.Fatalf("status %d %s", status, text)
			}
		})
	})
	b.Run("download", func(b *testing.B) {
		u, err := d.GetURL(b.Context(), "a/large.png", blob.GetTerms{Until: time.Now().Add(time.Hour)})
		if err != nil {
			b.Fatal(err)
		}
		compare(b, size, func() {
			resp, err := http.Get(bare)
			finish(b, resp, err, http.StatusOK)
		}, func() {
			resp, err := http.Get(u)
			finish(b, resp, err, http.StatusOK)
		})
	})
}

// media is content that looks like media: a boundary is searched in it as fast, as
// in a real file.
func media(size int64) io.Reader {
	return io.LimitReader(&repeating{block: block}, size)
}

var block = func() []byte {
	b := make([]byte, 1<<20)
	_, _ = rand.Read(b)
	return b
}()

type repeating struct {
	block []byte
	at    int
}

func (r *repeating) Read(p []byte) (int, error) {
	n := copy(p, r.block[r.at:])
	r.at = (r.at + n) % len(r.block)
	return n, nil
}

// compare runs the two in turns and reports the ratio of their speed.
func compare(b *testing.B, size int64, bare, server func()) {
	b.SetBytes(2 * size)
	var bareTook, serverTook time.Duration
	for b.Loop() {
		start := time.Now()
		bare()
		middle := time.Now()
		server()
		bareTook, serverTook = bareTook+middle.Sub(start), serverTook+time.Since(middle)
	}
	b.ReportMetric(bareTook.Seconds()/serverTook.Seconds(), "x-bare")
	b.ReportMetric(float64(size)/1e6*float64(b.N)/serverTook.Seconds(), "server-MB/s")
	b.ReportMetric(peak(), "peak-MB")
}

func finish(b *testing.B, resp *http.Response, err error, want int) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != want {
		b.Fatalf("status %d, %v", resp.StatusCode, err)
	}
}

// bareServer keeps what is posted in a file, as durable as the disk server's, and gives
// it back.
func bareServer(b *testing.B, name string) string {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.ServeFile(w, r, name)
			return
		}
		f, err := os.Create(name)
		if err == nil {
			_, err = io.Copy(f, r.Body)
		}
		if err == nil {
			err = f.Sync()
		}
		if err != nil || f.Close() != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

// peak is the most memory that this process ever held, in megabytes, where the
// system says.
func peak() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseFloat(kilobytes, 64)
	return n / 1000
}
