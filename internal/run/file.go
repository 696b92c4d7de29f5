package run

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// maxFiles is how many files of a request are kept for as long as its run is: a client
// sends those of the whole conversation with every message.
const maxFiles = 256

// keepFiles replaces the URLs of a request that name objects of its account, whose
// signatures expire, by markers, which are signed whenever the run is read or executed.
func (e *Engine) keepFiles(ctx context.Context, w atelier.Wallet, d requestDocument) (requestDocument, error) {
	keys := map[string]bool{}
	d.withURLs(func(url string) string {
		if key, ours := e.blobs.KeyOf(url); ours && len(keys) < maxFiles {
			keys[key] = true
		}
		return url
	})
	if len(keys) == 0 {
		return d, nil
	}
	var own map[string]bool
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		own, err = tx.OwnObjects(w, slices.Sorted(maps.Keys(keys)))
		return err
	})
	return d.withURLs(func(url string) string {
		if key, ours := e.blobs.KeyOf(url); ours && own[key] {
			return storedURL + key
		}
		return url
	}), err
}

// files are the keys of the objects that the run refers to, in order.
func (r *record) files() []string {
	keys := map[string]bool{}
	r.request.withURLs(func(url string) string {
		if key, stored := strings.CutPrefix(url, storedURL); stored {
			keys[key] = true
		}
		return url
	})
	return slices.Sorted(maps.Keys(keys))
}

// useFiles records the objects that the run refers to.
func (r *record) useFiles(tx *store.Tx) error {
	for _, key := range r.files() { // two starts in the same order do not wait for each other
		err := tx.InsertRunFile(r.row.ID, key)
		if errors.Is(err, store.ErrNotFound) { // deleted since the request was read
			return atelier.Refuse("messages", "names a file that no longer exists: upload it again.")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withURLs returns the request with other URLs of the images in its messages and of the
// media beside them.
func (d requestDocument) withURLs(replace func(string) string) requestDocument {
	d.Messages = slices.Clone(d.Messages)
	for i := range d.Messages {
		m := &d.Messages[i]
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Image != "" {
				p.Image = replace(p.Image)
			}
		}
	}
	d.Media = slices.Clone(d.Media)
	for i := range d.Media {
		m := &d.Media[i]
		m.URL = replace(m.URL)
		if m.Original != nil {
			m.Original = maps.Clone(m.Original)
			m.Original["url"] = m.URL
		}
	}
	return d
}
