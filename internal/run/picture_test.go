package run_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// observer is a model that keeps the conversations it is asked about.
type observer struct {
	llm.Completer
	asked chan []llm.Message
}

func (o observer) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	o.asked <- q.Messages
	return o.Completer.Complete(ctx, q, emit)
}

// noise is a picture of random pixels.
func noise(w, h int) []byte {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	source := rand.New(rand.NewPCG(1, 2))
	for i := range p.Pix {
		p.Pix[i] = uint8(source.Uint32())
	}
	var b bytes.Buffer
	_ = png.Encode(&b, p)
	return b.Bytes()
}

// A model that sees is shown the newest pictures of the account in the conversation, made
// smaller. Of others it is told that they are there.
func TestModelsSeePictures(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o), text("A fox."))
		asked := make(chan []llm.Message, 8)
		f.completer = observer{f.model, asked}
		f.e = f.engine(f.Bus)
		f.addAccounts()
		f.start()
		q := ask("What are these?")
		add := func(url string) {
			q.Chat.Messages[0].Content = append(q.Chat.Messages[0].Content, llm.Part{Type: "image_url", Image: llm.Image{URL: url}})
		}
		store := func(w atelier.Wallet, key string, content []byte) {
			u, url := f.upload(w, key)
			if _, err := f.Blobs.Put(t.Context(), u.Key, bytes.NewReader(content), blob.PutOptions{ContentType: "image/png"}); err != nil {
				t.Fatal(err)
			}
			add(url)
		}
		small := noise(40, 20)
		for i := range 3 {
			store(ann, fmt.Sprintf("inputs/p/early%d.png", i), small) // too early
		}
		for i := range 6 {
			store(ann, fmt.Sprintf("inputs/p/small%d.png", i), small)
		}
		store(ann, "inputs/p/large.png", noise(1300, 30))
		store(ann, "inputs/p/broken.png", []byte("no picture"))
		store(wil, "inputs/p/foreign.png", small)
		add("https://example.com/fox.png")
		f.until(f.begin(q), atelier.StatusCompleted)

		var got []string
		messages := <-asked
		for _, p := range messages[len(messages)-1].Content[1:] {
			if p.Type == "text" {
				got = append(got, p.Text)
				continue
			}
			config, err := jpeg.DecodeConfig(bytes.NewReader(p.Image.Data))
			if err != nil || len(p.Image.Data) > 256<<10 || p.Image.Type != "image/jpeg" {
				t.Errorf("a picture of %d bytes and the type %s: %v", len(p.Image.Data), p.Image.Type, err)
			}
			if config.Width != 40 && config.Width != 1024 {
				t.Errorf("a picture is %d by %d", config.Width, config.Height)
			}
			got = append(got, "shown")
		}
		want := "[image -1] [image -2] [image -3] " + strings.Repeat("shown ", 7) + "[image -11] [image -12] [image -13]"
		if got := strings.Join(got, " "); got != want {
			t.Errorf("the model got %s\nwant %s", got, want)
		}
	})
}
