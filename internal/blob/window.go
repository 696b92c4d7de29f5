package blob

import "time"

// window is how long the URL of an object that never changes stays the same, on every
// node, so that browsers find in their caches what they have loaded.
const window = 5 * time.Minute

// FixedTerms are the terms of reading an object that is never written to again, for at
// least so long from now. They are the same for every moment of a window, and last
// longer than asked by a window at most.
func FixedTerms(now time.Time, least time.Duration) GetTerms {
	return GetTerms{Until: windowStart(now).Add(window + least), Fixed: true}
}

func windowStart(now time.Time) time.Time { return now.UTC().Truncate(window) }

// What browsers may do with an object that they have loaded. One that never changes
// is kept; of another they ask whether it has changed.
const (
	cacheFixed   = "private, max-age=86400, immutable"
	cacheChanges = "private, no-cache"
)

func cacheControl(fixed bool) string {
	if fixed {
		return cacheFixed
	}
	return cacheChanges
}
