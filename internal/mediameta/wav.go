package mediameta

import (
	"encoding/binary"
	"io"
	"math"
)

// infoHead begins the list in which a WAV has settings: information of a kind that no other program uses.
const infoHead = "INFOATLR"

func readWAV(f *source) (map[string]string, error) {
	found := map[string]string{}
	err := f.riffChunks(func(kind string, at, size int64) error {
		if kind != "LIST" || size < 12 || !f.startsWith(at, size, infoHead) {
			return nil
		}
		data, err := f.text(at+8, size-8)
		if err != nil || data == nil {
			return err
		}
		if n := int64(binary.LittleEndian.Uint32(data)); n <= size-12 {
			found[keyDocument] = string(data[4 : 4+n])
		}
		return nil
	})
	return found, err
}

func writeWAV(f *source, w io.Writer, t *texts) error {
	var chunks []riffChunk
	hasData := false
	total := int64(4)
	err := f.riffChunks(func(kind string, at, size int64) error {
		if kind == "LIST" && f.startsWith(at, size, infoHead) {
			return nil
		}
		hasData = hasData || kind == "data"
		chunks = append(chunks, riffChunk{at, size})
		total += 8 + size + size&1
		return nil
	})
	if err == nil && !hasData {
		err = ErrFormat
	}
	if err != nil {
		return err
	}
	var added []byte
	if t != nil {
		added = appendChunk(nil, "LIST", append([]byte(infoHead[:4]), appendChunk(nil, infoHead[4:], []byte(t.document))...))
	}
	if total += int64(len(added)); total > math.MaxUint32 {
		return ErrTooLarge
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(total)), "WAVE"...)); err != nil {
		return err
	}
	if err := f.copyChunks(w, chunks); err != nil {
		return err
	}
	_, err = w.Write(added)
	return err
}
