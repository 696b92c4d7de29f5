package store

import "context"

// ReadDetached is Read on a goroutine of its own. A database driver needs a deep
// stack, and a goroutine keeps its deepest stack for a while. Goroutines that live
// for hours by the thousand, such as streams, therefore read on another one.
func (db *DB) ReadDetached(ctx context.Context, fn func(*Tx) error) error {
	type outcome struct {
		err   error
		panic any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panic = recover()
			done <- o
		}()
		o.err = db.Read(ctx, fn)
	}()
	o := <-done
	if o.panic != nil {
		panic(o.panic)
	}
	return o.err
}
