package llm

import (
	"reflect"
	"testing"
)

// FuzzRepeating holds the quick reading of chunks against the thorough one.
func FuzzRepeating(f *testing.F) {
	f.Add([]byte(`{"choices":[{"delta":{"content":"a"}}]}`), []byte(`{"choices":[{"delta":{"content":"b\n"}}]}`))
	f.Add([]byte(`{"content":"a","choices":[{"delta":{"content": "a"}}]}`), []byte(`{"content":"b","choices":[{"delta":{"content": "a"}}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"content":"a"},"x":"y"}]}`), []byte(`{"choices":[{"delta":{"content":"a"},"tool_calls":"z"},"x":"y"}]}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var r chunkReader
		var numbers callNumbers
		for _, data := range [][]byte{first, second, first} {
			var got Delta
			var gotErr error
			if text, ok := r.appendText(nil, data); ok {
				got.Content = string(text)
			} else {
				got, gotErr = r.read(data)
			}
			want, wantErr := readChunk(data)
			if wantErr == nil {
				wantErr = numbers.number(want.ToolCalls)
			}
			if (gotErr == nil) != (wantErr == nil) || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: got %+v, %v, want %+v, %v", data, got, gotErr, want, wantErr)
			}
		}
	})
}
