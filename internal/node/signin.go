package node

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/api"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/signin"
)

// openSignIn opens the providers that people sign in with. It asks none: one that is down must not keep the service
// from starting.
func (n *Node) openSignIn(c config.SignIn) (api.SignIn, error) {
	out := api.SignIn{Rules: map[string]api.SignInRules{}}
	o := signin.Options{PublicURL: n.URL(), Secrets: n.secrets, Now: n.clock}
	for i, p := range c.Providers {
		secret, err := readKey(p.ClientSecretEnv, p.ClientSecretFile)
		if err != nil {
			return out, fmt.Errorf("sign_in.providers[%d].%s", i, strings.Replace(err.Error(), "api_key_", "client_secret_", 1))
		}
		o.Providers = append(o.Providers, signin.Provider{
			Name: p.Name, Title: p.Title, Issuer: p.Issuer, ClientID: p.ClientID, ClientSecret: secret, Scopes: p.Scopes,
			GroupsClaim: p.GroupsClaim, AllowedDomains: p.AllowedDomains,
		})
		rules := api.SignInRules{Creates: p.NewPeople == config.NewPeopleCreate}
		for _, g := range p.Groups {
			rules.Grants = append(rules.Grants, account.Grant{Group: g.Group, Account: g.Account, Role: g.Role})
		}
		out.Rules[p.Name] = rules
	}
	var err error
	out.Engine, err = signin.New(o)
	return out, err
}
