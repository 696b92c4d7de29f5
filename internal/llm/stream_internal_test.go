package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// FuzzArrival holds an answer whose events have arrived together against the same one that
// arrives byte by byte, each of whose events is emitted alone.
func FuzzArrival(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\\n\"}}]}\n\n: beat\ndata: [DONE]\n\n"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\"}}]}}]}\ndata: {\"choices\":[{\"finish_reason\":\"stop\"}]}"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"error\":\"x\"}\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		read := func(r io.Reader) (a Answer, pieces int, err error) {
			err = readStream(r, new(chunkReader), func(d Delta) error {
				pieces += d.Pieces
				a.Add(d)
				return nil
			})
			a.content, a.reasoning = Gathering{}, Gathering{}
			return a, pieces, err
		}
		whole, wholePieces, wholeErr := read(bytes.NewReader(body))
		apart, apartPieces, apartErr := read(iotest.OneByteReader(bytes.NewReader(body)))
		whole.calls, apart.calls = nil, nil
		if (wholeErr == nil) != (apartErr == nil) || wholePieces != apartPieces || !reflect.DeepEqual(whole, apart) {
			t.Fatalf("together %+v in %d, %v; apart %+v in %d, %v", whole, wholePieces, wholeErr, apart, apartPieces, apartErr)
		}
	})
}

// bursts is a body that arrives in parts.
type bursts []string

func (b *bursts) Read(p []byte) (int, error) {
	if len(*b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*b)[0])
	if (*b)[0] = (*b)[0][n:]; (*b)[0] == "" {
		*b = (*b)[1:]
	}
	return n, nil
}

// Text that has arrived together is emitted together, and before the next read; what is behind it comes behind it.
func TestTextThatArrivesTogether(t *testing.T) {
	t.Parallel()
	text := func(s string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + s + `"}}]}` + "\n\n"
	}
	body := bursts{
		text("a") + text("b") + text("c") + "data: {\"choi",
		strings.TrimPrefix(text("d"), "data: {\"choi"),
		": data: is only said here\n\n",
		text("e") + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" + text("f") + "data: [DONE]\n\n",
	}
	var got []Delta
	if err := readStream(&body, new(chunkReader), func(d Delta) error { got = append(got, d); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []Delta{
		{Content: "abc", Pieces: 3}, {Content: "d", Pieces: 1}, {Content: "e", Pieces: 1, More: true}, {FinishReason: "stop", More: true},
		{Content: "f", Pieces: 1, More: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A receiver that waits for more is told when nothing has come.
func TestNoMoreHasArrived(t *testing.T) {
	t.Parallel()
	body := bursts{`data: {"choices":[{"index":0,"delta":{"reasoning":"hm"}}]}` + "\n\n", "data: [DONE]\n\n"}
	var got []bool
	if err := readStream(&body, new(chunkReader), func(d Delta) error { got = append(got, d.More); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []bool{true, false}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Nothing is emitted to a receiver that has refused, and what came before an error is.
func TestTextBeforeAnEnd(t *testing.T) {
	t.Parallel()
	const text = `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n"
	left := errors.New("left")
	calls := 0
	err := readStream(strings.NewReader(text+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"), new(chunkReader), func(Delta) error { calls++; return left })
	if !errors.Is(err, left) || calls != 1 {
		t.Errorf("refused: got %v after %d calls", err, calls)
	}
	var a Answer
	if err := readStream(strings.NewReader(text+"data: {\n\n"), new(chunkReader), func(d Delta) error { a.Add(d); return nil }); err == nil || a.Content != "a" {
		t.Errorf("broken: got %q, %v", a.Content, err)
	}
}

// ahead is a body of which more has always arrived.
type ahead struct{ io.Reader }

func (ahead) hasEvent() bool { return true }

// What is emitted together is bounded, however fast a server is: it is what a client may get beyond its money.
func TestTextThatNeverStops(t *testing.T) {
	t.Parallel()
	event := `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("w", 1000) + `"}}]}` + "\n\n"
	body := ahead{strings.NewReader(strings.Repeat(event, 200) + "data: [DONE]\n\n")}
	most, sum := 0, 0
	err := readStream(body, new(chunkReader), func(d Delta) error {
		most, sum = max(most, len(d.Content)), sum+len(d.Content)
		return nil
	})
	if err != nil || sum != 200_000 || most > burst+1000 {
		t.Errorf("%d bytes, at most %d together, %v", sum, most, err)
	}
}

// The time that the receiver of an answer takes is not the server's, and the server has its time again after it.
func TestSlowReceiver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const text = `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n"
		late, end := context.WithCancel(t.Context())
		timeout := time.AfterFunc(time.Minute, end)
		body, server := io.Pipe()
		go func() {
			for range 3 {
				_, _ = io.WriteString(server, text)
			}
			<-late.Done()
			_ = server.CloseWithError(errSlow)
		}()
		heard := 0
		err := readStream(&watched{Reader: body, timeout: timeout, idle: time.Minute}, new(chunkReader), func(Delta) error {
			heard++
			time.Sleep(time.Hour)
			return nil
		})
		if !errors.Is(err, errSlow) || heard != 3 {
			t.Errorf("heard %d pieces, %v", heard, err)
		}
	})
}
