package mediameta_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/codec/wav"
	"github.com/atelier-project/atelier/internal/mediameta"
	"github.com/atelier-project/atelier/internal/worktest"
)

func recording() *pcm.Sound {
	s := &pcm.Sound{Rate: 8000, Channels: 1, PCM: make([]int16, 5001)}
	for i := range s.PCM {
		s.PCM[i] = int16(i * 37)
	}
	return s
}

// frame is a frame of an ID3 tag.
func frame(version byte, kind, content string) string {
	size := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	if n := len(content); version == 4 {
		size = []byte{byte(n >> 21), byte(n >> 14 & 127), byte(n >> 7 & 127), byte(n & 127)}
	}
	return kind + string(size) + "\x00\x00" + content
}

// mp3 is two frames of silence behind a tag, if there is one.
func mp3(version byte, frames string) []byte {
	silence := strings.Repeat("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413), 2)
	if frames == "" {
		return []byte(silence)
	}
	n := len(frames)
	return []byte("ID3" + string([]byte{version, 0, 0, byte(n >> 21), byte(n >> 14 & 127), byte(n >> 7 & 127), byte(n & 127)}) + frames + silence)
}

func wide(text string) string {
	out := []byte("\xff\xfe")
	for _, w := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, w)
	}
	return string(out)
}

// comments is a block of a FLAC with comments.
func comments(kind byte, vendor string, list ...string) []byte {
	count := func(text string) string {
		return string(binary.LittleEndian.AppendUint32(nil, uint32(len(text)))) + text
	}
	body := count(vendor) + string(binary.LittleEndian.AppendUint32(nil, uint32(len(list))))
	for _, c := range list {
		body += count(c)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(kind)<<24|uint32(len(body))), body...)
}

// recordings are recordings in each format and form.
func recordings(t testing.TB) map[string][]byte {
	t.Helper()
	var w, f, odd bytes.Buffer
	short := recording()
	short.PCM = short.PCM[:3]
	if err := errors.Join(wav.Write(&w, recording(), wav.PCM16), wav.Write(&odd, short, wav.PCM24), flac.Write(&f, recording())); err != nil {
		t.Fatal(err)
	}
	info := f.Bytes()[:42] // the signature and the first block, which is the last here
	more := func(blocks ...[]byte) []byte {
		head := bytes.Clone(info)
		head[4] = 0
		return bytes.Join(append([][]byte{head}, append(blocks, f.Bytes()[42:])...), nil)
	}
	title := "\x00Fox"
	return map[string][]byte{
		"WAV": w.Bytes(), "WAV of an odd length": odd.Bytes(), "FLAC": f.Bytes(),
		"FLAC with a title":  more([]byte("\x01\x00\x00\x02\x00\x00"), comments(0x84, "a tool", "TITLE=Fox")),
		"FLAC with comments": more(comments(4, "a tool"), []byte("\x81\x00\x00\x02\x00\x00")),
		"MP3":                mp3(0, ""), "MP3 with ID3v2.3": mp3(3, frame(3, "TIT2", title)),
		"MP3 with ID3v2.4": mp3(4, frame(4, "TIT2", title)+frame(4, "COMM", strings.Repeat("x", 300))),
	}
}

// A recording has its settings, and its sound is the same. Without settings, it is as it was.
func TestRecordings(t *testing.T) {
	t.Parallel()
	for name, file := range recordings(t) {
		with := write(t, file, settings())
		if got, err := read(with); err != nil || !reflect.DeepEqual(got, *settings()) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		if !bytes.Equal(write(t, with, settings()), with) {
			t.Errorf("%s: it is written in other bytes", name)
		}
		other := settings()
		other.Arguments["prompt"] = "a hen"
		if got, err := read(write(t, with, other)); err != nil || got.Arguments["prompt"] != "a hen" {
			t.Errorf("%s: replaced by %v, %v", name, got, err)
		}
		without := write(t, with, nil)
		if _, err := read(without); !errors.Is(err, mediameta.ErrNone) || !bytes.Equal(without, file) {
			t.Errorf("%s: without settings it is another file: %v", name, err)
		}
		for _, b := range [][]byte{with, file} {
			if got, want := heard(t, name, b), heard(t, name, file); got != nil && !reflect.DeepEqual(got.PCM, want.PCM) {
				t.Errorf("%s: the sound is another", name)
			}
		}
		if strings.HasPrefix(name, "MP3") && !bytes.HasSuffix(with, mp3(0, "")) {
			t.Errorf("%s: the sound is another", name)
		}
	}
}

