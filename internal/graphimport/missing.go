package graphimport

import (
	"net/url"
	"regexp"
	"strings"
)

// Finding is something that an operator should know about a workflow.
type Finding struct {
	Node string `json:"node,omitempty"` // its id in the graph
	Text string `json:"text"`
}

// findings collects what is found.
type findings []Finding

func (f *findings) add(node, text string) {
	for _, have := range *f {
		if have.Node == node && have.Text == text {
			return
		}
	}
	if len(*f) < 200 {
		*f = append(*f, Finding{node, text})
	}
}

// MissingNode is a kind of node that the graph uses and the ComfyUI does not have.
type MissingNode struct {
	Class   string `json:"class"`
	Nodes   int    `json:"nodes"`             // of the graph
	Package string `json:"package,omitempty"` // that brings it; empty when the workflow does not say
	URL     string `json:"url,omitempty"`     // of the package
	Hint    string `json:"hint"`              // how to get it
}

var (
	registryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	githubName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
	plainVersion = regexp.MustCompile(`^[0-9A-Za-z.+-]{1,40}$`)
)

// core is the name of ComfyUI itself in its registry.
const core = "comfy-core"

// lacking lists the kinds of nodes that a ComfyUI does not have.
func lacking(g graph, origins map[string]properties, nodes *Nodes) (out []MissingNode) {
	if nodes == nil {
		return nil
	}
	at := map[string]int{}
	for _, id := range sortedIDs(g) {
		class := g[id].Class
		if nodes.kind(class) != nil {
			continue
		}
		i, known := at[class]
		if !known {
			i = len(out)
			at[class] = i
			out = append(out, packageOf(class, origins[id]))
		}
		out[i].Nodes++
	}
	return out
}

// packageOf says which package brings a node, as the workflow names it.
func packageOf(class string, p properties) MissingNode {
	m := MissingNode{Class: shorten(class)}
	repository := strings.TrimSuffix(strings.TrimPrefix(p.Github, "https://github.com/"), ".git")
	switch {
	case p.Registry == core:
		m.Package, m.Hint = "ComfyUI", "It is a node of ComfyUI itself: update ComfyUI."
		if plainVersion.MatchString(p.Version) {
			m.Hint = "It is a node of ComfyUI itself: update ComfyUI. The workflow was saved with version " + p.Version + "."
		}
	case registryName.MatchString(p.Registry):
		m.Package, m.URL = p.Registry, "https://registry.comfy.org/nodes/"+url.PathEscape(p.Registry)
		m.Hint = "Install the package " + p.Registry + " with ComfyUI's manager, or run: comfy node install " + p.Registry
	case githubName.MatchString(repository):
		m.Package, m.URL = repository, "https://github.com/"+repository
		m.Hint = "Install the package from " + m.URL + " with ComfyUI's manager, or clone it into ComfyUI's custom_nodes."
	default:
		m.Hint = "The workflow does not name its package: look for the node in ComfyUI's manager (Install Missing Custom Nodes), or at https://registry.comfy.org"
	}
	return m
}
