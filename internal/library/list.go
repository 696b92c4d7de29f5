package library

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/store"
)

// Query selects artifacts of an account.
type Query struct {
	Kinds      []string           // any when empty
	WorkflowID atelier.WorkflowID // any when empty
	From, To   time.Time
	Text       string // words that the tags, the prompt, the tool or the model must contain
	Marked     Marked
	Cursor     string
	Limit      int
}

const (
	// readAtOnce is how many artifacts of a kind a query reads at most.
	readAtOnce = 100

	// lookedAtOnce is how many artifacts of a kind one query of a search compares at most.
	lookedAtOnce = 5_000

	// mostLooked is how many artifacts one page of a search compares, about. A page may then be
	// short, or empty, and the next one continues.
	mostLooked = 50_000

	// mostWords is how many words of a search count.
	mostWords = 8
)

// atOnce is how many artifacts of a kind one query reads for a page.
func (q Query) atOnce() int { return min(q.Limit+1, readAtOnce) }

// artifactMemory is what an artifact takes at most while a page is made.
const artifactMemory = 8 << 10

// Memory is what reading a page takes at most: its artifacts, and those of each kind that
// were read and are not on it.
func (q Query) Memory() int64 {
	kinds := len(catalog.Kinds)
	if len(q.Kinds) > 0 {
		kinds = min(kinds, len(q.Kinds))
	}
	return int64(q.Limit+kinds*q.atOnce())*artifactMemory + int64(q.Limit)*MarksMemory
}

// List reads a page of an account's artifacts, newest first.
func (e *Engine) List(ctx context.Context, w atelier.Wallet, q Query) (apitype.LibraryPage, error) {
	kinds, err := checkKinds(q.Kinds)
	if err != nil {
		return apitype.LibraryPage{}, err
	}
	f := store.LibraryFilter{Wallet: w, WorkflowID: q.WorkflowID, From: q.From, To: q.To, Words: e.words(q.Text)}
	if f.Before, err = readCursor(q.Cursor); err != nil {
		return apitype.LibraryPage{}, err
	}
	if f.Marks, err = e.rarestFirst(ctx, w, q.Marked); err != nil {
		return apitype.LibraryPage{}, err
	}
	m := merger{atOnce: q.atOnce(), lookAtOnce: lookedAtOnce, mostLooked: mostLooked}
	for _, f.Kind = range kinds {
		m.kinds = append(m.kinds, &kindReader{filter: f})
	}
	var found []store.LibraryItem
	for {
		item, err := m.next(ctx, e.db)
		switch {
		case err != nil:
			return apitype.LibraryPage{}, err
		case item == nil:
			return e.page(ctx, w, found, m.stop)
		case len(found) == q.Limit:
			last := found[len(found)-1]
			return e.page(ctx, w, found, &store.LibraryPosition{CreatedAt: last.CreatedAt, ID: last.ID})
		}
		found = append(found, *item)
	}
}

// words are the words of a search. The models are those that the word is a part of the name of: the service shows
// their names, not the ids that it keeps.
func (e *Engine) words(text string) (words []store.LibraryWord) {
	each := slices.Compact(slices.Sorted(slices.Values(strings.Fields(strings.ToLower(text)))))
	for _, word := range each[:min(len(each), mostWords)] {
		w := store.LibraryWord{Text: word}
		if e.opts.Catalog != nil {
			for _, m := range e.opts.Catalog.Models() {
				if strings.Contains(strings.ToLower(m.Name), word) {
					w.Models = append(w.Models, m.ID)
				}
			}
		}
		words = append(words, w)
	}
	return words
}

// merger reads the artifacts of some kinds, newest first. The index serves the order within
// a kind, so they are merged here.
type merger struct {
	atOnce                 int // how many are read of a kind
	lookAtOnce, mostLooked int // how many a search compares
	kinds                  []*kindReader

	looked int
	stop   *store.LibraryPosition // up to which all kinds were searched, when that was enough
}

// kindReader reads the artifacts of a kind.
type kindReader struct {
	filter store.LibraryFilter
	read   []store.LibraryItem // and not yet used
	isDone bool                // no others follow
}

// next is the next artifact, nil after the last, or after the last that was searched.
func (m *merger) next(ctx context.Context, db *store.DB) (*store.LibraryItem, error) {
	for slices.ContainsFunc(m.kinds, (*kindReader).isEmpty) {
		if m.looked > m.mostLooked {
			m.stop = m.searched()
			break
		}
		if err := db.Read(ctx, m.fill); err != nil {
			return nil, err
		}
	}
	var first *kindReader
	for _, k := range m.kinds {
		if len(k.read) > 0 && (first == nil || isNewer(k.read[0], first.read[0])) {
			first = k
		}
	}
	if first == nil || m.stop != nil && !isNewer(first.read[0], itemAt(*m.stop)) {
		return nil, nil
	}
	item := &first.read[0]
	first.read = first.read[1:]
	return item, nil
}

func (k *kindReader) isEmpty() bool { return len(k.read) == 0 && !k.isDone }

// searched is the place up to which all kinds were searched of which nothing is left.
func (m *merger) searched() (newest *store.LibraryPosition) {
	for _, k := range m.kinds {
		if k.isEmpty() && (newest == nil || isNewer(itemAt(*k.filter.Before), itemAt(*newest))) {
			newest = k.filter.Before
		}
	}
	return newest
}

