package worker

import (
	"os"
	"path/filepath"
	"time"
)

// folderPattern is the name of the folder of a render, below the system's temporary directory.
const folderPattern = "atelier-render-*"

// abandonedAfter is when the folder of a render is taken for one that a killed worker has left: no
// render lasts as long, and any file that a render writes makes its folder younger.
const abandonedAfter = 24 * time.Hour

// removeAbandoned removes the folders that killed workers have left in a directory. Those of other
// users stay.
func removeAbandoned(dir string, now time.Time) (removed int) {
	folders, err := filepath.Glob(filepath.Join(dir, folderPattern))
	if err != nil {
		return 0
	}
	for _, folder := range folders {
		if at, err := os.Lstat(folder); err == nil && at.IsDir() && now.Sub(at.ModTime()) > abandonedAfter && os.RemoveAll(folder) == nil {
			removed++
		}
	}
	return removed
}
