package node_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
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

// The thumbnail of a picture with 16 bits a channel is made like that of one with 8, at the
// largest size that there is: it takes more memory than decoding may take in the service.
//
//atelier:norace
func TestThumbnailsOfLargePictures(t *testing.T) {
	t.Parallel()
	worktest.NeedExhaustive(t)
	command := renderCommand()
	for _, tc := range []struct {
		name    string
		deep    bool
		command []string
		want    int
		says    string
	}{
		{"8 bits", false, command, http.StatusOK, ""},
		{"16 bits", true, command, http.StatusOK, ""},
		{"no process", true, []string{"/nowhere/atelier", command[1]}, http.StatusServiceUnavailable, "ask for it again in a few seconds"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := ateliertest.StartNode(t, storetest.SQLite(t), node.Options{RenderCommand: tc.command})
			ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
			c, w := client.New(s.URL, ann.Key), client.New(s.URL, s.Account(t, account.NewAccount{Worker: true}, billing.Credits{}).Key)
			session, err := w.Connect(t.Context(), apitype.WorkerSpec{Name: "hand", Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
			if err != nil {
				t.Fatal(err)
			}
			made, err := c.StartWorkflow(t.Context(), client.Start{Steps: []atelier.StepInput{{
				ID: "fox", ToolName: "generate_image", Arguments: map[string]any{"prompt": "a fox", "width": 2048, "height": 1152},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			j, err := session.Claim(t.Context(), 25*time.Second)
			if err != nil || j == nil {
				t.Fatalf("claim: got %v, %v, want a job", j, err)
			}
			a := j.Artifacts[0]
			if err := w.UploadResult(t.Context(), j.ProjectID, a.ID, "image/png", bytes.NewReader(blackPNG(7680, 4320, tc.deep))); err != nil {
				t.Fatal(err)
			}
			done := apitype.ReportedArtifact{ID: a.ID, ContentType: "image/png", Width: 7680, Height: 4320, Seed: j.Seed}
			if _, err := session.Complete(t.Context(), j.JobID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{done}}); err != nil {
				t.Fatal(err)
			}
			for range c.Follow(t.Context(), string(made.WorkflowID), 0) { // until it has ended
			}
			_, text := s.Get(t, "/v1/artifacts", ann.Key)
			var list struct {
				Data struct {
					Artifacts []struct{ ThumbnailURL string }
				}
			}
			if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Data.Artifacts) != 1 {
				t.Fatalf("the library: %v, %s", err, text)
			}
			resp, err := http.Get(list.Data.Artifacts[0].ThumbnailURL)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != tc.want || !strings.Contains(string(body), tc.says) || strings.Contains(string(body), "upload") {
				t.Fatalf("the thumbnail: got %d %.300s, %v, want %d %s", resp.StatusCode, body, err, tc.want, tc.says)
			}
			if tc.want != http.StatusOK {
				return
			}
			if size, format, err := image.DecodeConfig(bytes.NewReader(body)); err != nil || format != "jpeg" || size.Width != 320 || size.Height != 180 {
				t.Errorf("the thumbnail: got %s of %dx%d, %v", format, size.Width, size.Height, err)
			}
		})
	}
}

// blackPNG is a black picture in colour, with 8 or 16 bits a channel, in a small file.
func blackPNG(width, height int, deep bool) []byte {
	bits, row := byte(8), make([]byte, 1+3*width)
	if deep {
		bits, row = 16, make([]byte, 1+6*width)
	}
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	for range height {
		_, _ = z.Write(row) // into memory
	}
	_ = z.Close()
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		at := len(out)
		out = append(append(out, kind...), data...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:]))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	chunk("IHDR", append(header, bits, 2, 0, 0, 0))
	chunk("IDAT", pixels.Bytes())
	chunk("IEND", nil)
	return out
}
