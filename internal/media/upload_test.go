package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// served is a fixture whose storage clients reach over HTTP.
type served struct {
	*fixture
	opts media.Options
}

// noon is a time in the middle of a UTC day.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func newServed(t *testing.T, o store.Options, change func(*media.Options)) *served {
	t.Helper()
	f := &fixture{Env: enginetest.New(t, o)}
	f.FreezeAt(noon)
	f.Blobs = blobtest.ServeDisk(t, f.Disk, blob.DiskServerOptions{
		Secrets: []string{"a-secret-of-sixteen"}, Now: f.Now,
		Admit:   func(ctx context.Context, u blob.Upload) (func(), error) { return f.e.Admit(ctx, u) },
		Inspect: func(ctx context.Context, u blob.Upload, r io.ReadSeeker) error { return f.e.InspectUpload(ctx, u, r) },
	})
	f.plan = atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, noon)
	s := &served{fixture: f, opts: media.Options{
		Now:  f.Now,
		Plan: func(context.Context, atelier.Wallet) (atelier.Subscription, error) { return f.plan, nil },
		Limits: media.Limits{
			UploadBytes: 1 << 20, UploadBytesADay: 1 << 30, FormsADay: 1000, PostsAMinute: 1000, PixelsAMinute: 1e12, UnusedTTL: 7 * 24 * time.Hour,
			FormTTL: time.Hour, DownloadTTL: 48 * time.Hour, AssetBytes: 1 << 20, AssetEntries: 100, LibraryBytes: 1 << 30,
			CopyBytesADay: 1 << 30, BindingsADay: 10, PutWindow: 5 * time.Minute, FinalizeWindow: time.Hour,
		},
	}}
	if change != nil {
		change(&s.opts)
	}
	f.e = media.New(f.DB, f.Blobs, s.opts)
	f.who = s.account("0xann")
	return s
}

// form requests a form of a slot that accepts the type.
func (s *served) form(who atelier.Caller, kind string) (media.UploadForm, error) {
	r := media.UploadRequest{Endpoint: media.ImageEndpoint, Type: "startingImage", ProjectID: atelier.ProjectID(mint.UUID()), ContentType: kind}
	if strings.HasPrefix(kind, "audio/") {
		r.Endpoint, r.Type = media.MediaEndpoint, "referenceAudio"
	}
	return s.e.UploadURL(s.T.Context(), who, r)
}

func (s *served) mustForm(who atelier.Caller, kind string) media.UploadForm {
	s.T.Helper()
	f, err := s.form(who, kind)
	if err != nil {
		s.T.Fatal(err)
	}
	return f
}

// post uploads a file with a form.
func (s *served) post(f media.UploadForm, file []byte) (status int, text string) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		_ = w.WriteField(name, f.Fields[name])
	}
	part, _ := w.CreateFormFile("file", "x")
	_, _ = part.Write(file)
	w.Close()
	resp, err := http.Post(f.URL, w.FormDataContentType(), &body)
	if err != nil {
		s.T.Errorf("post: %v", err)
		return 0, ""
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

// sound is a WAV of a given length. Only its first bytes are checked.
func sound(size int) []byte {
	return append([]byte("RIFF\x00\x00\x00\x00WAVEfmt "), make([]byte, size-16)...)
}

func smallPicture() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64)))
	return b.Bytes()
}

// largePicture is the header and the end of a PNG of 8K with 16 bits a channel.
// Nothing is between them: tests that use it decode nothing.
func largePicture() []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		body := append([]byte(kind), data...)
		b = binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 7680), 4320)
	chunk("IHDR", append(head, 16, 6, 0, 0, 0))
	chunk("IEND", nil)
	return b
}

// blockingDecoder decodes nothing: small pictures return at once, large ones when
// the test releases them.
type blockingDecoder struct {
	began   chan struct{}
	goOn    chan struct{}
	started atomic.Int64
}

func newBlockingDecoder() *blockingDecoder {
	return &blockingDecoder{began: make(chan struct{}, 100), goOn: make(chan struct{})}
}

