package filetype

import (
	"bytes"
	"io"
	"os"
)

// HeadSize is how much of a file Detect needs.
const HeadSize = 512

// Detect returns the media type that the first bytes of content show, among those that the
// service uses, or nothing. The rest of the file may still be something else.
func Detect(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.kind
		}
	}
	switch {
	case len(head) >= 12 && string(head[:4]) == "RIFF":
		return riffs[string(head[8:12])]
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		return brand(string(head[8:12]))
	case len(head) >= 8 && quickTime[string(head[4:8])]:
		return "video/quicktime" // an old format without a signature
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return matroska(head)
	case mpegFrame(head):
		return "audio/mpeg"
	}
	return ""
}

// DetectFile is Detect for a file on disk; nothing when it cannot be read.
func DetectFile(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, HeadSize)
	n, _ := io.ReadFull(f, head)
	return Detect(head[:n])
}

var magics = []struct{ prefix, kind string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"fLaC", "audio/flac"},
	{"ID3", "audio/mpeg"},
	{"glTF\x02\x00\x00\x00", "model/gltf-binary"},
}

var riffs = map[string]string{"WEBP": "image/webp", "WAVE": "audio/wav"}

var quickTime = map[string]bool{"moov": true, "mdat": true, "wide": true, "pnot": true}

// brand is the type for the main brand of an ISO media file.
func brand(name string) string {
	switch name {
	case "qt  ":
		return "video/quicktime"
	case "M4A ", "M4B ", "M4P ":
		return "audio/mp4"
	case "avif", "avis":
		return "image/avif"
	case "heic", "heix", "hevc", "hevx", "mif1", "msf1":
		return "image/heic"
	}
	return "video/mp4"
}

// matroska distinguishes WebM from Matroska by the document type, which is early in the
// header.
func matroska(head []byte) string {
	if i := bytes.Index(head[:min(len(head), 64)], []byte("\x42\x82")); i >= 0 && bytes.HasPrefix(head[i+2:], []byte("\x84webm")) {
		return "video/webm"
	}
	return "video/x-matroska"
}

// mpegFrame reports whether content begins with a valid header of an MPEG layer III frame.
func mpegFrame(head []byte) bool {
	if len(head) < 4 || head[0] != 0xff || head[1]&0xe0 != 0xe0 {
		return false
	}
	version, layer := head[1]>>3&3, head[1]>>1&3
	bitrate, rate := head[2]>>4, head[2]>>2&3
	return version != 1 && layer == 1 && bitrate != 0 && bitrate != 15 && rate != 3
}
