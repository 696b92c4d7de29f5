package atelier

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
