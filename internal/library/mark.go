package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
)

// The limits of boards and tags. MostTags counts the different tags of an account.
const (
	MostBoards      = 200
	MostTags        = 1000
	MostTagsPerItem = 20
	MostTagLength   = 40
)

// MarksMemory is what the marks of an item take at most while they are read and shown.
const MarksMemory = 2 * (MostBoards*64 + MostTagsPerItem*MostTagLength*4)

// Marked selects items by their marks. The zero value selects all.
type Marked struct {
	Board     string // an id
	Favourite bool
	Tags      []string // all of them
}

// marks are the marks that items must have.
func (m Marked) marks() ([]store.Mark, error) {
	tags, err := cleanTags("tag", m.Tags)
	if err != nil {
		return nil, err
	}
	var marks []store.Mark
	if m.Board != "" {
		marks = append(marks, store.Mark{Name: store.MarkBoard, Value: m.Board})
	}
	if m.Favourite {
		marks = append(marks, store.Mark{Name: store.MarkFavourite})
	}
	for _, tag := range tags {
		marks = append(marks, store.Mark{Name: store.MarkTag, Value: tag})
	}
	return marks, nil
}

// rarestFirst are the marks that items must have, those of the fewest items first.
func (e *Engine) rarestFirst(ctx context.Context, w atelier.Wallet, m Marked) ([]store.Mark, error) {
	marks, err := m.marks()
	if err != nil || len(marks) == 0 {
		return nil, err
	}
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		if m.Board != "" {
			if _, err := tx.Board(w, m.Board); err != nil {
				return missingBoard(err, "board", m.Board)
			}
		}
		counted, err := tx.CountMarks(w, marks...)
		items := map[store.Mark]int64{}
		for _, c := range counted {
			items[c.Mark] = c.Items
		}
		slices.SortStableFunc(marks, func(a, b store.Mark) int { return cmp.Compare(items[a], items[b]) })
		return err
	})
	return marks, err
}

// cleanTags reads tags as they are kept: in lower case, each once, sorted.
func cleanTags(field string, tags []string) ([]string, error) {
	var out []string
	for i, tag := range tags {
		clean := strings.ToLower(strings.Join(strings.Fields(tag), " "))
		at := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case clean == "":
			return nil, atelier.Refuse(at, "must not be blank.")
		case utf8.RuneCountInString(clean) > MostTagLength:
			return nil, atelier.Refuse(at, "must have at most %d characters.", MostTagLength)
		case strings.Contains(clean, ",") || !isPlain(clean):
			return nil, atelier.Refuse(at, "must have neither commas nor control characters.")
		}
		out = append(out, clean)
	}
	return slices.Compact(slices.Sorted(slices.Values(out))), nil
}

// isPlain reports whether a text can be shown in a line: it has no control characters, such as those that change
// the direction of what follows. The joiner is a part of emoji and of some scripts.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\u200d' })
}

// marksOf reads the marks of some items.
func (e *Engine) marksOf(ctx context.Context, w atelier.Wallet, ids ...string) (marks map[string][]store.Mark, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		marks, err = tx.MarksOf(w, ids...)
		return err
	})
	return marks, err
}

func shownMarks(marks []store.Mark) apitype.Marks {
	out := apitype.Marks{Tags: []string{}, Boards: []string{}}
	for _, m := range marks {
		switch m.Name {
		case store.MarkFavourite:
			out.Favourite = true
		case store.MarkTag:
			out.Tags = append(out.Tags, m.Value)
		case store.MarkBoard:
			out.Boards = append(out.Boards, m.Value)
		}
	}
	return out
}

// Item names an artifact or a saved upload.
type Item struct {
	ID       string
	IsUpload bool
}

func (i Item) missing() error {
	if i.IsUpload {
		return atelier.Missing("id", i.ID, "saved upload")
	}
	return errNotFound(i.ID)
}

// MarkChange is a change of marks. What is nil stays as it is.
type MarkChange struct {
	Favourite               *bool
	Tags, Boards            *[]string // all that there are afterwards
	AddTags, RemoveTags     []string
	AddBoards, RemoveBoards []string
}

