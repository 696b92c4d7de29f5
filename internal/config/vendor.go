package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The kinds of vendor backends.
const (
	VendorImages = "openai-images" // POST /images/generations and /images/edits, which answer with the pictures
	VendorQueue  = "queue"         // submit, poll, cancel and fetch, as an adapter describes them
)

// Vendor is an outside service that renders vendor models of the catalog.
type Vendor struct {
	Name              string            `yaml:"name" doc:"Its name in logs and in the records of renders in progress. Do not change it while renders are in progress."`
	Kind              string            `yaml:"kind" doc:"openai-images or queue."`
	BaseURL           string            `yaml:"base_url" doc:"Such as https://api.openai.com/v1."`
	APIKey            Inline            `yaml:"api_key" secret:"true" doc:"Not allowed: a key does not belong in this file."`
	APIKeyEnv         string            `yaml:"api_key_env" doc:"The environment variable that holds the key."`
	APIKeyFile        string            `yaml:"api_key_file" doc:"The file that holds the key, instead."`
	Headers           map[string]string `yaml:"headers" secret:"true" doc:"Headers of every request, besides the adapter's; {{key}} stands for the key. Default: Authorization: Bearer {{key}}, when there is a key."`
	Models            []VendorModel     `yaml:"models" doc:"The models it renders."`
	Concurrency       int               `yaml:"concurrency" doc:"Renders at once, per process. Default: 4."`
	Timeout           time.Duration     `yaml:"timeout" doc:"How long one request may take. Default: 10m for openai-images, whose answer is the picture, else 1m."`
	Patience          time.Duration     `yaml:"patience" doc:"How long the service waits for one render before it checks again later. Default: 1h."`
	Adapter           string            `yaml:"adapter" doc:"For queue: the name of a built-in adapter, or an adapter file."`
	IdempotencyHeader string            `yaml:"idempotency_header" doc:"For openai-images: the header under which the vendor takes idempotency keys, if it honours them."`
}

// VendorModel is a model of the catalog that a vendor renders.
type VendorModel struct {
	ID       string `yaml:"id" doc:"Its id in the catalog."`
	VendorID string `yaml:"vendor_id" doc:"The vendor's name for it. Default: the name in the catalog."`
}

// Inline is a secret in a place where none is allowed: decoding it fails, and the message
// does not repeat it.
type Inline string

// UnmarshalText implements encoding.TextUnmarshaler.
func (*Inline) UnmarshalText([]byte) error {
	return errors.New("must not be written here; put the key into an environment variable or a file and name it in api_key_env or api_key_file")
}

// maxConcurrency is the limit of a worker session.
const maxConcurrency = 64

