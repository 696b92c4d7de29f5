package mediameta

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Tags of EXIF data.
const (
	tagMake        = 0x010f
	tagModel       = 0x0110
	tagEXIF        = 0x8769
	tagUserComment = 0x9286
)

const unicodeHead = "UNICODE\x00"

// ourEXIF begins the EXIF data that makeEXIF makes: one directory with one entry, which names another.
const ourEXIF = "MM\x00\x2a\x00\x00\x00\x08\x00\x01\x87\x69\x00\x04\x00\x00\x00\x01\x00\x00\x00\x1a\x00\x00\x00\x00" +
	"\x00\x01\x92\x86\x00\x07"

// makeEXIF makes EXIF data with a user comment.
func makeEXIF(comment string) []byte {
	words := utf16.Encode([]rune(comment))
	b := binary.BigEndian.AppendUint32([]byte(ourEXIF), uint32(len(unicodeHead)+2*len(words)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(ourEXIF)+12)) // where the comment is
	b = binary.BigEndian.AppendUint32(b, 0)                       // no directory follows
	b = append(b, unicodeHead...)
	for _, w := range words {
		b = binary.BigEndian.AppendUint16(b, w)
	}
	return b
}

// readEXIF finds the texts in EXIF data: the user comment, and the graph that ComfyUI writes as
// the model of a camera.
func readEXIF(data []byte, found map[string]string) {
	if len(data) < 8 {
		return
	}
	var order binary.ByteOrder = binary.BigEndian
	if data[0] == 'I' {
		order = binary.LittleEndian
	}
	directory := uint32(0)
	var graph, comment []byte // of many that a hostile file has, only one is looked at
	scan := func(at uint32, do func(tag uint16, value []byte, number uint32)) {
		if int64(at)+2 > int64(len(data)) {
			return
		}
		for i := range int64(order.Uint16(data[at:])) {
			p := int64(at) + 2 + 12*i
			if p+12 > int64(len(data)) {
				return
			}
			count, number := int64(order.Uint32(data[p+4:])), order.Uint32(data[p+8:])
			if count > 4 && int64(number)+count <= int64(len(data)) { // of bytes: other texts do not matter
				do(order.Uint16(data[p:]), data[number:int64(number)+count], number)
			} else {
				do(order.Uint16(data[p:]), nil, number)
			}
		}
	}
	scan(order.Uint32(data[4:]), func(tag uint16, value []byte, number uint32) {
		switch tag {
		case tagEXIF:
			directory = number
		case tagMake, tagModel:
			if bytes.HasPrefix(value, []byte(keyGraph+":")) && graph == nil {
				graph = value
			}
		}
	})
	if text := strings.TrimRight(string(graph), "\x00"); text != "" && found[keyGraph] == "" {
		found[keyGraph] = strings.TrimPrefix(text, keyGraph+":")
	}
	if directory == 0 {
		return
	}
	scan(directory, func(tag uint16, value []byte, _ uint32) {
		if tag == tagUserComment {
			comment = value
		}
	})
	if text := userComment(comment); text != "" {
		found[keyParameters] = text
	}
}

// userComment is the text of a user comment, which begins with the name of its encoding.
func userComment(b []byte) string {
	if len(b) < 8 {
		return ""
	}
	name, b := string(b[:8]), b[8:]
	if name != unicodeHead {
		return strings.TrimRight(string(b), "\x00")
	}
	// Programs disagree on the order of the bytes: in most texts, one of two is zero.
	var order binary.ByteOrder = binary.BigEndian
	zeros := 0
	for i, c := range b {
		if c == 0 {
			zeros += 1 - i%2*2
		}
	}
	if zeros < 0 {
		order = binary.LittleEndian
	}
	words := make([]uint16, len(b)/2)
	for i := range words {
		words[i] = order.Uint16(b[2*i:])
	}
	return strings.TrimRight(string(utf16.Decode(words)), "\x00")
}
