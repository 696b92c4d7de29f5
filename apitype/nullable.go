package apitype

import "encoding/json"

// Nullable is a member that is absent, null or a value. The zero Nullable is absent.
type Nullable[T any] struct {
	Present bool
	Value   *T
}

// Null is a member that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{Present: true} }

// ValueOf is a member with a value.
func ValueOf[T any](v T) Nullable[T] { return Nullable[T]{true, &v} }

// Nullable is an empty value, for schemas.
func (Nullable[T]) Nullable() any { return *new(T) }

// IsZero reports whether the member is absent.
func (n Nullable[T]) IsZero() bool { return !n.Present }

// MarshalJSON writes null or the value.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.Value) }

// UnmarshalJSON reads null or the value.
func (n *Nullable[T]) UnmarshalJSON(raw []byte) error {
	n.Present = true
	return json.Unmarshal(raw, &n.Value)
}
