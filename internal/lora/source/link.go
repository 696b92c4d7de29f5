package source

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
)

// maxLink is how many characters a link may have.
const maxLink = 2048

// Link is a link in normalised form. Links to the same thing have the same String.
type Link struct {
	Provider string // huggingface or civitai
	Host     string

	// Of a file on the hub.
	owner, repo, revision string
	path                  []string

	// Of a model or version on the other site. One of the ids may be zero.
	model, version int64
	size, fp       string // which of a version's files; empty: the primary one
}

// String returns the normalised link, which Parse reads as the same Link.
func (l Link) String() string { return "https://" + l.Host + l.urlPath() }

func (l Link) urlPath() string {
	switch {
	case l.Provider == HuggingFace:
		return hubFile(l.owner+"/"+l.repo, l.revision, l.path)
	case l.model > 0:
		return modelPage(l.model, l.version)
	}
	return versionFile(l.version, l.size, l.fp)
}

func refuse(format string, args ...any) error { return atelier.Refuse("url", format, args...) }

// Parse checks the form of a link and normalises it. It makes no request. Its error is an
// *atelier.Error on the field url.
func (s *Sources) Parse(text string) (Link, error) {
	u, err := parseURL(text)
	if err != nil {
		return Link{}, err
	}
	query, err := parseQuery(u.RawQuery)
	if err != nil {
		return Link{}, err
	}
	host := strings.ToLower(u.Host)
	at := s.sites[host]
	if bare := s.sites[strings.TrimPrefix(host, "www.")]; at == nil && bare != nil && bare.Kind == Civitai {
		at = bare
	}
	if at == nil {
		return Link{}, refuse("must be a link to %s.", s.hosts())
	}
	segments, err := parsePath(u.EscapedPath())
	if err != nil {
		return Link{}, err
	}
	l := Link{Provider: at.Kind, Host: at.Host}
	if at.Kind == HuggingFace {
		err = l.parseHub(segments, query)
	} else {
		err = l.parseCivitai(segments, query)
	}
	if err == nil && len(l.String()) > maxLink {
		err = refuse("is longer than %d characters once it is encoded.", maxLink)
	}
	if err != nil {
		return Link{}, err
	}
	return l, nil
}

// hosts lists the configured hosts for a message.
func (s *Sources) hosts() string {
	if len(s.sites) == 0 {
		return "a configured site, and no site is configured"
	}
	return strings.Join(slices.Sorted(maps.Keys(s.sites)), " or ")
}

// parseURL checks the rules that all links have in common, up to the host.
func parseURL(text string) (*url.URL, error) {
	if !utf8.ValidString(text) {
		return nil, refuse("is not valid UTF-8.")
	}
	if len(text) > maxLink && utf8.RuneCountInString(text) > maxLink {
		return nil, refuse("is longer than %d characters.", maxLink)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '\\' }) {
		return nil, refuse("must not contain spaces, backslashes or control characters.")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "":
		return nil, refuse("is not a link. It must begin with https://.")
	case u.Scheme != "https":
		return nil, refuse("must begin with https://.")
	case u.Opaque != "" || u.Host == "":
		return nil, refuse("names no host.")
	case u.User != nil:
		return nil, refuse("must not contain a user or password.")
	case strings.Contains(u.Host, ":"):
		return nil, refuse("must not contain a port.")
	case strings.Contains(text, "#"):
		return nil, refuse("must not contain a fragment. Remove the part from # on.")
	}
	return u, nil
}

// credential matches the names of query parameters that carry one.
var credential = regexp.MustCompile(`(?i)token|api[-_]?key|^key$|^auth|secret|passw|credential|signature|^sig$|^x-amz-`)

// parseQuery reads a query whose names occur once each.
func parseQuery(text string) (map[string]string, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, refuse("has a query that cannot be read.")
	}
	query := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if credential.MatchString(name) {
			return nil, refuse("must not contain a credential: remove the access token. Only files that need none can be imported.")
		}
		if len(values[name]) > 1 {
			return nil, refuse("has the query parameter %s twice.", show(name))
		}
		query[name] = values[name][0]
	}
	return query, nil
}

// takeQuery removes a parameter from a query.
func takeQuery(query map[string]string, name string) string {
	value := query[name]
	delete(query, name)
	return value
}

func refuseRest(query map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		return refuse("has the query parameter %s, which is not supported. Remove it.", show(name))
	}
	return nil
}

// show makes a text of the caller or a site safe to print.
func show(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return strconv.Quote(text)
}

// revisionAt is the place of the revision in the path of a file on the hub.
const revisionAt = 3

// parsePath splits a path into its segments, unescaped. Only a revision may then contain
// a slash.
func parsePath(escaped string) ([]string, error) {
	path := strings.TrimPrefix(escaped, "/")
	if path == "" {
		return nil, nil
	}
	var segments []string
	for i, segment := range strings.Split(path, "/") {
		segment, err := url.PathUnescape(segment)
		switch {
		case err != nil || !utf8.ValidString(segment):
			return nil, refuse("has a path that cannot be read.")
		case segment == "" || segment == "." || segment == "..":
			return nil, refuse("has an empty segment, . or .. in its path.")
		case strings.ContainsFunc(segment, func(r rune) bool { return !unicode.IsPrint(r) || r == '\\' || r == '%' }):
			return nil, refuse("has a backslash, percent sign or control character in its path.")
		case i != revisionAt && strings.Contains(segment, "/"):
			return nil, refuse("has an encoded slash in its path.")
		}
		segments = append(segments, segment)
	}
	return segments, nil
}

