package llm

import (
	"fmt"

	"github.com/atelier-project/atelier"
)

// Budget is how a context is used.
type Budget struct {
	Input     int // estimated tokens of the messages
	Tools     int // and of the tool schemas
	Remaining int // left for the answer
	Most      int // the most that the server may count for the prompt, which is held
}

// NewBudget estimates how much of a model's context is left for the answer to a
// request. The error carries the numbers.
func NewBudget(m Model, r *Request) (Budget, error) {
	messages, tools := measureMessages(r.Messages), measureTools(r.Tools)
	b := Budget{Input: messages.Likely, Tools: tools.Likely, Most: min(messages.Most+tools.Most+measureParams(r), m.ContextLength)}
	b.Remaining = m.UsableContext() - b.Input - b.Tools
	if b.Remaining > 0 {
		return b, nil
	}
	e := atelier.Errorf(atelier.CodeContextLength, "The messages and tools are estimated at %d tokens, and %s has space for %d: %s.",
		b.Input+b.Tools, m.ID, m.UsableContext(), remedy(m, r, b))
	e.Field = "messages"
	return b, e.With("context_length", m.ContextLength).With("usable_context_length", m.UsableContext()).
		With("safety_margin_tokens", m.SafetyMargin()).With("estimated_input_tokens", b.Input).With("estimated_tool_tokens", b.Tools).
		With("remaining_tokens", b.Remaining)
}

// remedy says what would make the request fit.
func remedy(m Model, r *Request, b Budget) string {
	text := "shorten them"
	if b.Tools > 0 {
		text += ", send fewer tools"
	}
	if r.Hosted {
		text += ", or set svc_tools to \"none\""
	}
	if b.Tools > 0 {
		text += fmt.Sprintf(", since tools take %d of them", b.Tools)
	}
	if r.Hosted && (m.Tools == ToolsFull || m.Tools == ToolsCompact) {
		text += fmt.Sprintf("; the operator can set tools of this model to auto instead of %s", m.Tools)
	}
	return text
}

// DefaultMaxTokens limits the answer of a request that names no limit.
const DefaultMaxTokens = 32768

// Clamp is the limit of an answer: what was asked for, or what is left of the
// context.
func (b Budget) Clamp(asked int) int {
	if asked <= 0 {
		asked = DefaultMaxTokens
	}
	return min(asked, b.Remaining)
}

// Trim leaves out the oldest turns of a conversation until the answer has space. A turn
// begins with a message of the user. When nothing but the last turn is left, it continues
// with the oldest answers in it, each with the results of its calls. The instructions,
// the last message of the user and what follows the last answer stay.
func Trim(m Model, r *Request, room int) {
	sizes := make([]int, len(r.Messages))
	free := m.UsableContext() - measureTools(r.Tools).Likely
	for i := range r.Messages {
		sizes[i] = measureMessages(r.Messages[i : i+1]).Likely
		free -= sizes[i]
	}
	var kept []Message
	last := lastTurn(r.Messages)
	for i := 0; i < len(r.Messages); {
		next := nextUnit(r.Messages, i, last)
		size := 0
		for _, n := range sizes[i:next] {
			size += n
		}
		if r.Messages[i].Role == "system" || i == last || next == len(r.Messages) || free >= room {
			kept = append(kept, r.Messages[i:next]...)
		} else {
			free += size
		}
		i = next
	}
	r.Messages = kept
}

// nextUnit is where the messages end that are kept or left out together with one:
// before the last turn those of its turn, in it those of its answer.
func nextUnit(messages []Message, i, last int) int {
	next := i + 1
	if messages[i].Role == "system" || i == last {
		return next
	}
	for next < len(messages) && next != last && messages[next].Role != "system" {
		role := messages[next].Role
		if next < last && role == "user" || next > last && role != "tool" {
			break
		}
		next++
	}
	return next
}

// lastTurn is where the last turn of a conversation begins.
func lastTurn(messages []Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return i
		}
	}
	return 0
}
