//go:build !unix

package modeldir

import "os"

// lockFile opens a file. Where nothing locks it, the checksum finds what two writers do.
func lockFile(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666) }

// renamesOpen reports whether an open file can get another name.
const renamesOpen = false

// atOnce is for systems whose pipes have names.
const atOnce = 0
