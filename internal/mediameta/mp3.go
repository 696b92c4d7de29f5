package mediameta

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
)

// The encodings of texts in ID3 frames.
const (
	encodingLatin = 0
	encodingUTF8  = 3
)

// id3 is the tag at the beginning of an MP3.
type id3 struct {
	version byte
	size    int64 // with its header; 0 without a tag
	frames  [][]byte
}

// synchsafe reads a number of four bytes that have seven bits each.
func synchsafe(b []byte) int64 {
	return int64(b[0]&0x7f)<<21 | int64(b[1]&0x7f)<<14 | int64(b[2]&0x7f)<<7 | int64(b[3]&0x7f)
}

func appendSynchsafe(out []byte, n int) []byte {
	return append(out, byte(n>>21&0x7f), byte(n>>14&0x7f), byte(n>>7&0x7f), byte(n&0x7f))
}

const maxSynchsafe = 1<<28 - 1

// id3 reads the tag; load reads its bytes.
func (f *source) id3(load func(at, n int64) ([]byte, error)) (tag id3, err error) {
	head, err := f.bytes(0, min(10, f.size))
	if err != nil || !bytes.HasPrefix(head, []byte("ID3")) {
		return id3{version: 4}, err
	}
	if len(head) < 10 || head[3] != 3 && head[3] != 4 || head[5] != 0 { // with flags, frames are written in other forms
		return id3{}, ErrFormat
	}
	tag = id3{version: head[3], size: 10 + synchsafe(head[6:])}
	data, err := load(10, tag.size-10)
	for err == nil && len(data) >= 10 && data[0] != 0 {
		size := int64(binary.BigEndian.Uint32(data[4:]))
		if tag.version == 4 {
			size = synchsafe(data[4:])
		}
		if size += 10; size > int64(len(data)) {
			return id3{}, ErrFormat
		}
		tag.frames = append(tag.frames, data[:size])
		data = data[size:]
	}
	return tag, err
}

// userText is the name and the text of a frame that a program defines; empty for any other.
func userText(frame []byte) (name, text string) {
	if string(frame[:4]) != "TXXX" || len(frame) < 12 {
		return "", ""
	}
	content := string(frame[11:])
	if encoding := frame[10]; encoding != encodingLatin && encoding != encodingUTF8 {
		content = ofUTF16(content)
	}
	name, text, _ = strings.Cut(content, "\x00")
	return name, text
}

// ofUTF16 reads a text in UTF-16, in the order of bytes that it says, without the marks of that order.
func ofUTF16(text string) string {
	var order binary.ByteOrder = binary.BigEndian
	if strings.HasPrefix(text, "\xff\xfe") {
		order = binary.LittleEndian
	}
	var words []uint16
	for b := []byte(text); len(b) >= 2; b = b[2:] {
		if w := order.Uint16(b); w != 0xfeff {
			words = append(words, w)
		}
	}
	return string(utf16.Decode(words))
}

func readMP3(f *source) (map[string]string, error) {
	found := map[string]string{}
	tag, err := f.id3(f.text)
	for _, frame := range tag.frames {
		if name, text := userText(frame); name == keyDocument {
			found[keyDocument] = text
		}
	}
	return found, err
}

func writeMP3(f *source, w io.Writer, t *texts) error {
	tag, err := f.id3(f.tags)
	if err != nil {
		return err
	}
	var frames []byte
	for _, frame := range tag.frames {
		if name, _ := userText(frame); !isOurs(name) {
			frames = append(frames, frame...)
		}
	}
	if t != nil {
		content := string(rune(encodingLatin)) + keyDocument + "\x00" + inASCII(t.document)
		frames = append(frames, "TXXX"...)
		if tag.version == 4 {
			frames = appendSynchsafe(frames, len(content))
		} else {
			frames = binary.BigEndian.AppendUint32(frames, uint32(len(content)))
		}
		frames = append(append(frames, 0, 0), content...)
	}
	if len(frames) > maxSynchsafe {
		return ErrTooLarge
	}
	if len(frames) > 0 {
		head := appendSynchsafe([]byte{'I', 'D', '3', tag.version, 0, 0}, len(frames))
		if _, err := w.Write(append(head, frames...)); err != nil {
			return err
		}
	}
	return f.copy(w, tag.size, f.size-tag.size)
}

// inASCII is a JSON document in the characters that all versions of ID3 have.
func inASCII(document string) string {
	var out strings.Builder
	for _, r := range document {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		for _, w := range utf16.Encode([]rune{r}) {
			out.WriteString(`\u`)
			for shift := 12; shift >= 0; shift -= 4 {
				out.WriteByte("0123456789abcdef"[w>>shift&15])
			}
		}
	}
	return out.String()
}
