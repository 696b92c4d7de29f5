package media_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A picture is made smaller until it fits, also one that compresses badly.
func TestPicture(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	noise := image.NewRGBA(image.Rect(0, 0, 240, 120))
	source := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(source.Uint32())
	}
	var file bytes.Buffer
	if err := png.Encode(&file, noise); err != nil {
		t.Fatal(err)
	}
	for key, content := range map[string][]byte{"noise.png": file.Bytes(), "text.png": []byte("no picture")} {
		if _, err := f.Blobs.Put(t.Context(), key, bytes.NewReader(content), blob.PutOptions{ContentType: "image/png"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ edge, bytes, wantWidth int }{
		{1000, 1 << 20, 240}, {200, 1 << 20, 200}, {200, 8000, 150}, {200, 2000, 84}, {200, 900, 63},
	} {
		got, err := f.e.Picture(t.Context(), f.who.Wallet, "noise.png", tc.edge, tc.bytes)
		config, bad := jpeg.DecodeConfig(bytes.NewReader(got))
		if err != nil || bad != nil || len(got) > tc.bytes || config.Width != tc.wantWidth {
			t.Errorf("%+v: got %d bytes, %d by %d, %v, %v", tc, len(got), config.Width, config.Height, err, bad)
		}
	}
	if _, err := f.e.Picture(t.Context(), f.who.Wallet, "text.png", 200, 1000); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
		t.Errorf("of a text, got %v", err)
	}
}
