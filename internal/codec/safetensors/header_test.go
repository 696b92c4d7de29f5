package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
	"github.com/atelier-project/atelier/internal/worktest"
)

// file is a file with a header and so many bytes after it.
func file(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

func TestRead(t *testing.T) {
	t.Parallel()
	const header = `{"b": {"dtype": "F16", "shape": [2, 3], "data_offsets": [4, 16]}, "__metadata__": {"format": "pt", "ümlaut": "\u00fc"},` +
		` "a": {"data_offsets": [0, 4], "shape": [], "dtype": "F32"}, "empty": {"dtype": "I64", "shape": [0, 9], "data_offsets": [16, 16]},` +
		` "half": {"dtype": "F4", "shape": [4], "data_offsets": [16, 18]}}    `
	b := file(header, 18)
	r := bytes.NewReader(b)
	got, err := safetensors.Read(r, int64(len(b)))
	want := &safetensors.Header{
		Tensors: []safetensors.Tensor{
			{Name: "a", DType: "F32", Begin: 0, End: 4},
			{Name: "b", DType: "F16", Shape: []int64{2, 3}, Begin: 4, End: 16},
			{Name: "empty", DType: "I64", Shape: []int64{0, 9}, Begin: 16, End: 16},
			{Name: "half", DType: "F4", Shape: []int64{4}, Begin: 16, End: 18},
		},
		Metadata: map[string]string{"format": "pt", "ümlaut": "ü"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if r.Len() != 18 {
		t.Errorf("%d bytes are left after the header, want 18", r.Len())
	}
}

// A header that is written is read as it was.
func TestEncode(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "aa", "<ü>", ""} {
		for _, metadata := range []map[string]string{nil, {"format": "pt"}} {
			want := &safetensors.Header{Tensors: []safetensors.Tensor{
				{Name: name, DType: "F32", Begin: 0, End: 4}, {Name: "b", DType: "F16", Shape: []int64{2, 3}, Begin: 4, End: 16},
			}, Metadata: metadata}
			b, err := want.Encode()
			if err != nil || len(b)%8 != 0 {
				t.Fatalf("%q: %d bytes, %v", name, len(b), err)
			}
			r := bytes.NewReader(append(b, make([]byte, 16)...))
			if got, err := safetensors.Read(r, r.Size()); err != nil || !reflect.DeepEqual(got, want) || r.Len() != 16 {
				t.Errorf("got %+v, %v, want %+v; %d bytes are left", got, err, want, r.Len())
			}
		}
	}
	// Metadata does not grow.
	markup := &safetensors.Header{Metadata: map[string]string{"caption": strings.Repeat("<&>", 1000)}}
	if b, err := markup.Encode(); err != nil || len(b) > 3100 {
		t.Errorf("3000 bytes of metadata became %d, %v", len(b), err)
	}
}

// What is refused, and what the reason says.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	one := func(tensor string) string { return `{"a": ` + tensor + `}` }
	for _, tc := range []struct {
		header string
		data   int
		want   string
	}{
		{``, 0, "it has no header"},
		{` {}`, 0, "its header does not begin with a table"},
		{`[]`, 0, "its header does not begin with a table"},
		{"\x80\x02", 10, "its header does not begin with a table"},
		{"{\"\xff\": 1}", 0, "its header is not UTF-8"},
		{`{"a"`, 0, `"a" is not an object`},
		{`{"a": `, 0, `"a" is not an object`},
		{`{,}`, 0, "its header is not valid JSON"},
		{`{"a": 1,}`, 0, `"a" is not an object`},
		{`{} {}`, 0, "something follows the table"},
		{`{}` + "\x00", 0, "something follows the table"},
		{`{}`, 3, "3 bytes at its end belong to no tensor"},
		{one(`{}`), 0, `"a" has no type, no shape or no place`},
		{one(`null`), 0, `"a" is not an object`},
		{one(`{"dtype": "F32", "shape": [1]}`), 4, `"a" has no type, no shape or no place`},
		{one(`{"dtype": "F32", "shape": [1], "data_offsets": [0, 4], "x": 1}`), 4, `"a" has an unknown field "x"`},
		{one(`{"dtype": "F32", "shape": [1], "x": 1}`), 4, `"a" has an unknown field "x"`},
		{one(`{"dtype": "F32", "dtype": "F32", "shape": [1]}`), 4, `"a" has "dtype" twice`},
		{one(`{"dtype": 3, "shape": [1], "data_offsets": [0, 4]}`), 4, `the type of "a" is not a text`},
		{one(`{"dtype": "F33", "shape": [1], "data_offsets": [0, 4]}`), 4, `the type "F33" of "a" is unknown`},
		{one(`{"dtype": "F32", "shape": 1, "data_offsets": [0, 4]}`), 4, `the shape of "a" is not a list`},
		{one(`{"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}`), 4, `the shape of "a" holds "-1", which is not a size`},
		{one(`{"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]}`), 4, `holds "1.0", which is not a size`},
		{one(`{"dtype": "F32", "shape": [1e0], "data_offsets": [0, 4]}`), 4, `holds "1e0", which is not a size`},
		{one(`{"dtype": "F32", "shape": [1e309], "data_offsets": [0, 4]}`), 4, `holds "1e309", which is not a size`},
		{one(`{"dtype": "F32", "shape": [-0], "data_offsets": [0, 0]}`), 0, `holds "-0", which is not a size`},
		{one(`{"dtype": "F32", "shape": [01], "data_offsets": [0, 4]}`), 4, `holds something other than numbers`},
		{one(`{"dtype": "F32", "shape": [NaN], "data_offsets": [0, 4]}`), 4, `holds something other than numbers`},
		{one(`{"dtype": "F32", "shape": ["1"], "data_offsets": [0, 4]}`), 4, `holds something other than numbers`},
		{one(`{"dtype": "F32", "shape": [null], "data_offsets": [0, 4]}`), 4, `holds something other than numbers`},
		{one(`{"dtype": "F32", "shape": [[1]], "data_offsets": [0, 4]}`), 4, `holds something other than numbers`},
		{one(`{"dtype": "F32", "shape": [9223372036854775808], "data_offsets": [0, 4]}`), 4, `holds "9223372036854775808", which is not a size`},
		{one(`{"dtype": "F32", "shape": [1` + strings.Repeat("0", 400) + `], "data_offsets": [0, 4]}`), 4, `00"…, which is not a size`},
		{one(`{"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]}`), 0, `"a" is too large`},
		{one(`{"dtype": "F32", "shape": [9223372036854775807], "data_offsets": [0, 0]}`), 0, `"a" is too large`},
		{one(`{"dtype": "F32", "shape": [1,1,1,1,1,1,1,1,1], "data_offsets": [0, 4]}`), 4, `the shape of "a" has more than 8 numbers`},
		{one(`{"dtype": "F32", "shape": [1], "data_offsets": [0]}`), 4, `the place of "a" is not a begin and an end`},
		{one(`{"dtype": "F32", "shape": [1], "data_offsets": [0, 2, 4]}`), 4, `the place of "a" has more than 2 numbers`},
		{one(`{"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}`), 4, `"a" ends before it begins`},
		{one(`{"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}`), 8, `"a" has 8 bytes, which does not fit its type and shape`},
		{one(`{"dtype": "F4", "shape": [3], "data_offsets": [0, 1]}`), 1, `"a" has 1 bytes, which does not fit its type and shape`},
		{one(`{"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}`), 3, "it ends before its last tensor does: 1 of 4 bytes are missing"},
		{one(`{"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}`), 5, "1 bytes at its end belong to no tensor"},
		{one(`{"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}`), 8, `4 bytes before "a" belong to no tensor`},
		{`{"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, "b": {"dtype": "U8", "shape": [4], "data_offsets": [2, 6]}}`, 6, `the bytes of "b" overlap those of another tensor`},
		{`{"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, "b": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}`, 4, `the bytes of "b" overlap`},
		{`{"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}, "b": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]}}`, 3, `1 bytes before "b" belong to no tensor`},
		{`{"a": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}, "a": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}}`, 0, `its table has "a" twice`},
		{`{"__metadata__": {}, "__metadata__": {}}`, 0, `its table has "__metadata__" twice`},
		{`{"__metadata__": []}`, 0, `"__metadata__" is not an object`},
		{`{"__metadata__": {"a": 1}}`, 0, `the metadata "a" is not a text`},
		{`{"__metadata__": {"a": "1", "a": "2"}}`, 0, `its metadata has "a" twice`},
		{`{"` + strings.Repeat("n", 513) + `": {}}`, 0, `its header has a name of 513 bytes, and at most 512 are read`},
	} {
		b := file(tc.header, tc.data)
		h, err := safetensors.Read(bytes.NewReader(b), int64(len(b)))
		var refused *safetensors.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, tc.want) || !strings.HasPrefix(refused.Reason, "The file is not a valid safetensors file: ") {
			t.Errorf("%.120s: got %+v, %v, want %q", tc.header, h, err, tc.want)
		}
	}
}

