package plan

// MediaItem is a piece of media that tools can address: an index that is not
// negative for what was made, a negative one for what was sent.
type MediaItem struct {
	Kind    string // image, video, audio or model
	Index   int
	Label   string // what it shows, as far as words say
	Turn    int    // the turn that brought it
	Current bool   // came with the message that is being answered
}

func (it *MediaItem) IsUpload() bool { return it.Index < 0 }

// MediaList is the media of a conversation, in the order of its coming.
type MediaList struct{ Items []*MediaItem }

// Filter lists the items of a kind, made or sent.
func (s *MediaList) Filter(kind string, sent bool) (out []*MediaItem) {
	for _, it := range s.Items {
		if it.Kind == kind && it.IsUpload() == sent {
			out = append(out, it)
		}
	}
	return out
}

// Count is how many items of a kind there are.
func (s *MediaList) Count(kind string, sent bool) int { return len(s.Filter(kind, sent)) }

// Add adds a result.
func (s *MediaList) Add(kind, label string, turn int) *MediaItem {
	it := &MediaItem{Kind: kind, Index: s.Count(kind, false), Label: label, Turn: turn}
	s.Items = append(s.Items, it)
	return it
}

// firstLabel is what the first of some media shows.
func firstLabel(refs []MediaRef) string {
	if len(refs) == 0 {
		return ""
	}
	if refs[0].Task != nil {
		return refs[0].Task.Label()
	}
	if refs[0].Item.IsUpload() {
		return "" // a file name says little
	}
	return refs[0].Item.Label
}

// Find is the item with an index.
func (s *MediaList) Find(kind string, index int) *MediaItem {
	for _, it := range s.Items {
		if it.Kind == kind && it.Index == index {
			return it
		}
	}
	return nil
}
