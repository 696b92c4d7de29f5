package api

import (
	"time"

	"github.com/atelier-project/atelier"
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
	return s.newConsoleSession(c.Caller.Account, "", c.Now.Add(account.SessionIdle).UTC().Truncate(time.Millisecond)), nil
}

func (s *Server) signOut(c *endpoint.Call, _ endpoint.Empty) (endpoint.Empty, error) {
	if c.Caller.SessionHash == "" {
		return endpoint.Empty{}, errNoConsoleSession()
	}
	if err := s.accounts.SignOut(c, c.Caller); err != nil {
		return endpoint.Empty{}, err
	}
	c.RemoveCookie()
	return endpoint.Empty{}, nil
}

func errNoConsoleSession() error {
	return atelier.Errorf(atelier.CodeNotFound, "This request has no console session: it shows another credential.")
}
