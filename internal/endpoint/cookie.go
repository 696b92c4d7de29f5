package endpoint

import "net/http"

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