// check reads the tags as they are kept.
func (c *MarkChange) check() (err error) {
	if c.Tags != nil {
		tags, err := cleanTags("tags", *c.Tags)
		if err != nil {
			return err
		}
		c.Tags = &tags
	}
	if c.AddTags, err = cleanTags("addTags", c.AddTags); err != nil {
		return err
	}
	c.RemoveTags, err = cleanTags("removeTags", c.RemoveTags)
	return err
}

// checkBoards refuses boards that the account does not have.
func (c *MarkChange) checkBoards(tx *store.Tx, w atelier.Wallet) error {
	named := map[string][]string{"addBoards": c.AddBoards}
	if c.Boards != nil {
		named["boards"] = *c.Boards
	}
	for field, ids := range named {
		for i, id := range ids {
			if _, err := tx.Board(w, id); err != nil {
				return missingBoard(err, fmt.Sprintf("%s[%d]", field, i), id)
			}
		}
	}
	return nil
}

// apply is what an item has after the change.
func (c *MarkChange) apply(before []store.Mark) (after []store.Mark) {
	has := map[store.Mark]bool{}
	for _, m := range before {
		isReplaced := m.Name == store.MarkTag && c.Tags != nil || m.Name == store.MarkBoard && c.Boards != nil || m.Name == store.MarkFavourite && c.Favourite != nil
		has[m] = !isReplaced
	}
	set := func(name store.MarkName, values []string, is bool) {
		for _, v := range values {
			has[store.Mark{Name: name, Value: v}] = is
		}
	}
	if c.Favourite != nil {
		set(store.MarkFavourite, []string{""}, *c.Favourite)
	}
	if c.Tags != nil {
		set(store.MarkTag, *c.Tags, true)
	}
	if c.Boards != nil {
		set(store.MarkBoard, *c.Boards, true)
	}
	set(store.MarkTag, c.AddTags, true)
	set(store.MarkBoard, c.AddBoards, true)
	set(store.MarkTag, c.RemoveTags, false)
	set(store.MarkBoard, c.RemoveBoards, false)
	for m, is := range has {
		if is {
			after = append(after, m)
		}
	}
	slices.SortFunc(after, func(a, b store.Mark) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value)) })
	return after
}

// Mark changes the marks of an item of an account.
func (e *Engine) Mark(ctx context.Context, w atelier.Wallet, item Item, c MarkChange) (marked apitype.MarkedItem, err error) {
	if err := c.check(); err != nil {
		return marked, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := begin(tx, w, &c); err != nil {
			return err
		}
		marked, err = mark(tx, w, item, c)
		return err
	})
	return marked, err
}

// markedAtOnce is how many items one change marks.
const markedAtOnce = 25

// MarkSeveral changes the marks of those items of an account whose marks can be changed.
func (e *Engine) MarkSeveral(ctx context.Context, w atelier.Wallet, items []Item, c MarkChange) (apitype.MarkedItems, error) {
	out := apitype.MarkedItems{Items: []apitype.MarkedItem{}, Failed: []apitype.NotMarked{}}
	if err := c.check(); err != nil {
		return out, err
	}
	for some := range slices.Chunk(items, markedAtOnce) {
		var done apitype.MarkedItems
		err := e.db.Write(ctx, func(tx *store.Tx) error {
			done = apitype.MarkedItems{}
			if err := begin(tx, w, &c); err != nil {
				return err
			}
			for _, item := range some {
				marked, err := mark(tx, w, item, c)
				var refused *atelier.Error
				switch {
				case errors.As(err, &refused):
					done.Failed = append(done.Failed, apitype.NotMarked{ID: item.ID, ErrorCode: refused.Code.Number, Message: refused.Message})
				case err != nil:
					return err
				default:
					done.Items = append(done.Items, marked)
				}
			}
			return nil
		})
		if err != nil {
			return out, err
		}
		out.Items, out.Failed = append(out.Items, done.Items...), append(out.Failed, done.Failed...)
	}
	return out, nil
}

// begin makes other changes of the boards and marks of an account wait: two of them would both
// be within the limits, and a board could go while something is put on it.
func begin(tx *store.Tx, w atelier.Wallet, c *MarkChange) error {
	if err := tx.LockAccount(w); err != nil {
		return err
	}
	return c.checkBoards(tx, w)
}