func (g *blockingDecoder) decode(r io.Reader) error {
	config, err := png.DecodeConfig(r)
	if err != nil || config.Width < 1000 {
		return err
	}
	g.started.Add(1)
	g.began <- struct{}{}
	<-g.goOn
	return nil
}

// However many large pictures one account sends, the small ones of others and
// what workers send do not wait for them.
func TestUploadsDoNotWaitForAnotherAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		g := newBlockingDecoder()
		s := newServed(t, o, func(o *media.Options) { o.Decode = g.decode })
		eve, bob := s.account("0xeve"), s.account("0xbob")
		const connections = 40
		statuses := make(chan int, connections)
		var forms []media.UploadForm
		for range connections {
			forms = append(forms, s.mustForm(eve, "image/png"))
		}
		var attack sync.WaitGroup
		for _, f := range forms { // concurrently: an upload waits for its turn only for a time
			attack.Go(func() {
				status, _ := s.post(f, largePicture())
				statuses <- status
			})
		}
		<-g.began // one is being decoded
		for range connections - 16 {
			if status := <-statuses; status != http.StatusTooManyRequests {
				t.Errorf("one of too many concurrent uploads: status %d, want 429", status)
			}
		}
		// 16 uploads are under way: one is decoded, the others wait.
		if status, text := s.post(s.mustForm(bob, "image/png"), smallPicture()); status != 204 {
			t.Errorf("a small picture of another account: %d %s", status, text)
		}
		worker, err := media.SignForm(t.Context(), s.Blobs, "results/00/a1.png", blob.FormTerms{
			ContentType: "image/png", MaxBytes: 1 << 20, Account: string(bob.Wallet), Until: noon.Add(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		if status, text := s.post(worker, largePicture()); status != 204 {
			t.Errorf("what a worker made: %d %s", status, text)
		}
		if err := media.InspectResult("image/png", bytes.NewReader(largePicture()), int64(len(largePicture()))); err != nil {
			t.Errorf("what comes with a completion: %v", err)
		}
		if n := g.started.Load(); n != 1 {
			t.Errorf("%d large pictures of one account are decoded at once, want 1", n)
		}
		close(g.goOn)
		attack.Wait()
		for range 16 {
			if status := <-statuses; status != 204 {
				t.Errorf("an upload that waited for its turn: status %d", status)
			}
		}
	})
}

// Decoding is bounded by pixels, however few bytes they come in.
func TestDecodedPixelsAreBounded(t *testing.T) {
	t.Parallel()
	s := newServed(t, storetest.SQLite(t), func(o *media.Options) {
		o.Decode = func(io.Reader) error { return nil }
		o.Limits.PixelsAMinute = 100_000_000
		o.Limits.UploadBytesADay = 8 * int64(len(largePicture()))
	})
	bob := s.account("0xbob")
	for i := range 4 { // 33 megapixels each
		if status, text := s.post(s.mustForm(s.who, "image/png"), largePicture()); status != 204 {
			t.Errorf("picture %d: %d %s", i, status, text)
		}
	}
	f := s.mustForm(s.who, "image/png")
	for range 12 { // what is refused for now counts neither as a use of its form nor for the day
		if status, text := s.post(f, largePicture()); status != 429 || !strings.Contains(text, "megapixels per minute") {
			t.Errorf("the fifth: %d %s, want 429", status, text)
		}
	}
	if status, _ := s.post(s.mustForm(bob, "image/png"), largePicture()); status != 204 {
		t.Errorf("another account: %d", status)
	}
	s.Advance(20 * time.Second)
	if status, text := s.post(f, largePicture()); status != 204 {
		t.Errorf("later: %d %s", status, text)
	}
}

// A picture that cannot be decoded is refused, and so is a truncated one of a
// worker.
func TestBrokenPictures(t *testing.T) {
	t.Parallel()
	s := newServed(t, storetest.SQLite(t), nil)
	whole := smallPicture()
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-20] ^= 0xff
	for name, file := range map[string][]byte{"truncated": whole[:len(whole)-10], "damaged": damaged, "a header alone": largePicture()} {
		if status, text := s.post(s.mustForm(s.who, "image/png"), file); status != 400 {
			t.Errorf("%s: %d %s, want 400", name, status, text)
		}
	}
	for _, file := range [][]byte{whole[:len(whole)-10], damaged} {
		if err := media.InspectResult("image/png", bytes.NewReader(file), int64(len(file))); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("of a worker: %v", err)
		}
	}
}

