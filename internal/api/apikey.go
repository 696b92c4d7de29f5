package api

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
)

func newListedKey(c *endpoint.Call, k atelier.APIKey) apitype.APIKey {
	out := apitype.APIKey{KeyID: k.ID, Name: k.Name, Hint: k.Hint, CreatedAt: k.CreatedAt, Current: c.Caller.ActsWith(k)}
	if !k.LastUsedAt.IsZero() {
		out.LastUsedAt = &k.LastUsedAt
	}
	if k.LastUsedBy != "" {
		out.LastUsedBy = &k.LastUsedBy
	}
	return out
}

func (s *Server) listKeys(c *endpoint.Call, _ endpoint.Empty) (apitype.APIKeys, error) {
	all, err := s.accounts.Keys(c, c.Caller.Account)
	if err != nil {
		return apitype.APIKeys{}, err
	}
	open, err := s.accounts.CountSessions(c, c.Caller.Wallet)
	reply := apitype.APIKeys{Keys: []apitype.APIKey{}, ConsoleSessions: open}
	for _, k := range all {
		if k.RevokedAt.IsZero() {
			reply.Keys = append(reply.Keys, newListedKey(c, k))
		}
	}
	return reply, err
}

type newKeyRequest struct {
	Name string `wire:"name,required,minlen=1,maxlen=80" doc:"What the key is for."`
}

func (s *Server) createKey(c *endpoint.Call, q newKeyRequest) (apitype.APIKeyReply, error) {
	key, k, err := s.accounts.CreateOwnKey(c, c.Caller.Wallet, q.Name)
	if err != nil {
		return apitype.APIKeyReply{}, err
	}
	reply := apitype.APIKeyReply{Key: newListedKey(c, k)}
	reply.Key.APIKey = key
	return reply, nil
}

type renameKeyRequest struct {
	ID   string `path:"id" example:"5c8e21d7f6043f1c2a9e7b644d0e9a53"`
	Name string `wire:"name,required,minlen=1,maxlen=80" doc:"What the key is for."`
}

func (s *Server) renameKey(c *endpoint.Call, q renameKeyRequest) (apitype.APIKeyReply, error) {
	k, err := s.accounts.RenameOwnKey(c, c.Caller.Wallet, q.ID, q.Name)
	return apitype.APIKeyReply{Key: newListedKey(c, k)}, err
}

type keyID struct {
	ID string `path:"id" example:"5c8e21d7f6043f1c2a9e7b644d0e9a53"`
}

func (s *Server) revokeKey(c *endpoint.Call, q keyID) (apitype.RevokedAPIKey, error) {
	k, sessions, err := s.accounts.RevokeOwnKey(c, c.Caller.Wallet, q.ID)
	return apitype.RevokedAPIKey{Key: newListedKey(c, k), EndedCredentials: apitype.EndedCredentials{SessionsEnded: sessions, TokensEnded: true}}, err
}

func (s *Server) endSessions(c *endpoint.Call, _ endpoint.Empty) (apitype.EndedCredentials, error) {
	sessions, err := s.accounts.EndSessions(c, c.Caller.Wallet)
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
