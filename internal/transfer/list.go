package transfer

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/wire"
)

// list has the objects of a backup by their keys. The file that it is written to shows later
// whether they are still what was saved.
type list map[string]listed

// listed is an object as a backup has it.
type listed struct {
	SHA256      string    `json:"sha256"`
	ContentType string    `json:"contentType"`
	Modified    time.Time `json:"modified"` // at the source
}

// line is a line of the file.
type line struct {
	Key string `json:"key"`
	listed
}

// has reports whether an object is as it was saved.
func (l list) has(o blob.Object) bool {
	saved, ok := l[o.Key]
	return ok && saved.SHA256 == o.SHA256 && saved.ContentType == o.ContentType
}

// text is the content of the file, which is the same for the same objects.
func (l list) text() (text []byte, err error) {
	for _, key := range slices.Sorted(maps.Keys(l)) {
		one, err := wire.Marshal(line{key, l[key]})
		if err != nil {
			return nil, err
		}
		text = append(append(text, one...), '\n')
	}
	return text, nil
}

// readList reads the list of a backup. It must be the one that the manifest names.
func readList(dir string, m Manifest) (list, error) {
	file, err := os.Open(filepath.Join(dir, filepath.Base(m.List)))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum, l := sha256.New(), list{}
	lines := bufio.NewScanner(io.TeeReader(file, sum))
	for lines.Scan() {
		var one line
		if err := wire.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		l[one.Key] = one.listed
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != m.ListSHA256 {
		return nil, fmt.Errorf("%s is not as it was written", file.Name())
	}
	return l, nil
}
