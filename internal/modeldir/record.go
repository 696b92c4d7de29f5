package modeldir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/atelier-project/atelier/internal/wire"
)

// ReadRecord reads what is kept beside a file that was fetched.
func ReadRecord(path string) (Record, error) { return readRecord(path + recordEnding) }

// maxRecord is the largest record that is read.
const maxRecord = 64 << 10

func readRecord(name string) (r Record, err error) {
	data, err := readSmall(name, maxRecord)
	if err == nil {
		err = wire.UnmarshalLenient(data, &r)
	}
	return r, err
}

// readSmall reads a file of some bytes at most. Others write into the folder too: what has the name
// may be a pipe, or without end.
func readSmall(name string, most int64) ([]byte, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|atOnce, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", name)
	}
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is larger than %d bytes", name, most)
	}
	return data, err
}

// writeNew writes a file in the place of what has its name, such as a link.
func writeNew(name string, text []byte) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
