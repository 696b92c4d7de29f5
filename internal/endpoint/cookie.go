package endpoint

import (
	"net/http"
	"strings"
)

// consoleHeader carries the token of a console session, in the spelling of http.Header.
const consoleHeader = "Atelier-Console"

// The names of the cookie. Browsers accept the first only over HTTPS, for the whole host
// and from the host itself.
const (
	secureCookie = "__Host-atelier"
	plainCookie  = "atelier"
)

// maxCookies is how many cookies of these names are tried: more than browsers keep for a
// host. Other servers of the same host can set some, on any port, and must not hide ours.
// Trying one costs a hash.
const maxCookies = 200

// consoleCookies are the cookies that may be a half of a console session, as one text: a
// Credential is comparable. A semicolon is in no cookie.
func consoleCookies(r *http.Request) string {
	var out []string
	for _, name := range []string{secureCookie, plainCookie} {
		for _, cookie := range r.CookiesNamed(name) {
			out = append(out, cookie.Value)
		}
	}
	return strings.Join(out[:min(len(out), maxCookies)], ";")
}

// SetCookie sets the cookie of a console session, which ends with the browser.
func (c *Call) SetCookie(value string) { c.setCookie(value, 0) }

// RemoveCookie removes the cookie of a console session.
func (c *Call) RemoveCookie() { c.setCookie("", -1) }

func (c *Call) setCookie(value string, age int) {
	cookie := &http.Cookie{Name: plainCookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if c.server.origins.isSecure(c.Request) {
		cookie.Name, cookie.Secure = secureCookie, true
	}
	http.SetCookie(c.Response, cookie)
	c.Response.Header()["Cache-Control"] = private
}