// The length in front of the header is checked before anything is read or allocated.
func TestReadRefusesLengths(t *testing.T) {
	for _, tc := range []struct {
		length   uint64
		fileSize int64
		want     string
	}{
		{0, 7, "it has only 7 bytes"},
		{0, -1, "it has only 0 bytes"},
		{0, 8, "it has no header"},
		{1, 8, "its header would be longer than the file"},
		{1 << 63, 1 << 62, "its header would be longer than the file"},
		{1<<64 - 1, 100, "its header would be longer than the file"},
		{safetensors.MaxHeader + 1, 1 << 40, "its header has 16777217 bytes, and at most 16777216 are read"},
	} {
		r := io.LimitReader(neverEnding{}, 1<<30).(*io.LimitedReader)
		prefix := bytes.NewReader(binary.LittleEndian.AppendUint64(nil, tc.length))
		var err error
		allocated := worktest.Allocated(func() { _, err = safetensors.Read(io.MultiReader(prefix, r), tc.fileSize) })
		var refused *safetensors.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, tc.want) {
			t.Errorf("a length of %d in a file of %d bytes: got %v, want %q", tc.length, tc.fileSize, err, tc.want)
		}
		if r.N != 1<<30 {
			t.Errorf("a length of %d: %d bytes were read after it", tc.length, 1<<30-r.N)
		}
		if allocated > 1<<20 {
			t.Errorf("a length of %d: %d bytes were allocated", tc.length, allocated)
		}
	}
}

