// Command s3 is the S3 server of the tests: versitygw with its objects in a directory.
// Its own command also compiles clients of other storages and a suite of tests, which
// take a third of the time.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: s3 ADDRESS OBJECTS METADATA")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve keeps the metadata beside the objects, because not every file system takes it
// as attributes. The credentials are in the environment, where other users cannot read
// them.
func serve(address, objects, metadata string) error {
	sidecar, err := meta.NewSideCar(metadata)
	if err != nil {
		return err
	}
	files, err := posix.New(objects, sidecar, posix.PosixOpts{SideCarDir: metadata, CopyObjectThreshold: 5 << 30})
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(context.Background(), files, &embedgw.Config{
		RootUserAccess: os.Getenv("AWS_ACCESS_KEY_ID"), RootUserSecret: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Region: "us-east-1", Ports: []string{address}, MaxConnections: 250000, MaxRequests: 100000, MultipartMaxParts: 10000, Quiet: true,
	})
}