// The names of owners and repositories, and revisions, on the hub.
var (
	hubName     = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,95}$`)
	hubRevision = regexp.MustCompile(`^[^-/\s~^:?*\[][^\s~^:?*\[]{0,254}$`)
)

func isHubName(s string) bool { return hubName.MatchString(s) && !strings.Contains(s, "..") }

func isHubRevision(s string) bool {
	return hubRevision.MatchString(s) && !slices.ContainsFunc([]string{"..", "//", "/.", "@{"}, func(no string) bool { return strings.Contains("/"+s+"/", no) })
}

const fileSuffix = ".safetensors"

// parseHub reads /<owner>/<repo>/resolve|blob/<revision>/<path>.safetensors.
func (l *Link) parseHub(segments []string, query map[string]string) error {
	form := fmt.Sprintf("https://%s/<owner>/<repo>/resolve/<revision>/<path>%s", l.Host, fileSuffix)
	switch {
	case len(segments) > 0 && (segments[0] == "datasets" || segments[0] == "spaces"):
		return refuse("is a link to a dataset or space. Link to a file of a model repository: %s.", form)
	case len(segments) < 5 || segments[2] != "resolve" && segments[2] != "blob":
		return refuse("is not a link to a single file. Open the file on its repository's page and copy its link: %s.", form)
	case !isHubName(segments[0]) || !isHubName(segments[1]):
		return refuse("names no valid owner and repository. The form is %s.", form)
	case !isHubRevision(segments[revisionAt]):
		return refuse("names no valid revision: a branch, a tag or a commit. The form is %s.", form)
	}
	l.owner, l.repo, l.revision, l.path = segments[0], segments[1], segments[revisionAt], segments[revisionAt+1:]
	if stem, is := strings.CutSuffix(l.path[len(l.path)-1], fileSuffix); !is || stem == "" {
		return refuse("must end in %s: other files cannot be imported.", fileSuffix)
	}
	if query["download"] == "true" {
		delete(query, "download")
	}
	return refuseRest(query)
}

// hubFile is the path of a file on the hub.
func hubFile(repository, revision string, path []string) string {
	var b strings.Builder
	b.WriteString("/" + repository + "/resolve/" + url.PathEscape(revision))
	for _, segment := range path {
		b.WriteString("/" + url.PathEscape(segment))
	}
	return b.String()
}

// fileVariant matches the values that distinguish the files of a version.
var fileVariant = regexp.MustCompile(`^[A-Za-z0-9]{1,16}$`)

// parseCivitai reads /models/<id>[/<slug>][?modelVersionId=<id>] and
// /api/download/models/<version id>.
func (l *Link) parseCivitai(segments []string, query map[string]string) (err error) {
	switch {
	case len(segments) >= 2 && len(segments) <= 3 && segments[0] == "models":
		if l.model, err = parseID(segments[1], "model"); err != nil {
			return err
		}
		if _, some := query["modelVersionId"]; some {
			if l.version, err = parseID(takeQuery(query, "modelVersionId"), "model version"); err != nil {
				return err
			}
		}
	case len(segments) == 4 && strings.Join(segments[:3], "/") == "api/download/models":
		if l.version, err = parseID(segments[3], "model version"); err != nil {
			return err
		}
		if kind := takeQuery(query, "type"); kind != "" && kind != "Model" {
			return refuse("asks for a file of type %s. Only the type Model can be imported.", show(kind))
		}
		if format := takeQuery(query, "format"); format != "" && format != "SafeTensor" {
			return refuse("asks for a file of format %s. Only the format SafeTensor can be imported.", show(format))
		}
		l.size, l.fp = strings.ToLower(takeQuery(query, "size")), strings.ToLower(takeQuery(query, "fp"))
		if l.size != "" && !fileVariant.MatchString(l.size) || l.fp != "" && !fileVariant.MatchString(l.fp) {
			return refuse("asks for a size or precision that does not exist.")
		}
	default:
		return refuse("is not a link to a model. The forms are https://%[1]s/models/<id>, https://%[1]s/models/<id>?modelVersionId=<version id> and "+
			"https://%[1]s/api/download/models/<version id>.", l.Host)
	}
	return refuseRest(query)
}

// parseID reads the id of a model or version.
func parseID(text, what string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 32)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != text {
		return 0, refuse("has %s where the id of a %s belongs, a positive number.", show(text), what)
	}
	return id, nil
}

// modelPage is the path of a model's page, of one version where it is not zero.
func modelPage(model, version int64) string {
	path := "/models/" + strconv.FormatInt(model, 10)
	if version > 0 {
		path += "?modelVersionId=" + strconv.FormatInt(version, 10)
	}
	return path
}

// versionFile is the path of the file of a version.
func versionFile(version int64, size, fp string) string {
	query := url.Values{}
	if size != "" {
		query.Set("size", size)
	}
	if fp != "" {
		query.Set("fp", fp)
	}
	path := "/api/download/models/" + strconv.FormatInt(version, 10)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}
