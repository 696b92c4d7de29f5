package llm

import "testing"

// What HTTP puts around the parts of a body is no event: who takes it for one waits with text that has arrived.
func TestEventsThatHaveArrived(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]bool{
		"": false, "\r\n": false, "\r\n7c\r\ndata: {": false, "\r\n0\r\n\r\n": false, "\n": false,
		"\n\n": true, "data: {}\n\n": true, "\r\n7c\r\ndata: {}\n\n\r\n": true,
	} {
		r := burstReader{rest: []byte(rest)}
		if got := r.hasEvent(); got != want {
			t.Errorf("%q: %v, want %v", rest, got, want)
		}
	}
}