// fill reads artifacts of the kinds of which none are left.
func (m *merger) fill(tx *store.Tx) error {
	for _, k := range m.kinds {
		if !k.isEmpty() {
			continue
		}
		some, next, err := tx.LibraryItems(k.filter, m.atOnce, m.lookAtOnce)
		if err != nil {
			return err
		}
		k.read, k.isDone = some, next == nil
		if k.isDone {
			continue
		}
		if k.filter.Before = next; len(some) < m.atOnce {
			m.looked += m.lookAtOnce
		}
	}
	return nil
}

func itemAt(p store.LibraryPosition) store.LibraryItem {
	i := store.LibraryItem{CreatedAt: p.CreatedAt}
	i.ID = p.ID
	return i
}

func isNewer(a, b store.LibraryItem) bool {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) > 0
}

func checkKinds(kinds []string) ([]string, error) {
	var known []string
	for _, k := range catalog.Kinds {
		known = append(known, string(k))
	}
	if len(kinds) == 0 {
		return known, nil
	}
	for _, k := range kinds {
		if !slices.Contains(known, k) {
			return nil, atelier.Refuse("kind", "has %q, which is no kind of artifact. The kinds are %s.", k, strings.Join(known, ", "))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(kinds))), nil
}

// listName is in the cursors of the list.
const listName = "artifacts"

// readCursor reads the place of the last artifact of a page.
func readCursor(text string) (*store.LibraryPosition, error) {
	place, err := cursor.Decode(listName, text, 2)
	if err != nil || place == nil {
		return nil, err
	}
	at, err := place.Time(0)
	return &store.LibraryPosition{CreatedAt: at, ID: place.Text(1)}, err
}

func (e *Engine) page(ctx context.Context, w atelier.Wallet, items []store.LibraryItem, last *store.LibraryPosition) (apitype.LibraryPage, error) {
	p := apitype.LibraryPage{Artifacts: []apitype.LibraryArtifact{}}
	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].ID
	}
	marks, err := e.marksOf(ctx, w, ids...)
	if err != nil {
		return apitype.LibraryPage{}, err
	}
	for _, i := range items {
		a, err := e.artifact(ctx, i, marks[i.ID])
		if err != nil {
			return apitype.LibraryPage{}, err
		}
		p.Artifacts = append(p.Artifacts, a)
		e.enqueue(i)
	}
	if last != nil {
		p.NextCursor = cursor.Encode(listName, cursor.Time(last.CreatedAt), last.ID)
	}
	return p, nil
}

func (e *Engine) artifact(ctx context.Context, i store.LibraryItem, marks []store.Mark) (apitype.LibraryArtifact, error) {
	url, err := e.blobs.GetURL(ctx, i.Key, blob.FixedTerms(e.opts.Now(), e.opts.DownloadTTL))
	a := apitype.LibraryArtifact{
		ArtifactID: i.ID, Kind: i.Kind, ContentType: i.ContentType, Width: i.Width, Height: i.Height, DurationSeconds: i.DurationSeconds, Bytes: i.Bytes,
		WorkflowID: i.WorkflowID, StepID: i.StepID, ToolName: i.Tool, Prompt: i.Prompt, Seed: i.Seed, CreatedAt: i.CreatedAt, URL: url,
		Marks: shownMarks(marks),
	}
	if i.ModelID != i.Tool {
		a.ModelID = &i.ModelID
	}
	if hasPicture(i.Kind) && i.Derived.State != store.DerivedNone {
		link := e.opts.Links.Thumbnail(i.ID, e.opts.Now())
		a.ThumbnailURL = &link
	}
	for c := range slices.Chunk([]byte(i.Derived.Colors), 6) {
		a.Colors = append(a.Colors, "#"+string(c))
	}
	peaks, _ := hex.DecodeString(i.Derived.Peaks)
	for _, p := range peaks {
		a.Peaks = append(a.Peaks, int(p))
	}
	return a, err
}

// Read shows one artifact of an account. The file of a sound is read first, unless it was, so that its peaks are shown.
func (e *Engine) Read(ctx context.Context, w atelier.Wallet, id string) (apitype.LibraryArtifact, error) {
	item, err := e.item(ctx, w, id)
	if err != nil {
		return apitype.LibraryArtifact{}, err
	}
	if item.Kind == string(catalog.Audio) && item.Derived.State == store.DerivedPending {
		if err := e.derive(ctx, item, smallSize); err != nil {
			e.opts.Log.Debug("read artifact for the library failed", "artifact", id, "error", err)
		} else if item, err = e.item(ctx, w, id); err != nil {
			return apitype.LibraryArtifact{}, err
		}
	}
	e.enqueue(item)
	marks, err := e.marksOf(ctx, w, id)
	if err != nil {
		return apitype.LibraryArtifact{}, err
	}
	return e.artifact(ctx, item, marks[id])
}

func (e *Engine) item(ctx context.Context, w atelier.Wallet, id string) (item store.LibraryItem, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		item, err = tx.LibraryItem(w, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errNotFound(id)
	}
	return item, err
}

// Days counts the artifacts of an account by UTC day, the newest day first.
func (e *Engine) Days(ctx context.Context, w atelier.Wallet, kinds []string) ([]apitype.LibraryDay, error) {
	kinds, err := checkKinds(kinds)
	if err != nil {
		return nil, err
	}
	days := []apitype.LibraryDay{}
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		rows, err := tx.LibraryDays(w, kinds)
		for _, d := range rows {
			days = append(days, apitype.LibraryDay{Date: d.Day.Format(time.DateOnly), Count: d.Items})
		}
		return err
	})
	return days, err
}
