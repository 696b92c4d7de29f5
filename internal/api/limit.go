package api

// limitClass names a rate limit. Routes of one class share it.
type limitClass int

const (
	unlimited       limitClass = iota
	publicReads                // per client address
	accountReads               // per account
	llmRequests                // per account
	mediaURLs                  // per account
	workflowStarts             // per account
	runStarts                  // per account
	toolExecutions             // per account
	templateChanges            // per account
	confirms                   // per account
	loraReads                  // per account
	loraImports                // per account
	workerConnects             // per account
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

func (l Limits) perMinute(c limitClass) int {
	switch c {
	case publicReads:
		return l.PublicReads
	case accountReads:
		return l.AccountReads
	case llmRequests:
		return l.LLMRequests
	case mediaURLs:
		return l.MediaURLs
	case toolExecutions:
		return l.ToolExecutions
	case templateChanges:
		return l.TemplateChanges
	case workflowStarts:
		return l.WorkflowStarts
	case runStarts:
		return l.RunStarts
	case confirms:
		return l.Confirms
	case loraReads:
		return l.LoraReads
	case loraImports:
		return l.LoraImports
	case workerConnects:
		return l.WorkerConnects
	case authFailures:
		return l.AuthFailures
	}
	return 0
}
