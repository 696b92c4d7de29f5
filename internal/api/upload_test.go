package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// client is one account that speaks JSON.
type client struct {
	t   *testing.T
	s   *ateliertest.Service
	key string
}

func newClient(t *testing.T, s *ateliertest.Service, tier atelier.PlanTier) client {
	return client{t, s, s.Account(t, account.NewAccount{Tier: tier}, billing.Credits{}).Key}
}

// do sends a request and reads data of the answer into out.
func (c client) do(method, path, body string, status int, out any) {
	c.t.Helper()
	a := c.raw(method, path, body)
	if a.status != status {
		c.t.Fatalf("%s %s: got %d %s, want %d", method, path, a.status, a.body, status)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(a.body), &struct{ Data any }{out}); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, a.body)
		}
	}
}

type form struct {
	URL    string
	Fields map[string]string
}

// encode is the body of a form with a file, and the type of the body.
func (f form) encode(t *testing.T, contentType string, file []byte) (body []byte, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range f.Fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="../../x.html"`}, "Content-Type": {contentType}})
	if err != nil {
		t.Fatal(err)
	}
	part.Write(file)
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}

// post uploads a file with a form; the file part says its type.
func (c client) post(f form, contentType string, file []byte) (int, string) {
	c.t.Helper()
	body, kind := f.encode(c.t, contentType, file)
	resp, err := http.Post(f.URL, kind, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

func picture(w, h int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	img.Set(0, 0, color.NRGBA{255, 0, 0, 255})
	var b bytes.Buffer
	_ = png.Encode(&b, img)
	return b.Bytes()
}

// bomb is a picture of few bytes and very many pixels.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewPaletted(image.Rect(0, 0, 9000, 5000), color.Palette{color.Black, color.White}))
	return b.Bytes()
})

func TestUploadAndDownload(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, func(c *config.Config) { c.Limits.UploadBytes = 1 << 16 })
		alice := newClient(t, s, atelier.TierNone)
		var f form
		alice.do("GET", "/v2/image/uploadUrl?type=startingImage&jobId=j1", "", 200, &f)
		for _, tc := range []struct {
			name, kind string
			file       []byte
			status     int
			want       string
		}{
			{"not the declared type", "image/jpeg", picture(4, 4), 400, "its content is image/png"},
			{"not a picture at all", "image/png", []byte("<html><script>alert(1)</script>"), 400, "has an unsupported type"},
			{"a type the form does not take", "text/html", []byte("<html>"), 400, "content types"},
			{"a truncated picture", "image/png", picture(4, 4)[:40], 400, "picture"},
			{"too large", "image/png", append(picture(4, 4), make([]byte, 1<<16)...), 413, "larger"},
			{"nothing", "image/png", nil, 400, "empty"},
			{"the picture", "image/png", picture(4, 4), 204, ""},
		} {
			if status, text := alice.post(f, tc.kind, tc.file); status != tc.status || !strings.Contains(text, tc.want) {
				t.Errorf("%s: got %d %s, want %d %s", tc.name, status, text, tc.status, tc.want)
			}
		}
		var d struct{ DownloadURL string }
		alice.do("GET", "/v2/image/downloadUrl?type=startingImage&jobId=j1", "", 200, &d)
		resp, err := http.Get(d.DownloadURL)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got, _ := io.ReadAll(resp.Body)
		h := resp.Header
		if resp.StatusCode != 200 || !bytes.Equal(got, picture(4, 4)) || h.Get("Content-Type") != "image/png" ||
			!strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") || !strings.HasPrefix(h.Get("Content-Disposition"), "inline") {
			t.Errorf("download: got %d, %d bytes, %v", resp.StatusCode, len(got), h)
		}
		// A newer upload of the same slot takes its place.
		alice.do("GET", "/v2/image/uploadUrl?type=startingImage&jobId=j1&contentType=image/png", "", 200, &f)
		if status, text := alice.post(f, "image/png", picture(5, 5)); status != 204 {
			t.Errorf("again: got %d %s", status, text)
		}
		alice.do("GET", "/v2/image/downloadUrl?type=startingImage&jobId=j1", "", 200, &d)
		if !strings.Contains(d.DownloadURL, ".png?") {
			t.Errorf("the path of %s does not end in the extension", d.DownloadURL)
		}
		// A bomb: few bytes, too many pixels.
		alice.do("GET", "/v2/image/uploadUrl?type=cnImage&jobId=j1", "", 200, &f)
		if status, text := alice.post(f, "image/png", bomb()); status != 400 || !strings.Contains(text, "pixels") {
			t.Errorf("a bomb: got %d %s", status, text)
		}
		// Forms end after an hour, downloads after two days.
		s.Clock.Advance(time.Hour)
		if status, _ := alice.post(f, "image/png", picture(4, 4)); status != 403 {
			t.Errorf("an expired form: got %d", status)
		}
		s.Clock.Advance(47*time.Hour + time.Second)
		if resp, err := http.Get(d.DownloadURL); err != nil || resp.StatusCode != 403 {
			t.Errorf("an expired download: got %v %v", resp.StatusCode, err)
		}
	})
}

type prepared struct {
	ID            string
	State         string
	Reused        bool
	UploadURL     string
	UploadHeaders map[string]string
	ExpiresAt     int64
}

func (c client) prepare(file []byte, kind string) (p prepared) {
	c.t.Helper()
	sum := sha256.Sum256(file)
	body, _ := json.Marshal(map[string]any{"sha256": hex.EncodeToString(sum[:]), "bytes": len(file), "contentType": kind})
	c.do("POST", "/v1/assets/prepare", string(body), 200, &p)
	return p
}

func (c client) put(p prepared, file []byte) int {
	c.t.Helper()
	req, err := http.NewRequest(http.MethodPut, p.UploadURL, bytes.NewReader(file))
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range p.UploadHeaders {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestSavedAssets(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, func(c *config.Config) { c.Limits.AssetEntries = 2 })
		alice, bob := newClient(t, s, atelier.TierUnlimited), newClient(t, s, atelier.TierUnlimitedPro)
		file := picture(6, 6)
		p := alice.prepare(file, "image/png")
		if status := alice.put(p, append(file, 0)); status != 400 {
			t.Errorf("another size: got %d, want 400", status)
		}
		if status := alice.put(p, append([]byte(nil), bytes.ToUpper(file)...)); status != 400 {
			t.Errorf("other bytes: got %d, want 400", status)
		}
		if status := alice.put(p, file); status != 200 {
			t.Errorf("the bytes: got %d, want 200", status)
		}
		if status := alice.put(p, file); status != 412 {
			t.Errorf("the bytes again: got %d, want 412", status)
		}
		var ready prepared
		alice.do("POST", "/v1/assets/"+p.ID+"/finalize", "{}", 200, &ready)
		alice.do("POST", "/v1/assets/"+p.ID+"/finalize", "", 200, &ready)
		if ready.State != "ready" {
			t.Errorf("finalized: got %+v", ready)
		}
		if again := alice.prepare(file, "image/png"); !again.Reused || again.ID != p.ID || again.UploadURL != "" {
			t.Errorf("prepared again: got %+v", again)
		}
		if others := bob.prepare(file, "image/png"); others.Reused || others.ID == p.ID {
			t.Errorf("another account's: got %+v", others)
		}

		// The library is full at its limit, with the words that clients know.
		alice.prepare(picture(7, 7), "image/png")
		third := sha256.Sum256([]byte("third"))
		var full struct{ Message string }
		req := `{"sha256":"` + hex.EncodeToString(third[:]) + `","bytes":5,"contentType":"image/png"}`
		resp := alice.raw("POST", "/v1/assets/prepare", req)
		if err := json.Unmarshal([]byte(resp.body), &full); err != nil || resp.status != 409 || !strings.HasPrefix(full.Message, "Your saved upload library is full.") {
			t.Errorf("a full library: got %d %s", resp.status, resp.body)
		}

		// Bound into a project, the copy outlives the asset.
		const project = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
		var bound struct{ AssetID, ProjectID, Type, ContentType string }
		alice.do("POST", "/v1/assets/"+p.ID+"/bind", `{"projectId":"`+project+`","type":"contextImage2"}`, 200, &bound)
		if bound.AssetID != p.ID || bound.ProjectID != project || bound.Type != "contextImage2" || bound.ContentType != "image/png" {
			t.Errorf("bound: got %+v", bound)
		}
		alice.do("POST", "/v1/assets/"+p.ID+"/bind", `{"projectId":"`+project+`","type":"referenceVideo"}`, 400, nil)
		bob.do("GET", "/v2/image/uploadUrl?type=startingImage&jobId="+project, "", 403, nil)
		alice.do("DELETE", "/v1/assets/"+p.ID, "", 200, nil)
		var d struct{ DownloadURL string }
		alice.do("GET", "/v2/image/downloadUrl?type=contextImage2&jobId="+project, "", 200, &d)
		got, err := http.Get(d.DownloadURL)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		if body, _ := io.ReadAll(got.Body); !bytes.Equal(body, file) {
			t.Errorf("the copy: got %d bytes, want %d", len(body), len(file))
		}
	})
}

type answer struct {
	status int
	body   string
}

func (c client) raw(method, path, body string) answer {
	c.t.Helper()
	req, err := http.NewRequest(method, c.s.URL+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, string(text)}
}

// Of many finalizes at once, each is told that it is ready or busy, and it is
// ready in the end.
func TestFinalizesAtOnce(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o)
		alice := newClient(t, s, atelier.TierUnlimited)
		file := picture(512, 512)
		p := alice.prepare(file, "image/png")
		if status := alice.put(p, file); status != 200 {
			t.Fatalf("put: %d", status)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if a := alice.raw("POST", "/v1/assets/"+p.ID+"/finalize", "{}"); a.status != 200 && a.status != 423 {
					t.Errorf("got %d %s", a.status, a.body)
				}
			})
		}
		wg.Wait()
		var ready prepared
		alice.do("POST", "/v1/assets/"+p.ID+"/finalize", "{}", 200, &ready)
		if ready.State != "ready" {
			t.Errorf("in the end: %+v", ready)
		}
	})
}

// A saved upload cannot be put into the project of another account's job.
func TestBindingIntoTheProjectOfAnother(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		h := openStudio(t, o)
		_, project := h.artist(t).workflow("a fox")
		bob := h.artist(t)
		body := `{"projectId":"` + project + `","type":"startingImage"}`
		if a := bob.raw("POST", "/v1/assets/"+bob.savedAsset()+"/bind", body); a.status != 403 || !strings.Contains(a.body, `"errorCode":2017`) {
			t.Errorf("got %d %s, want 403 and 2017", a.status, a.body)
		}
	})
}

// A saved upload has marks as an artifact has, and is found by them and by its name. They go with it.
func TestMarksOfUploads(t *testing.T) {
	t.Parallel()
	h := openStudio(t, storetest.SQLite(t)).artist(t)
	board := h.board("Foxes")
	first := h.savedAsset()
	file := picture(9, 9)
	p := h.prepare(file, "image/png")
	if status := h.put(p, file); status != 200 {
		t.Fatalf("put: %d", status)
	}
	second := p.ID
	h.do("PATCH", "/v1/assets/"+second, `{"favourite": true}`, 404, nil) // it is not finished
	h.do("POST", "/v1/assets/"+second+"/finalize", "{}", 200, nil)
	h.do("PATCH", "/v1/assets/"+second, `{"favourite": true, "tags": ["Snow"]}`, 200, nil)
	h.do("POST", "/v1/library/marks", fmt.Sprintf(`{"assetIds": [%q, %q], "artifactIds": [%q], "addBoards": [%q]}`, first, second, second, board), 200, nil)
	for query, want := range map[string]int{
		"": 2, "?favourite=true": 1, "?tag=snow&favourite=true&board=" + board: 1, "?board=" + board: 2, "?q=image": 2, "?q=IMAGE+sno": 1, "?q=owl": 0, "?tag=owl": 0,
	} {
		var list struct {
			Assets []struct {
				ID           string
				Favourite    bool
				Tags, Boards []string
			}
		}
		h.do("GET", "/v1/assets"+query, "", 200, &list)
		if len(list.Assets) != want {
			t.Errorf("%q: got %+v, want %d", query, list.Assets, want)
		}
		if want == 1 {
			if a := list.Assets[0]; a.ID != second || !a.Favourite || !slices.Equal(a.Tags, []string{"snow"}) || !slices.Equal(a.Boards, []string{board}) {
				t.Errorf("%q: got %+v", query, a)
			}
		}
	}
	h.do("GET", "/v1/assets?board=unknown", "", 404, nil)
	h.do("GET", "/v1/artifacts?board="+board, "", 200, nil)
	h.do("DELETE", "/v1/assets/"+second, "", 200, nil)
	var boards struct {
		Boards     []struct{ Count int }
		Favourites int
	}
	h.do("GET", "/v1/library/boards", "", 200, &boards)
	if boards.Favourites != 0 || boards.Boards[0].Count != 1 {
		t.Errorf("got %+v", boards)
	}
}
