package api_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The whole way of media on S3: what a client does is the same as on disk, and
// no byte passes through the service.
func TestMediaOnS3(t *testing.T) {
	t.Parallel()
	storage := blobtest.S3URL(t).String()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.StorageURL = storage })
	if status, body := s.Get(t, "/readyz", ""); status != 200 {
		t.Fatalf("not ready: %d %s", status, body)
	}
	if status, _ := s.Get(t, "/storage/x", ""); status != 404 {
		t.Errorf("the disk's door is open: %d", status)
	}
	alice := newClient(t, s, atelier.TierUnlimited)
	var f form
	alice.do("GET", "/v2/image/uploadUrl?type=startingImage&jobId=s3-1&contentType=image/png", "", 200, &f)
	if strings.HasPrefix(f.URL, s.URL) {
		t.Errorf("the form goes to the service: %s", f.URL)
	}
	console, err := http.Get(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	console.Body.Close()
	if u, err := url.Parse(f.URL); err != nil || !strings.Contains(console.Header.Get("Content-Security-Policy"), "img-src 'self' blob: "+u.Scheme+"://"+u.Host+";") {
		t.Errorf("the console cannot show media of %s: %s", f.URL, console.Header.Get("Content-Security-Policy"))
	}
	if status, text := alice.post(f, "image/png", picture(4, 4)); status != 204 {
		t.Fatalf("upload: %d %s", status, text)
	}
	var d struct{ DownloadURL string }
	alice.do("GET", "/v2/image/downloadUrl?type=startingImage&jobId=s3-1", "", 200, &d)
	fetched(t, d.DownloadURL, picture(4, 4))

	// An S3 takes what a form brings unseen, so it is looked at before it is
	// handed on: what may not be there is as if it never came.
	for name, tc := range map[string]struct {
		slot, pinned string
		file         []byte
		status       int
	}{
		"a page that says it is a picture": {"cnImage", "&contentType=image/png", []byte("<html><script>alert(1)</script>"), 404},
		"a bomb":                           {"referenceMask", "&contentType=image/png", bomb(), 404},
		"a picture without a type":         {"referenceImage", "", picture(3, 3), 200},
		"a page without a type":            {"referenceImageEnd", "", []byte("<html>"), 404},
	} {
		var f form
		alice.do("GET", "/v2/image/uploadUrl?type="+tc.slot+"&jobId=s3-2"+tc.pinned, "", 200, &f)
		if status, text := alice.post(f, "image/png", tc.file); status != 204 {
			t.Fatalf("%s: upload: %d %s", name, status, text)
		}
		for range 2 {
			alice.do("GET", "/v2/image/downloadUrl?type="+tc.slot+"&jobId=s3-2", "", tc.status, nil)
		}
	}
	alice.do("GET", "/v2/image/downloadUrl?type=referenceImage&jobId=s3-2", "", 200, &d)
	fetched(t, d.DownloadURL, picture(3, 3))

	file := picture(6, 6)
	p := alice.prepare(file, "image/png")
	alice.do("POST", "/v1/assets/"+p.ID+"/finalize", "{}", 409, nil)
	if status := alice.put(p, append(file, 0)); status < 400 {
		t.Errorf("other bytes: %d", status)
	}
	if status := alice.put(p, file); status != 200 {
		t.Fatalf("put: %d", status)
	}
	if status := alice.put(p, file); status != 412 {
		t.Errorf("put again: %d, want 412", status)
	}
	alice.do("POST", "/v1/assets/"+p.ID+"/finalize", "{}", 200, nil)
	const project = "6f9619ff-8b86-4d01-b42d-00cf4fc964fe"
	alice.do("POST", "/v1/assets/"+p.ID+"/bind", `{"projectId":"`+project+`","type":"referenceImage"}`, 200, nil)
	alice.do("DELETE", "/v1/assets/"+p.ID, "", 200, nil)
	alice.do("GET", "/v2/image/downloadUrl?type=referenceImage&jobId="+project, "", 200, &d)
	fetched(t, d.DownloadURL, file)
}

// An S3 knows no forms that write only once, and yet no form changes what was
// settled.
func TestWorkersAreNotTrustedOnS3(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"worker_trust", "worker_sizes"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			ateliertest.Scenario(t, storetest.SQLite(t), "testdata/"+file+".scenario", `storage_url: "`+blobtest.S3URL(t).String()+`"`)
		})
	}
}

func fetched(t *testing.T, link string, want []byte) {
	t.Helper()
	resp, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 || !bytes.Equal(got, want) || resp.Header.Get("Content-Type") != "image/png" {
		t.Errorf("%s: got %d, %d bytes, %s", link, resp.StatusCode, len(got), resp.Header.Get("Content-Type"))
	}
}

// The library and its thumbnails are the same on S3.
func TestLibraryOnS3(t *testing.T) {
	t.Parallel()
	ateliertest.Scenario(t, storetest.SQLite(t), "testdata/library.scenario", `storage_url: "`+blobtest.S3URL(t).String()+`"`)
}

// LoRAs that are uploaded are the same on S3.
func TestUploadedLorasOnS3(t *testing.T) {
	t.Parallel()
	ateliertest.Scenario(t, storetest.SQLite(t), "testdata/lora_upload.scenario", `storage_url: "`+blobtest.S3URL(t).String()+`"`)
}