var (
	vendorName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName   = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)
	secretName   = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|password`)
)

// checkVendors refuses invalid vendors. What needs the catalog, the environment or other
// files is checked when the vendors are opened.
func (c *Config) checkVendors() error {
	at := func(i int) string { return fmt.Sprintf("vendors[%d]", i) }
	for i := range c.Vendors {
		if err := c.Vendors[i].check(); err != nil {
			return fmt.Errorf("%s.%w", at(i), err)
		}
	}
	return CheckVendors(c.Vendors, at)
}

// CheckVendors refuses vendors that cannot be used together: of one name, or with a model in
// common. The function names the place of vendor i in messages.
func CheckVendors(list []Vendor, at func(i int) string) error {
	names, models := map[string]int{}, map[string]string{}
	for i, v := range list {
		if first, ok := names[v.Name]; ok {
			return fmt.Errorf("%s.name: %s is already used by %s", at(i), v.Name, at(first))
		}
		names[v.Name] = i
		for j, m := range v.Models {
			place := fmt.Sprintf("%s.models[%d]", at(i), j)
			if first, ok := models[m.ID]; ok {
				return fmt.Errorf("%s.id: %s is already used by %s", place, m.ID, first)
			}
			models[m.ID] = place
		}
	}
	return nil
}

// check refuses invalid settings of a vendor of the file, whose key is somewhere else.
func (v *Vendor) check() error {
	if err := checkKeyPlace(v.APIKeyEnv, v.APIKeyFile); err != nil {
		return err
	}
	return v.Check(v.APIKeyEnv != "" || v.APIKeyFile != "", "api_key_env or api_key_file")
}

// checkKeyPlace refuses an invalid place of a key: an environment variable or a file.
func checkKeyPlace(env, file string) error {
	switch {
	case env != "" && file != "":
		return errors.New("api_key_file: cannot be combined with api_key_env; keep one of the two")
	case env != "" && !variableName.MatchString(env):
		return errors.New("api_key_env: must be the name of an environment variable, not the key itself")
	case strings.HasPrefix(env, "ATELIER_"):
		return errors.New("api_key_env: must not begin with ATELIER_, which is for the keys of this file")
	}
	return nil
}

// Check refuses invalid settings of a vendor by itself. Each message begins with the key below
// the vendor's, and names where its API key belongs.
func (v *Vendor) Check(hasKey bool, keyPlace string) error {
	if !vendorName.MatchString(v.Name) {
		return errors.New("name: must be 1 to 40 letters, digits, dots, dashes or underscores")
	}
	if err := oneOf("kind", v.Kind, VendorImages, VendorQueue); err != nil {
		return err
	}
	if u, err := url.Parse(v.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("base_url: must be an http or https URL without a query")
	} else if u.User != nil {
		return fmt.Errorf("base_url: must not hold a user or password; the key belongs in %s", keyPlace)
	}
	switch {
	case len(v.Models) == 0:
		return errors.New("models: must name at least one model")
	case v.Concurrency < 0 || v.Concurrency > maxConcurrency:
		return fmt.Errorf("concurrency: must be between 1 and %d", maxConcurrency)
	case v.Timeout < 0:
		return errors.New("timeout: must be longer than 0s")
	case v.Patience < 0:
		return errors.New("patience: must be longer than 0s")
	case v.Kind == VendorQueue && v.Adapter == "":
		return errors.New("adapter: must name a built-in adapter or an adapter file")
	case v.Kind != VendorQueue && v.Adapter != "":
		return errors.New("adapter: is only for the kind queue")
	case v.Kind == VendorQueue && v.IdempotencyHeader != "":
		return errors.New("idempotency_header: is written in the adapter of a queue")
	case v.IdempotencyHeader != "" && !headerName.MatchString(v.IdempotencyHeader):
		return errors.New("idempotency_header: must be the name of a header, such as Idempotency-Key")
	}
	for j, m := range v.Models {
		if m.ID == "" {
			return fmt.Errorf("models[%d].id: must name a model of the catalog", j)
		}
	}
	return v.checkHeaders(hasKey, keyPlace)
}

func (v *Vendor) checkHeaders(hasKey bool, keyPlace string) error {
	var names []string
	for name := range v.Headers {
		names = append(names, name)
	}
	slices.Sort(names) // sorted, so that the same mistake is reported every time
	for _, name := range names {
		value := v.Headers[name]
		switch keyed := strings.Contains(value, "{{key}}"); {
		case !headerName.MatchString(name):
			return errors.New("headers: must have names of headers as keys")
		case strings.ContainsAny(value, "\r\n\x00"):
			return fmt.Errorf("headers.%s: must be one line", name)
		case keyed && !hasKey:
			return fmt.Errorf("headers.%s: has {{key}}, but there is no key: set %s", name, keyPlace)
		case strings.Contains(strings.ReplaceAll(value, "{{key}}", ""), "{{"):
			return fmt.Errorf("headers.%s: may hold no slot except {{key}}", name)
		case !keyed && secretName.MatchString(name):
			return fmt.Errorf("headers.%s: must not hold a secret; write {{key}} and set %s", name, keyPlace)
		}
	}
	return nil
}
