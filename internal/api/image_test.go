package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/store/storetest"
)

// imageFile is a picture in an answer or an event.
type imageFile struct {
	File []byte `json:"b64_json"`
}

// A picture that was made and paid for is in the answer, even if it is larger than what an answer may take in memory.
func TestLargeImage(t *testing.T) {
	t.Parallel()
	h := openStudio(t, storetest.SQLite(t)).artist(t)
	large := append(picture(9, 9), make([]byte, 22<<20)...)
	for _, body := range []string{`{"prompt": "a fox", "response_format": "b64_json"}`, `{"prompt": "a fox", "stream": true}`} {
		answered := make(chan answer, 1)
		go func() { answered <- h.raw("POST", "/v1/images/generations", body) }()
		h.worker.Deliver(t, h.worker.Claim(t), large)
		got := <-answered
		isThere := false
		for line := range strings.SplitSeq(got.body, "\n") {
			var one struct {
				imageFile
				Data []imageFile
			}
			if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &one) != nil {
				continue // another line of an event
			}
			for _, f := range append(one.Data, one.imageFile) {
				isThere = isThere || len(f.File) == len(large)
			}
		}
		if got.status != 200 || !isThere {
			t.Errorf("%s: got %d without the file: %.300s", body, got.status, got.body)
		}
	}
}

// When a part of the pictures cannot be made, the others are in the answer: they were paid for.
func TestPartOfTheImages(t *testing.T) {
	t.Parallel()
	h := openStudio(t, storetest.SQLite(t)).artist(t)
	for _, tc := range []struct{ made, status int }{{1, 200}, {0, 502}} {
		answered := make(chan answer, 1)
		go func() {
			answered <- h.raw("POST", "/v1/images/generations", `{"prompt": "a fox", "n": 2, "background": "transparent"}`)
		}()
		h.worker.Complete(t, h.worker.Claim(t), 2, nil)
		for i := range 2 { // the two are cut out
			if j := h.worker.Claim(t); i < tc.made {
				h.worker.Complete(t, j, 1, nil)
			} else {
				h.worker.Fail(t, j)
			}
		}
		var got struct{ Data []any }
		a := <-answered
		if a.status != tc.status || json.Unmarshal([]byte(a.body), &got) != nil || len(got.Data) != tc.made || tc.made == 0 && !strings.Contains(a.body, "is broken") {
			t.Errorf("%d of 2 made: got %d %.300s", tc.made, a.status, a.body)
		}
	}
}
