package blob

import (
	"fmt"
	"path"
	"strings"
)

// The limits leave space for what a file system (255 bytes a name) and S3 (1024
// bytes a key) add.
const (
	maxKey     = 512
	maxSegment = 128
)

// CheckKey returns an error that is ErrInvalidKey when the key cannot name an
// object.
func CheckKey(key string) error {
	if len(key) > maxKey {
		return fmt.Errorf("blob: %w: it is longer than %d bytes", ErrInvalidKey, maxKey)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if err := checkSegment(segment); err != nil {
			return err
		}
	}
	return nil
}

func checkSegment(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("blob: %w: a segment is empty", ErrInvalidKey)
	case len(s) > maxSegment:
		return fmt.Errorf("blob: %w: a segment is longer than %d bytes", ErrInvalidKey, maxSegment)
	case s[0] == '.' || s[len(s)-1] == '.':
		return fmt.Errorf("blob: %w: a segment begins or ends with a dot", ErrInvalidKey)
	}
	for i := range len(s) {
		if !keyByte(s[i]) {
			return fmt.Errorf("blob: %w: byte %q is not allowed", ErrInvalidKey, s[i])
		}
	}
	return nil
}

func keyByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
}

// folderMark ends the name of every folder on disk. No key contains it.
const folderMark = "+"

// filePath is where the object of a valid key is on disk.
func filePath(key string) string {
	return path.Join(objects, strings.ReplaceAll(key, "/", folderMark+"/"))
}

// folderPath returns the folder of the objects below base, which is empty or whole
// segments with a slash at the end.
func folderPath(base string) string {
	return path.Join(objects, strings.ReplaceAll(base, "/", folderMark+"/"))
}
