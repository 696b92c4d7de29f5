package signin

import (
	"context"
	"errors"
	"net/mail"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// algorithms are the signatures that are accepted: those with a public key. What a provider says of itself can only
// make the list shorter.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// claims are what we read of an ID token, or of the answer of the endpoint for user information.
type claims struct {
	AuthorizedParty string `json:"azp"`
	Email           string `json:"email"`
	EmailVerified   any    `json:"email_verified"` // true, or "true" of some providers
	NotBefore       int64  `json:"nbf"`
	Name            string `json:"name"`
	PreferredName   string `json:"preferred_username"`
	all             map[string]any
}

// exchange gets the ID token for a code, and checks it.
func (e *Engine) exchange(ctx context.Context, p *provider, d *description, begun pending, code string) (Identity, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), 2*timeout)
	defer cancel()
	config := e.config(p, d)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(begun.Verifier))
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < 500 {
		return Identity{}, refuse("%s did not accept the sign-in: %s. Begin again.", p.Title, shown(refused.ErrorCode))
	}
	if err != nil {
		return Identity{}, p.unavailable(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Identity{}, refuse("%s sent no ID token.", p.Title)
	}
	allowed := algorithms
	if len(d.Algorithms) > 0 {
		allowed = slices.DeleteFunc(slices.Clone(algorithms), func(a string) bool { return !slices.Contains(d.Algorithms, a) })
	}
	if len(allowed) == 0 {
		return Identity{}, refuse("%s signs with no algorithm that is accepted.", p.Title)
	}
	verified, err := d.Verifier(&oidc.Config{ClientID: p.ClientID, SupportedSigningAlgs: allowed, SkipExpiryCheck: true, Now: e.now}).Verify(ctx, raw)
	if err != nil {
		return Identity{}, p.invalid(ctx, err)
	}
	c, err := readClaims(verified)
	if err != nil {
		return Identity{}, p.invalid(ctx, err)
	}
	now := e.now()
	switch {
	case !now.Before(verified.Expiry.Add(skew)):
		return Identity{}, refuse("The ID token of %s has expired.", p.Title)
	case verified.IssuedAt.After(now.Add(skew)), c.NotBefore > now.Add(skew).Unix():
		return Identity{}, refuse("The ID token of %s is of the future: compare the clocks.", p.Title)
	case verified.Nonce != begun.Nonce:
		return Identity{}, refuse("The ID token of %s is of another sign-in.", p.Title)
	case c.AuthorizedParty != "" && c.AuthorizedParty != p.ClientID, len(verified.Audience) > 1 && c.AuthorizedParty == "":
		return Identity{}, refuse("The ID token of %s was issued to another client.", p.Title)
	case verified.Subject == "":
		return Identity{}, refuse("The ID token of %s names no person.", p.Title)
	}
	if verified.AccessTokenHash != "" {
		if err := verified.VerifyAccessToken(token.AccessToken); err != nil {
			return Identity{}, p.invalid(ctx, err)
		}
	}
	if err := p.complete(ctx, d, token, verified.Subject, c); err != nil {
		return Identity{}, err
	}
	return p.identity(verified, c)
}

// invalid is the error of a token that does not hold. The reason is what the check says: it names claims, no secrets.
func (p *provider) invalid(ctx context.Context, err error) error {
	if ctx.Err() != nil || strings.Contains(err.Error(), "fetching keys") {
		return p.unavailable(err)
	}
	return refuse("The ID token of %s is not valid: %s.", p.Title, shown(err.Error()))
}

type claimSource interface{ Claims(any) error }

func readClaims(from claimSource) (*claims, error) {
	var c claims
	if err := from.Claims(&c); err != nil {
		return nil, err
	}
	return &c, from.Claims(&c.all)
}

// complete asks for user information where the token has no e-mail or no groups. It must be about the same person.
func (p *provider) complete(ctx context.Context, d *description, token *oauth2.Token, subject string, c *claims) error {
	_, hasGroups := c.all[p.GroupsClaim]
	if d.UserInfo == "" || c.Email != "" && (hasGroups || p.GroupsClaim == "") {
		return nil
	}
	info, err := d.Provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return p.unavailable(err)
	}
	if info.Subject != subject {
		return refuse("The user information of %s is about another person.", p.Title)
	}
	more, err := readClaims(info)
	if err != nil {
		return p.invalid(ctx, err)
	}
	if c.Email == "" {
		c.Email, c.EmailVerified = more.Email, more.EmailVerified
	}
	if c.Name == "" {
		c.Name = more.Name
	}
	if c.PreferredName == "" {
		c.PreferredName = more.PreferredName
	}
	if groups, ok := more.all[p.GroupsClaim]; ok && !hasGroups {
		c.all[p.GroupsClaim] = groups
	}
	return nil
}

// identity is who a token is about. Without a verified e-mail no person is of an allowed domain.
func (p *provider) identity(t *oidc.IDToken, c *claims) (Identity, error) {
	id := Identity{Provider: p.Name, Issuer: t.Issuer, Subject: t.Subject, Name: c.Name}
	if id.Name == "" {
		id.Name = c.PreferredName
	}
	if c.EmailVerified == true || c.EmailVerified == "true" {
		if a, err := mail.ParseAddress(c.Email); err == nil && a.Address == c.Email {
			id.Email = strings.ToLower(c.Email)
		}
	}
	switch groups := c.all[p.GroupsClaim].(type) {
	case string:
		id.Groups = []string{groups}
	case []any:
		for _, g := range groups {
			if name, ok := g.(string); ok {
				id.Groups = append(id.Groups, name)
			}
		}
	}
	if p.AllowedDomains != nil {
		domain := id.Email[strings.LastIndex(id.Email, "@")+1:]
		if id.Email == "" || !slices.Contains(p.AllowedDomains, domain) {
			return Identity{}, refuse("Only people with a verified e-mail of %s may sign in.", strings.Join(p.AllowedDomains, ", "))
		}
	}
	return id, nil
}
