package api

// source is the field with which a request names the calling application. The ledger
// records it with what was spent.
type source struct {
	AppSource string `wire:"app_source,truncate=128,header=X-App-Source" doc:"The name of the calling application."`
}

func (s source) app() string { return s.AppSource }

// hasAppSource is a request that may name the calling application.
type hasAppSource interface{ app() string }
