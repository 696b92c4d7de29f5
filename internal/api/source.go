package api

// source is the field with which requests say which application asks. The ledger
// keeps it beside what was spent.
type source struct {
	AppSource string `wire:"app_source,truncate=128,header=X-App-Source" doc:"The name of the calling application."`
}

func (s source) app() string { return s.AppSource }

// hasAppSource is a request that may say which application asks.
type hasAppSource interface{ app() string }
