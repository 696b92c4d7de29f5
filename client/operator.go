package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/mint"
)

// The shapes of the operator API.
type ()

// Operator calls the operator API. The client's key must be an API key of an account with
// the operator role. Accounts are named by their wallet or username.
type Operator struct{ c *Client }

// Operator returns the calls of the operator API.
func (c *Client) Operator() Operator { return Operator{c} }

func operatorPath(parts ...string) string {
	path := "/v1/operator"
	for _, part := range parts {
		path += "/" + url.PathEscape(part)
	}
	return path
}

func (o Operator) get(ctx context.Context, path string, q url.Values, out any) error {
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	_, err := o.c.call(ctx, http.MethodGet, path, nil, out)
	return err
}

func (o Operator) send(ctx context.Context, method, path string, in, out any) error {
	_, err := o.c.call(ctx, method, path, in, out)
	return err
}

// remove is a DELETE with a reason.
func (o Operator) remove(ctx context.Context, path, reason string, out any) error {
	if reason != "" {
		path += "?" + url.Values{"reason": {reason}}.Encode()
	}
	return o.send(ctx, http.MethodDelete, path, nil, out)
}

// query makes a query of pairs of name and value, without the empty ones.
func query(p apitype.Page, pairs ...string) url.Values {
	q := url.Values{}
	if p.Limit > 0 {
		q.Set("limit", strconv.Itoa(p.Limit))
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if p.Cursor != "" {
		q.Set("cursor", p.Cursor)
	}
	return q
}

type reasonBody struct {
	Reason string `json:"reason,omitempty"`
}

// Accounts lists accounts, newest first.
func (o Operator) Accounts(ctx context.Context, q apitype.AccountQuery) (list apitype.Accounts, err error) {
	err = o.get(ctx, operatorPath("accounts"), query(q.Page, "q", q.Q), &list)
	return list, err
}

// Account reads an account.
func (o Operator) Account(ctx context.Context, name string) (apitype.Account, error) {
	var r apitype.AccountReply
	err := o.get(ctx, operatorPath("accounts", name), nil, &r)
	return r.Account, err
}

// CreateAccount creates an account and its first API key. It is not retried: the key of a
// lost answer would be lost.
func (o Operator) CreateAccount(ctx context.Context, n apitype.NewAccount) (opened apitype.OpenedAccount, err error) {
	once := *o.c
	once.Retries = 0
	_, err = once.call(ctx, http.MethodPost, operatorPath("accounts"), n, &opened)
	return opened, err
}

// Credit adds credit to an account. The key is the caller's name for this credit: a
// repeated call with it adds nothing. One is made when it is empty.
func (o Operator) Credit(ctx context.Context, name string, c apitype.Credit, key string) (apitype.Account, error) {
	if key == "" {
		key = mint.UUID()
	}
	var r apitype.AccountReply
	_, err := o.c.callWith(ctx, http.MethodPost, operatorPath("accounts", name, "credit"), http.Header{"Idempotency-Key": {key}}, c, &r)
	return r.Account, err
}

// SetPlan sets the plan of an account.
func (o Operator) SetPlan(ctx context.Context, name string, p apitype.PlanChange) (apitype.Account, error) {
	var r apitype.AccountReply
	err := o.send(ctx, http.MethodPut, operatorPath("accounts", name, "plan"), p, &r)
	return r.Account, err
}

// SetOperator gives an account the operator role, or takes it.
func (o Operator) SetOperator(ctx context.Context, name string, operator bool, reason string) (apitype.Account, error) {
	var r apitype.AccountReply
	err := o.send(ctx, http.MethodPut, operatorPath("accounts", name, "operator"), struct {
		Operator bool `json:"operator"`
		reasonBody
	}{operator, reasonBody{reason}}, &r)
	return r.Account, err
}

// AddNFT lets the workers of an account name an NFT, and takes it from the account that had
// it.
func (o Operator) AddNFT(ctx context.Context, name, id, reason string) (added apitype.AddedNFT, err error) {
	err = o.send(ctx, http.MethodPut, operatorPath("accounts", name, "nfts", id), reasonBody{reason}, &added)
	return added, err
}

// RemoveNFT takes an NFT from an account.
func (o Operator) RemoveNFT(ctx context.Context, name, id, reason string) (apitype.Account, error) {
	var r apitype.AccountReply
	err := o.remove(ctx, operatorPath("accounts", name, "nfts", id), reason, &r)
	return r.Account, err
}

// Suspend suspends an account and cancels its work.
func (o Operator) Suspend(ctx context.Context, name, reason string) (s apitype.Suspension, err error) {
	err = o.send(ctx, http.MethodPost, operatorPath("accounts", name, "suspend"), reasonBody{reason}, &s)
	return s, err
}

// Reinstate ends the suspension of an account.
func (o Operator) Reinstate(ctx context.Context, name, reason string) (r apitype.Reinstatement, err error) {
	err = o.send(ctx, http.MethodPost, operatorPath("accounts", name, "reinstate"), reasonBody{reason}, &r)
	return r, err
}

// Keys lists the keys of an account, oldest first.
func (o Operator) Keys(ctx context.Context, name string, p apitype.Page) (list apitype.OperatorKeys, err error) {
	err = o.get(ctx, operatorPath("accounts", name, "keys"), query(p), &list)
	return list, err
}

// CreateKey creates a key of an account.
func (o Operator) CreateKey(ctx context.Context, name string, k apitype.CreateKey) (apitype.NewKey, error) {
	var r apitype.NewKeyReply
	err := o.send(ctx, http.MethodPost, operatorPath("accounts", name, "keys"), k, &r)
	return r.Key, err
}

// LimitKey replaces the limits of a key of an account, which it finds by its id or its first characters.
func (o Operator) LimitKey(ctx context.Context, name, id string, l apitype.LimitKey) (apitype.OperatorKey, error) {
	var r apitype.OperatorKeyReply
	err := o.send(ctx, http.MethodPut, operatorPath("accounts", name, "keys", id, "limits"), l, &r)
	return r.Key, err
}

// RevokeKey revokes a key of an account, by its id or its first characters.
func (o Operator) RevokeKey(ctx context.Context, name, id, reason string) (r apitype.RevokedKey, err error) {
	err = o.remove(ctx, operatorPath("accounts", name, "keys", id), reason, &r)
	return r, err
}

// RevokeAnyKey revokes a key by the key itself.
func (o Operator) RevokeAnyKey(ctx context.Context, key, reason string) (r apitype.RevokedKey, err error) {
	err = o.send(ctx, http.MethodPost, operatorPath("keys", "revoke"), struct {
		APIKey string `json:"apiKey"`
		reasonBody
	}{key, reasonBody{reason}}, &r)
	return r, err
}

// RevokeKeys revokes all keys of an account and ends its session tokens.
func (o Operator) RevokeKeys(ctx context.Context, name, reason string) (r apitype.RevokedKeys, err error) {
	err = o.remove(ctx, operatorPath("accounts", name, "keys"), reason, &r)
	return r, err
}

// Members lists the members of an account and its open invitations.
func (o Operator) Members(ctx context.Context, name string) (list apitype.Members, err error) {
	err = o.get(ctx, operatorPath("accounts", name, "members"), nil, &list)
	return list, err
}

// InviteMember invites a person to an account. The answer has the link, and is the only one that has it.
func (o Operator) InviteMember(ctx context.Context, name string, n apitype.InviteMember) (apitype.Invitation, error) {
	var r apitype.InvitationReply
	err := o.send(ctx, http.MethodPost, operatorPath("accounts", name, "members"), n, &r)
	return r.Invitation, err
}

// ChangeMember changes the role or the budget of a member of an account.
func (o Operator) ChangeMember(ctx context.Context, name string, person atelier.PersonID, q apitype.ChangeMember) (apitype.Member, error) {
	var r apitype.MemberReply
	err := o.send(ctx, http.MethodPatch, operatorPath("accounts", name, "members", string(person)), q, &r)
	return r.Member, err
}

// RemoveMember ends a membership, or withdraws an invitation: what has the id.
func (o Operator) RemoveMember(ctx context.Context, name string, person atelier.PersonID, reason string) (r apitype.RemovedMember, err error) {
	err = o.remove(ctx, operatorPath("accounts", name, "members", string(person)), reason, &r)
	return r, err
}

// CreateToken creates a session token of an account.
func (o Operator) CreateToken(ctx context.Context, name string, ttl time.Duration, reason string) (apitype.SessionToken, error) {
	var r apitype.SessionTokenReply
	err := o.send(ctx, http.MethodPost, operatorPath("accounts", name, "tokens"), struct {
		TTLSeconds int64 `json:"ttlSeconds"`
		reasonBody
	}{int64(ttl / time.Second), reasonBody{reason}}, &r)
	return r.Token, err
}

// Search finds accounts, keys, jobs, workflows and chat runs.
func (o Operator) Search(ctx context.Context, q string) (found apitype.SearchResults, err error) {
	err = o.get(ctx, operatorPath("search"), query(apitype.Page{}, "q", q), &found)
	return found, err
}

// Workers lists the connected workers.
func (o Operator) Workers(ctx context.Context, p apitype.Page) (list apitype.OperatorWorkers, err error) {
	err = o.get(ctx, operatorPath("workers"), query(p), &list)
	return list, err
}

// Worker reads a connected worker.
func (o Operator) Worker(ctx context.Context, id atelier.WorkerID) (apitype.OperatorWorkerDetail, error) {
	var r apitype.OperatorWorkerDetailReply
	err := o.get(ctx, operatorPath("workers", string(id)), nil, &r)
	return r.Worker, err
}

// WorkerHistory reads what a worker has reported about its machine in the last hour, day or week.
func (o Operator) WorkerHistory(ctx context.Context, id atelier.WorkerID, w apitype.HistoryWindow) (apitype.WorkerHistory, error) {
	var r apitype.WorkerHistoryReply
	err := o.get(ctx, operatorPath("workers", string(id), "history"), url.Values{"window": {string(w)}}, &r)
	return r.History, err
}

// DrainWorker stops giving jobs to a worker, or gives it jobs again.
func (o Operator) DrainWorker(ctx context.Context, id atelier.WorkerID, draining bool, reason string) (apitype.OperatorWorker, error) {
	var r apitype.OperatorWorkerReply
	err := o.send(ctx, http.MethodPost, operatorPath("workers", string(id), "drain"), struct {
		Draining bool `json:"draining"`
		reasonBody
	}{draining, reasonBody{reason}}, &r)
	return r.Worker, err
}

// Jobs lists jobs of all accounts, newest first.
func (o Operator) Jobs(ctx context.Context, q apitype.JobQuery) (list apitype.OperatorJobs, err error) {
	hours := ""
	if q.Hours > 0 {
		hours = strconv.Itoa(q.Hours)
	}
	err = o.get(ctx, operatorPath("jobs"), query(q.Page, "state", string(q.State), "code", q.Code, "modelId", q.ModelID, "wallet", q.Wallet,
		"workerId", string(q.WorkerID), "workflowId", string(q.WorkflowID), "failedLike", string(q.FailedLike), "hours", hours), &list)
	return list, err
}

// Job reads a job of any account.
func (o Operator) Job(ctx context.Context, id atelier.JobID) (apitype.OperatorJobDetail, error) {
	var r apitype.OperatorJobReply
	err := o.get(ctx, operatorPath("jobs", string(id)), nil, &r)
	return r.Job, err
}

// Failures groups the jobs that failed in the last hours.
func (o Operator) Failures(ctx context.Context, hours int) (list apitype.Failures, err error) {
	err = o.get(ctx, operatorPath("failures"), url.Values{"hours": {strconv.Itoa(hours)}}, &list)
	return list, err
}

// History reads what the nodes have seen in the last hour, day or week.
func (o Operator) History(ctx context.Context, w apitype.HistoryWindow) (apitype.History, error) {
	var r apitype.HistoryReply
	err := o.get(ctx, operatorPath("history"), url.Values{"window": {string(w)}}, &r)
	return r.History, err
}

// SpotChecks lists the renders that trusted workers have made again, newest first.
func (o Operator) SpotChecks(ctx context.Context, p apitype.Page) (list apitype.SpotChecks, err error) {
	err = o.get(ctx, operatorPath("spot-checks"), query(p), &list)
	return list, err
}

// Unresolved lists the jobs whose outcome at a vendor is unknown, oldest first.
func (o Operator) Unresolved(ctx context.Context, p apitype.Page) (list apitype.UnresolvedJobs, err error) {
	err = o.get(ctx, operatorPath("unresolved"), query(p), &list)
	return list, err
}

// Resolve fails an unresolved job that the vendor delivered nothing for.
func (o Operator) Resolve(ctx context.Context, id atelier.JobID, reason string) (apitype.UnresolvedJob, error) {
	var r apitype.UnresolvedReply
	err := o.send(ctx, http.MethodPost, operatorPath("unresolved", string(id), "resolve"), reasonBody{reason}, &r)
	return r.Job, err
}

// Claims lists the claims of earnings that wait for an operator, the oldest first.
func (o Operator) Claims(ctx context.Context, p apitype.Page) (list apitype.Claims, err error) {
	err = o.get(ctx, operatorPath("claims"), query(p), &list)
	return list, err
}

// Claim claims what the workers of an account have earned. It is nil when there is nothing to
// claim.
func (o Operator) Claim(ctx context.Context, name string, approved bool, reason string) (*apitype.Claim, error) {
	var r apitype.ClaimReply
	err := o.send(ctx, http.MethodPost, operatorPath("accounts", name, "claim"), struct {
		Approve bool `json:"approve"`
		reasonBody
	}{approved, reasonBody{reason}}, &r)
	return r.Claim, err
}

// DecideClaim pays or refuses a claim that waits.
func (o Operator) DecideClaim(ctx context.Context, id string, pay bool, reason string) (c apitype.Claim, err error) {
	decision := "refuse"
	if pay {
		decision = "pay"
	}
	r := apitype.ClaimReply{Claim: &c}
	err = o.send(ctx, http.MethodPost, operatorPath("claims", id), struct {
		Decision string `json:"decision"`
		reasonBody
	}{decision, reasonBody{reason}}, &r)
	return c, err
}

// Loras lists the personal LoRAs of all accounts, newest first.
func (o Operator) Loras(ctx context.Context, q apitype.LoraQuery) (list apitype.OperatorLoras, err error) {
	err = o.get(ctx, operatorPath("loras"), query(q.Page, "status", string(q.Status), "wallet", q.Wallet), &list)
	return list, err
}

// Lora reads a personal LoRA of any account.
func (o Operator) Lora(ctx context.Context, id atelier.LoraID) (apitype.OperatorLora, error) {
	var r apitype.OperatorLoraReply
	err := o.get(ctx, operatorPath("loras", string(id)), nil, &r)
	return r.Lora, err
}

// ReviewLora holds a personal LoRA back, or releases it.
func (o Operator) ReviewLora(ctx context.Context, id atelier.LoraID, release bool, reason string) (apitype.OperatorLora, error) {
	var r apitype.OperatorLoraReply
	err := o.send(ctx, http.MethodPost, operatorPath("loras", string(id), "review"), struct {
		Release bool `json:"release"`
		reasonBody
	}{release, reasonBody{reason}}, &r)
	return r.Lora, err
}

// RevokeLora withdraws a personal LoRA for good.
func (o Operator) RevokeLora(ctx context.Context, id atelier.LoraID, reason string) (apitype.OperatorLora, error) {
	var r apitype.OperatorLoraReply
	err := o.send(ctx, http.MethodPost, operatorPath("loras", string(id), "revoke"), reasonBody{reason}, &r)
	return r.Lora, err
}

// PublishTemplate makes a template, a JSON object, public for all accounts. When its id is
// public already, it becomes the next version.
func (o Operator) PublishTemplate(ctx context.Context, template json.RawMessage, reason string) (apitype.PublishedTemplate, error) {
	var r apitype.PublishedTemplateReply
	err := o.send(ctx, http.MethodPost, operatorPath("templates"), struct {
		Template json.RawMessage `json:"template"`
		reasonBody
	}{template, reasonBody{reason}}, &r)
	return r.Template, err
}

// WithdrawTemplate removes a published template.
func (o Operator) WithdrawTemplate(ctx context.Context, id, reason string) (w apitype.WithdrawnTemplate, err error) {
	err = o.remove(ctx, operatorPath("templates", id), reason, &w)
	return w, err
}

// FilterReviews lists what the content filter refused, newest first.
func (o Operator) FilterReviews(ctx context.Context, p apitype.Page) (list apitype.FilterReviews, err error) {
	err = o.get(ctx, operatorPath("filter-reviews"), query(p), &list)
	return list, err
}

// JudgeRefusal records whether a refusal of the content filter was right.
func (o Operator) JudgeRefusal(ctx context.Context, id string, v apitype.Verdict, note string) (apitype.FilterReview, error) {
	var r apitype.FilterReviewReply
	err := o.send(ctx, http.MethodPost, operatorPath("filter-reviews", id), struct {
		Verdict apitype.Verdict `json:"verdict"`
		Note    string          `json:"note,omitempty"`
	}{v, note}, &r)
	return r.FilterReview, err
}

// Actions lists what operators did, and accounts with their keys and sessions, newest first.
func (o Operator) Actions(ctx context.Context, q apitype.ActionQuery) (list apitype.Actions, err error) {
	moment := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	err = o.get(ctx, operatorPath("actions"), query(q.Page, "operator", q.Operator, "wallet", q.Wallet, "keyId", q.KeyID, "action", q.Action,
		"targetId", q.TargetID, "from", moment(q.From), "to", moment(q.To)), &list)
	return list, err
}

// Health reads the state of the installation.
func (o Operator) Health(ctx context.Context) (apitype.Health, error) {
	var r apitype.HealthReply
	err := o.get(ctx, operatorPath("health"), nil, &r)
	return r.Health, err
}

// Connections lists the servers that the service uses. With check they are asked now.
func (o Operator) Connections(ctx context.Context, check bool) (list apitype.Connections, err error) {
	q := url.Values{}
	if check {
		q.Set("check", "true")
	}
	err = o.get(ctx, operatorPath("connections"), q, &list)
	return list, err
}

// Connection reads a connection.
func (o Operator) Connection(ctx context.Context, id string) (apitype.Connection, error) {
	var out apitype.ConnectionReply
	err := o.get(ctx, operatorPath("connections", id), nil, &out)
	return out.Connection, err
}

// CreateConnection connects a server.
func (o Operator) CreateConnection(ctx context.Context, n apitype.NewConnection) (apitype.Connection, error) {
	var out apitype.ConnectionReply
	err := o.send(ctx, http.MethodPost, operatorPath("connections"), n, &out)
	return out.Connection, err
}

// ChangeConnection changes a connection.
func (o Operator) ChangeConnection(ctx context.Context, id string, c apitype.ConnectionChange) (apitype.Connection, error) {
	var out apitype.ConnectionReply
	err := o.send(ctx, http.MethodPatch, operatorPath("connections", id), c, &out)
	return out.Connection, err
}

// RemoveConnection removes a connection.
func (o Operator) RemoveConnection(ctx context.Context, id, reason string) (apitype.Connection, error) {
	var out apitype.ConnectionReply
	err := o.remove(ctx, operatorPath("connections", id), reason, &out)
	return out.Connection, err
}

// TestConnection asks the server of a connection now.
func (o Operator) TestConnection(ctx context.Context, id string) (out apitype.ConnectionTest, err error) {
	err = o.send(ctx, http.MethodPost, operatorPath("connections", id, "test"), nil, &out)
	return out, err
}

// TestConnectionDraft asks a server that is not connected yet.
func (o Operator) TestConnectionDraft(ctx context.Context, d apitype.ConnectionDraft) (out apitype.ConnectionTest, err error) {
	err = o.send(ctx, http.MethodPost, operatorPath("connections", "test"), d, &out)
	return out, err
}

// DiscoverServers looks for servers on the machine of the service.
func (o Operator) DiscoverServers(ctx context.Context) (out apitype.FoundServers, err error) {
	err = o.send(ctx, http.MethodPost, operatorPath("connections", "discover"), nil, &out)
	return out, err
}
