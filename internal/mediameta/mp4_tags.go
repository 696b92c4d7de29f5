package mediameta

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// atom is a box in memory.
type atom struct {
	kind string
	body []byte
	raw  []byte // with its header
}

// eachAtom calls a function for each box in a part of a file that is in memory.
func eachAtom(data []byte, do func(atom) error) error {
	for len(data) >= 8 {
		size := uint64(binary.BigEndian.Uint32(data))
		if size < 8 || size > uint64(len(data)) {
			return ErrFormat
		}
		if err := do(atom{string(data[4:8]), data[8:size], data[:size]}); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

func appendAtomHead(out []byte, size int64, kind string) []byte {
	return append(binary.BigEndian.AppendUint32(out, uint32(size)), kind...)
}

func appendAtom(out []byte, kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(appendAtomHead(out, int64(8+len(body)), kind), body...)
}

// userData is a udta box with the settings instead of those that its content has. One that would have nothing in it
// is left out.
func userData(content []byte, t *texts) ([]byte, error) {
	var out []byte
	end := 0
	hasTags := false
	err := eachAtom(content, func(a atom) error {
		end += len(a.raw)
		switch {
		case a.kind == "meta" && hasTags:
			return ErrFormat
		case a.kind == "meta":
			hasTags = true
			tags, err := rewriteTags(a.body, t)
			out = append(out, tags...)
			return err
		case a.kind == "\xa9cmt" && len(a.body) > 4 && isDocument(a.body[4:]):
			return nil
		}
		out = append(out, a.raw...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t != nil && !hasTags {
		out = append(out, newTags(t)...)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return appendAtom(nil, "udta", out, content[end:]), nil // QuickTime ends it with zeros
}

// isDocument reports whether a comment is one in which a node of ComfyUI keeps its graph.
func isDocument(comment []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(comment), []byte("{")) }

const (
	handlerITunes = "mdir" // items are named by their kind, or, of the kind "----", by a text
	handlerKeys   = "mdta" // items are named by the number of a key
	freeForm      = "----"
	meaning       = "urn:atelier:settings"
)

// tagList is the content of a meta box.
type tagList struct {
	head    []byte // version and flags, which QuickTime leaves out
	handler string
	parts   []atom // in their order
	keys    []string
	items   []atom // of the list
}

func parseTags(body []byte) (l tagList, err error) {
	switch {
	case len(body) >= 8 && string(body[4:8]) == "hdlr":
	case len(body) >= 12 && string(body[8:12]) == "hdlr":
		l.head = body[:4]
	default:
		return l, ErrFormat
	}
	err = eachAtom(body[len(l.head):], func(a atom) error {
		l.parts = append(l.parts, a)
		switch {
		case a.kind == "hdlr" && len(a.body) >= 12:
			l.handler = string(a.body[8:12])
		case a.kind == "keys" && (l.keys != nil || len(a.body) < 8):
			return ErrFormat
		case a.kind == "keys":
			l.keys = []string{}
			return eachAtom(a.body[8:], func(key atom) error {
				l.keys = append(l.keys, string(key.body))
				return nil
			})
		case a.kind == "ilst" && l.items != nil, a.kind == "iloc":
			return ErrFormat
		case a.kind == "ilst":
			l.items = []atom{}
			return eachAtom(a.body, func(item atom) error {
				l.items = append(l.items, item)
				return nil
			})
		}
		return nil
	})
	return l, err
}

// tag is the name and the text of an item. Both are empty for one that holds something else.
func (l *tagList) tag(item atom) (name, value string) {
	name = item.kind
	if n := binary.BigEndian.Uint32([]byte(item.kind)); l.handler == handlerKeys && n >= 1 && uint64(n) <= uint64(len(l.keys)) {
		name = l.keys[n-1]
	}
	_ = eachAtom(item.body, func(a atom) error {
		switch {
		case a.kind == "name" && item.kind == freeForm && len(a.body) >= 4:
			name = string(a.body[4:])
		case a.kind == "data" && len(a.body) >= 8:
			value = string(a.body[8:])
		}
		return nil
	})
	return name, value
}

func (l *tagList) read(found map[string]string) {
	for _, item := range l.items {
		if name, value := l.tag(item); name == keyDocument {
			found[keyDocument] = value
		}
	}
}

// isOld reports whether an item is one that Write replaces.
func (l *tagList) isOld(item atom) bool {
	name, value := l.tag(item)
	return isOurs(name) || (name == "\xa9cmt" || name == "comment") && isDocument([]byte(value))
}

// rewriteTags is a meta box with the settings instead of those that its content has. One without items is left out.
func rewriteTags(content []byte, t *texts) ([]byte, error) {
	l, err := parseTags(content)
	if err != nil {
		return nil, err
	}
	isKnown := l.handler == handlerITunes || l.handler == handlerKeys
	switch {
	case t == nil && (!isKnown || !slices.ContainsFunc(l.items, l.isOld)):
		return appendAtom(nil, "meta", content), nil
	case !isKnown, l.handler == handlerKeys && l.keys == nil:
		return nil, ErrFormat
	}
	var items []byte
	for _, item := range l.items {
		if !l.isOld(item) {
			items = append(items, item.raw...)
		}
	}
	if t != nil {
		items = append(items, l.newItem(t)...)
	}
	if len(items) == 0 {
		return nil, nil
	}
	out := slices.Clone(l.head)
	for _, a := range l.parts {
		switch {
		case a.kind == "ilst":
		case a.kind == "keys" && t != nil:
			out = appendAtom(out, "keys", l.newKeys())
		default:
			out = append(out, a.raw...)
		}
	}
	return appendAtom(nil, "meta", appendAtom(out, "ilst", items)), nil
}

// newKeys are the keys, with that of the settings once.
func (l *tagList) newKeys() []byte {
	if !slices.Contains(l.keys, keyDocument) {
		l.keys = append(l.keys, keyDocument)
	}
	out := binary.BigEndian.AppendUint64(nil, uint64(len(l.keys)))
	for _, key := range l.keys {
		out = appendAtom(out, handlerKeys, []byte(key))
	}
	return out
}

func (l *tagList) newItem(t *texts) []byte {
	data := appendAtom(nil, "data", []byte{0, 0, 0, 1, 0, 0, 0, 0}, []byte(t.document)) // UTF-8
	if l.handler == handlerITunes {
		zeros := make([]byte, 4)
		return appendAtom(nil, freeForm, appendAtom(nil, "mean", zeros, []byte(meaning)), appendAtom(nil, "name", zeros, []byte(keyDocument)), data)
	}
	n := slices.Index(l.keys, keyDocument)
	if n < 0 {
		n = len(l.keys)
	}
	return appendAtom(nil, string(binary.BigEndian.AppendUint32(nil, uint32(n+1))), data)
}

// newTags is a meta box in the form of iTunes with nothing but settings.
func newTags(t *texts) []byte {
	l := tagList{handler: handlerITunes}
	handler := appendAtom(nil, "hdlr", make([]byte, 8), []byte(handlerITunes+"appl"), make([]byte, 9))
	return appendAtom(nil, "meta", make([]byte, 4), handler, appendAtom(nil, "ilst", l.newItem(t)))
}