// heard decodes a recording; nil for one that has no decoder here.
func heard(t *testing.T, name string, file []byte) (s *pcm.Sound) {
	t.Helper()
	var err error
	switch {
	case strings.HasPrefix(name, "WAV"):
		s, err = wav.Read(bytes.NewReader(file), 1<<20)
	case strings.HasPrefix(name, "FLAC"):
		s, err = flac.Read(bytes.NewReader(file), 1<<20)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return s
}

// What ComfyUI writes about its graph is left out, also without settings.
func TestRecordingsWithoutGraphs(t *testing.T) {
	t.Parallel()
	plain := recordings(t)["FLAC"]
	head := append(bytes.Clone(plain[:4]), 0)
	for name, file := range map[string][]byte{
		"FLAC": bytes.Join([][]byte{head, plain[5:42], comments(0x84, "Lavf", "Prompt=secret", "workflow=secret", "title=Fox"), plain[42:]}, nil),
		"v2.4": mp3(4, frame(4, "TXXX", "\x03prompt\x00secret")+frame(4, "TIT2", "\x00Fox")),
		"v2.3": mp3(3, frame(3, "TXXX", "\x01"+wide("workflow")+"\x00\x00"+wide("secret"))+frame(3, "TIT2", "\x00Fox")),
	} {
		for _, s := range []*mediameta.Settings{nil, settings()} {
			got := write(t, file, s)
			if bytes.Contains(got, []byte("secret")) || bytes.Contains(got, []byte(wide("secret")[2:])) || !bytes.Contains(got, []byte("Fox")) {
				t.Errorf("%s: the graph is there, or the title is not", name)
			}
		}
	}
}

// A recording that is damaged, or in a form that is not known, is refused.
func TestRefusedRecordings(t *testing.T) {
	t.Parallel()
	all := recordings(t)
	refused := func(name string, file []byte, want error) {
		t.Helper()
		var out bytes.Buffer
		if err := mediameta.Write(&out, bytes.NewReader(file), int64(len(file)), settings()); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range 44 {
		refused("WAV", all["WAV"][:n], mediameta.ErrFormat)
		refused("FLAC", all["FLAC"][:min(n, 41)], mediameta.ErrFormat)
	}
	refused("WAV that is cut", all["WAV"][:2000], mediameta.ErrFormat)
	for n := range 24 {
		refused("MP3", all["MP3 with ID3v2.3"][:n], mediameta.ErrFormat)
	}
	refused("version", mp3(2, "TT2\x00\x00\x02\x00F  "), mediameta.ErrFormat)
	flagged := bytes.Clone(all["MP3 with ID3v2.4"])
	flagged[5] = 0x80
	refused("flags", flagged, mediameta.ErrFormat)
	refused("frame beyond the tag", mp3(3, frame(3, "TIT2", "\x00Fox")[:12]), mediameta.ErrFormat)
	refused("large tag", mp3(4, frame(4, "TIT2", strings.Repeat("x", 5<<20))), mediameta.ErrTooLarge)
	plain := all["FLAC"]
	head := append(bytes.Clone(plain[:4]), 0)
	refused("two blocks", bytes.Join([][]byte{head, plain[5:42], comments(4, "a"), comments(0x84, "b"), plain[42:]}, nil), mediameta.ErrFormat)
	refused("comment beyond the block", bytes.Join([][]byte{head, plain[5:42], []byte("\x84\x00\x00\x04\xff\x00\x00\x00"), plain[42:]}, nil), mediameta.ErrFormat)
}

// FuzzRecording writes settings into any recording, and reads them again.
func FuzzRecording(f *testing.F) {
	for _, file := range recordings(f) {
		f.Add(file)
		f.Add(write(f, file, settings()))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		var out bytes.Buffer
		var err error
		worktest.Limit(t, len(file), worktest.Bound{Base: 16 << 20, PerByte: 200}, func() {
			out.Reset()
			_, _ = read(file)
			err = mediameta.Write(&out, bytes.NewReader(file), int64(len(file)), settings())
		})
		for _, head := range []string{"fLaC", "ID3", "\xff\xfb"} {
			if err == nil && bytes.HasPrefix(file, []byte(head)) {
				if got, err := read(out.Bytes()); err != nil || got.Tool != "generate_image" {
					t.Errorf("what was written is not read: %v", err)
				}
			}
		}
	})
}
