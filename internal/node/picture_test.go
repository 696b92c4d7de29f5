package node_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// A large picture is decoded in a child process, and refused for the same reasons
// as a small one.
func TestLargePicturesAreDecodedInAChild(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2400, 2400))); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	command := renderCommand()
	missing := []string{"/nowhere/atelier", command[1]}
	for _, tc := range []struct {
		name, contentType string
		file              []byte
		command           []string
		refusal           string
	}{
		{"whole", "image/png", whole, command, ""},
		{"cut off", "image/png", whole[:len(whole)/2], command, "cannot be read to its end"},
		{"many scans", "image/jpeg", worktest.JPEG(1600, 1600, 1000), command, "more than 32 scans"},
		{"no process", "image/png", whole, missing, "upload it again"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := ateliertest.StartNode(t, storetest.SQLite(t), node.Options{RenderCommand: tc.command})
			ann := s.Account(t, account.NewAccount{}, billing.Credits{})
			c := client.New(s.URL, ann.Key)
			c.Retries = 0
			_, err := c.UploadImage(t.Context(), mint.UUID(), "startingImage", tc.contentType, bytes.NewReader(tc.file))
			if (err == nil) != (tc.refusal == "") || err != nil && !strings.Contains(err.Error(), tc.refusal) {
				t.Errorf("got %v, want %q", err, tc.refusal)
			}
		})
	}
}
