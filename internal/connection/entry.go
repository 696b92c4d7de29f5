package connection

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/config"
)

// Entry is a connection with its API key.
type Entry struct {
	ID       string
	Kind     apitype.ConnectionKind
	Name     string
	From     apitype.ConnectionOrigin
	Key      string
	Settings apitype.ConnectionSettings
	Revision int64  // counts the changes of a stored one
	Problem  string // why it is not used; empty when it is

	createdAt, updatedAt time.Time
	hasKey               bool // also when the key cannot be read
}

// kindOf is the kind whose settings are given, which must be those of one kind.
func kindOf(s apitype.ConnectionSettings) (kind apitype.ConnectionKind, err error) {
	n := 0
	for k, given := range map[apitype.ConnectionKind]bool{
		apitype.ConnectionLLM: s.LLM != nil, apitype.ConnectionComfyUI: s.ComfyUI != nil, apitype.ConnectionImages: s.Images != nil,
		apitype.ConnectionVendor: s.Vendor != nil, apitype.ConnectionLoraSource: s.LoraSource != nil,
	} {
		if given {
			kind = k
			n++
		}
	}
	if n != 1 {
		return "", atelier.Refuse("", "Give exactly one of llm, comfyui, images, vendor and loraSource: the settings of one connection.")
	}
	return kind, nil
}

// member is the name of the settings of a kind in requests.
func member(kind apitype.ConnectionKind) string {
	if kind == apitype.ConnectionLoraSource {
		return "loraSource"
	}
	return string(kind)
}

// baseURL is where the address of the server is kept.
func baseURL(s *apitype.ConnectionSettings) *string {
	switch {
	case s.LLM != nil:
		return &s.LLM.BaseURL
	case s.ComfyUI != nil:
		return &s.ComfyUI.BaseURL
	case s.Images != nil:
		return &s.Images.BaseURL
	case s.Vendor != nil:
		return &s.Vendor.BaseURL
	case s.LoraSource != nil:
		return &s.LoraSource.BaseURL
	}
	return new(string)
}

// withoutPassword are settings as they are shown: an address of the configuration file may hold a password.
func withoutPassword(s apitype.ConnectionSettings) apitype.ConnectionSettings {
	switch {
	case s.LLM != nil:
		shown := *s.LLM
		s.LLM = &shown
	case s.LoraSource != nil:
		shown := *s.LoraSource
		s.LoraSource = &shown
	default:
		return s // the file's other addresses have none
	}
	address := baseURL(&s)
	*address = redacted(*address)
	return s
}

func redacted(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return ""
}

// BaseURL is the address of the server.
func (e Entry) BaseURL() string { return *baseURL(&e.Settings) }

// ModelsDir is the folder in which a ComfyUI keeps its models; empty when none is named.
func (e Entry) ModelsDir() string {
	if s := e.Settings.ComfyUI; s != nil {
		return s.ModelsDir
	}
	return ""
}

// Upstream is the configuration of a server of language models.
func (e Entry) Upstream() config.Upstream {
	s := e.Settings.LLM
	u := config.Upstream{Name: e.Name, Kind: s.Protocol, BaseURL: s.BaseURL, APIKey: e.Key, ExtraParams: s.ExtraParams}
	for _, m := range s.Models {
		u.Models = append(u.Models, config.UpstreamModel{
			ID: m.ID, UpstreamID: m.UpstreamID, ContextLength: m.ContextLength, Reasoning: m.Reasoning, Vision: m.Vision, Tools: m.Tools,
			PricePerMInput: m.PriceInput, PricePerMOut: m.PriceOutput, CoveredByPlans: m.CoveredByPlans, Replaces: m.Replaces,
		})
	}
	return u
}

