// Package worktest bounds the work that readers of foreign bytes do in tests:
// by what they allocate and by how often they look at their context, which are
// the same on every machine, and while fuzzing by a generous time of a processor
// besides. It says which tests go through all their cases. Only tests import it.
package worktest

import (
	"context"
	"flag"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// MaxInput is the length from which on Limit leaves an input out: a bound by
// time means nothing for inputs of any length.
const MaxInput = 64 << 10

// maxTime is far more than any input of MaxInput bytes needs of a slow processor.
const maxTime = 2 * time.Second

// Bound is how much reading may allocate: Base bytes, and PerByte for every
// byte of the input.
type Bound struct{ Base, PerByte int }

// Limit runs read and fails when it allocates more than the bound, or while fuzzing takes
// far too long. Others may do so at the same time, so what fails is tried again:
// read must do the same each time.
func Limit(t testing.TB, input int, b Bound, read func()) {
	t.Helper()
	if input > MaxInput {
		t.Skip("longer than what is bounded here")
	}
	most := uint64(b.Base + b.PerByte*input)
	for try := 1; ; try++ {
		var grown uint64
		took := CPUTime(func() { grown = Allocated(read) })
		switch {
		case grown <= most && !TooLong(took, maxTime):
			return
		case try == 3:
			t.Fatalf("an input of %d bytes took %v and made it allocate %d bytes; at most %v and %d are allowed", input, took, grown, maxTime, most)
		}
	}
}

// TooLong reports whether an input that fuzzing made took more time of a processor than
// it may. No test depends on time otherwise.
func TooLong(took, most time.Duration) bool {
	given := func(name, otherwise string) bool {
		f := flag.Lookup(name)
		return f != nil && f.Value.String() != otherwise
	}
	return took > most && !Racing && (given("test.fuzz", "") || given("test.fuzzworker", "false"))
}

// Allocated is how many bytes the process allocates while it runs a function.
func Allocated(run func()) uint64 {
	total := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before := total()
	run()
	return total() - before
}

// Context is one that ends itself when Err was called a number of times.
type Context struct {
	context.Context
	left atomic.Int64
}

// EndAfter gives a context whose Err is nil looks times, and then says that it
// was cancelled.
func EndAfter(ctx context.Context, looks int) *Context {
	c := &Context{Context: ctx}
	c.left.Store(int64(looks))
	return c
}

// Err implements context.Context.
func (c *Context) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return c.Context.Err()
}

// Over is how many times Err was asked after the end.
func (c *Context) Over() int { return int(max(0, -c.left.Load())) }
