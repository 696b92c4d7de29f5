package blob

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"syscall"

	"github.com/atelier-project/atelier"
	"github.com/minio/minio-go/v7"
)

// diskFaults are errors of a file system that say nothing about the call: it may
// succeed later, or once an operator has acted.
var diskFaults = []syscall.Errno{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ESTALE,
}

// diskOutage marks errors that mean the file system cannot be used now.
func diskOutage(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) && slices.Contains(diskFaults, errno) {
		return &atelier.UnavailableError{Part: atelier.PartStorage, Err: err}
	}
	return err
}

// s3Outage marks errors that mean the S3 service cannot be used now: it does not
// answer, or answers that it cannot.
func s3Outage(err error, r minio.ErrorResponse) error {
	var network net.Error
	if errors.As(err, &network) || r.StatusCode == http.StatusTooManyRequests || r.StatusCode >= 500 ||
		r.Code == "SlowDown" || r.Code == "InternalError" || r.Code == "ServiceUnavailable" {
		return &atelier.UnavailableError{Part: atelier.PartStorage, Err: err}
	}
	return diskOutage(err) // content is spooled to a file of this machine
}