// ofUpstream is a server of language models of the configuration.
func ofUpstream(u config.Upstream) Entry {
	s := &apitype.LLMConnection{Protocol: u.Kind, BaseURL: u.BaseURL, ExtraParams: u.ExtraParams}
	for _, m := range u.Models {
		s.Models = append(s.Models, apitype.LLMModel{
			ID: m.ID, UpstreamID: m.UpstreamID, ContextLength: m.ContextLength, Reasoning: m.Reasoning, Vision: m.Vision, Tools: m.Tools,
			PriceInput: m.PricePerMInput, PriceOutput: m.PricePerMOut, CoveredByPlans: m.CoveredByPlans, Replaces: m.Replaces,
		})
	}
	return Entry{Kind: apitype.ConnectionLLM, Name: u.Name, Key: u.APIKey, Settings: apitype.ConnectionSettings{LLM: s}}
}

// Vendor is the configuration of a vendor, without its key.
func (e Entry) Vendor() config.Vendor {
	s := e.Settings.Vendor
	v := config.Vendor{
		Name: e.Name, Kind: s.Protocol, BaseURL: s.BaseURL, Headers: s.Headers, Concurrency: s.Concurrency, Adapter: s.Adapter, IdempotencyHeader: s.IdempotencyHeader,
		Timeout: time.Duration(s.TimeoutSeconds) * time.Second, Patience: time.Duration(s.PatienceSeconds) * time.Second,
	}
	for _, m := range s.Models {
		v.Models = append(v.Models, config.VendorModel{ID: m.ID, VendorID: m.UpstreamID})
	}
	return v
}

// ofVendor is a vendor of the configuration.
func ofVendor(v config.Vendor, key string) Entry {
	s := &apitype.VendorConnection{
		Protocol: v.Kind, BaseURL: v.BaseURL, Headers: v.Headers, Concurrency: v.Concurrency, Adapter: v.Adapter, IdempotencyHeader: v.IdempotencyHeader,
		TimeoutSeconds: int(v.Timeout.Seconds()), PatienceSeconds: int(v.Patience.Seconds()),
	}
	for _, m := range v.Models {
		s.Models = append(s.Models, apitype.RenderedModel{ID: m.ID, UpstreamID: m.VendorID})
	}
	return Entry{Kind: apitype.ConnectionVendor, Name: v.Name, Key: key, Settings: apitype.ConnectionSettings{Vendor: s}}
}

// Source is the configuration of a hosting site, without its key.
func (e Entry) Source() config.LoraSource {
	s := e.Settings.LoraSource
	return config.LoraSource{Kind: s.Site, Host: s.Host, BaseURL: s.BaseURL}
}

// ofSource is a hosting site of the configuration.
func ofSource(s config.LoraSource) Entry {
	host := strings.ToLower(s.Host)
	return Entry{Kind: apitype.ConnectionLoraSource, Name: host, Settings: apitype.ConnectionSettings{
		LoraSource: &apitype.LoraSourceConnection{Site: s.Kind, Host: host, BaseURL: s.BaseURL},
	}}
}

