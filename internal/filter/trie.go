package filter

import (
	"cmp"
	"math/bits"
	"slices"
)

// Symbols of the trie beside the characters of the texts.
const (
	between = ' ' // the end of one word and the start of the next
	anyWord = '_' // one word, whichever it is
	ofAge   = '#' // a number that is the age of a minor
)

// node is a place in the trie. The children for the letters a to z and for the
// three symbols stand side by side, in the order of the bits of mask, from
// first on; the others are in a sorted list.
type node struct {
	mask   uint32
	first  int32
	full   roles // of a term that ends here
	prefix roles // of a term that ends here with any ending
	others []branch
}

type branch struct {
	char rune
	to   int32
}

// trie holds the terms. Its root is 0; no branch leads there, so 0 also means
// that a node has no such branch.
type trie struct{ nodes []node }

func bit(c rune) int {
	switch {
	case 'a' <= c && c <= 'z':
		return int(c - 'a')
	case c == between:
		return 26
	case c == anyWord:
		return 27
	case c == ofAge:
		return 28
	}
	return -1
}

// next follows a branch.
func (t *trie) next(n int32, c rune) int32 {
	nd := &t.nodes[n]
	if b := bit(c); b >= 0 {
		if nd.mask>>b&1 == 0 {
			return 0
		}
		return nd.first + int32(bits.OnesCount32(nd.mask&(1<<b-1)))
	}
	lo, hi := 0, len(nd.others)
	for lo < hi {
		mid := (lo + hi) / 2
		if nd.others[mid].char < c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(nd.others) && nd.others[lo].char == c {
		return nd.others[lo].to
	}
	return 0
}

// letters gives the children of a node for the letters a to z: from the first
// up to but without the second.
func (t *trie) letters(n int32) (int32, int32) {
	nd := &t.nodes[n]
	return nd.first, nd.first + int32(bits.OnesCount32(nd.mask&(1<<26-1)))
}

// entry is a term to be put into a trie.
type entry struct {
	symbols []rune
	roles   roles
	prefix  bool // may have any ending
}

// newTrie puts entries, which it sorts, into a trie. It goes level by level, so
// that the children of a node are neighbours.
func newTrie(entries []entry) *trie {
	slices.SortFunc(entries, func(a, b entry) int {
		return slices.CompareFunc(a.symbols, b.symbols, func(x, y rune) int { return cmp.Compare(rank(x), rank(y)) })
	})
	type span struct{ from, to, depth int } // entries that begin alike, as far as depth
	spans := []span{{0, len(entries), 0}}
	t := new(trie)
	for at := 0; at < len(spans); at++ {
		s := spans[at]
		n := node{first: int32(len(spans))}
		i := s.from
		for ; i < s.to && len(entries[i].symbols) == s.depth; i++ {
			if entries[i].prefix {
				n.prefix |= entries[i].roles
			} else {
				n.full |= entries[i].roles
			}
		}
		for i < s.to {
			c, from := entries[i].symbols[s.depth], i
			for i < s.to && entries[i].symbols[s.depth] == c {
				i++
			}
			if b := bit(c); b >= 0 {
				n.mask |= 1 << b
			} else {
				n.others = append(n.others, branch{c, int32(len(spans))})
			}
			spans = append(spans, span{from, i, s.depth + 1})
		}
		t.nodes = append(t.nodes, n)
	}
	return t
}

// rank orders symbols as the children of a node stand: by their bits, then the
// others.
func rank(c rune) rune {
	if b := bit(c); b >= 0 {
		return rune(b)
	}
	return 32 + c
}
