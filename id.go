package atelier

import "strings"

// The ids of the entities that engines name in one call. Each has a type, so that
// the compiler refuses one in the place of another.
type (
	JobID      string
	WorkerID   string
	ProjectID  string // a generation as its owner names it; one job renders it
	WorkflowID string
	RunID      string // of a chat run
)

// IsUUID reports whether s is a UUID in its usual spelling: 32 hexadecimal digits
// in five groups.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
				return false
			}
		}
	}
	return true
}

// minBeginning is how many characters of a UUID are a beginning that is looked for.
const minBeginning = 8

// UUIDsFrom is the first and the last UUID with a beginning, in any letter case: it reports
// false for a text that begins no UUID, or is shorter than 8 characters. All that lies between
// them begins so, also where texts are sorted by another order than that of their bytes: they
// have the dashes in the same places.
func UUIDsFrom(beginning string) (first, last string, ok bool) {
	const lowest, highest = "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"
	if len(beginning) < minBeginning || len(beginning) > len(lowest) {
		return "", "", false
	}
	beginning = strings.ToLower(beginning)
	first = beginning + lowest[len(beginning):]
	return first, beginning + highest[len(beginning):], IsUUID(first)
}
