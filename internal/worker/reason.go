package worker

import (
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
)

// PublicReason is the text of an error as customers read it: without addresses and paths of
// the worker's network and machine. An address may hold a signature.
func PublicReason(err error) string {
	if cause := causeAt(err); cause != nil {
		return PublicReason(cause)
	}
	text := err.Error()
	for _, part := range wrapped(err) {
		text = strings.Replace(text, part.Error(), PublicReason(part), 1)
	}
	return text
}

// causeAt is what an error says besides the address or the path at which it happened; nil for
// an error that names none.
func causeAt(err error) error {
	switch at := err.(type) {
	case *url.Error:
		return at.Err
	case *net.OpError:
		return at.Err
	case *net.DNSError:
		return errors.New(at.Err)
	case *fs.PathError:
		return at.Err
	case *os.LinkError:
		return at.Err
	}
	return nil
}

// wrapped lists the errors that an error wraps.
func wrapped(err error) []error {
	switch w := err.(type) {
	case interface{ Unwrap() []error }:
		return w.Unwrap()
	case interface{ Unwrap() error }:
		if inner := w.Unwrap(); inner != nil {
			return []error{inner}
		}
	}
	return nil
}
