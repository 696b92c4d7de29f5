package api

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// listedKey is an API key. The key itself is shown once, when it is created.
type listedKey struct {
	KeyID      string     `json:"keyId"`
	Name       string     `json:"name"`
	Hint       string     `json:"hint"` // its first characters
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"` // up to a minute old
	LastUsedBy *string    `json:"lastUsedBy"` // the application, of those that named themselves
	Current    bool       `json:"current"`    // this request acts with it
	APIKey     string     `json:"apiKey,omitzero"`
}

func newListedKey(c *endpoint.Call, k atelier.APIKey) listedKey {
	out := listedKey{KeyID: k.ID, Name: k.Name, Hint: k.Hint, CreatedAt: k.CreatedAt, Current: c.Caller.ActsWith(k)}
	if !k.LastUsedAt.IsZero() {
		out.LastUsedAt = &k.LastUsedAt
	}
	if k.LastUsedBy != "" {
		out.LastUsedBy = &k.LastUsedBy
	}
	return out
}

type keysReply struct {
	Keys []listedKey `json:"keys"`
}

type keyReply struct {
	Key listedKey `json:"key"`
}

func (s *Server) listKeys(c *endpoint.Call, _ endpoint.Empty) (keysReply, error) {
	all, err := s.accounts.Keys(c, c.Caller.Account)
	reply := keysReply{Keys: []listedKey{}}
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

func (s *Server) createKey(c *endpoint.Call, q newKeyRequest) (keyReply, error) {
	key, k, err := s.accounts.CreateOwnKey(c, c.Caller.Wallet, q.Name)
	if err != nil {
		return keyReply{}, err
	}
	reply := keyReply{newListedKey(c, k)}
	reply.Key.APIKey = key
	return reply, nil
}

type renameKeyRequest struct {
	ID   string `path:"id" example:"5c8e21d7f6043f1c2a9e7b644d0e9a53"`
	Name string `wire:"name,required,minlen=1,maxlen=80" doc:"What the key is for."`
}

func (s *Server) renameKey(c *endpoint.Call, q renameKeyRequest) (keyReply, error) {
	k, err := s.accounts.RenameOwnKey(c, c.Caller.Wallet, q.ID, q.Name)
	return keyReply{newListedKey(c, k)}, err
}

type keyID struct {
	ID string `path:"id" example:"5c8e21d7f6043f1c2a9e7b644d0e9a53"`
}

// endedCredentials says which credentials have ended. Session tokens are not stored, so it is
// not known how many there were.
type endedCredentials struct {
	SessionsEnded int  `json:"sessionsEnded"` // console sessions
	TokensEnded   bool `json:"tokensEnded"`   // session tokens: all of them, or all that the key made
}

type revokedKeyReply struct {
	Key listedKey `json:"key"`
	endedCredentials
}

func (s *Server) revokeKey(c *endpoint.Call, q keyID) (revokedKeyReply, error) {
	k, sessions, err := s.accounts.RevokeOwnKey(c, c.Caller.Wallet, q.ID)
	return revokedKeyReply{newListedKey(c, k), endedCredentials{sessions, true}}, err
}

func (s *Server) endSessions(c *endpoint.Call, _ endpoint.Empty) (endedCredentials, error) {
	sessions, err := s.accounts.EndSessions(c, c.Caller.Wallet)
	if err == nil && c.Caller.SessionHash != "" {
		c.RemoveCookie()
	}
	return endedCredentials{sessions, true}, err
}

type tokenRequest struct {
	TTLSeconds int `wire:"ttlSeconds,required,min=1,max=2592000" doc:"How long the token is valid."`
}

type tokenReply struct {
	Token sessionToken `json:"token"`
}

type sessionToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func (s *Server) createToken(c *endpoint.Call, q tokenRequest) (tokenReply, error) {
	ttl := time.Duration(q.TTLSeconds) * time.Second
	token, err := s.accounts.CreateToken(c, c.Caller.Account, c.Caller.KeyHash, ttl)
	return tokenReply{sessionToken{token, c.Now.UTC().Truncate(time.Second).Add(ttl)}}, err // tokens have whole seconds
}