type neverEnding struct{}

func (neverEnding) Read(b []byte) (int, error) { return len(b), nil }

// An error of the reader is passed on, and is not a fault of the file.
func TestReadPassesErrorsOn(t *testing.T) {
	t.Parallel()
	whole := file(`{"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}`, 1)
	broken := errors.New("connection reset")
	for _, n := range []int{0, 3, 8, 20} {
		for end, want := range map[error]error{io.EOF: io.ErrUnexpectedEOF, broken: broken} {
			_, err := safetensors.Read(io.MultiReader(bytes.NewReader(whole[:n]), failing{end}), int64(len(whole)))
			var refused *safetensors.Error
			if !errors.Is(err, want) || errors.As(err, &refused) {
				t.Errorf("after %d bytes: got %v, want %v", n, err, want)
			}
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// What reading a header may allocate for each of its bytes: some copies of a long
// text, and more where it has many short entries, whose number is limited. Most of it
// is free again at once.
const (
	perByteOfTexts   = 8
	perByteOfEntries = 64
)

// The headers that cost most stay in proportion to their length.
func TestReadBoundsMemory(t *testing.T) {
	entries := func(n int, format string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(list, ",")
	}
	const long = 1 << 20
	for name, tc := range map[string]struct {
		header  string
		perByte int
		want    string
	}{
		"tensors": {
			header:  "{" + entries(safetensors.MaxTensors, `"%x":{"dtype":"U8","shape":[0,1,1,1,1,1,1,1],"data_offsets":[0,0]}`) + "}",
			perByte: perByteOfEntries,
		},
		"too many tensors": {
			header:  "{" + entries(2*safetensors.MaxTensors, `"%x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`) + "}",
			perByte: perByteOfEntries,
			want:    "more than 16384 tensors",
		},
		"long names": {
			header:  "{" + entries(safetensors.MaxTensors/8, `"%0400d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`) + "}",
			perByte: perByteOfTexts,
		},
		"metadata": {
			header:  `{"__metadata__":{` + entries(safetensors.MaxMetadata, `"%x":""`) + "}}",
			perByte: perByteOfEntries,
		},
		"too much metadata": {
			header:  `{"__metadata__":{` + entries(100_000, `"%x":""`) + "}}",
			perByte: perByteOfTexts,
			want:    "its metadata has more than 4096 entries",
		},
		"a number":    {header: `{"a":{"shape":[1` + strings.Repeat("0", long) + `]}}`, want: "which is not a size"},
		"text":        {header: `{"__metadata__":{"a":"` + strings.Repeat("x", long) + `"}}`},
		"escapes":     {header: `{"__metadata__":{"a":"` + strings.Repeat(`\n`, long/2) + `"}}`},
		"a name":      {header: `{"` + strings.Repeat("x", long) + `":{}}`, want: "a name of"},
		"a shape":     {header: `{"a":{"shape":[` + strings.Repeat("1,", long/2) + `1]}}`, want: "more than 8 numbers"},
		"depth":       {header: `{"a":` + strings.Repeat("[", long), want: "is not an object"},
		"depth below": {header: `{"a":{"shape":` + strings.Repeat("[", long), want: "something other than numbers"},
		"spaces":      {header: `{` + strings.Repeat(" ", long) + `}`},
	} {
		b := file(tc.header, 0)
		var err error
		allocated := worktest.Allocated(func() { _, err = safetensors.Read(bytes.NewReader(b), int64(len(b))) })
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
		limit := uint64(max(tc.perByte, perByteOfTexts)*len(b) + 1<<16)
		t.Logf("%s: a header of %d bytes allocated %d", name, len(b), allocated)
		if allocated > limit {
			t.Errorf("%s: a header of %d bytes allocated %d, and at most %d are allowed", name, len(b), allocated, limit)
		}
	}
}

// Whatever is accepted is JSON, and its tensors cover the file.
func FuzzRead(f *testing.F) {
	f.Add(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4)
	f.Add(`{"a":{"dtype":"F4","shape":[2,0],"data_offsets":[0,0]},"b":{"dtype":"I64","shape":[],"data_offsets":[0,8]}} `, 8)
	f.Add(`{"a":{"dtype":"U8","shape":[9223372036854775807,3],"data_offsets":[0,1e309]}}`, 0)
	f.Add(`{"\ud800":{}, "a":{"shape":[NaN]}}`, 0)
	f.Fuzz(func(t *testing.T, header string, data int) {
		if data < 0 || data > 1<<20 {
			t.Skip()
		}
		b := file(header, data)
		var h *safetensors.Header
		var err error
		worktest.Limit(t, len(header), worktest.Bound{Base: 1 << 16, PerByte: perByteOfEntries}, func() {
			h, err = safetensors.Read(bytes.NewReader(b), int64(len(b)))
		})
		if err != nil {
			var refused *safetensors.Error
			if !errors.As(err, &refused) {
				t.Fatalf("%q: %v is not an *Error", header, err)
			}
			return
		}
		if !json.Valid([]byte(header)) {
			t.Fatalf("%q is not JSON", header)
		}
		var size int64
		for _, tensor := range h.Tensors {
			size += tensor.End - tensor.Begin
		}
		if size != int64(data) {
			t.Fatalf("%q: the tensors have %d of %d bytes", header, size, data)
		}
	})
}
