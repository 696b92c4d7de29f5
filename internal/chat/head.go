package chat

import (
	"hash/maphash"
	"sync"

	"github.com/atelier-project/atelier/internal/llm"
)

// heads remembers the fewest tokens that servers counted for prompts with the same head:
// the tools and the instructions, which are most of a prompt and the same in many. The
// tokens of a head are a part of those of every prompt that begins with it, so that the
// smallest count bounds an estimate of the head. The zero value is ready.
type heads struct {
	mu    sync.Mutex
	seed  maphash.Seed
	least map[uint64]int // by the hash of the head
}

// maxHeads is how many heads are remembered: callers may write their own.
const maxHeads = 1 << 12

// note remembers what a server has counted for a prompt.
func (h *heads) note(key uint64, tokens int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if least, known := h.least[key]; tokens < 1 || known && least <= tokens {
		return
	}
	if len(h.least) >= maxHeads {
		clear(h.least)
	}
	h.least[key] = tokens
}

// key identifies the head of a request to a model.
func (h *heads) key(model string, r *llm.Request) uint64 {
	h.mu.Lock()
	if h.least == nil {
		h.seed, h.least = maphash.MakeSeed(), map[uint64]int{}
	}
	h.mu.Unlock()
	var sum maphash.Hash
	sum.SetSeed(h.seed)
	write := func(s string) { sum.WriteString(s); sum.WriteByte(0) }
	write(model)
	for _, t := range r.Tools {
		write(t.Function.Name)
		write(t.Function.Description)
		write(string(t.Function.Parameters))
	}
	for _, m := range instructions(r) {
		write(m.Text())
	}
	return sum.Sum64()
}

// likely is how many tokens a prompt is likely to have, by an estimate and by what
// servers counted for its head.
func (h *heads) likely(key uint64, r *llm.Request, estimate int) int {
	h.mu.Lock()
	least, known := h.least[key]
	h.mu.Unlock()
	if !known {
		return estimate
	}
	head := llm.ToolTokens(r.Tools) + llm.MessageTokens(instructions(r))
	return estimate - head + min(head, least)
}

// instructions are the messages with which a request begins before the conversation.
func instructions(r *llm.Request) []llm.Message {
	if len(r.Messages) == 0 || r.Messages[0].Role != "system" {
		return nil
	}
	return r.Messages[:1]
}
