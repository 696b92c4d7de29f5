package config_test

import (
	"strings"
	"testing"
)

// images is a valid vendor.
const images = `vendors:
  - name: gpt
    kind: openai-images
    base_url: https://api.openai.com/v1
    api_key_env: OPENAI_API_KEY
    models: [{ id: gpt-image-2 }]
`

// Every value of a vendor is checked, with one line that names its key and never
// repeats a secret.
func TestVendorRefusals(t *testing.T) {
	t.Parallel()
	if _, err := load(t, images); err != nil {
		t.Fatal(err)
	}
	const key = "sk-secret-0123456789"
	for _, c := range []struct{ from, to, want string }{
		{"api_key_env: OPENAI_API_KEY", "api_key: " + key, "vendors[0].api_key: must not be written here; put the key into an environment variable or a file and name it in api_key_env or api_key_file"},
		{"api_key_env: OPENAI_API_KEY", "api_key_env: " + key, "vendors[0].api_key_env: must be the name of an environment variable, not the key itself"},
		{"api_key_env: OPENAI_API_KEY", "api_key_env: ATELIER_KEY", "vendors[0].api_key_env: must not begin with ATELIER_"},
		{"api_key_env: OPENAI_API_KEY", "api_key_env: A\n    api_key_file: /b", "vendors[0].api_key_file: cannot be combined with api_key_env"},
		{"api_key_env: OPENAI_API_KEY", "headers: { Authorization: Bearer " + key + " }", "vendors[0].headers.Authorization: must not hold a secret"},
		{"api_key_env: OPENAI_API_KEY", "headers: { x-api-key: " + key + " }", "vendors[0].headers.x-api-key: must not hold a secret"},
		{"api_key_env: OPENAI_API_KEY", "headers: { Authorization: 'Bearer {{key}}' }", "vendors[0].headers.Authorization: has {{key}}, but there is no key"},
		{"api_key_env: OPENAI_API_KEY", "headers: { X-A: '{{prompt}}' }", "vendors[0].headers.X-A: may hold no slot except"},
		{"api_key_env: OPENAI_API_KEY", `headers: { X-A: "a\nb" }`, "vendors[0].headers.X-A: must be one line"},
		{"api_key_env: OPENAI_API_KEY", "headers: { 'a b': x }", "vendors[0].headers: must have names of headers"},
		{"name: gpt", "name: ''", "vendors[0].name: must be"},
		{"name: gpt", "name: a b", "vendors[0].name: must be"},
		{"openai-images", "fax", "vendors[0].kind: must be one of openai-images, queue"},
		{"openai-images", "queue", "vendors[0].adapter: must name"},
		{"openai-images", "openai-images\n    adapter: x", "vendors[0].adapter: is only for the kind queue"},
		{"openai-images", "queue\n    adapter: x\n    idempotency_header: X", "vendors[0].idempotency_header: is written in the adapter"},
		{"openai-images", "openai-images\n    idempotency_header: 'a b'", "vendors[0].idempotency_header: must be the name of a header"},
		{"https://api.openai.com/v1", "ftp://x", "vendors[0].base_url: must be an http or https URL"},
		{"https://api.openai.com/v1", "https://x?key=" + key, "vendors[0].base_url: must be an http or https URL without a query"},
		{"https://api.openai.com/v1", "https://u:" + key + "@x", "vendors[0].base_url: must not hold a user or password"},
		{"base_url: https://api.openai.com/v1", "", "vendors[0].base_url: must be an http or https URL"},
		{"[{ id: gpt-image-2 }]", "[]", "vendors[0].models: must name at least one model"},
		{"[{ id: gpt-image-2 }]", "[{ vendor_id: x }]", "vendors[0].models[0].id: must name a model"},
		{"[{ id: gpt-image-2 }]", "[{ id: x }, { id: x }]", "vendors[0].models[1].id: x is already used by vendors[0].models[0]"},
		{"[{ id: gpt-image-2 }]", "[{ id: x, name: y }]", "vendors[0].models[0].name: unknown key"},
		{"models:", "concurrency: 65\n    models:", "vendors[0].concurrency: must be between 1 and 64"},
		{"models:", "concurrency: many\n    models:", "vendors[0].concurrency: must be a whole number"},
		{"models:", "timeout: -1s\n    models:", "vendors[0].timeout: must be longer than 0s"},
		{"models:", "patience: 5\n    models:", "vendors[0].patience: must be a duration"},
		{"models:", "patience: -5s\n    models:", "vendors[0].patience: must be longer than 0s"},
		{"vendors:", "vendors:\n  - { name: gpt, kind: openai-images, base_url: 'http://x', models: [{ id: y }] }", "vendors[1].name: gpt is already used by vendors[0]"},
		{"vendors:", "vendors:\n  - { name: b, kind: openai-images, base_url: 'http://x', models: [{ id: gpt-image-2 }] }", "vendors[1].models[0].id: gpt-image-2 is already used by vendors[0].models[0]"},
	} {
		_, err := load(t, strings.Replace(images, c.from, c.to, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), key) {
			t.Errorf("%s: got %v, want %s", c.to, err, c.want)
		}
	}
}
