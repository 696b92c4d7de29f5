package filter

import (
	"fmt"
	"strconv"
	"strings"
)

// ruleBook says which roles are categories, and which pairs of roles are one.
type ruleBook struct {
	names []string // of the roles that are not fixed, in the order of their bits
	flags roles    // those that are categories by themselves
	minor roles    // the one for which a denial does not help; may be 0
	pairs []pair
}

// pair is a category that two terms make when they stand near each other.
type pair struct {
	category    roles
	left, right roles
	ordered     bool  // only with left before right
	within      int32 // how far apart, in places
}

// neighbours is how far apart words are with none between them. They must also
// be in one clause.
const neighbours = 2

// readRules reads rules.txt. Its lines are
//
//	flag CATEGORY
//	role NAME
//	pair CATEGORY LEFT with RIGHT within WORDS
//	pair CATEGORY LEFT then RIGHT within WORDS
func readRules(text string) (b ruleBook, err error) {
	for n, row := range strings.Split(text, "\n") {
		row, _, _ = strings.Cut(row, "#")
		words := strings.Fields(row)
		if len(words) == 0 {
			continue
		}
		switch {
		case (words[0] == "flag" || words[0] == "role") && len(words) == 2:
			if b.role(words[1]) != 0 || len(b.names) == 64-fixed {
				return b, fmt.Errorf("rules.txt:%d: %q is there already, or one too many", n+1, words[1])
			}
			b.names = append(b.names, words[1])
			if words[0] == "flag" {
				b.flags |= b.role(words[1])
			}
		case words[0] == "pair" && len(words) == 7 && (words[3] == "with" || words[3] == "then") && words[5] == "within":
			p := pair{category: b.role(words[1]), left: b.role(words[2]), right: b.role(words[4]), ordered: words[3] == "then"}
			far, err := strconv.Atoi(words[6])
			if err != nil || far < 1 || far > 1000 || p.category&b.flags == 0 || p.left == 0 || p.right == 0 {
				return b, fmt.Errorf("rules.txt:%d: a pair needs a flag, two roles and a number of words", n+1)
			}
			p.within = int32(neighbours * far)
			b.pairs = append(b.pairs, p)
		default:
			return b, fmt.Errorf("rules.txt:%d: cannot be read: %q", n+1, row)
		}
	}
	b.minor = b.role("minor")
	return b, nil
}

// role gives the bit of a role, or 0 when there is no such role.
func (b *ruleBook) role(name string) roles {
	if r := fixedNames[name]; r != 0 {
		return r
	}
	for i, known := range b.names {
		if known == name {
			return 1 << (fixed + i)
		}
	}
	return 0
}
