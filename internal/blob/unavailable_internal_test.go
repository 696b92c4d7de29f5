package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/minio/minio-go/v7"
)

func isOutage(err error) bool {
	var away *atelier.UnavailableError
	return errors.As(err, &away) && away.Part == atelier.PartStorage
}

// A full or broken disk is an outage; what a caller did wrong is not.
func TestDiskOutages(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno]bool{
		syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EROFS: true, syscall.EIO: true, syscall.EMFILE: true,
		syscall.ENOENT: false, syscall.EEXIST: false, syscall.ECONNRESET: false,
	} {
		err := fmt.Errorf("put: %w", &fs.PathError{Op: "write", Path: "x", Err: errno})
		if got := isOutage(diskOutage(err)); got != want {
			t.Errorf("%v: got %t, want %t", errno, got, want)
		}
	}
}

// An S3 that does not answer, or says that it cannot, is an outage.
func TestS3Outages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{minio.ErrorResponse{StatusCode: 503, Code: "SlowDown"}, true},
		{minio.ErrorResponse{StatusCode: 500, Code: "InternalError"}, true},
		{minio.ErrorResponse{StatusCode: 429}, true},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		{minio.ErrorResponse{StatusCode: 403, Code: "AccessDenied"}, false},
		{minio.ErrorResponse{StatusCode: 404, Code: "NoSuchKey"}, false},
		{minio.ErrorResponse{StatusCode: 412, Code: "PreconditionFailed"}, false},
	} {
		if got := isOutage(s3Error(context.Background(), tc.err)); got != tc.want {
			t.Errorf("%v: got %t, want %t", tc.err, got, tc.want)
		}
	}
}
