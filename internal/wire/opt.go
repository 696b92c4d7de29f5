package wire

// Opt is a field of a PATCH body. It distinguishes the three things a client can
// send: nothing (Set is false), null (Set and Null), and a value.
type Opt[T any] struct {
	Value T
	Set   bool
	Null  bool
}

func (Opt[T]) isOpt() {}

// Or returns the value, or other when none was given.
func (o Opt[T]) Or(other T) T {
	if o.Set && !o.Null {
		return o.Value
	}
	return other
}

// Pointer is the value, or nil when none was given.
func (o Opt[T]) Pointer() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// List is a comma-separated query parameter that may also be repeated.
type List []string
