package chat

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/atelier-project/atelier/internal/llm"
)

// entry is a hosted tool as a toolbox offers it: described in full, or briefly for
// a small context.
type entry struct {
	full, compact llm.Tool
	tokens        int             // of the compact description
	core          bool            // offered before others where not all fit
	remote        bool            // of another server
	words         map[string]bool // that say what it is for
	needs         []string        // the kinds of media it works on
}

// answerTokens is what tools leave for an answer whose length the request does not
// limit.
const answerTokens = 1024

// tokensForTools is how many tokens hosted tools may take: at most half of the
// context, and not what messages and answer need.
func tokensForTools(m llm.Model, messages []llm.Message, own []llm.Tool, answer int) int {
	usable := m.UsableContext()
	if answer <= 0 {
		answer = answerTokens
	}
	left := usable - llm.MessageTokens(messages) - llm.ToolTokens(own) - min(answer, usable/4)
	return min(left, usable/2)
}

// offer chooses the tools that are described to the model in a round, besides the caller's own: the whole family in
// full where it fits, else all of it briefly, with the templates and remote tools that fit besides; else as many tools
// as fit, the relevant ones first. A tool that is not offered can still be called.
func (b *toolbox) offer(detail llm.ToolDetail, tokens int, judge func() relevance) []llm.Tool {
	switch {
	case detail == llm.ToolsFull || detail != llm.ToolsCompact && b.fullTokens <= tokens:
		return b.withExtra(b.full, tokens-b.fullTokens, judge)
	case detail == llm.ToolsCompact || b.compactTokens <= tokens:
		return b.withExtra(b.compact, tokens-b.compactTokens, judge)
	}
	var list []llm.Tool
	for _, e := range b.ranked(b.entries, judge()) {
		if e.tokens <= tokens {
			list = append(list, e.compact)
			tokens -= e.tokens
		}
	}
	return list
}

// mostPublic is how many published templates the words of the user add to the family.
const mostPublic = 2

// withExtra adds the remote tools and templates that fit: the account's own, and the published ones that the
// conversation may need.
func (b *toolbox) withExtra(family []llm.Tool, tokens int, judge func() relevance) []llm.Tool {
	if len(b.entries) == len(family) {
		return family
	}
	list, c, public := slices.Clip(family), judge(), 0
	for _, e := range b.ranked(b.entries[len(family):], c) {
		named := c.isInUse(e.full.Function.Name)
		if e.tokens > tokens || !e.core && !named && (public == mostPublic || b.match(e, c.said) == 0) {
			continue
		}
		if !e.core && !named {
			public++
		}
		list = append(list, e.full)
		tokens -= e.tokens
	}
	return list
}

// mostMatching is how many tools are described because of the words of the user. What people ask for is among the
// first five of the ranking for each tool that TestAskedTools asks for.
const mostMatching = 6

// offerFew chooses the tools that the conversation may need now: in full those that it mentions, has called or has
// found, briefly the others of the core set, and the tool that finds the rest. They are in the order of the catalog, so
// that a server can use what it has computed for the last message. It reports false when they do not fit.
func (b *toolbox) offerFew(tokens int, c relevance) ([]llm.Tool, bool) {
	matching := b.matching(c)
	var list []llm.Tool
	for i := range b.entries {
		switch e := &b.entries[i]; {
		case slices.Contains(matching, e) || c.isInUse(e.full.Function.Name):
			list = append(list, e.full)
		case e.core && !e.remote: // there may be many
			list = append(list, e.compact)
		}
	}
	list = append(list, finder)
	return list, llm.ToolTokens(list) <= tokens
}

// matching are the tools that the words of the user fit best.
func (b *toolbox) matching(c relevance) (list []*entry) {
	for _, e := range b.ranked(b.entries, relevance{said: c.said, kinds: c.kinds}) {
		if len(list) < mostMatching && b.match(e, c.said) > 0 {
			list = append(list, e)
		}
	}
	return list
}

// match is how well words fit a tool. A word that many tools have says little.
func (b *toolbox) match(e *entry, said map[string]float64) (score float64) {
	for word := range e.words {
		score += said[word] / float64(b.frequency[word])
	}
	return score
}

// relevance is what the usefulness of a tool is judged by.
type relevance struct {
	named  string             // the tool that must be called
	said   map[string]float64 // the words of the user with their weights: the latest weigh most
	called map[string]bool    // the tools that were called before
	found  map[string]bool    // the tools that the model has looked for
	kinds  map[string]bool    // the kinds of media there are
}

// isInUse reports whether the conversation works with a tool already.
func (c relevance) isInUse(name string) bool {
	return name == c.named || c.called[name] || c.found[name]
}

// ranked sorts tools: the one that must be called, those that the user
// mentions, those that were called before, the core set, the others.
func (b *toolbox) ranked(entries []entry, c relevance) []*entry {
	type scored struct {
		*entry
		score float64
	}
	all := make([]scored, len(entries))
	for i := range entries {
		e := &entries[i]
		all[i].entry = e
		if e.full.Function.Name == c.named {
			all[i].score = 100
		}
		all[i].score += b.match(e, c.said)
		for _, kind := range e.needs {
			if c.kinds[kind] {
				all[i].score += 0.1
			}
		}
		if c.called[e.full.Function.Name] || c.found[e.full.Function.Name] {
			all[i].score += 0.5
		}
		if e.core {
			all[i].score += 0.3
		}
	}
	slices.SortStableFunc(all, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
	list := make([]*entry, len(all))
	for i, s := range all {
		list[i] = s.entry
	}
	return list
}

// wordsIn are the words of a text that can distinguish tools, without the plural's
// s.
func wordsIn(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = strings.TrimSuffix(w, "s"); len(w) > 2 && !common[w] || w == "3d" {
			words[w] = true
		}
	}
	return words
}

// common words are in too many sentences to indicate a tool.
var common = map[string]bool{"the": true, "and": true, "from": true, "with": true, "for": true, "make": true, "its": true, "not": true, "who": true, "what": true, "that": true, "into": true, "another": true, "other": true}