// A form can be used again after a failure, but not without limit.
func TestFormUses(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newServed(t, o, nil)
		f := s.mustForm(s.who, "audio/wav")
		for i := range 10 {
			if status, text := s.post(f, sound(100)); status != 204 {
				t.Fatalf("use %d: %d %s", i, status, text)
			}
		}
		if status, text := s.post(f, sound(100)); status != 403 || !strings.Contains(text, "ask for a new one") {
			t.Errorf("one use too many: %d %s, want 403", status, text)
		}
		if status, _ := s.post(s.mustForm(s.who, "audio/wav"), sound(100)); status != 204 {
			t.Errorf("a new form: %d", status)
		}
	})
}

// An account uploads exactly as many bytes a day as it may, however many uploads
// run at once and however many forms it has.
func TestUploadBytesADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newServed(t, o, func(o *media.Options) { o.Limits.UploadBytesADay = 1000 })
		bob := s.account("0xbob")
		var wg sync.WaitGroup
		var stored, refused atomic.Int64
		forms := make(chan media.UploadForm, 24)
		for range cap(forms) {
			forms <- s.mustForm(s.who, "audio/wav")
		}
		close(forms)
		for range 6 { // fewer than may run at once
			wg.Go(func() {
				for f := range forms {
					switch status, text := s.post(f, sound(100)); status {
					case 204:
						stored.Add(1)
					case 429:
						refused.Add(1)
					default:
						t.Errorf("status %d %s", status, text)
					}
				}
			})
		}
		wg.Wait()
		if stored.Load() != 10 || refused.Load() != 14 || len(s.keys()) != 10 {
			t.Errorf("%d were stored and %d refused, with %d objects; want 10 and 14", stored.Load(), refused.Load(), len(s.keys()))
		}
		// The next one is refused before it is read, and so is a form.
		if _, err := s.e.Admit(t.Context(), blob.Upload{Key: "inputs/x", Account: "0xann", Size: 100}); !atelier.HasCode(err, atelier.CodeRateLimited) {
			t.Errorf("an upload as large as one that was refused: %v", err)
		}
		_, err := s.form(s.who, "audio/wav")
		wantTomorrow(t, "a form", err)
		// Saved assets and media that comes inside requests count as well.
		_, err = s.e.Keep(t.Context(), "0xann", "image/png", []byte("x"))
		wantTomorrow(t, "inline media", err)
		_, err = s.e.Prepare(t.Context(), "0xann", media.NewAsset{SHA256: sum, Bytes: 5, ContentType: "audio/wav"})
		wantTomorrow(t, "a saved asset", err)
		wantTomorrow(t, "fetched media", s.e.CountFetched(t.Context(), "0xann", 1))
		if _, err := s.e.Keep(t.Context(), "0xbob", "image/png", []byte("x")); err != nil {
			t.Errorf("another account: %v", err)
		}
		if status, _ := s.post(s.mustForm(bob, "audio/wav"), sound(999)); status != 204 {
			t.Errorf("another account: %d", status)
		}
		s.Advance(12 * time.Hour)
		if status, _ := s.post(s.mustForm(s.who, "audio/wav"), sound(999)); status != 204 {
			t.Errorf("the next day: %d", status)
		}
	})
}

func wantTomorrow(t *testing.T, what string, err error) {
	t.Helper()
	var e *atelier.Error
	if !errors.As(err, &e) || e.Code.Number != atelier.CodeRateLimited.Number || e.RetryAfter != 12*time.Hour {
		t.Errorf("%s: got %v, want 429 until midnight", what, err)
	}
}