// connectionName is what a connection may be called: vendors may in the file.
var connectionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// check refuses invalid settings of a connection by itself.
func (e *Entry) check() error {
	if err := checkAddress(member(e.Kind)+".baseUrl", e.BaseURL()); err != nil {
		return err
	}
	if strings.ContainsFunc(e.Key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return atelier.Refuse("apiKey", "must be one line of plain characters.")
	}
	if e.Kind == apitype.ConnectionLoraSource {
		host := strings.ToLower(e.Settings.LoraSource.Host)
		if e.Settings.LoraSource.Host = host; e.Name != "" && e.Name != host {
			return atelier.Refuse("name", "must be left out: a hosting site is named by its host.")
		}
		e.Name = host
	} else if !connectionName.MatchString(e.Name) {
		return atelier.Refuse("name", "must be 1 to 40 letters, digits, dots, dashes or underscores.")
	}
	var err error
	switch e.Kind {
	case apitype.ConnectionLLM:
		for i, m := range e.Settings.LLM.Models {
			if strings.ContainsFunc(m.ID, unicode.IsControl) {
				return atelier.Refuse(fmt.Sprintf("llm.models[%d].id", i), "must not have control characters.")
			}
		}
		err = e.Upstream().Check()
	case apitype.ConnectionComfyUI:
		if dir := e.ModelsDir(); dir != "" && (!filepath.IsAbs(dir) || filepath.Clean(dir) != dir || strings.ContainsFunc(dir, unicode.IsControl)) {
			return atelier.Refuse("comfyui.modelsDir", "must be an absolute path without detours, such as /opt/ComfyUI.")
		}
	case apitype.ConnectionVendor:
		v := e.Vendor()
		if strings.ContainsAny(v.Adapter, `/\.`) { // a file of the server is the configuration file's to name
			return atelier.Refuse("vendor.adapter", "must be the name of a built-in adapter. An adapter file is named in the configuration file.")
		}
		err = v.Check(e.Key != "", "apiKey")
	case apitype.ConnectionLoraSource:
		if err = e.Source().Check(); err != nil {
			err = fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "."))
		}
	}
	return e.refusal(err)
}

// checkAddress refuses an address that is no plain one of a server.
func checkAddress(field, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return atelier.Refuse(field, "must be an http or https URL, such as http://127.0.0.1:8000.")
	case u.User != nil:
		return atelier.Refuse(field, "must not hold a user or password. An API key belongs in apiKey.")
	case u.RawQuery != "" || u.Fragment != "":
		return atelier.Refuse(field, "must be an http or https URL without a query.")
	}
	return nil
}

// otherNames are the names in requests of keys of the configuration whose name is another one.
var otherNames = map[string]string{
	"kind": "protocol", "vendor_id": "upstreamId", "timeout": "timeoutSeconds", "patience": "patienceSeconds", "api_key_env": "apiKey", "api_key_file": "apiKey",
}

var (
	keyName = regexp.MustCompile(`[a-z][a-z0-9_]*`)
	afterUS = regexp.MustCompile(`_[a-z]`)
)

// refusal turns an error of the configuration, which begins with a key, into one about a field of
// the request.
func (e Entry) refusal(err error) error {
	if err == nil {
		return nil
	}
	key, message, found := strings.Cut(err.Error(), ": ")
	if !found {
		return atelier.Refuse(member(e.Kind), "cannot be used: %s", sentence(err.Error()))
	}
	field := key
	if !strings.HasPrefix(key, "headers.") { // below are names of the caller
		field = keyName.ReplaceAllStringFunc(key, func(name string) string {
			camel := afterUS.ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
			return cmp.Or(otherNames[name], camel)
		})
	}
	if field != "name" && field != "apiKey" {
		field = strings.TrimSuffix(member(e.Kind)+"."+field, ".")
	}
	return atelier.Refuse(field, "%s", sentence(strings.ReplaceAll(message, ", or api_key_file", "")))
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	if strings.HasSuffix(text, "?") {
		return text
	}
	return strings.TrimSuffix(text, ".") + "."
}

// sameServer reports whether two addresses are of one server.
func sameServer(a, b string) bool {
	one, err := url.Parse(a)
	other, err2 := url.Parse(b)
	return err == nil && err2 == nil && one.Scheme == other.Scheme && strings.EqualFold(one.Host, other.Host)
}

// nameFor is the name of a connection that was given none, among those that there are.
func nameFor(e Entry, taken []Entry) string {
	u, err := url.Parse(e.BaseURL())
	if err != nil {
		return ""
	}
	base := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(u.Host, "-"), "-.")
	base = base[:min(len(base), 34)]
	for name, n := base, 2; ; name, n = fmt.Sprintf("%s-%d", base, n), n+1 {
		free := true
		for _, other := range taken {
			free = free && (other.Kind != e.Kind || other.Name != name)
		}
		if free {
			return name
		}
	}
}
