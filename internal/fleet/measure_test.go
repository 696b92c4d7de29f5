package fleet_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A file that cannot be measured is refused where the order says what it must have, and a
// picture with broken headers always. Others keep what their worker has reported.
func TestFilesThatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 300, 200))); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	for name, tc := range map[string]struct {
		content, contentType string
		ordered              atelier.Extent
		refused              bool
		width, height        int
	}{
		"a picture":                        {whole, "image/png", atelier.Extent{Width: 300, Height: 200, Seconds: 9}, false, 300, 200},
		"a picture, nothing ordered":       {whole, "image/png", atelier.Extent{}, false, 300, 200},
		"no picture":                       {"bytes", "image/png", atelier.Extent{Width: 300, Height: 200}, true, 0, 0},
		"no picture, nothing ordered":      {"bytes", "image/png", atelier.Extent{}, false, 7, 7},
		"a broken header, nothing ordered": {whole[:20], "image/png", atelier.Extent{}, true, 0, 0},
		"no clip":                          {"\x00\x00\x00\x18ftypmp42 and no index", "video/mp4", atelier.Extent{Seconds: 5}, true, 0, 0},
		"no clip, nothing ordered":         {"\x00\x00\x00\x18ftypmp42 and no index", "video/mp4", atelier.Extent{}, false, 7, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, storetest.SQLite(t))
			ann, wil := f.account("ann", 900), f.account("wil", 0)
			worker := f.connect(wil, other)
			for what, made := range map[string]apitype.ReportedArtifact{
				"as data": {ID: "a0", Width: 7, Height: 7, Data: []byte(tc.content)}, "uploaded": {ID: "a0", Width: 7, Height: 7},
			} {
				j := worker.leased(ann, what, ofModel(other), func(s *fleet.Submission) {
					s.Spec.Ordered, s.Spec.Artifacts = tc.ordered, []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: tc.contentType}}
				})
				if _, err := f.Blobs.Put(t.Context(), worker.Place(j, "a0"), strings.NewReader(tc.content), blob.PutOptions{ContentType: tc.contentType}); err != nil {
					t.Fatal(err)
				}
				_, err := f.Fleet.Complete(context.Background(), wil, worker.ID, j.ID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{made}})
				if tc.refused {
					if !atelier.HasCode(err, atelier.CodeInvalidRequest) || f.job(j.ID).State != atelier.JobLeased {
						t.Errorf("%s: got %v, and the job is %s; want a refusal, and that it is leased", what, err, f.job(j.ID).State)
					}
					worker.MustFail(j, atelier.FailError)
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
				var list []atelier.Artifact
				f.Read(func(tx *store.Tx) (err error) { list, err = tx.Artifacts(j.ID); return err })
				if len(list) != 1 || list[0].Width != tc.width || list[0].Height != tc.height || list[0].DurationSeconds != 0 {
					t.Errorf("%s: got %+v, want %d by %d", what, list, tc.width, tc.height)
				}
			}
			f.Audit()
		})
	}
}
