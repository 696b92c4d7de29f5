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
	text := err.Error()
	for {
		var (
			at          *url.Error
			op          *net.OpError
			name        *net.DNSError
			path        *fs.PathError
			link        *os.LinkError
			whole, part error
		)
		switch {
		case errors.As(err, &at):
			whole, part = at, at.Err
		case errors.As(err, &op):
			whole, part = op, op.Err
		case errors.As(err, &name):
			whole, part = name, errors.New(name.Err)
		case errors.As(err, &path):
			whole, part = path, path.Err
		case errors.As(err, &link):
			whole, part = link, link.Err
		}
		if part == nil {
			return text
		}
		text = strings.Replace(text, whole.Error(), part.Error(), 1)
		err = part
	}
}
