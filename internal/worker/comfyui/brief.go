package comfyui

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// briefRender is the length of renders that are made without previews: each preview takes time of
// the GPU, and those of so short a render would be replaced by the result at once.
const briefRender = 3 * time.Second

// maxBrief is how many kinds of renders are remembered as brief.
const maxBrief = 1000

// brief remembers which kinds of renders were brief when they were last made.
type brief struct {
	mu    sync.Mutex
	kinds map[string]bool
}

// kind names the renders that take as long as one of an order: those of the same graph, model, size and length.
func (o *order) kind() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", o.mapping.name, o.task.ModelID)
	for _, name := range append([]string{"duration"}, sizeArguments...) {
		fmt.Fprintf(&b, " %v", o.task.Arguments[name])
	}
	return b.String()
}

// has reports whether the last render of the same kind was brief.
func (b *brief) has(o *order) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kinds[o.kind()]
}

// note records how long ComfyUI took for a prompt.
func (b *brief) note(o *order, took time.Duration, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind := o.kind()
	if !known || took >= briefRender {
		delete(b.kinds, kind)
		return
	}
	if b.kinds == nil || len(b.kinds) >= maxBrief {
		b.kinds = map[string]bool{}
	}
	b.kinds[kind] = true
}

// took is the time from the start of a prompt to its end. It reports false for versions that do not say.
func (r *record) took() (time.Duration, bool) {
	if r.Status == nil {
		return 0, false
	}
	at := map[string]int64{}
	for _, m := range r.Status.Messages {
		var kind string
		var when struct {
			Timestamp int64 `json:"timestamp"` // in milliseconds
		}
		if len(m) == 2 && json.Unmarshal(m[0], &kind) == nil && json.Unmarshal(m[1], &when) == nil {
			at[kind] = when.Timestamp
		}
	}
	start, end := at["execution_start"], at["execution_success"]
	return time.Duration(end-start) * time.Millisecond, start > 0 && end >= start
}
