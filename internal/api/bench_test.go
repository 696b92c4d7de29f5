package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
)

// nowhere is a connection that costs nothing.
type nowhere struct{ h http.Header }

func (n nowhere) Header() http.Header         { return n.h }
func (n nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n nowhere) WriteHeader(int)             {}

// BenchmarkPipeline measures what the pipeline itself costs a public read, from
// the request to the written answer, without net/http.
func BenchmarkPipeline(b *testing.B) {
	s := discoveryServer(b, func(context.Context) (atelier.Demand, error) { return atelier.Demand{At: time.Now()}, nil })
	for name, tag := range map[string]string{"whole": "", "unchanged": "*"} {
		b.Run(name, func(b *testing.B) {
			r, err := http.NewRequest(http.MethodGet, "/v1/model-catalog", nil)
			if err != nil {
				b.Fatal(err)
			}
			r.RemoteAddr = "127.0.0.1:4242"
			if tag != "" {
				r.Header.Set("If-None-Match", tag)
			}
			w := nowhere{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.h)
				s.ServeHTTP(w, r)
			}
		})
	}
}
