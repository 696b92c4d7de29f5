package mediameta_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/mediameta"
	"github.com/atelier-project/atelier/internal/worktest"
)

// spool keeps the samples of a clip.
type spool struct{ bytes.Buffer }

func (s *spool) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(s.Bytes()).ReadAt(p, at)
}

// clip is a clip of frames that can be told apart, with sound between them.
func clip(t testing.TB, o mp4.Options) []byte {
	t.Helper()
	o.Video = mp4.Video{Width: 64, Height: 48, Num: 24, Den: 1, SPS: []byte{0x67, 66, 0, 10, 1}, PPS: []byte{0x68, 1}}
	o.Audio = &mp4.Audio{Codec: mp4.AAC, Rate: 48000, Channels: 2, Config: []byte{0x11, 0x90}}
	w, err := mp4.NewWriter(&spool{}, o)
	for n := range 20 {
		if err == nil {
			err = errors.Join(w.AddVideo(bytes.Repeat([]byte{byte(n)}, 90+n), n%10 == 0), w.AddAudio([]byte{byte(n), 1, 2, byte(n)}, 1024))
		}
	}
	var out bytes.Buffer
	if err == nil {
		_, err = w.WriteTo(&out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func atom(kind string, parts ...string) string {
	body := strings.Join(parts, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
}

// rearranged is a clip with wide offsets, whose index stands after the data or before it.
func rearranged(t testing.TB, indexLast bool) []byte {
	t.Helper()
	file := clip(t, mp4.Options{})
	at := bytes.Index(file, []byte("moov")) - 4
	data := bytes.Index(file, []byte("mdat")) - 4
	head, index, content := file[:at], string(file[at:data]), string(file[data:])
	grown := 0
	var tables []string
	for rest := index; ; {
		i := strings.Index(rest, "stco")
		if i < 0 {
			break
		}
		size := int(binary.BigEndian.Uint32([]byte(rest[i-4:])))
		tables = append(tables, rest[i-4:i-4+size])
		rest = rest[i+4:]
	}
	wide := func(by int) map[string]string {
		out := map[string]string{}
		for _, table := range tables {
			b := []byte(table[8:16])
			for entry := range slices.Chunk([]byte(table[16:]), 4) {
				b = binary.BigEndian.AppendUint64(b, uint64(int(binary.BigEndian.Uint32(entry))+by))
			}
			out[table] = atom("co64", string(b))
		}
		return out
	}
	for table, other := range wide(0) {
		grown += len(other) - len(table)
	}
	by := grown
	if indexLast {
		by = -len(index)
	}
	changed := widen(index, wide(by))
	if indexLast {
		return []byte(string(head) + content + changed)
	}
	return []byte(string(head) + changed + content)
}

// widen replaces tables in a tree of boxes, which grow with them.
func widen(data string, tables map[string]string) string {
	var out strings.Builder
	for data != "" {
		size := binary.BigEndian.Uint32([]byte(data))
		whole, kind := data[:size], data[4:8]
		switch {
		case tables[whole] != "":
			whole = tables[whole]
		case slices.Contains([]string{"moov", "trak", "mdia", "minf", "stbl"}, kind):
			whole = atom(kind, widen(whole[8:], tables))
		}
		out.WriteString(whole)
		data = data[size:]
	}
	return out.String()
}

// withUserData is a clip, whose index is last, with user data.
func withUserData(t testing.TB, content string) []byte {
	t.Helper()
	file := rearranged(t, true)
	at := bytes.Index(file, []byte("moov")) - 4
	return []byte(string(file[:at]) + atom("moov", string(file[at+8:]), atom("udta", content)))
}

const zeros = "\x00\x00\x00\x00"

func text(value string) string { return atom("data", "\x00\x00\x00\x01"+zeros, value) }

// keyed are tags as ffmpeg writes them for ComfyUI: by the numbers of keys.
func keyed(pairs ...string) string {
	keys, items := "", ""
	for i := 0; i < len(pairs); i += 2 {
		keys += atom("mdta", pairs[i])
		items += atom("\x00\x00\x00"+string(rune(i/2+1)), text(pairs[i+1]))
	}
	return atom("meta", zeros, atom("hdlr", zeros+zeros+"mdta"+zeros+zeros+zeros+"\x00"), atom("keys", zeros+"\x00\x00\x00"+string(rune(len(pairs)/2)), keys), atom("ilst", items))
}

// clips are clips in all forms that are written.
func clips(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"MP4":           clip(t, mp4.Options{}),
		"MP4 with tags": clip(t, mp4.Options{Tool: "a tool", Comment: "a comment"}),
		"MOV with tags": clip(t, mp4.Options{Format: mp4.MOV, Tool: "a tool", Comment: "a comment"}),
		"index last":    rearranged(t, true),
		"wide offsets":  rearranged(t, false),
		"keys":          withUserData(t, keyed("title", "Fox")),
		"QuickTime":     withUserData(t, atom("\xa9nam", "\x00\x03\x55\xc4Fox")+zeros),
	}
}

// samplesOf reads all samples of a clip.
func samplesOf(t testing.TB, name string, file []byte) (out [][]byte) {
	t.Helper()
	r := bytes.NewReader(file)
	info, err := mp4.Probe(r, int64(len(file)))
	if err != nil || len(info.Tracks) != 2 {
		t.Fatalf("%s: %d tracks, %v", name, len(info.Tracks), err)
	}
	for _, track := range info.Tracks {
		for n := range track.Len() {
			sample, err := track.Read(r, n, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out = append(out, sample)
		}
	}
	return out
}

// A clip has its settings, and every sample is where its index says. Without settings, the clip is as it was.
func TestClips(t *testing.T) {
	t.Parallel()
	samples := samplesOf(t, "clip", clip(t, mp4.Options{}))
	for name, file := range clips(t) {
		if !reflect.DeepEqual(samplesOf(t, name, file), samples) {
			t.Fatalf("%s: the clip of the test is wrong", name)
		}
		with := write(t, file, settings())
		if got, err := read(with); err != nil || !reflect.DeepEqual(got, *settings()) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		if !reflect.DeepEqual(samplesOf(t, name, with), samples) {
			t.Errorf("%s: the samples are others", name)
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
		if _, err := read(without); !errors.Is(err, mediameta.ErrNone) {
			t.Errorf("%s without settings: %v", name, err)
		}
		if name != "keys" && !bytes.Equal(without, file) { // a key stays
			t.Errorf("%s: without settings it is another file", name)
		}
		for _, tag := range []string{"a tool", "a comment", "Fox"} {
			if bytes.Count(with, []byte(tag)) != bytes.Count(file, []byte(tag)) {
				t.Errorf("%s: the tag %q is gone", name, tag)
			}
		}
	}
}

// What ComfyUI writes about its graph is left out, also without settings.
func TestClipsWithoutGraphs(t *testing.T) {
	t.Parallel()
	comment := atom("meta", zeros, atom("hdlr", zeros+zeros+"mdir"+zeros+zeros+zeros+"\x00"), atom("ilst", atom("\xa9cmt", text(`{"prompt": "secret"}`)), atom("\xa9nam", text("Fox"))))
	for name, content := range map[string]string{
		"keys":    keyed("prompt", `{"1": "secret"}`, "title", "Fox", "workflow", "secret", "comment", `{"prompt": "secret"}`),
		"comment": comment,
		"MOV":     atom("\xa9cmt", "\x00\x0a\x55\xc4{\"secret\"}") + atom("\xa9nam", "\x00\x03\x55\xc4Fox"),
	} {
		for _, s := range []*mediameta.Settings{nil, settings()} {
			if got := write(t, withUserData(t, content), s); bytes.Contains(got, []byte("secret")) || !bytes.Contains(got, []byte("Fox")) {
				t.Errorf("%s: the graph is there, or the title is not", name)
			}
		}
	}
}

// A clip that is damaged, in fragments, or without place is refused, and no input makes offsets wrong.
func TestRefusedClips(t *testing.T) {
	t.Parallel()
	file := clip(t, mp4.Options{Tool: "a tool"})
	refused := func(name string, file []byte, want error) {
		t.Helper()
		var out bytes.Buffer
		if err := mediameta.Write(&out, bytes.NewReader(file), int64(len(file)), settings()); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	data := bytes.Index(file, []byte("mdat")) - 4
	for n := range len(file) - 1 {
		if n < data || n >= data+8 { // otherwise it ends between two boxes
			refused("cut", file[:n], mediameta.ErrFormat)
		}
	}
	for _, kind := range []string{"moof", "sidx", "mfra", "meta", "moov"} {
		refused(kind, []byte(string(file)+atom(kind, zeros)), mediameta.ErrFormat)
	}
	refused("two tags", withUserData(t, keyed("a", "b")+keyed("a", "b")), mediameta.ErrFormat)
	refused("unknown tags", withUserData(t, atom("meta", zeros, atom("hdlr", zeros+zeros+"ID32"+zeros))), mediameta.ErrFormat)
	refused("large tags", withUserData(t, atom("\xa9nam", strings.Repeat("x", 4<<20))), mediameta.ErrTooLarge)
	full := bytes.Clone(file)
	table := bytes.Index(full, []byte("stco"))
	binary.BigEndian.PutUint32(full[table+12:], 1<<32-8) // the data is beyond what offsets can say
	refused("no place", full, mediameta.ErrTooLarge)
	binary.BigEndian.PutUint32(full[table+12:], uint32(table))
	refused("data in the index", full, mediameta.ErrFormat)
	binary.BigEndian.PutUint32(full[table+8:], 1<<31)
	refused("a table beyond its box", full, mediameta.ErrFormat)
}

// FuzzClip writes settings into any clip: samples that it had are the same afterwards.
func FuzzClip(f *testing.F) {
	for _, file := range clips(f) {
		f.Add(file)
		f.Add(write(f, file, settings()))
	}
	f.Add(withUserData(f, keyed("prompt", "{}", "comment", "{}")))
	f.Fuzz(func(t *testing.T, file []byte) {
		var out bytes.Buffer
		var err error
		worktest.Limit(t, len(file), worktest.Bound{Base: 16 << 20, PerByte: 200}, func() {
			out.Reset()
			_, _ = read(file)
			err = mediameta.Write(&out, bytes.NewReader(file), int64(len(file)), settings())
		})
		if err != nil || !bytes.Contains(file[:min(len(file), 12)], []byte("ftyp")) {
			return
		}
		if got, err := read(out.Bytes()); err != nil || got.Tool != "generate_image" {
			t.Errorf("what was written is not read: %v", err)
		}
		checkSamples(t, file, out.Bytes())
	})
}

// checkSamples compares the first samples of a clip with those of its copy. Those that lie in the index, or behind the
// end of the file, are of a clip that is damaged.
func checkSamples(t *testing.T, file, copied []byte) {
	t.Helper()
	at := bytes.Index(file, []byte("moov")) - 4
	before, err := mp4.Probe(bytes.NewReader(file), int64(len(file)))
	if err != nil || at < 0 || bytes.Count(file, []byte("moov")) != 1 {
		return
	}
	end := at + int(binary.BigEndian.Uint32(file[at:]))
	if end < at+8 {
		return // its length is written in another way
	}
	after, err := mp4.Probe(bytes.NewReader(copied), int64(len(copied)))
	if errors.Is(err, mp4.ErrOverlap) {
		return // which it finds by the size of the file
	}
	if err != nil || len(after.Tracks) != len(before.Tracks) {
		t.Fatalf("what was written is not a clip: %v", err)
	}
	for i := range before.Tracks {
		for n := range min(before.Tracks[i].Len(), 50) {
			sample, err := before.Tracks[i].Sample(n)
			if err != nil || sample.Offset < int64(end) && sample.Offset+int64(sample.Size) > int64(at) {
				break
			}
			want, err := before.Tracks[i].Read(bytes.NewReader(file), n, nil)
			if err != nil {
				continue
			}
			if got, err := after.Tracks[i].Read(bytes.NewReader(copied), n, nil); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("sample %d of track %d is another: %v", n, i, err)
			}
		}
	}
}
