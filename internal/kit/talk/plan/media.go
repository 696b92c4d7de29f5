package plan

// MediaItem is a piece of media that tools can address. Results have an index of 0 or more, uploads a negative one.
type MediaItem struct {
	Kind    string // image, video, audio or model
	Index   int
	Label   string // what it shows, if known
	Turn    int    // the turn it came with
	Current bool   // came with the current message
}

func (it *MediaItem) IsUpload() bool { return it.Index < 0 }

// MediaList is the media of a conversation, in order.
type MediaList struct{ Items []*MediaItem }

// Filter lists the results or the uploads of a kind.
func (s *MediaList) Filter(kind string, sent bool) (out []*MediaItem) {
	for _, it := range s.Items {
		if it.Kind == kind && it.IsUpload() == sent {
			out = append(out, it)
		}
	}
	return out
}

// Count counts the results or the uploads of a kind.
func (s *MediaList) Count(kind string, sent bool) int { return len(s.Filter(kind, sent)) }

// Add adds a result.
func (s *MediaList) Add(kind, label string, turn int) *MediaItem {
	it := &MediaItem{Kind: kind, Index: s.Count(kind, false), Label: label, Turn: turn}
	s.Items = append(s.Items, it)
	return it
}

// firstLabel returns what the first of some media shows.
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

// Find returns the item with an index, nil for none.
func (s *MediaList) Find(kind string, index int) *MediaItem {
	for _, it := range s.Items {
		if it.Kind == kind && it.Index == index {
			return it
		}
	}
	return nil
}
