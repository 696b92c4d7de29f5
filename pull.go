package atelier

// PullState is the state of a pull: of the files of a model on their way into the folder of a
// ComfyUI.
type PullState string

// The states of a pull. The last three are final.
const (
	PullQueued    PullState = "queued"  // it waits for a node that sees the folder, or for another pull into it
	PullRunning   PullState = "running" // a node fetches the files
	PullCompleted PullState = "completed"
	PullFailed    PullState = "failed"
	PullCancelled PullState = "cancelled"
)

// Values lists the states for the OpenAPI document.
func (PullState) Values() []string {
	return []string{string(PullQueued), string(PullRunning), string(PullCompleted), string(PullFailed), string(PullCancelled)}
}

// Terminal reports whether the state is final.
func (s PullState) Terminal() bool {
	return s == PullCompleted || s == PullFailed || s == PullCancelled
}

// PullMoves is the state table of pulls. The store refuses every other move.
var PullMoves = []Move[PullState]{
	{"", "an operator asks for it", PullQueued},
	{PullQueued, "a node that sees the folder takes it", PullRunning},
	{PullQueued, "the connection names another folder now", PullFailed},
	{PullQueued, "cancel", PullCancelled},
	{PullRunning, "all files are there", PullCompleted},
	{PullRunning, "a file cannot be fetched or does not fit, or the connection names another folder", PullFailed},
	{PullRunning, "cancel", PullCancelled},
	{PullRunning, "the node stops", PullQueued},
}
