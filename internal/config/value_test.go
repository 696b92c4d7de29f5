package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/config"
)

// What is in effect is listed with where it comes from, and without secrets.
func TestValues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "atelier.yaml")
	text := `listen: 127.0.0.1:9000
database_url: postgres://ann:sesame@db/atelier?sslmode=disable&sslpassword=sesame
nats_url: nats://a:sesame@one,nats://b:sesame@two,nats://sesame@three
session_secret: sesame-sesame-sesame
filter: { moderation_key: sesame }
workers: { lease: 15s }
llm:
  upstreams:
    - { name: local, base_url: "http://ann:sesame@127.0.0.1:9000/v1", api_key: sesame, models: [{ id: m }] }
vendors:
  - { name: v, kind: openai-images, base_url: "https://v.example", api_key_env: V_KEY, headers: { X-Plan: sesame }, models: [{ id: gpt-image-2 }] }
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := []string{"ATELIER_LIMITS_ACTIVE_WORKFLOWS=7", "ATELIER_LISTEN=127.0.0.1:9001"}
	c, err := config.Load(file, environ)
	if err != nil {
		t.Fatal(err)
	}
	values, err := c.Values(file, environ)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]config.Value{}
	for _, v := range values {
		got[v.Key] = v
		if strings.Contains(v.Text, "sesame") {
			t.Errorf("%s shows a secret: %s", v.Key, v.Text)
		}
	}
	for _, want := range []config.Value{
		{"listen", `"127.0.0.1:9001"`, "ATELIER_LISTEN"},
		{"limits.active_workflows", "7", "ATELIER_LIMITS_ACTIVE_WORKFLOWS"},
		{"limits.paused_workflows", "1000", "default"},
		{"workers.lease", "15s", file},
		{"data_dir", `"./atelier-data"`, "default"},
		{"session_secret", "(hidden)", file},
		{"nats_url", `"nats://a:xxxxx@one,nats://b:xxxxx@two,nats://hidden@three"`, file},
		{"llm.upstreams[0].api_key", "(hidden)", file},
		{"llm.upstreams[0].base_url", `"http://ann:xxxxx@127.0.0.1:9000/v1"`, file},
		{"vendors[0].headers", "(hidden)", file},
		{"vendors[0].api_key_env", `"V_KEY"`, file},
		{"trusted_proxies", "[]", "default"},
		{"lora.sources[1].host", `"civitai.com"`, "default"},
	} {
		if got[want.Key] != want {
			t.Errorf("got %+v, want %+v", got[want.Key], want)
		}
	}
}

// A key that sounds like a secret is marked as one, or names where the secret is.
func TestSecretsAreMarked(t *testing.T) {
	t.Parallel()
	sounds := regexp.MustCompile(`(^|_)(key|secret|token|password|headers)$`)
	found := 0
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Slice, reflect.Pointer, reflect.Map:
			walk(of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				f := of.Field(i)
				if name := f.Tag.Get("yaml"); sounds.MatchString(name) {
					found++
					if f.Tag.Get("secret") == "" {
						t.Errorf("%s.%s is not marked as a secret", of.Name(), name)
					}
				}
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[config.Config]())
	if found != 7 {
		t.Errorf("found %d, want 7", found)
	}
}
