package fleet_test

import (
	"context"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Files that a node task has stored for a job that was cancelled meanwhile are removed;
// those of other jobs stay.
func TestNodeTasksLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann := f.account("ann", 100)
		for _, cancelled := range []bool{false, true} {
			j := f.mustSubmit(ann, "file/0", func(s *fleet.Submission) {
				s.Network, s.Spec.ModelID, s.Spec.Tool = atelier.NetworkNode, "fetch", "fetch"
			})
			ctx, stop := context.WithCancel(t.Context())
			task := func(_ context.Context, j atelier.Job, put fleet.Put) ([]apitype.ReportedArtifact, error) {
				defer stop() // no job follows
				id := j.Spec.Artifacts[0].ID
				if _, err := put(t.Context(), id, "image/png", strings.NewReader("bytes")); err != nil {
					return nil, err
				}
				if cancelled {
					if err := f.DB.Write(t.Context(), func(tx *store.Tx) error { _, err := f.Fleet.Cancel(tx, j.ID); return err }); err != nil {
						return nil, err
					}
				}
				return []apitype.ReportedArtifact{{ID: id, ContentType: "image/png"}}, nil
			}
			if err := f.Fleet.Serve(ctx, ann, 1, map[string]fleet.NodeTask{"fetch": task}, func() {}); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range f.Blobs.List(t.Context(), "", "") {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 1 { // that of the first job
				t.Errorf("cancelled %v: the job is %s and there are %d objects, want 1", cancelled, f.job(j.ID).State, n)
			}
		}
	})
}
