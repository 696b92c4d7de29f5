package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/atelier-project/atelier"
)

// InspectResult checks that a file of a worker is what its type says. A picture
// is not decoded: its header and its structure are read, at the cost of reading
// the file once, so that no completion waits for pixels.
func InspectResult(contentType string, file io.ReadSeeker, size int64) error {
	picture, err := inspectType(contentType, file)
	if err != nil || !picture {
		return err
	}
	_, format, err := inspectHeader(file)
	if err != nil {
		return err
	}
	whole := false
	switch format {
	case "png":
		whole, err = isWholePNG(file)
	case "webp":
		whole, err = isWholeRIFF(file, size)
	case "jpeg":
		whole, err = endsWith(file, size, []byte{0xff, 0xd9})
	case "gif":
		whole, err = endsWith(file, size, []byte{0x3b})
	}
	if err == nil && !whole {
		err = atelier.Refuse("file", "is a picture that cannot be read to its end.")
	}
	return err
}

// isWholePNG walks the chunks of a PNG up to the last one and checks the sum of
// each.
func isWholePNG(file io.ReadSeeker) (bool, error) {
	if _, err := file.Seek(8, io.SeekStart); err != nil {
		return false, err
	}
	r := bufio.NewReaderSize(file, 64<<10)
	for {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return false, nil
		}
		sum := crc32.NewIEEE()
		sum.Write(head[4:])
		if _, err := io.CopyN(sum, r, int64(binary.BigEndian.Uint32(head[:4]))); err != nil {
			return false, nil
		}
		var want [4]byte
		if _, err := io.ReadFull(r, want[:]); err != nil || sum.Sum32() != binary.BigEndian.Uint32(want[:]) {
			return false, nil
		}
		if string(head[4:]) == "IEND" {
			return true, nil
		}
	}
}

// isWholeRIFF compares the length that a WebP announces with the file's.
func isWholeRIFF(file io.ReadSeeker, size int64) (bool, error) {
	var head [8]byte
	if err := rewind(file); err != nil {
		return false, err
	}
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return false, err
	}
	return int64(binary.LittleEndian.Uint32(head[4:]))+8 <= size, nil
}

// endsWith looks for the end marker of a picture in the last bytes of a file:
// cameras and editors append a few bytes of their own.
func endsWith(file io.ReadSeeker, size int64, mark []byte) (bool, error) {
	const tail = 64 << 10
	if _, err := file.Seek(max(0, size-tail), io.SeekStart); err != nil {
		return false, err
	}
	end, err := io.ReadAll(io.LimitReader(file, tail))
	return bytes.Contains(end, mark), err
}
