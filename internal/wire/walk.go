package wire

import (
	"errors"

	"github.com/atelier-project/atelier"
)

// ErrNotArray means that a value is not an array, ErrNotObject that it is not an object.
var (
	ErrNotArray  = errors.New("wire: not an array")
	ErrNotObject = errors.New("wire: not an object")
)

// ErrTooMany means that an array has too many items.
var ErrTooMany = errors.New("wire: too many items")

// Items calls a function for each item of an array that a Shape has kept as it was
// written, and stops when it has more than most items. The items are parts of the body:
// nothing is copied.
func Items(raw Raw, most int, each func(i int, item Raw) error) error {
	d, done := decoder(raw)
	defer done()
	if d.PeekKind() != '[' {
		return ErrNotArray
	}
	return items(d, func(i int) error {
		if i >= most {
			return ErrTooMany
		}
		item, err := d.ReadValue()
		if err != nil {
			return malformed(err)
		}
		return each(i, item)
	})
}

// Members walks an object as Items walks an array.
func Members(raw Raw, each func(name string, value Raw) error) error {
	d, done := decoder(raw)
	defer done()
	if d.PeekKind() != '{' {
		return ErrNotObject
	}
	return members(d, &path{}, func(name string) error {
		value, err := d.ReadValue()
		if err != nil {
			return malformed(err)
		}
		return each(name, value)
	})
}

// ListError is the error of Items for a caller: it names the field of a list that is no array, or too long.
func ListError(err error, at string, most int) error {
	switch {
	case errors.Is(err, ErrTooMany):
		return atelier.Refuse(at, "must hold at most %d entries.", most)
	case errors.Is(err, ErrNotArray):
		return atelier.Refuse(at, "must be an array.")
	}
	return err
}
