package database

import (
	"os"
	"runtime"
)

// SyncDirectory makes changes of names in a directory durable.
func SyncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced there
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
