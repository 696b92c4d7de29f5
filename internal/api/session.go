package api

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// signInRequest is the body of POST /v1/console/sessions.
type signInRequest struct {
	APIKey string `wire:"apiKey,maxlen=200" doc:"The API key that the session acts with."`
	Code   string `wire:"code,maxlen=200" doc:"Instead of a key, the one-time code of the link that the service prints when it starts."`
}

// sessionReply is a console session.
type sessionReply struct {
	Session consoleSession `json:"session"`
}

type consoleSession struct {
	Token         string         `json:"token,omitzero"` // only when the session begins
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Username      string         `json:"username"`
	Operator      bool           `json:"operator"`
	Worker        bool           `json:"worker"`
	ExpiresAt     time.Time      `json:"expiresAt"` // unless it is used
	MediaOrigins  []string       `json:"mediaOrigins" doc:"Where pages may load media from, besides this service."`

	Member   *apitype.ProfileMember `json:"member,omitzero"`   // as whom it acts; without it, as the account itself
	Accounts []joinedAccount        `json:"accounts,omitzero"` // that it can switch to, of a member of several
}

// joinedAccount is an account of which a person is a member.
type joinedAccount struct {
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Username      string         `json:"username"`
	Role          atelier.Role   `json:"role"`
}

// signedOut is the end of a console session.
type signedOut struct {
	SignOutURL string `json:"signOutUrl,omitzero"` // where the browser signs out of the provider too
}

func (s *Server) newConsoleSession(a atelier.Account, token string, expires time.Time) sessionReply {
	return sessionReply{consoleSession{
		Token: token, WalletAddress: a.Wallet, Username: a.Username, Operator: a.Operator, Worker: a.Worker, ExpiresAt: expires, MediaOrigins: s.origins,
	}}
}

func (s *Server) signIn(c *endpoint.Call, q signInRequest) (sessionReply, error) {
	if err := c.CheckOrigin(); err != nil {
		return sessionReply{}, err
	}
	switch {
	case q.APIKey == "" && q.Code == "":
		return sessionReply{}, atelier.Refuse("apiKey", "or code is required.")
	case q.APIKey != "" && q.Code != "":
		return sessionReply{}, atelier.Refuse("code", "must not be sent together with apiKey.")
	case q.Code != "" && !c.IsLocal():
		return sessionReply{}, atelier.Errorf(atelier.CodeForbidden, "A sign-in code works only in a browser on the machine of the service. Sign in with an API key.")
	}
	var begun account.Session
	err := c.Identify(func() (err error) {
		if q.Code != "" {
			begun, err = s.accounts.SignInByCode(c, q.Code)
		} else {
			begun, err = s.accounts.SignIn(c, q.APIKey, c.CheckSignIn)
		}
		return err
	})
	if err != nil {
		return sessionReply{}, err
	}
	c.SetCookie(begun.Halves.Cookie)
	return s.newConsoleSession(begun.Account, begun.Halves.Token, begun.ExpiresAt), nil
}

func (s *Server) readSession(c *endpoint.Call, _ endpoint.Empty) (sessionReply, error) {
	if c.Caller.SessionHash == "" {
		return sessionReply{}, errNoConsoleSession()
	}
	reply := s.newConsoleSession(c.Caller.Account, "", c.Now.Add(account.SessionIdle).UTC().Truncate(time.Millisecond))
	var err error
	if reply.Session.Member, err = s.profileMember(c); err != nil || reply.Session.Member == nil {
		return reply, err
	}
	all, err := s.accounts.Accounts(c, c.Caller)
	if len(all) > 1 {
		for _, one := range all {
			reply.Session.Accounts = append(reply.Session.Accounts, joinedAccount{one.Account.Wallet, one.Account.Username, one.Role})
		}
	}
	return reply, err
}

func (s *Server) signOut(c *endpoint.Call, _ endpoint.Empty) (signedOut, error) {
	if c.Caller.SessionHash == "" {
		return signedOut{}, errNoConsoleSession()
	}
	at, err := s.signOutURL(c)
	if err != nil {
		return signedOut{}, err
	}
	if err := s.accounts.SignOut(c, c.Caller); err != nil {
		return signedOut{}, err
	}
	c.RemoveCookie()
	return signedOut{at}, nil
}

func errNoConsoleSession() error {
	return atelier.Errorf(atelier.CodeNotFound, "This request has no console session: it shows another credential.")
}
