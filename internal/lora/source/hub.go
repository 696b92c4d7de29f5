package source

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/atelier-project/atelier/internal/wire"
)

// hubRepository is what the hub's API says of a repository at a revision.
type hubRepository struct {
	ID       string   `json:"id"` // owner/repo, the present name of a repository that was renamed
	SHA      string   `json:"sha"`
	Private  bool     `json:"private"`
	Disabled bool     `json:"disabled"`
	Gated    any      `json:"gated"` // false, or how access is granted
	Siblings wire.Raw `json:"siblings"`
}

// hubSibling is one file of a repository.
type hubSibling struct {
	Name string `json:"rfilename"`
	Size int64  `json:"size"`
	LFS  struct {
		Size   int64  `json:"size"`
		SHA256 string `json:"sha256"`
	} `json:"lfs"`
}

// maxSiblings is how many files of a repository are looked at.
const maxSiblings = 50_000

var commitID = regexp.MustCompile(`^[0-9a-f]{40}$`)

func (s *site) resolveHub(ctx context.Context, l Link) (Pin, error) {
	var r hubRepository
	err := s.ask(ctx, "/api/models/"+l.owner+"/"+l.repo+"/revision/"+url.PathEscape(l.revision)+"?blobs=true", &r)
	if err != nil {
		return Pin{}, err
	}
	switch {
	case !commitID.MatchString(r.SHA):
		return Pin{}, s.unreadable()
	case r.Private:
		return Pin{}, fail(Access, "The repository is private at %s. Only public files can be imported.", s.Host)
	case r.Gated != nil && r.Gated != false:
		return Pin{}, fail(Access, "The repository is gated at %s: its files are only for users who were granted access. Only public files can be imported.", s.Host)
	case r.Disabled:
		return Pin{}, fail(Access, "The repository is disabled at %s.", s.Host)
	}
	owner, repo, _ := strings.Cut(r.ID, "/")
	if !isHubName(owner) || !isHubName(repo) {
		owner, repo = l.owner, l.repo
	}
	path := hubFile(owner+"/"+repo, r.SHA, l.path)
	p := Pin{
		Provider: HuggingFace, Source: "https://" + s.Host + path, Version: r.SHA, Path: path,
		Creator: owner, ModelName: repo,
	}
	err = s.readSiblings(r.Siblings, strings.Join(l.path, "/"), &p)
	return p, err
}

// errFound ends a search.
var errFound = errors.New("found")

// readSiblings looks a file up in the files of its repository. A mirror may list none.
func (s *site) readSiblings(list wire.Raw, name string, p *Pin) error {
	if !isList(list) {
		return nil
	}
	err := items(list, maxSiblings, func(f hubSibling) error {
		if f.Name != name {
			return nil
		}
		p.Bytes, p.SHA256 = max(f.Size, 0), checksum(f.LFS.SHA256)
		if f.LFS.Size > 0 {
			p.Bytes = f.LFS.Size
		}
		return errFound
	})
	switch {
	case errors.Is(err, errFound):
		return nil
	case err != nil:
		return s.explainList(err)
	}
	return fail(Access, "The repository at %s has no such file at this revision. Check the link.", s.Host)
}
