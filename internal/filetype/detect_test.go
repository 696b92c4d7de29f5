package filetype

import "testing"

func TestDetectHeads(t *testing.T) {
	t.Parallel()
	for want, heads := range map[string][]string{
		"image/png":         {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"},
		"image/jpeg":        {"\xff\xd8\xff\xe0\x00\x10JFIF", "\xff\xd8\xff\xdb", "\xff\xd8\xff\xe1"},
		"image/gif":         {"GIF87a", "GIF89a\x01\x00"},
		"image/webp":        {"RIFF\x00\x00\x00\x00WEBPVP8 "},
		"image/avif":        {"\x00\x00\x00\x1cftypavif"},
		"audio/wav":         {"RIFF\x24\x00\x00\x00WAVEfmt "},
		"audio/mpeg":        {"ID3\x04\x00", "\xff\xfb\x90\x00", "\xff\xf3\x40\xc0", "\xff\xfa\x90\x00"},
		"audio/flac":        {"fLaC\x00\x00\x00\x22"},
		"audio/mp4":         {"\x00\x00\x00\x1cftypM4A \x00\x00"},
		"video/mp4":         {"\x00\x00\x00\x18ftypmp42", "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", "\x00\x00\x00\x18ftypavc1"},
		"video/quicktime":   {"\x00\x00\x00\x14ftypqt  ", "\x00\x00\x01\x00moov", "\x00\x00\x00\x08wide"},
		"video/webm":        {"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm"},
		"video/x-matroska":  {"\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82\x88matroska", "\x1a\x45\xdf\xa3"},
		"model/gltf-binary": {"glTF\x02\x00\x00\x00\x10\x00\x00\x00"},
		"": {
			"", "\x89PN", "GIF88a", "RIFF", "RIFF\x00\x00\x00\x00AVI LIST", "\xff\xfb", "\xff\xfb\xf0\x00", "\xff\xfb\x9c\x00", "\xff\xf1\x50\x80", "\xff\xeb\x90\x00",
			"\xff\xff\xff\xff", "glTF\x01\x00\x00\x00", "glTF", "<svg xmlns=", "<html>", "#!/bin/sh", "MZ", "PK\x03\x04", "%PDF-1.7", "\x00\x00\x00\x00", "ftyp",
		},
	} {
		for _, head := range heads {
			if got := Detect([]byte(head)); got != want {
				t.Errorf("Detect(%q) = %q, want %q", head, got, want)
			}
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte("\x1a\x45\xdf\xa3\x42\x82"))
	f.Fuzz(func(_ *testing.T, head []byte) { Detect(head) })
}
