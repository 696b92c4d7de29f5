package llm

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

// eventReader reads the events of one answer.
type eventReader interface {
	// appendText appends the text of an event that has nothing else. It reports false, and appends nothing, when read
	// has to read the event.
	appendText(text, data []byte) ([]byte, bool)
	read(data []byte) (Delta, error)
}

// arrivals knows of a body whether at least a part of an event has arrived.
type arrivals interface{ hasEvent() bool }

// stream is an answer that comes as events, while it is read. Text of events that have arrived together is emitted
// together: a piece costs its receiver, and the client behind it, far more than its text.
type stream struct {
	in      *bufio.Reader
	arrived arrivals // nil when that cannot be known
	events  eventReader
	emit    func(Delta) error
	long    []byte        // a line that does not fit the reader
	size    int           // of what was read
	ended   bool          // the reason for the end has come
	text    *bytes.Buffer // that has arrived and was not emitted; nil for none
	pieces  int           // of the text
	held    bool          // the receiver was told that more has arrived

	begun   bool // something was emitted
	refused bool // emit has failed
}

// lineReaders are the readers of streams.
var lineReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// maxLine bounds a line of a stream.
const maxLine = 4 << 20

// readStream reads an answer that comes as events.
func readStream(r io.Reader, events eventReader, emit func(Delta) error) error {
	s := stream{in: lineReaders.Get().(*bufio.Reader), events: events, emit: emit}
	s.in.Reset(r)
	s.arrived, _ = r.(arrivals)
	err := s.read()
	if failed := s.emitText(true); failed != nil {
		err = failed
	}
	s.in.Reset(nil)
	lineReaders.Put(s.in)
	return err
}

// read reads events until the last. Text may be left that was not emitted.
func (s *stream) read() error {
	for {
		if !s.hasMore() || s.text != nil && s.text.Len() >= burst { // the next may take long
			if err := s.emitText(false); err != nil {
				return err
			}
		}
		data, err := s.next()
		if s.size += len(data); s.size > maxAnswer {
			return invalidAnswer("it is too long")
		}
		switch {
		case err == io.EOF && s.ended: // not every server sends [DONE]
			return nil
		case err == io.EOF:
			return invalidAnswer("it ended before it was done")
		case err != nil:
			return err
		case data == nil:
			continue
		case string(data) == "[DONE]" && !s.begun && s.pieces == 0:
			return invalidAnswer("there is nothing in it")
		case string(data) == "[DONE]":
			return nil
		}
		if err := s.take(data); err != nil {
			return err
		}
	}
}

// hasMore reports whether a whole line has arrived, or more of one is read without waiting.
func (s *stream) hasMore() bool {
	rest, _ := s.in.Peek(s.in.Buffered())
	return bytes.IndexByte(rest, '\n') >= 0 || s.arrived != nil && s.arrived.hasEvent()
}

// next reads a line and returns its data, or nil when it has none. The data is valid until the next read.
func (s *stream) next() ([]byte, error) {
	s.long = s.long[:0]
	for {
		line, err := s.in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			if s.long = append(s.long, line...); len(s.long) > maxLine {
				return nil, invalidAnswer("a line of it is too long")
			}
			continue
		}
		if len(s.long) > 0 {
			s.long = append(s.long, line...)
			line = s.long
		}
		line = bytes.TrimSpace(line)
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		data, ok := bytes.CutPrefix(line, dataField)
		if !ok {
			return nil, nil
		}
		return bytes.TrimSpace(data), nil
	}
}

var dataField = []byte("data:")

// take reads an event. Text waits until no more has arrived; anything else is emitted at once, behind it.
func (s *stream) take(data []byte) error {
	if s.text == nil {
		s.text = bodies.Get().(*bytes.Buffer)
		s.text.Reset()
	}
	if text, ok := s.events.appendText(s.text.AvailableBuffer(), data); ok {
		s.addText(text)
		return nil
	}
	d, err := s.events.read(data)
	switch {
	case err != nil:
		return err
	case d.isTextOnly():
		s.addText([]byte(d.Content))
		return nil
	}
	if err := s.emitText(true); err != nil {
		return err
	}
	s.ended = s.ended || d.FinishReason != ""
	d.More, s.held = true, true
	return s.send(d)
}

func (s *stream) addText(text []byte) {
	s.text.Write(text)
	s.pieces += min(len(text), 1)
}

// emitText emits the text that waits. more says that something has arrived behind it; otherwise a receiver that waits
// for more is told that nothing has, too.
func (s *stream) emitText(more bool) error {
	d := Delta{Pieces: s.pieces, More: more}
	if s.text != nil {
		d.Content = s.text.String()
		bodies.Put(s.text)
		s.text, s.pieces = nil, 0
	}
	if s.refused || d.Content == "" && (more || !s.held) {
		return nil
	}
	s.held = more
	return s.send(d)
}

func (s *stream) send(d Delta) error {
	err := s.emit(d)
	s.begun, s.refused = true, err != nil
	return err
}
