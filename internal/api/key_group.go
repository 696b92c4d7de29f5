package api

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
)

// The groups of endpoints, for API keys that are limited to some. What is in several groups is needed by all of them.
var (
	inChat      = []atelier.KeyGroup{atelier.GroupChat}
	inMedia     = []atelier.KeyGroup{atelier.GroupMedia}
	inWorkflows = []atelier.KeyGroup{atelier.GroupWorkflows}
	inAccount   = []atelier.KeyGroup{atelier.GroupAccount}
	inFiles     = []atelier.KeyGroup{atelier.GroupMedia, atelier.GroupWorkflows, atelier.GroupChat} // what goes in
	inResults   = []atelier.KeyGroup{atelier.GroupMedia, atelier.GroupWorkflows}                    // what comes out
)

// keyGroups are the groups of the endpoints below a path. The longest path decides.
var keyGroups = map[string][]atelier.KeyGroup{
	"/v1/account":            inAccount,
	"/v2/account":            inAccount,
	"/v4/account":            inAccount,
	"/v1/subscriptions":      inAccount,
	"/v2/wallet":             inAccount,
	"/v1/presets":            inAccount,
	"/v1/webhooks":           inAccount,
	"/v1/network":            inAccount,
	"/v1/events":             {atelier.GroupAccount, atelier.GroupWorkflows},
	"/replicate/v1/webhooks": inAccount,

	"/v2/media":           inFiles,
	"/v2/image":           inFiles,
	"/v1/assets":          inFiles,
	"/v1/files":           inFiles,
	"/replicate/v1/files": inFiles,
	"/v1/artifacts":       inResults,
	"/v1/library":         inResults,
	"/v2/projects":        inResults,
	"/v1/loras/personal":  inResults,

	"/v1/images":    inMedia,
	"/v1/videos":    inMedia,
	"/v1/audio":     inMedia,
	"/sdapi/v1":     inMedia,
	"/replicate/v1": inMedia, // predict refuses language models to keys without GroupChat

	"/v1/creative-agent": inWorkflows,
	"/mcp":               inWorkflows,

	"/v1/chat":        inChat,
	"/v1/completions": inChat,
	"/v1/responses":   inChat,
	"/v1/embeddings":  inChat,
	"/v1/moderations": inChat,
	"/v1/messages":    inChat,
	"/v1/replay":      inChat,
	"/v1/models":      {atelier.GroupChat, atelier.GroupMedia},

	"/v1/worker/sessions": {atelier.GroupWorker},
	"/v1/operator":        {atelier.GroupOperator},
}

// forAnyKey are endpoints about the credential itself.
var forAnyKey = map[string]bool{"/v2/account/me": true, "/replicate/v1/account": true, "/v1/console/session": true}

// groupsOf are the groups of an endpoint; nil for one that any key may use. An endpoint that is in no group is empty:
// no key that is limited to groups may use it.
func groupsOf(pattern string) []atelier.KeyGroup {
	if forAnyKey[pattern] {
		return nil
	}
	longest, groups := "", []atelier.KeyGroup{}
	for path, in := range keyGroups {
		rest, below := strings.CutPrefix(pattern, path)
		if below && (rest == "" || rest[0] == '/') && len(path) > len(longest) {
			longest, groups = path, in
		}
	}
	return groups
}

// readsByPost are the endpoints that change nothing, although their method is not GET.
var readsByPost = map[string]bool{
	"/v1/creative-agent/workflows/estimate":           true,
	"/v1/creative-agent/workflows/templates/validate": true,
	"/v1/messages/count_tokens":                       true,
	"/v1/moderations":                                 true,
	"/sdapi/v1/png-info":                              true,
	"/v1/operator/graphs/inspect":                     true,
}

// changesByGet are the endpoints that permit a change, although their method is GET.
var changesByGet = map[string]bool{
	"/v2/media/uploadUrl":                   true,
	"/v2/image/uploadUrl":                   true,
	"/replicate/v1/webhooks/default/secret": true, // who knows the secret can sign
}

// changesNothing reports whether a read-only key may use an endpoint.
func changesNothing(method, pattern string) bool {
	if method == "GET" {
		return !changesByGet[pattern]
	}
	return readsByPost[pattern]
}

// ownerPaths are the settings of an account: what is below them, and changes something, is for owners among its
// members.
var ownerPaths = []string{
	"/v1/account/members",
	"/v1/account/invitations",
	"/v1/account/sessions",
	"/v1/subscriptions/worker/earnings/claim",
	"/v1/webhooks",
	"/replicate/v1/webhooks",
}

// byMembers are endpoints that every member may use, although they change something: what is the caller's own. Their
// engines look whose it is.
var byMembers = map[string]bool{
	"POST /v1/account/keys":            true,
	"PATCH /v1/account/keys/{id}":      true,
	"DELETE /v1/account/keys/{id}":     true,
	"POST /v1/account/tokens":          true,
	"DELETE /v1/account/sessions/{id}": true,
	"DELETE /v1/account/members/{id}":  true, // leave the account
	"PATCH /v1/console/session":        true,
	"DELETE /v1/console/session":       true,
}

// forOwners are endpoints that change nothing, and that are for owners among the members all the same.
var forOwners = map[string]bool{"GET /v1/account/actions": true}

// leastRole is the role that a member of an account needs for an endpoint.
func leastRole(method, pattern string) atelier.Role {
	below := func(path string) bool {
		rest, ok := strings.CutPrefix(pattern, path)
		return ok && (rest == "" || rest[0] == '/')
	}
	switch {
	case forOwners[method+" "+pattern]:
		return atelier.RoleOwner
	case byMembers[method+" "+pattern]:
		return atelier.RoleViewer
	case below("/v1/operator"):
		return atelier.RoleOwner
	case below("/v1/worker/sessions"):
		return atelier.RoleEditor
	case changesNothing(method, pattern):
		return atelier.RoleViewer
	case slices.ContainsFunc(ownerPaths, below):
		return atelier.RoleOwner
	}
	return atelier.RoleEditor
}
