package worker

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier/apitype"
)

// times are how long the parts of a job took, for the log.
type times struct {
	fetch  time.Duration // of its inputs
	wait   time.Duration // for a free place
	load   time.Duration // of the model
	render time.Duration // without the load
	upload time.Duration // of its results; small ones go with the completion
}

// attributes are those of the line that the log has for each job.
func (t times) attributes(job apitype.Assignment, made []apitype.ReportedArtifact) []any {
	out := []any{"job", job.JobID, "tool", job.ToolName, "model", job.ModelID, "artifacts", len(made)}
	if len(made) > 0 && made[0].Width > 0 {
		out = append(out, "size", fmt.Sprintf("%dx%d", made[0].Width, made[0].Height))
	}
	return append(out, "fetch", seconds(t.fetch), "wait", seconds(t.wait), "load", seconds(t.load), "render", seconds(t.render), "upload", seconds(t.upload))
}

// seconds is a duration to a hundredth of a second.
func seconds(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
