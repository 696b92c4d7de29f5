package endpoint

import "net/http"

// The names of the cookie of a sign-in that is under way, as those of a console session.
const (
	secureSignInCookie = "__Host-atelier-signin"
	plainSignInCookie  = "atelier-signin"
)

// maxSignInCookies is how many cookies of these names are tried. Trying one costs a decryption.
const maxSignInCookies = 20

// signInAge is how long the cookie of a sign-in is kept, in seconds.
const signInAge = 600

// SetSignInCookie sets the cookie with which a browser comes back from a provider: from another site, so that it must
// not be strict.
func (c *Call) SetSignInCookie(value string) { c.signInCookie(value, signInAge) }

// RemoveSignInCookie removes it.
func (c *Call) RemoveSignInCookie() { c.signInCookie("", -1) }

func (c *Call) signInCookie(value string, age int) {
	cookie := &http.Cookie{Name: plainSignInCookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if c.server.origins.isSecure(c.Request) {
		cookie.Name, cookie.Secure = secureSignInCookie, true
	}
	http.SetCookie(c.Response, cookie)
	c.Response.Header()["Cache-Control"] = private
}

// SignInCookies are the cookies that may have begun a sign-in. Over HTTPS those with the prefix count alone: other
// servers of the domain can set the plain one, with a sign-in of their own in it.
func (c *Call) SignInCookies() (out []string) {
	name := plainSignInCookie
	if c.server.origins.isSecure(c.Request) {
		name = secureSignInCookie
	}
	for _, cookie := range c.Request.CookiesNamed(name) {
		out = append(out, cookie.Value)
	}
	return out[:min(len(out), maxSignInCookies)]
}

// CheckSite refuses a call that a page of another site has led a browser to. Clients that do not say so are no
// browsers, or the person has typed the address.
func (c *Call) CheckSite() error {
	for _, site := range c.Request.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return errOtherOrigin()
		}
	}
	return nil
}

// Redirect sends a browser to another address.
func (c *Call) Redirect(address string) {
	c.written = true
	h := c.Response.Header()
	h.Set("Location", address)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	c.Response.WriteHeader(http.StatusSeeOther)
}
