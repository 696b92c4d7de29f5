// Package detached runs a function on another goroutine, to keep the stack of the
// caller small.
package detached

import (
	"fmt"
	"runtime/debug"
)

// Panic is what Run panics with: the value of the function's panic, and the stack on which
// it happened, which the caller's own does not show.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\ndetached %s", p.Value, p.Stack) }

// Unwrap gives the error with which the function panicked, if it was one.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Run runs a function on another goroutine and waits for it. A panic of the function
// becomes one of the caller, with a *Panic. A goroutine keeps a stack that it has grown for
// a while, and thousands of streams wait for hours: what needs a deep stack, such as a
// database read, runs detached from them.
func Run(fn func()) {
	done := make(chan *Panic, 1)
	go func() {
		defer func() {
			var p *Panic
			if v := recover(); v != nil {
				p = &Panic{Value: v, Stack: debug.Stack()}
			}
			done <- p
		}()
		fn()
	}()
	if p := <-done; p != nil {
		panic(p)
	}
}
