package api

import (
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
)

// consoleHeader carries the token of a console session, in the spelling of http.Header.
const consoleHeader = "Atelier-Console"

// The names of the cookie. Browsers accept the first only over HTTPS, for the whole host
// and from the host itself.
const (
	secureCookie = "__Host-atelier"
	plainCookie  = "atelier"
)

// maxCookies is how many cookies of these names are tried. There are several where other
// servers of the same host have set some.
const maxCookies = 4

// consoleCookies are the cookies that may be a half of a console session.
func consoleCookies(r *http.Request) (out [maxCookies]string) {
	n := 0
	for _, name := range []string{secureCookie, plainCookie} {
		for _, cookie := range r.CookiesNamed(name) {
			if n == len(out) {
				return out
			}
			out[n] = cookie.Value
			n++
		}
	}
	return out
}

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
}

func newConsoleSession(a atelier.Account, token string, expires time.Time) sessionReply {
	return sessionReply{consoleSession{
		Token: token, WalletAddress: a.Wallet, Username: a.Username, Operator: a.Operator, Worker: a.Worker, ExpiresAt: expires,
	}}
}

func (s *Server) signIn(c *call, q signInRequest) (sessionReply, error) {
	if err := s.origins.check(c.r); err != nil {
		return sessionReply{}, err
	}
	switch {
	case q.APIKey == "" && q.Code == "":
		return sessionReply{}, atelier.Refuse("apiKey", "or code is required.")
	case q.APIKey != "" && q.Code != "":
		return sessionReply{}, atelier.Refuse("code", "must not be sent together with apiKey.")
	case q.Code != "" && !isLocal(c.r):
		return sessionReply{}, atelier.Errorf(atelier.CodeForbidden, "A sign-in code works only in a browser on the machine of the service. Sign in with an API key.")
	}
	var begun account.Session
	err := s.identify(c, func() (err error) {
		if q.Code != "" {
			begun, err = s.accounts.SignInByCode(c, q.Code)
		} else {
			begun, err = s.accounts.SignIn(c, q.APIKey)
		}
		return err
	})
	if err != nil {
		return sessionReply{}, err
	}
	http.SetCookie(c.w, s.cookie(c.r, begun.Halves.Cookie, 0))
	c.w.Header()["Cache-Control"] = private
	return newConsoleSession(begun.Account, begun.Halves.Token, begun.ExpiresAt), nil
}

// cookie is the cookie of a console session. It ends with the browser, or at once when the
// age is negative.
func (s *Server) cookie(r *http.Request, value string, age int) *http.Cookie {
	out := &http.Cookie{Name: plainCookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if s.origins.isSecure(r) {
		out.Name, out.Secure = secureCookie, true
	}
	return out
}

func (s *Server) readSession(c *call, _ empty) (sessionReply, error) {
	if c.caller.SessionHash == "" {
		return sessionReply{}, errNoConsoleSession()
	}
	return newConsoleSession(c.caller.Account, "", c.now.Add(account.SessionIdle).UTC().Truncate(time.Millisecond)), nil
}

func (s *Server) signOut(c *call, _ empty) (empty, error) {
	if c.caller.SessionHash == "" {
		return empty{}, errNoConsoleSession()
	}
	if err := s.accounts.SignOut(c, c.caller); err != nil {
		return empty{}, err
	}
	http.SetCookie(c.w, s.cookie(c.r, "", -1))
	return empty{}, nil
}

func errNoConsoleSession() error {
	return atelier.Errorf(atelier.CodeNotFound, "This request has no console session: it shows another credential.")
}
