package h264

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// parts is work on the parts of a picture, each on a goroutine of its own. The caller cannot
// recover from a panic on another goroutine, and a file may be made to cause one. So wait
// raises it again on the goroutine of the caller, where recoverPanic makes it an error.
type parts struct {
	name string // for errors and tests
	wg   sync.WaitGroup
	once sync.Once
	fail *PanicError // the first
}

// beforePart is called at the beginning of each part, in tests.
var beforePart func(name string)

func (p *parts) start(do func()) {
	p.wg.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				p.once.Do(func() { p.fail = &PanicError{Part: p.name, Value: v, Stack: debug.Stack()} })
			}
		}()
		if beforePart != nil {
			beforePart(p.name)
		}
		do()
	})
}

func (p *parts) wait() {
	p.wg.Wait()
	if p.fail != nil {
		panic(p.fail)
	}
}

// PanicError is the panic of a decoder or an encoder: a fault of this package.
type PanicError struct {
	Part  string // what panicked
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("h264: panic in %s: %v", e.Part, e.Value) }

// PanicStack is where it panicked, for the log.
func (e *PanicError) PanicStack() []byte { return e.Stack }

// recoverPanic sets err to the panic of the function that defers it.
func recoverPanic(err *error) {
	switch v := recover().(type) {
	case nil:
	case *PanicError:
		*err = v
	default:
		*err = &PanicError{Part: "the picture", Value: v, Stack: debug.Stack()}
	}
}
