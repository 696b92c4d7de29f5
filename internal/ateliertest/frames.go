package ateliertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// open opens a stream and reads the frames that its paragraph expects.
func (w *world) open(p paragraph) {
	w.t.Helper()
	first, head := request(p.lines)
	e, err := parseExchange(append([]string{first}, p.lines[1:head]...))
	if err != nil {
		w.fail(p, "%v", err)
	}
	if w.stream != nil {
		w.stream.Leave()
	}
	req := w.request(p, e)
	w.stream = OpenStream(w.t, req)
	w.checkHeaders(p, e, w.stream.Answer)
	if err := w.contract.check(req, w.stream.Answer, nil); err != nil {
		w.fail(p, "the stream is not what openapi.json says: %v", err)
	}
	w.frames(p, p.lines[head:])
}

// request is the first line of what a stream paragraph sends, and where the
// frames begin: behind the headers, or behind the status when it has a body.
func request(lines []string) (first string, frames int) {
	first = strings.TrimPrefix(lines[0], "stream ")
	frames = 1
	if strings.HasPrefix(first, "POST ") {
		for frames < len(lines) && !strings.HasPrefix(lines[frames], "=> ") {
			frames++
		}
		frames++
	} else {
		first = "GET " + first
	}
	for frames < len(lines) && (strings.HasPrefix(lines[frames], "> ") || strings.HasPrefix(lines[frames], "< ")) {
		frames++
	}
	return first, min(frames, len(lines))
}

// frames reads the frames that come next and holds them against what is
// expected.
func (w *world) frames(p paragraph, lines []string) {
	w.t.Helper()
	if w.stream == nil {
		w.fail(p, "there is no stream")
	}
	passing := false
	for _, want := range joined(lines) {
		if want == "..." {
			passing = true
			continue
		}
		err := w.frame(p, want)
		for passing && err != nil && errors.Is(err, errOther) {
			err = w.frame(p, want)
		}
		if err != nil {
			w.fail(p, "wanted the frame %s\n%v", want, err)
		}
		passing = false
	}
}

// errOther says that a frame came, and is not the one that was wanted.
var errOther = errors.New("got another frame")

func other(f Frame, why any) error { return fmt.Errorf("%w: %+.1000v: %v", errOther, f, why) }

// joined puts lines that begin with a space behind the line before.
func joined(lines []string) (out []string) {
	for _, line := range lines {
		if n := len(out); n > 0 && strings.HasPrefix(line, " ") {
			out[n-1] += "\n" + line
			continue
		}
		out = append(out, line)
	}
	return out
}

// liveText is the event of frames with what a model is writing: how many come, depends on how fast they are read.
const liveText = "assistant_message_text"

// frame reads one frame and holds it against the one that is wanted. Frames with live text may be left out.
func (w *world) frame(p paragraph, want string) error {
	if want == ":" {
		f, err := w.stream.Next()
		if err == nil && f.Comment == "" {
			return other(f, "no comment")
		}
		return err
	}
	if text, words := strings.CutPrefix(want, "text "); words {
		return w.words(p, text)
	}
	f, err := w.stream.NextEvent()
	for err == nil && f.Event == liveText && !strings.Contains(want, liveText) {
		f, err = w.stream.NextEvent()
	}
	switch {
	case want == "end" && err == io.EOF:
		return nil
	case err != nil:
		return err
	case want == "end":
		return other(f, "the stream is open")
	}
	if data, bare := strings.CutPrefix(want, "data "); bare {
		return w.bare(p, f, data)
	}
	id, rest, _ := strings.Cut(want, " ")
	event, data, _ := strings.Cut(rest, " ")
	if id == "-" {
		id = ""
	}
	if (id != "*" && f.ID != w.expand(p, id)) || f.Event != event {
		return other(f, "another id or event")
	}
	if strings.TrimSpace(data) == "" {
		return nil
	}
	if err := w.matchJSON(w.expand(p, data), []byte(f.Data)); err != nil {
		return other(f, err)
	}
	return nil
}

// bare holds a frame against one that has neither an id nor an event.
func (w *world) bare(p paragraph, f Frame, want string) error {
	switch {
	case f.ID != "" || f.Event != "":
		return other(f, "it has an id or an event")
	case strings.HasPrefix(want, "["): // a word, not an object
		if f.Data != want {
			return other(f, "another word")
		}
		return nil
	}
	if err := w.matchJSON(w.expand(p, want), []byte(f.Data)); err != nil {
		return other(f, err)
	}
	return nil
}

// words reads frames until the words that they add to an answer make up a text,
// in as many pieces as they come.
func (w *world) words(p paragraph, want string) error {
	var text string
	if err := json.Unmarshal([]byte(w.expand(p, want)), &text); err != nil {
		return err
	}
	for got := ""; got != text; {
		f, err := w.stream.NextEvent()
		if err != nil {
			return err
		}
		var chunk struct {
			Choices []struct {
				Delta struct{ Content string }
			}
		}
		if err := json.Unmarshal([]byte(f.Data), &chunk); err != nil || len(chunk.Choices) != 1 || chunk.Choices[0].Delta.Content == "" {
			return other(f, "no words")
		}
		if got += chunk.Choices[0].Delta.Content; !strings.HasPrefix(text, got) {
			return other(f, "the words are "+got)
		}
	}
	return nil
}
