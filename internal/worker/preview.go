package worker

import (
	"bytes"
	"context"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/clock"
)

// preview is a picture of an artifact that is being made.
type preview struct {
	artifact    string
	contentType string
	picture     []byte
}

// previewer sends previews, the newest first and not too often. A preview that
// cannot be sent is no reason to fail a render.
type previewer struct {
	client  *client.Client
	project atelier.ProjectID
	next    chan preview // holds the newest
}

// betweenPreviews is the least time between two of them.
const betweenPreviews = time.Second

// show queues a preview. It never blocks the renderer.
func (p *previewer) show(artifact, contentType string, picture []byte) {
	for {
		select {
		case p.next <- preview{artifact, contentType, picture}:
			return
		default:
		}
		select {
		case <-p.next: // drop the older one
		default:
		}
	}
}

func (p *previewer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case one := <-p.next:
			_ = p.client.UploadPreview(ctx, p.project, one.artifact, one.contentType, bytes.NewReader(one.picture))
		}
		if !clock.Sleep(ctx, betweenPreviews) {
			return
		}
	}
}