// mark changes the marks of one item, or refuses to and changes nothing.
func mark(tx *store.Tx, w atelier.Wallet, item Item, c MarkChange) (out apitype.MarkedItem, err error) {
	ref, err := tx.LockItem(w, item.ID, item.IsUpload)
	if errors.Is(err, store.ErrNotFound) {
		return out, item.missing()
	}
	if err != nil {
		return out, err
	}
	all, err := tx.MarksOf(w, item.ID)
	if err != nil {
		return out, err
	}
	before := all[item.ID]
	after := c.apply(before)
	out = apitype.MarkedItem{ID: item.ID, Marks: shownMarks(after)}
	added, gone := without(after, before), without(before, after)
	if err := checkTags(tx, w, out.Tags, added); err != nil {
		return out, err
	}
	isTag := func(m store.Mark) bool { return m.Name == store.MarkTag }
	for _, m := range gone {
		if err := tx.RemoveMark(ref, m); err != nil {
			return out, err
		}
	}
	for _, m := range added {
		if err := tx.AddMark(ref, m); err != nil {
			return out, err
		}
	}
	if !item.IsUpload && (slices.ContainsFunc(added, isTag) || slices.ContainsFunc(gone, isTag)) {
		err = tx.SetTagWords(w, item.ID, out.Tags)
	}
	return out, err
}

// without are the marks of a list that another does not have.
func without(list, other []store.Mark) []store.Mark {
	return slices.DeleteFunc(slices.Clone(list), func(m store.Mark) bool { return slices.Contains(other, m) })
}

// checkTags refuses more tags than an item, or an account, can have.
func checkTags(tx *store.Tx, w atelier.Wallet, tags []string, added []store.Mark) error {
	added = slices.DeleteFunc(slices.Clone(added), func(m store.Mark) bool { return m.Name != store.MarkTag })
	if len(added) == 0 {
		return nil
	}
	if len(tags) > MostTagsPerItem {
		return atelier.Errorf(atelier.CodeWrongState, "An artifact or upload can have %d tags. Remove some of them first.", MostTagsPerItem).With("tagsPerItem", MostTagsPerItem)
	}
	known, err := tx.CountMarks(w, added...)
	if err != nil || len(known) == len(added) {
		return err
	}
	n, err := tx.TagCount(w)
	if err == nil && n+len(added)-len(known) > MostTags {
		err = atelier.Errorf(atelier.CodeWrongState, "An account can use %d different tags. Use one that you have, or remove one everywhere first.", MostTags).With("tags", MostTags)
	}
	return err
}

// Tags lists the tags of an account that contain a text, those of most items first.
func (e *Engine) Tags(ctx context.Context, w atelier.Wallet, containing string, limit int) ([]apitype.LibraryTag, error) {
	tags := []apitype.LibraryTag{}
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.Tags(w, strings.ToLower(strings.Join(strings.Fields(containing), " ")), limit)
		for _, t := range found {
			tags = append(tags, apitype.LibraryTag{Tag: t.Value, Count: t.Items})
		}
		return err
	})
	return tags, err
}

// Upload is a saved upload as the library lists it.
type Upload struct {
	media.AssetRecord
	apitype.Marks
}

// Uploads lists the saved uploads of an account that have some marks and whose names or tags have all words of a
// text, newest first.
func (e *Engine) Uploads(ctx context.Context, w atelier.Wallet, text string, marked Marked) ([]Upload, error) {
	wanted, err := e.rarestFirst(ctx, w, marked)
	if err != nil {
		return nil, err
	}
	records, err := e.media.Assets(ctx, w)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(records))
	for i := range records {
		ids[i] = records[i].ID
	}
	marks, err := e.marksOf(ctx, w, ids...)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(text))
	uploads := []Upload{}
	for _, r := range records {
		has, shown := marks[r.ID], shownMarks(marks[r.ID])
		searched := strings.ToLower(r.Name) + "\n" + strings.Join(shown.Tags, "\n")
		if len(without(wanted, has)) == 0 && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(searched, w) }) {
			uploads = append(uploads, Upload{r, shown})
		}
	}
	return uploads, nil
}
