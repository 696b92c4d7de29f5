package fleet_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A worker gets forms for the artifacts and previews of its job; the owner gets
// URLs to read them.
func TestResultURLs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	worker := f.connect(wil)
	f.mustSubmit(ann, "one")
	j := worker.MustClaim()
	caller := atelier.Caller{Account: atelier.Account{Wallet: wil, Worker: true}, Credential: atelier.CredentialAPIKey}
	artist := atelier.Caller{Account: atelier.Account{Wallet: ann}, Credential: atelier.CredentialAPIKey}
	request := func(kind, id string) media.UploadRequest {
		return media.UploadRequest{Endpoint: media.ImageEndpoint, Type: kind, ProjectID: j.ProjectID, ID: id}
	}
	for kind, want := range map[string][]string{
		"complete": {"image/png"},
		"preview":  {"image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"},
	} {
		form, err := f.Fleet.UploadURL(t.Context(), caller, request(kind, "a0"))
		if err != nil || !slices.Equal(form.AllowedContentTypes, want) {
			t.Errorf("%s: got a form for %q, %v, want %q", kind, form.AllowedContentTypes, err, want)
		}
	}
	if _, err := f.Fleet.UploadURL(t.Context(), caller, request("complete", "a7")); !atelier.HasCode(err, atelier.CodeNotFound) || !strings.Contains(err.Error(), "a7") {
		t.Errorf("an artifact of no job: got %v", err)
	}
	if _, err := f.Fleet.UploadURL(t.Context(), artist, request("complete", "a0")); !atelier.HasCode(err, atelier.CodeWorkerRequired) {
		t.Errorf("a form for the artist: got %v", err)
	}
	place, err := f.Fleet.UploadLocation(t.Context(), caller, j.ProjectID, "a0", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Blobs.Put(t.Context(), place.Key, strings.NewReader("bytes"), blob.PutOptions{ContentType: "image/jpeg"}); err != nil {
		t.Fatal(err)
	}
	worker.Upload(j, "a0")
	if err := worker.complete(j, "a0"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind, artifact, want string
	}{
		{"complete", "", ".png?"},               // the extension has the type
		{"preview", "", "type=image%2Fjpeg"},    // its key has none
		{"complete", "lastFrame", "last frame"}, // it has none
	} {
		url, err := f.Fleet.DownloadURL(t.Context(), artist, media.DownloadRequest{UploadRequest: request(c.kind, "a0"), Artifact: c.artifact})
		if err != nil {
			url = err.Error()
		}
		if !strings.Contains(url, c.want) {
			t.Errorf("%s %s: got %s, want %s in it", c.kind, c.artifact, url, c.want)
		}
	}
}

// Claims and completions return signed URLs, with which a worker reads its inputs.
func TestAssignmentsAreSigned(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	worker := f.connect(wil)
	input := func(s *fleet.Submission) {
		s.Spec.Inputs = []atelier.JobInput{{Argument: "image", Kind: "image", Key: "inputs/x/y.png", ContentType: "image/png"}}
	}
	f.mustSubmit(ann, "one", input)
	f.mustSubmit(ann, "two", input)
	first, err := f.Fleet.Claim(t.Context(), wil, worker.ID, 2*time.Minute)
	if err != nil || first == nil {
		t.Fatalf("claim: got %v, %v", first, err)
	}
	if err := f.Fleet.Fail(t.Context(), wil, worker.ID, first.JobID, atelier.JobError{Code: atelier.FailError}); err != nil {
		t.Fatal(err)
	}
	second, err := f.Fleet.Next(t.Context(), wil, worker.ID)
	if err != nil || second == nil {
		t.Fatalf("next: got %v, %v", second, err)
	}
	for _, a := range []*apitype.Assignment{first, second} {
		if len(a.Inputs) != 1 || !strings.HasPrefix(a.Inputs[0].URL, "http://storage.example/storage/inputs/x/y.png?") || a.LeaseUntil.IsZero() {
			t.Errorf("got %+v, want a signed input and a lease", a)
		}
	}
}
