package store

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// InsertArtifact records a file that a job made.
func (tx *Tx) InsertArtifact(a atelier.Artifact) error {
	meta, err := wire.Marshal(a.Metadata)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO artifact (id, project_id, job_id, position, kind, content_type, blob_key, bytes, width, height, duration, seed, metadata)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		a.ID, string(a.ProjectID), string(a.JobID), a.Position, a.Kind, a.ContentType, a.Key, a.Bytes, a.Width, a.Height, a.DurationSeconds, a.Seed, string(meta))
	return err
}

// Artifacts lists what a job made, in order.
func (tx *Tx) Artifacts(id atelier.JobID) (out []atelier.Artifact, err error) {
	err = tx.rows(func(scan func(...any) error) error {
		var (
			a    atelier.Artifact
			meta string
		)
		if err := scan(&a.ID, &a.ProjectID, &a.JobID, &a.Position, &a.Kind, &a.ContentType, &a.Key, &a.Bytes,
			&a.Width, &a.Height, &a.DurationSeconds, &a.Seed, &meta); err != nil {
			return err
		}
		out = append(out, a)
		return wire.Unmarshal([]byte(meta), &out[len(out)-1].Metadata)
	}, `SELECT id, project_id, job_id, position, kind, content_type, blob_key, bytes, width, height, duration, seed, metadata
		FROM artifact WHERE job_id = $1 ORDER BY position`, string(id))
	return out, err
}
