package endpoint

// LimitClass names a rate limit. Routes of one class share it.
type LimitClass int

const (
	Unlimited       LimitClass = iota
	PublicReads                // per client address
	AccountReads               // per account
	LLMRequests                // per account
	MediaURLs                  // per account
	WorkflowStarts             // per account
	RunStarts                  // per account
	ToolExecutions             // per account
	TemplateChanges            // per account
	Credentials                // per key and client address: a thief does not keep the owner from revoking a key
	Confirms                   // per account
	LoraReads                  // per account
	LoraImports                // per account
	WorkerConnects             // per account
	authFailures               // per client address: credentials that were refused
	limitClasses
)

// Limits are the rate limits, per minute.
type Limits struct {
	PublicReads     int
	AccountReads    int
	LLMRequests     int
	MediaURLs       int
	WorkflowStarts  int
	RunStarts       int
	ToolExecutions  int
	TemplateChanges int
	Confirms        int
	LoraReads       int
	LoraImports     int
	WorkerConnects  int
	AuthFailures    int
}

func (l Limits) perMinute(c LimitClass) int {
	switch c {
	case PublicReads:
		return l.PublicReads
	case AccountReads:
		return l.AccountReads
	case LLMRequests:
		return l.LLMRequests
	case MediaURLs:
		return l.MediaURLs
	case ToolExecutions:
		return l.ToolExecutions
	case TemplateChanges, Credentials:
		return l.TemplateChanges
	case WorkflowStarts:
		return l.WorkflowStarts
	case RunStarts:
		return l.RunStarts
	case Confirms:
		return l.Confirms
	case LoraReads:
		return l.LoraReads
	case LoraImports:
		return l.LoraImports
	case WorkerConnects:
		return l.WorkerConnects
	case authFailures:
		return l.AuthFailures
	}
	return 0
}
