// Package detached runs a function on another goroutine, to keep the stack of the
// caller small.
package detached

// Run runs a function on another goroutine and waits for it. A panic of the function
// becomes one of the caller. A goroutine keeps a stack that it has grown for a while,
// and thousands of streams wait for hours: what needs a deep stack, such as a database
// read, runs detached from them.
func Run(fn func()) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		fn()
	}()
	if p := <-done; p != nil {
		panic(p)
	}
}
