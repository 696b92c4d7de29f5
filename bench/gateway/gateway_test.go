package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/atelier-project/atelier/bench/bare"
	"github.com/atelier-project/atelier/bench/gateway"
)

// A gateway is compared only when it answers what the model says, at once or as a stream.
func TestCheck(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(&bare.Model{})
	defer model.Close()
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"short"}}]}`))
	}))
	defer liar.Close()
	for _, k := range []gateway.Case{{Size: 1 << 10}, {Stream: true, Size: 10 << 10}} {
		g, err := gateway.At("model", model.URL+"/v1", "", "mock")
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Check(t.Context(), k); err != nil {
			t.Errorf("%v: %v", k, err)
		}
		calls, _, err := g.Turn(t.Context(), k, 2, time.Nanosecond)
		if err != nil || len(calls.Whole) == 0 || len(calls.Whole) != len(calls.First) {
			t.Errorf("%v: a turn gave %+v, %v", k, calls, err)
		}
		other, err := gateway.At("liar", liar.URL+"/v1", "", "mock")
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Check(t.Context(), k); err == nil {
			t.Errorf("%v: a gateway that changes the answer passes", k)
		}
	}
}
