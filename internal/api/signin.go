package api

import (
	"errors"
	"html"
	"io"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/signin"
)

// SignIn is how people sign in with OpenID providers.
type SignIn struct {
	Engine *signin.Engine
	Rules  map[string]SignInRules // by the name of the provider
}

// SignInRules say what the answers of a provider mean here.
type SignInRules struct {
	Grants  []account.Grant
	Creates bool // a person without an account gets one
}

// providersReply is GET /v1/console/providers.
type providersReply struct {
	Providers []signInProvider `json:"providers"`
}

type signInProvider struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Path  string `json:"path"` // where a browser begins to sign in
}

func (s *Server) listProviders(*endpoint.Call, endpoint.Empty) (providersReply, error) {
	reply := providersReply{Providers: []signInProvider{}}
	for _, p := range s.people.Engine.Providers() {
		reply.Providers = append(reply.Providers, signInProvider{p.Name, p.Title, "/v1/console/providers/" + p.Name + "/begin"})
	}
	return reply, nil
}

type beginSignInRequest struct {
	Provider   string `path:"provider" example:"google"`
	Invitation string `wire:"invitation,maxlen=200" doc:"The code of an invitation to accept."`
	Account    string `wire:"account,maxlen=64" doc:"The wallet or the username of the account to act as, for a member of several."`
}

// beginSignIn sends a browser to a provider.
func (s *Server) beginSignIn(c *endpoint.Call, q beginSignInRequest) error {
	if q.Invitation != "" { // a person who is signed in at the provider would join without a word
		if err := c.CheckSite(); err != nil {
			return s.signInFailed(c, err)
		}
	}
	address, cookie, err := s.people.Engine.Begin(c, q.Provider, signin.Wish{Invitation: q.Invitation, Account: q.Account})
	if err != nil {
		return s.signInFailed(c, err)
	}
	c.SetSignInCookie(cookie)
	c.Redirect(address)
	return nil
}

type finishSignInRequest struct {
	Provider string `path:"provider" example:"google"`
	State    string `wire:"state,maxlen=200" doc:"What begin has sent to the provider."`
	Code     string `wire:"code,maxlen=4096" doc:"The code of the provider."`
	Error    string `wire:"error,maxlen=200" doc:"Why the provider does not sign in."`
	Issuer   string `wire:"iss,maxlen=500" doc:"The provider."`
}

// finishSignIn takes what a browser brings back from a provider, and begins a console session. The cookie is one half
// of the session; the other goes in the fragment of the address of the console, which browsers send to no server and
// which is worth nothing without the cookie.
func (s *Server) finishSignIn(c *endpoint.Call, q finishSignInRequest) error {
	var begun account.Session
	err := c.Identify(func() error {
		id, wish, err := s.people.Engine.Finish(c, q.Provider, c.SignInCookies(), signin.Answer{State: q.State, Code: q.Code, Error: q.Error, Issuer: q.Issuer})
		if err != nil {
			return err
		}
		rules := s.people.Rules[id.Provider]
		begun, err = s.accounts.SignInPerson(c, account.Identity{
			Issuer: id.Issuer, Subject: id.Subject, Email: id.Email, Name: id.Name, Groups: id.Groups,
			Grants: rules.Grants, Creates: rules.Creates, Invitation: wish.Invitation, Account: wish.Account,
		})
		return err
	})
	c.RemoveSignInCookie()
	if err != nil {
		return s.signInFailed(c, err)
	}
	c.SetCookie(begun.Halves.Cookie)
	c.Redirect("/#token=" + begun.Halves.Token)
	return nil
}

// signInFailed answers a browser that signs in with a page that says why it did not work: a person reads it. An error
// that is no answer stays one.
func (s *Server) signInFailed(c *endpoint.Call, err error) error {
	var refused *atelier.Error
	if !errors.As(err, &refused) || refused.Code == atelier.CodeNotFound { // an address that no page has
		return err
	}
	var down *signin.Unavailable
	if errors.As(err, &down) {
		s.log.Warn("sign-in provider does not answer", "provider", down.Name, "error", down.Err)
	}
	message := refused.Message
	if message == "" {
		message = refused.Code.Sentence
	}
	h := c.Response.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	c.Response.WriteHeader(endpoint.Status(refused.Code.Kind))
	_, _ = io.WriteString(c.Response, `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign-in did not work</title>`+
		`<h1>Sign-in did not work</h1><p>`+html.EscapeString(message)+`</p><p><a href="/">Back to the console</a></p></html>`) // a client that left needs no answer
	return nil
}

// signOutURL is where the browser of a member signs out of the provider too; empty without one.
func (s *Server) signOutURL(c *endpoint.Call) (string, error) {
	issuer, err := s.accounts.Issuer(c, c.Caller)
	if err != nil || issuer == "" {
		return "", err
	}
	return s.people.Engine.SignOutURL(c, issuer), nil
}

type switchRequest struct {
	Account string `wire:"account,required,minlen=1,maxlen=64" doc:"The wallet or the username of another account of which you are a member."`
}

// switchAccount begins a session in another account of the person, in the place of this one.
func (s *Server) switchAccount(c *endpoint.Call, q switchRequest) (sessionReply, error) {
	begun, err := s.accounts.Switch(c, c.Caller, q.Account)
	if err != nil {
		return sessionReply{}, err
	}
	c.SetCookie(begun.Halves.Cookie)
	return s.newConsoleSession(begun.Account, begun.Halves.Token, begun.ExpiresAt), nil
}
