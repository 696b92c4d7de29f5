package anthropic

import (
	"bytes"
	"fmt"

	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/wire"
)

// The events of a stream. Each has its name as its type.
type (
	messageStart struct {
		Type    string   `json:"type"`
		Message *Message `json:"message"`
	}
	blockStart struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Block any    `json:"content_block"` // textBlock or callBlock
	}
	blockDelta struct {
		Type  string     `json:"type"`
		Index int        `json:"index"`
		Delta inputDelta `json:"delta"`
	}
	inputDelta struct {
		Type string `json:"type"`
		JSON string `json:"partial_json"`
	}
	blockStop struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
	messageDelta struct {
		Type  string  `json:"type"`
		Delta stopped `json:"delta"`
		Usage Usage   `json:"usage"`
	}
	stopped struct {
		Reason   *string `json:"stop_reason"`
		Sequence *string `json:"stop_sequence"`
	}
	bare struct {
		Type string `json:"type"`
	}
)

// Event is an event of a stream.
type Event struct {
	Name string
	Data any
}

// Streamer makes the events of one answer. Text is passed on as it comes; calls come whole, at the end.
type Streamer struct {
	request *chat.Request
	model   string
	block   int    // the index of the current block
	open    bool   // the current block has begun
	before  []byte // the event of a text before the text
}

// NewStreamer makes the streamer of a request.
func NewStreamer(r *chat.Request) *Streamer { return &Streamer{request: r} }

// SetModel sets the model that answers.
func (s *Streamer) SetModel(id string) { s.model = id }

// First is the event that opens a stream.
func (s *Streamer) First() Event {
	return Event{"message_start", messageStart{"message_start", newMessage(s.request, s.model)}}
}

// Ping is the event that shows that the stream is alive.
func (s *Streamer) Ping() Event { return Event{"ping", bare{"ping"}} }

// TextEvent is the name of the events that WriteText writes.
const TextEvent = "content_block_delta"

// Begin are the events before the first text.
func (s *Streamer) Begin() []Event {
	if s.open {
		return nil
	}
	s.open = true
	return []Event{s.start(textBlock{Type: "text"})}
}

// WriteText writes the JSON of the event of a text. Such events differ only in the text.
func (s *Streamer) WriteText(b *bytes.Buffer, text string) error {
	if s.before == nil {
		s.before = fmt.Appendf(nil, `{"type":%q,"index":%d,"delta":{"type":"text_delta","text":`, TextEvent, s.block)
	}
	b.Write(s.before)
	b.Write(wire.AppendString(b.AvailableBuffer(), text))
	b.WriteString("}}")
	return nil
}

// Last are the events that end a stream.
func (s *Streamer) Last(done chat.Completion) (list []Event) {
	if len(done.ToolCalls) == 0 {
		list = s.Begin() // an answer has a block, although it may be empty
	}
	if s.open {
		list = append(list, s.stop())
	}
	for _, c := range done.ToolCalls {
		list = append(list,
			s.start(callBlock{"tool_use", c.ID, c.Function.Name, wire.Raw("{}")}),
			Event{"content_block_delta", blockDelta{"content_block_delta", s.block, inputDelta{"input_json_delta", string(inputOf(c))}}},
			s.stop())
	}
	return append(list,
		Event{"message_delta", messageDelta{"message_delta", stopped{Reason: stopReason(done)}, newUsage(done.Usage)}},
		Event{"message_stop", bare{"message_stop"}})
}

// start begins a block.
func (s *Streamer) start(block any) Event {
	return Event{"content_block_start", blockStart{"content_block_start", s.block, block}}
}

// stop ends the current block.
func (s *Streamer) stop() Event {
	ev := Event{"content_block_stop", blockStop{"content_block_stop", s.block}}
	s.block++
	s.open = false
	return ev
}
