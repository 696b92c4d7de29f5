package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
)

// SignIn says how people sign in to the console besides API keys.
type SignIn struct {
	Providers []SignInProvider `yaml:"providers" doc:"OpenID providers that people sign in with, such as Google, Microsoft Entra ID, Keycloak or Authentik: docs/guides/people.md."`
}

// SignInProvider is an OpenID provider.
type SignInProvider struct {
	Name             string        `yaml:"name" doc:"Its name in addresses. The redirect URI to register there is PUBLIC_URL/v1/console/providers/NAME/callback."`
	Title            string        `yaml:"title" doc:"What the button of the sign-in page calls it. Default: the name."`
	Issuer           string        `yaml:"issuer" doc:"Its issuer URL, such as https://accounts.google.com: what it describes itself under, and names in its tokens."`
	ClientID         string        `yaml:"client_id" doc:"The id of this service there."`
	ClientSecretEnv  string        `yaml:"client_secret_env" doc:"The environment variable that holds the client secret. A public client has none."`
	ClientSecretFile string        `yaml:"client_secret_file" doc:"The file that holds the client secret, instead."`
	Scopes           []string      `yaml:"scopes" doc:"What is asked for. Default: [openid, email, profile]."`
	AllowedDomains   []string      `yaml:"allowed_domains" doc:"Only people with a verified e-mail of these domains may sign in. Empty: all whom the provider lets in."`
	NewPeople        string        `yaml:"new_people" doc:"What a person gets who is a member of no account and is not invited: refuse (the default), or create for an account of their own."`
	GroupsClaim      string        `yaml:"groups_claim" doc:"The claim that lists the groups of a person. Default: groups."`
	Groups           []SignInGroup `yaml:"groups" doc:"What groups of the provider make people members of, at each sign-in; who has left a group is removed at the next."`
}

// SignInGroup is what a group of a provider means here.
type SignInGroup struct {
	Group   string       `yaml:"group" doc:"The group, as the claim names it."`
	Account string       `yaml:"account" doc:"The wallet or the username of an account."`
	Role    atelier.Role `yaml:"role" doc:"owner, editor or viewer. Of several groups the highest role counts."`
}

// What becomes of people without an account.
const (
	NewPeopleRefuse = "refuse"
	NewPeopleCreate = "create"
)

// check refuses invalid providers, and fills in what is not set.
func (s *SignIn) check() error {
	for i := range s.Providers {
		p := &s.Providers[i]
		if err := p.check(); err != nil {
			return fmt.Errorf("sign_in.providers[%d].%w", i, err)
		}
		for _, o := range s.Providers[:i] {
			if o.Name == p.Name {
				return fmt.Errorf("sign_in.providers[%d].name: %s is already used", i, p.Name)
			}
			if o.Issuer == p.Issuer {
				return fmt.Errorf("sign_in.providers[%d].issuer: %s is already that of %s", i, p.Issuer, o.Name)
			}
		}
	}
	return nil
}

func (p *SignInProvider) check() error {
	if p.Title == "" {
		p.Title = p.Name
	}
	if p.Scopes == nil {
		p.Scopes = []string{"openid", "email", "profile"}
	}
	if p.NewPeople == "" {
		p.NewPeople = NewPeopleRefuse
	}
	if p.GroupsClaim == "" {
		p.GroupsClaim = "groups"
	}
	u, err := url.Parse(p.Issuer)
	switch {
	case !mcpServerName.MatchString(p.Name):
		return errors.New("name: must be 1 to 20 small letters, digits or dashes, and begin with a letter")
	case err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())):
		return errors.New("issuer: must be an https URL; http is for providers on this machine alone")
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return errors.New("issuer: must not have a user, a query or a fragment")
	case p.ClientID == "":
		return errors.New("client_id: must not be empty")
	case !slices.Contains(p.Scopes, "openid"):
		return errors.New("scopes: must contain openid")
	case p.NewPeople != NewPeopleRefuse && p.NewPeople != NewPeopleCreate:
		return errors.New("new_people: must be refuse or create")
	case p.ClientSecretEnv != "" && p.ClientSecretFile != "":
		return errors.New("client_secret_file: cannot be combined with client_secret_env; keep one of the two")
	case p.ClientSecretEnv != "" && !variableName.MatchString(p.ClientSecretEnv):
		return errors.New("client_secret_env: must be the name of an environment variable, not the secret itself")
	case strings.HasPrefix(p.ClientSecretEnv, "ATELIER_"):
		return errors.New("client_secret_env: must not begin with ATELIER_, which is for the keys of this file")
	}
	for i, domain := range p.AllowedDomains {
		if p.AllowedDomains[i] = strings.ToLower(domain); domain == "" || strings.ContainsAny(domain, "@ /") {
			return fmt.Errorf("allowed_domains[%d]: must be a domain such as example.org", i)
		}
	}
	for i, g := range p.Groups {
		switch {
		case g.Group == "":
			return fmt.Errorf("groups[%d].group: must not be empty", i)
		case g.Account == "":
			return fmt.Errorf("groups[%d].account: must be the wallet or the username of an account", i)
		case !slices.Contains(atelier.Roles, g.Role):
			return fmt.Errorf("groups[%d].role: must be owner, editor or viewer", i)
		}
	}
	return nil
}

func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }
