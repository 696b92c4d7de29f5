package api

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/wire"
)

func newListedKey(c *endpoint.Call, k atelier.APIKey, budgets map[string]billing.KeyBudget) apitype.APIKey {
	out := apitype.APIKey{
		KeyID: k.ID, Name: k.Name, Hint: k.Hint, CreatedAt: k.CreatedAt, Current: c.Caller.ActsWith(k), Limits: billing.NewKeyLimits(k.Limits, budgets[k.ID], c.Now),
	}
	if !k.LastUsedAt.IsZero() {
		out.LastUsedAt = &k.LastUsedAt
	}
	if k.LastUsedBy != "" {
		out.LastUsedBy = &k.LastUsedBy
	}
	return out
}

func (s *Server) listKeys(c *endpoint.Call, _ endpoint.Empty) (apitype.APIKeys, error) {
	all, err := s.accounts.Keys(c, c.Caller)
	if err != nil {
		return apitype.APIKeys{}, err
	}
	budgets, err := s.billing.KeyBudgets(c, c.Caller.Wallet)
	if err != nil {
		return apitype.APIKeys{}, err
	}
	open, err := s.accounts.CountSessions(c, c.Caller.Wallet)
	reply := apitype.APIKeys{Keys: []apitype.APIKey{}, ConsoleSessions: open}
	for _, k := range all {
		if k.RevokedAt.IsZero() {
			reply.Keys = append(reply.Keys, newListedKey(c, k, budgets))
		}
	}
	return reply, err
}

type newKeyRequest struct {
	Name   string                `wire:"name,required,minlen=1,maxlen=80" doc:"What the key is for."`
	Limits *apitype.NewKeyLimits `wire:"limits" doc:"What it is limited to. What is omitted is not limited."`
}

func (s *Server) createKey(c *endpoint.Call, q newKeyRequest) (apitype.APIKeyReply, error) {
	if err := s.checkKeyTools(q.Limits); err != nil {
		return apitype.APIKeyReply{}, err
	}
	limits, err := q.Limits.Limits()
	if err != nil {
		return apitype.APIKeyReply{}, err
	}
	key, k, err := s.accounts.CreateOwnKey(c, c.Caller, q.Name, limits)
	if err != nil {
		return apitype.APIKeyReply{}, err
	}
	reply := apitype.APIKeyReply{Key: newListedKey(c, k, nil)}
	reply.Key.APIKey = key
	return reply, nil
}

type changeKeyRequest struct {
	ID     string                         `path:"id" example:"5c8e21d7f6043f1c2a9e7b644d0e9a53"`
	Name   *string                        `wire:"name,minlen=1,maxlen=80" doc:"What the key is for."`
	Limits wire.Opt[apitype.NewKeyLimits] `wire:"limits" doc:"What it is limited to from now on, in the place of all limits that it has; null removes them. A limited key cannot send it, and changes no other key."`
}

func (s *Server) changeKey(c *endpoint.Call, q changeKeyRequest) (apitype.APIKeyReply, error) {
	change := account.KeyChange{Name: q.Name}
	if q.Limits.Set {
		if err := s.checkKeyTools(q.Limits.Pointer()); err != nil {
			return apitype.APIKeyReply{}, err
		}
		limits, err := q.Limits.Pointer().Replacement()
		if err != nil {
			return apitype.APIKeyReply{}, err
		}
		change.Limits = &limits
	}
	if change == (account.KeyChange{}) {
		return apitype.APIKeyReply{}, atelier.Refuse("", "Send a name, or limits.")
	}
	k, err := s.accounts.ChangeOwnKey(c, c.Caller, q.ID, change)
	if err != nil {
		return apitype.APIKeyReply{}, err
	}
	budgets, err := s.billing.KeyBudgets(c, c.Caller.Wallet)
	return apitype.APIKeyReply{Key: newListedKey(c, k, budgets)}, err
}

type keyID struct {
	ID string `path:"id" example:"5c8e21d7f6043f1c2a9e7b644d0e9a53"`
}

func (s *Server) revokeKey(c *endpoint.Call, q keyID) (apitype.RevokedAPIKey, error) {
	k, sessions, err := s.accounts.RevokeOwnKey(c, c.Caller, q.ID)
	if err != nil {
		return apitype.RevokedAPIKey{}, err
	}
	return apitype.RevokedAPIKey{Key: newListedKey(c, k, nil), EndedCredentials: apitype.EndedCredentials{SessionsEnded: sessions, TokensEnded: true}}, nil
}

func (s *Server) endSessions(c *endpoint.Call, _ endpoint.Empty) (apitype.EndedCredentials, error) {
	if err := c.Caller.Limits.CheckWhole("end the sessions of the account"); err != nil {
		return apitype.EndedCredentials{}, err
	}
	sessions, err := s.accounts.EndSessions(c, c.Caller)
	if err == nil && c.Caller.SessionHash != "" {
		c.RemoveCookie()
	}
	return apitype.EndedCredentials{SessionsEnded: sessions, TokensEnded: true}, err
}

type tokenRequest struct {
	TTLSeconds int `wire:"ttlSeconds,required,min=1,max=2592000" doc:"How long the token is valid."`
}

func (s *Server) createToken(c *endpoint.Call, q tokenRequest) (apitype.SessionTokenReply, error) {
	ttl := time.Duration(q.TTLSeconds) * time.Second
	token, err := s.accounts.CreateToken(c, c.Caller.Account, c.Caller.KeyHash, ttl)
	return apitype.SessionTokenReply{Token: apitype.SessionToken{Token: token, ExpiresAt: c.Now.UTC().Truncate(time.Second).Add(ttl)}}, err // tokens have whole seconds
}
