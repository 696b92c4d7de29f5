package mediameta

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"unicode/utf8"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngChunks calls a function for each chunk, until it returns false. Size is that of the data.
func (f *source) pngChunks(most int, do func(kind string, at, size int64) (bool, error)) error {
	at := int64(len(pngSignature))
	for range most {
		head, err := f.bytes(at, 8)
		if err != nil {
			return err
		}
		size, kind := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		if size > f.size-at-12 {
			return ErrFormat
		}
		if more, err := do(kind, at+8, size); err != nil || !more || kind == "IEND" {
			return err
		}
		at += size + 12
	}
	return nil
}

// pngKey is the name of a text chunk; empty for any other.
func (f *source) pngKey(kind string, at, size int64) (string, error) {
	if kind != "tEXt" && kind != "zTXt" && kind != "iTXt" {
		return "", nil
	}
	head, err := f.bytes(at, min(size, 80))
	name, _, _ := bytes.Cut(head, []byte{0})
	return string(name), err
}

func readPNG(f *source) (map[string]string, error) {
	found := map[string]string{}
	err := f.pngChunks(maxParts, func(kind string, at, size int64) (bool, error) {
		key, err := f.pngKey(kind, at, size)
		if err != nil || !isOurs(key) {
			return true, err
		}
		data, err := f.text(at, size)
		if data != nil {
			found[key] = f.pngText(kind, data)
		}
		return true, err
	})
	return found, err
}

// pngText is the text of a chunk.
func (f *source) pngText(kind string, data []byte) string {
	_, rest, ok := bytes.Cut(data, []byte{0})
	switch {
	case !ok || len(rest) < 2 && kind != "tEXt":
		return ""
	case kind == "tEXt":
		return latin(rest)
	case kind == "zTXt":
		return latin(f.inflate(rest[1:]))
	}
	isPacked, rest := rest[0] == 1, rest[2:]
	for range 2 { // the language, and the name in it
		if _, rest, ok = bytes.Cut(rest, []byte{0}); !ok {
			return ""
		}
	}
	if isPacked {
		rest = f.inflate(rest)
	}
	return string(rest)
}

// inflate decompresses a text. One that is larger than what may be read is empty.
func (f *source) inflate(data []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	defer z.Close()
	out, err := io.ReadAll(io.LimitReader(z, f.left+1))
	if f.left -= int64(len(out)); err != nil || f.left < 0 {
		f.left = max(f.left, 0)
		return nil
	}
	return out
}

// latin turns ISO 8859-1 into UTF-8. Some programs write UTF-8 there.
func latin(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

func writePNG(f *source, w io.Writer, t *texts) error {
	if err := f.copy(w, 0, int64(len(pngSignature))); err != nil {
		return err
	}
	end := int64(0)
	err := f.pngChunks(int(f.size/12)+1, func(kind string, at, size int64) (bool, error) {
		if (at == int64(len(pngSignature))+8) != (kind == "IHDR") {
			return false, ErrFormat
		}
		key, err := f.pngKey(kind, at, size)
		if err != nil || isOurs(key) {
			return true, err
		}
		if kind == "IEND" {
			end = at + size + 4
		}
		if err := f.copy(w, at-8, size+12); err != nil || kind != "IHDR" || t == nil {
			return true, err
		}
		if err := writeText(w, keyDocument, t.document); err != nil {
			return false, err
		}
		return true, writeText(w, keyParameters, t.parameters)
	})
	if err == nil && end == 0 {
		err = ErrFormat
	}
	if err != nil {
		return err
	}
	return f.copy(w, end, f.size-end)
}

// writeText writes a chunk with a text in UTF-8.
func writeText(w io.Writer, key, text string) error {
	return writeChunk(w, "iTXt", key+"\x00\x00\x00\x00\x00"+text)
}

func writeChunk(w io.Writer, kind, content string) error {
	data := []byte(kind + content)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)-4))
	chunk = binary.BigEndian.AppendUint32(append(chunk, data...), crc32.ChecksumIEEE(data))
	_, err := w.Write(chunk)
	return err
}

// WriteParameters copies a PNG with a text of parameters in place of the one that it has, in the kind of chunk that
// AUTOMATIC1111's web UI writes. Any other file is copied as it is.
func WriteParameters(w io.Writer, r io.Reader, text string) error {
	in := bufio.NewReader(r)
	signature, _ := in.Peek(len(pngSignature))
	if string(signature) != pngSignature {
		_, err := io.Copy(w, in)
		return err
	}
	_, err := io.CopyN(w, in, int64(len(pngSignature)))
	for err == nil {
		head, _ := in.Peek(8 + len(keyParameters) + 1)
		if len(head) < 8 {
			_, err = io.Copy(w, in)
			return err
		}
		size, kind, key := int64(binary.BigEndian.Uint32(head)), string(head[4:8]), string(head[8:])
		to := w
		if (kind == "tEXt" || kind == "zTXt" || kind == "iTXt") && key == keyParameters+"\x00" {
			to = io.Discard
		}
		if _, err = io.CopyN(to, in, size+12); err == nil && kind == "IHDR" {
			err = writeParameters(w, text)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil // the file ends in a chunk, and is as it was
	}
	return err
}

// writeParameters writes ISO 8859-1 where the text has no other characters, as programs expect.
func writeParameters(w io.Writer, text string) error {
	plain := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xff {
			return writeText(w, keyParameters, text)
		}
		plain = append(plain, byte(c))
	}
	return writeChunk(w, "tEXt", keyParameters+"\x00"+string(plain))
}