// The bytes of an asset that was announced and never uploaded are returned.
func TestAnnouncedBytesAreReturned(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newServed(t, o, func(o *media.Options) { o.Limits.UploadBytesADay = 10 })
		asset := media.NewAsset{SHA256: sum, Bytes: 10, ContentType: "audio/wav"}
		for range 3 { // the same file again is counted once
			if _, err := s.e.Prepare(t.Context(), "0xann", asset); err != nil {
				t.Fatal(err)
			}
		}
		wantTomorrow(t, "when all is announced", s.e.CountFetched(t.Context(), "0xann", 1))
		s.Advance(3 * time.Hour)
		if swept := s.sweep(); swept.Assets != 1 {
			t.Errorf("swept %+v", swept)
		}
		if err := s.e.CountFetched(t.Context(), "0xann", 10); err != nil {
			t.Errorf("after it expired: %v", err)
		}
	})
}

// A storage that receives uploads itself does not report their size: the most that
// a form allows is reserved until it is closed.
func TestReservedBytes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newServed(t, o, func(o *media.Options) { o.Unchecked, o.Limits.UploadBytesADay = true, 3<<20 })
		keys := make([]string, 3)
		for i := range keys {
			keys[i] = s.mustForm(s.who, "audio/wav").Fields["key"]
		}
		_, err := s.form(s.who, "audio/wav")
		wantTomorrow(t, "when all is set aside", err)
		if _, err := s.Blobs.Put(t.Context(), keys[0], bytes.NewReader(sound(100)), blob.PutOptions{ContentType: "audio/wav"}); err != nil {
			t.Fatal(err)
		}
		s.Advance(3 * time.Hour)
		s.sweep()
		s.sweep()
		if err := s.e.CountFetched(t.Context(), "0xann", 3<<20-100); err != nil {
			t.Errorf("after the forms closed: %v; want all but what came", err)
		}
		if err := s.e.CountFetched(t.Context(), "0xann", 1); err == nil {
			t.Error("what came was not counted")
		}
	})
}

func TestFormsADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newServed(t, o, func(o *media.Options) { o.Limits.FormsADay = 5 })
		for range 5 {
			s.mustForm(s.who, "audio/wav")
		}
		_, err := s.form(s.who, "audio/wav")
		wantTomorrow(t, "the sixth form", err)
	})
}

// Below the required free space nothing can be uploaded, and uploads in progress
// count as if they were stored.
func TestFreeSpace(t *testing.T) {
	t.Parallel()
	var free atomic.Int64
	free.Store(2000)
	s := newServed(t, storetest.SQLite(t), func(o *media.Options) {
		o.Limits.FreeSpaceBytes, o.FreeSpace = 1000, func() (int64, error) { return free.Load(), nil }
	})
	full := func(what string, err error) {
		t.Helper()
		var e *atelier.Error
		if !errors.As(err, &e) || e.Code.Kind != atelier.KindUnavailable || e.RetryAfter == 0 {
			t.Errorf("%s: got %v, want 503 with Retry-After", what, err)
		}
	}
	f := s.mustForm(s.who, "audio/wav")
	u := blob.Upload{Key: f.Fields["key"], Account: "0xann", Size: 600}
	release, err := s.e.Admit(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.e.Admit(t.Context(), u)
	full("with an upload that takes the space", err)
	release()
	release, err = s.e.Admit(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	release()

	free.Store(999)
	_, err = s.form(s.who, "audio/wav")
	full("a form", err)
	_, err = s.e.Prepare(t.Context(), "0xann", media.NewAsset{SHA256: sum, Bytes: 5, ContentType: "audio/wav"})
	full("a saved asset", err)
	_, err = s.e.Keep(t.Context(), "0xann", "image/png", []byte("x"))
	full("inline media", err)
	full("fetched media", s.e.CountFetched(t.Context(), "0xann", 1))
	if status, text := s.post(f, sound(100)); status != http.StatusServiceUnavailable {
		t.Errorf("a form from before: %d %s, want 503", status, text)
	}
	if release, err := s.e.Admit(t.Context(), blob.Upload{Key: "results/00/x.png", Size: 600}); err != nil {
		t.Errorf("what a worker made: %v", err)
	} else {
		release()
	}
}
