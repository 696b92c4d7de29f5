package template

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/mint"
)

// firstVersion is the version of a new template.
const firstVersion = "0.0.1"

// nextVersion is the next version: the last part is one more.
func nextVersion(version string) string {
	before, last, ok := cutLast(version, '.')
	n, err := strconv.ParseUint(last, 10, 32)
	if !ok || err != nil {
		return firstVersion
	}
	return before + "." + strconv.FormatUint(n+1, 10)
}

// laterVersion is the later of two versions.
func laterVersion(a, b string) string {
	later := slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		m, _ := strconv.ParseUint(a, 10, 32)
		n, _ := strconv.ParseUint(b, 10, 32)
		return cmp.Compare(m, n)
	})
	if later < 0 {
		return b
	}
	return a
}

// idFromName makes an id of a name: wf_ and those parts of the name that a URL can
// hold.
func idFromName(name string) string {
	var b strings.Builder
	gap := false
	for _, c := range strings.ToLower(name) {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(c)
			gap = false
		} else {
			gap = true
		}
		if b.Len() >= 48 {
			break
		}
	}
	if b.Len() == 0 {
		return idWithSuffix("")
	}
	return "wf_" + b.String()
}

// idWithSuffix makes an id for a name whose own one is taken.
func idWithSuffix(name string) string {
	suffix := strings.ReplaceAll(mint.UUID(), "-", "")
	if name != "" {
		if id := idFromName(name); len(id) < 60 {
			return id + "_" + suffix[:8]
		}
	}
	return "wf_" + suffix[:20]
}
