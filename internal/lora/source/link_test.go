package source_test

import (
	"errors"
	"net/url"
	"path"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/worktest"
)

// newSources makes sources that read both sites from a base URL.
func newSources(t testing.TB, baseURL string, o source.Options) *source.Sources {
	t.Helper()
	s, err := source.New(loratest.Sources(baseURL), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	hub     = "https://huggingface.co"
	civitai = "https://civitai.com"
)

// accepted are links and what they become. An empty text means that nothing changes.
var accepted = map[string]string{
	hub + "/owner/repo/resolve/main/lora.safetensors":                                     "",
	hub + "/owner/repo/resolve/0123456789abcdef0123456789abcdef01234567/lora.safetensors": "",
	hub + "/owner/repo/blob/v1.0/a/b/lora.safetensors":                                    hub + "/owner/repo/resolve/v1.0/a/b/lora.safetensors",
	hub + "/owner/repo/resolve/refs%2Fpr%2F1/lora.safetensors":                            "",
	hub + "/owner/repo/resolve/refs%2fpr%2f1/lora.safetensors":                            hub + "/owner/repo/resolve/refs%2Fpr%2F1/lora.safetensors",
	hub + "/owner/repo/resolve/main/lora.safetensors?download=true":                       hub + "/owner/repo/resolve/main/lora.safetensors",
	hub + "/owner/repo/resolve/main/lora.safetensors?":                                    hub + "/owner/repo/resolve/main/lora.safetensors",
	"HTTPS://HuggingFace.CO/Owner/Re.po_-1/resolve/main/Lora.v2.safetensors":              hub + "/Owner/Re.po_-1/resolve/main/Lora.v2.safetensors",
	hub + "/owner/repo/resolve/main/my%20lora%20(v2).safetensors":                         hub + "/owner/repo/resolve/main/my%20lora%20%28v2%29.safetensors",
	hub + "/owner/repo/resolve/main/模型.safetensors":                                       hub + "/owner/repo/resolve/main/%E6%A8%A1%E5%9E%8B.safetensors",
	hub + "/owner/repo/resolve/main/%6Cora.safetensors":                                   hub + "/owner/repo/resolve/main/lora.safetensors",
	hub + "/owner/repo/resolve/main/.hidden/lora.safetensors":                             "",
	hub + "/datasets2/repo/resolve/main/" + strings.Repeat("x", 1980) + ".safetensors":    "",
	civitai + "/models/123":                                                                             "",
	civitai + "/models/123/some-slug_(é)":                                                               civitai + "/models/123",
	civitai + "/models/123?modelVersionId=456":                                                          "",
	civitai + "/models/123/some-slug?modelVersionId=456":                                                civitai + "/models/123?modelVersionId=456",
	"https://www.civitai.com/models/2147483647":                                                         civitai + "/models/2147483647",
	"https://WWW.Civitai.com/api/download/models/456":                                                   civitai + "/api/download/models/456",
	civitai + "/api/download/models/456?type=Model&format=SafeTensor":                                   civitai + "/api/download/models/456",
	civitai + "/api/download/models/456?type=Model&format=SafeTensor&size=full&fp=FP16":                 civitai + "/api/download/models/456?fp=fp16&size=full",
	civitai + "/models/1?modelVersionId=2&":                                                             civitai + "/models/1?modelVersionId=2",
	civitai + "/models/123/" + strings.Repeat("é", 1000):                                                civitai + "/models/123",
	hub + "/o/r/resolve/feature%2Fx@1+2/a=b&c.safetensors":                                              hub + "/o/r/resolve/feature%2Fx@1+2/a=b&c.safetensors",
	hub + "/o/r/resolve/main/a%3Fb%23c.safetensors":                                                     "",
	hub + "/o/r/resolve/main/resolve/main/x.safetensors":                                                "",
	hub + "/api/models/resolve/main/x.safetensors":                                                      "",
	hub + "/" + strings.Repeat("o", 96) + "/" + strings.Repeat("r", 96) + "/resolve/main/x.safetensors": "",
	hub + "/o/r/resolve/" + strings.Repeat("v", 255) + "/x.safetensors":                                 "",
	civitai + "/models/123/%E2%9C%A8?modelVersionId=456":                                                civitai + "/models/123?modelVersionId=456",
	"https://civitai.com/api/download/models/456?format=SafeTensor&size=pruned&type=Model&fp=bf16":      civitai + "/api/download/models/456?fp=bf16&size=pruned",
}

func TestParse(t *testing.T) {
	t.Parallel()
	s := newSources(t, "http://127.0.0.1:1", source.Options{})
	for text, want := range accepted {
		if want == "" {
			want = text
		}
		l, err := s.Parse(text)
		if err != nil || l.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", text, l, err, want)
		}
		provider := source.HuggingFace
		if strings.HasPrefix(want, civitai) {
			provider = source.Civitai
		}
		if l.Provider != provider {
			t.Errorf("Parse(%q): the provider is %q", text, l.Provider)
		}
	}
}

// refused are links and a part of what their error says.
var refused = map[string]string{
	"":                 "is not a link",
	"lora.safetensors": "is not a link",
	"huggingface.co/o/r/resolve/main/x.safetensors":        "is not a link",
	"//huggingface.co/o/r/resolve/main/x.safetensors":      "is not a link",
	"http://huggingface.co/o/r/resolve/main/x.safetensors": "must begin with https://",
	"ftp://huggingface.co/o/r/resolve/main/x.safetensors":  "must begin with https://",
	"file:///etc/passwd": "must begin with https://",
	"https:huggingface.co/o/r/resolve/main/x.safetensors":                        "names no host",
	"https:///o/r/resolve/main/x.safetensors":                                    "names no host",
	"https://user@huggingface.co/o/r/resolve/main/x.safetensors":                 "user or password",
	"https://user:secret@huggingface.co/o/r/resolve/main/x.safetensors":          "user or password",
	"https://huggingface.co:443/o/r/resolve/main/x.safetensors":                  "port",
	"https://huggingface.co:/o/r/resolve/main/x.safetensors":                     "port",
	"https://[::1]/o/r/resolve/main/x.safetensors":                               "port",
	hub + "/o/r/resolve/main/x.safetensors#":                                     "fragment",
	hub + "/o/r/resolve/main/x.safetensors#secret":                               "fragment",
	hub + "/o/r/resolve/main/x.safetensors?token=secret":                         "remove the access token",
	hub + "/o/r/resolve/main/x.safetensors?download=true&access_token=secret":    "remove the access token",
	hub + "/o/r/resolve/main/x.safetensors?HF_TOKEN=secret":                      "remove the access token",
	civitai + "/api/download/models/1?token=secret":                              "remove the access token",
	civitai + "/api/download/models/1?api_key=secret":                            "remove the access token",
	civitai + "/api/download/models/1?apiKey=secret":                             "remove the access token",
	civitai + "/api/download/models/1?key=secret":                                "remove the access token",
	civitai + "/api/download/models/1?Authorization=secret":                      "remove the access token",
	civitai + "/api/download/models/1?X-Amz-Signature=secret":                    "remove the access token",
	hub + "/o/r/resolve/main/x.safetensors?%74oken=secret":                       "remove the access token",
	"https://huggingface.co./o/r/resolve/main/x.safetensors":                     "must be a link to civitai.com or huggingface.co",
	"https://www.huggingface.co/o/r/resolve/main/x.safetensors":                  "must be a link to civitai.com or huggingface.co",
	"https://hf.co/o/r/resolve/main/x.safetensors":                               "must be a link to",
	"https://huggingface.co.evil.example/o/r/resolve/main/x.safetensors":         "must be a link to",
	"https://evil.example/https://huggingface.co/o/r/resolve/main/x.safetensors": "must be a link to",
	"https://hugging%66ace.co/o/r/resolve/main/x.safetensors":                    "",
	"https://huggіngface.co/o/r/resolve/main/x.safetensors":                      "must be a link to", // a Cyrillic letter
	"https://xn--huggngface-xmi.co/o/r/resolve/main/x.safetensors":               "must be a link to",
	"https://127.0.0.1/o/r/resolve/main/x.safetensors":                           "must be a link to",
	"https://localhost/models/1":                                                 "must be a link to",
	"https://huggingface.co\\@evil.example/o/r/resolve/main/x.safetensors":       "backslashes",
	" " + hub + "/o/r/resolve/main/x.safetensors":                                "spaces",
	hub + "/o/r/resolve/main/x y.safetensors":                                    "spaces",
	hub + "/o/r/resolve/main/x.safetensors\n":                                    "control characters",
	hub + "/o/r/resolve/main/x\x00.safetensors":                                  "control characters",
	hub + "/o/r/resolve/main/\u202ex.safetensors":                                "control characters",
	hub + "/o/r/resolve/main/\xff.safetensors":                                   "UTF-8",
	hub + "/o/r/resolve/main/%ff.safetensors":                                    "cannot be read",
	hub + "/o/r/resolve/main/%00.safetensors":                                    "control character",
	hub + "/o/r/resolve/main/%zz.safetensors":                                    "is not a link",
	hub + "/o/r/resolve/main/a%2Fb.safetensors":                                  "encoded slash",
	hub + "/o%2Fr/x/resolve/main/b.safetensors":                                  "encoded slash",
	hub + "/o/r/resolve/main/a%5Cb.safetensors":                                  "backslash",
	hub + "/o/r/resolve/main/%252e%252e/b.safetensors":                           "percent sign",
	hub + "/o/r/resolve/main/../b.safetensors":                                   ". or ..",
	hub + "/o/r/resolve/main/%2e%2E/b.safetensors":                               ". or ..",
	hub + "/o/r/resolve/main/./b.safetensors":                                    ". or ..",
	hub + "/o/r/resolve/main//b.safetensors":                                     "empty segment",
	hub + "/o/r/resolve//b.safetensors":                                          "empty segment",
	hub + "//o/r/resolve/main/b.safetensors":                                     "empty segment",
	hub + "/o/r/resolve/main/b.safetensors/":                                     "empty segment",
	hub + "/o/r/resolve/..%2F..%2Fetc/b.safetensors":                             "revision",
	hub + "/o/r/resolve/a%2F%2Fb/b.safetensors":                                  "revision",
	hub + "/o/r/resolve/a%2F.%2Fb/b.safetensors":                                 "revision",
	hub + "/o/r/resolve/%2Fmain/b.safetensors":                                   "revision",
	hub + "/o/r/resolve/main%2F/b.safetensors":                                   "revision",
	hub + "/o/r/resolve/-main/b.safetensors":                                     "revision",
	hub + "/o/r/resolve/main~1/b.safetensors":                                    "revision",
	hub + "/o/r/resolve/" + strings.Repeat("v", 256) + "/b.safetensors":          "revision",
	hub:                                 "is not a link to a single file",
	hub + "/":                           "is not a link to a single file",
	hub + "/owner":                      "is not a link to a single file",
	hub + "/owner/repo":                 "is not a link to a single file",
	hub + "/owner/repo/tree/main":       "is not a link to a single file",
	hub + "/owner/repo/tree/main/a/b/c": "is not a link to a single file",
	hub + "/owner/repo/raw/main/x.safetensors":                              "is not a link to a single file",
	hub + "/owner/repo/resolve/main":                                        "is not a link to a single file",
	hub + "/gpt2/resolve/main/x.safetensors":                                "is not a link to a single file",
	hub + "/datasets/owner/repo/resolve/main/x.safetensors":                 "dataset",
	hub + "/spaces/owner/repo/blob/main/x.safetensors":                      "dataset",
	hub + "/o.../r/resolve/main/x.safetensors":                              "owner and repository",
	hub + "/o/-r/resolve/main/x.safetensors":                                "owner and repository",
	hub + "/o/r%20r/resolve/main/x.safetensors":                             "owner and repository",
	hub + "/" + strings.Repeat("o", 97) + "/r/resolve/main/x.safetensors":   "owner and repository",
	hub + "/o/r/resolve/main/x.ckpt":                                        "must end in .safetensors",
	hub + "/o/r/resolve/main/x.safetensors.zip":                             "must end in .safetensors",
	hub + "/o/r/resolve/main/x.SAFETENSORS":                                 "must end in .safetensors",
	hub + "/o/r/resolve/main/.safetensors":                                  "must end in .safetensors",
	hub + "/o/r/resolve/main/x.safetensors?download=false":                  `"download"`,
	hub + "/o/r/resolve/main/x.safetensors?download=true&raw=1":             `"raw"`,
	hub + "/o/r/resolve/main/x.safetensors?download=true&download=true":     "twice",
	hub + "/o/r/resolve/main/x.safetensors?a;b":                             "query that cannot be read",
	hub + "/o/r/resolve/main/" + strings.Repeat("x", 2048) + ".safetensors": "longer than 2048 characters",
	hub + "/o/r/resolve/main/" + strings.Repeat("模", 300) + ".safetensors":  "once it is encoded",
	civitai:                                                 "is not a link to a model",
	civitai + "/":                                           "is not a link to a model",
	civitai + "/models":                                     "is not a link to a model",
	civitai + "/models/1/a/b":                               "is not a link to a model",
	civitai + "/images/1":                                   "is not a link to a model",
	civitai + "/user/someone":                               "is not a link to a model",
	civitai + "/api/v1/models/1":                            "is not a link to a model",
	civitai + "/api/download/models":                        "is not a link to a model",
	civitai + "/api/download/models/1/2":                    "is not a link to a model",
	civitai + "/models/0":                                   "a positive number",
	civitai + "/models/-1":                                  "a positive number",
	civitai + "/models/+1":                                  "a positive number",
	civitai + "/models/01":                                  "a positive number",
	civitai + "/models/1e3":                                 "a positive number",
	civitai + "/models/one":                                 "a positive number",
	civitai + "/models/2147483648":                          "a positive number",
	civitai + "/models/1?modelVersionId=":                   "a positive number",
	civitai + "/models/1?modelVersionId=x":                  "a positive number",
	civitai + "/models/1?modelVersionId=1&modelVersionId=2": "twice",
	civitai + "/models/1?dialog=resourceReview":             `"dialog"`,
	civitai + "/models/1?type=Model":                        `"type"`,
	civitai + "/models/1%2F..%2F2":                          "encoded slash",
	civitai + "/api/download/models/1?type=VAE":             "Only the type Model",
	civitai + "/api/download/models/1?type=Pruned%20Model":  "Only the type Model",
	civitai + "/api/download/models/1?format=PickleTensor":  "Only the format SafeTensor",
	civitai + "/api/download/models/1?size=../..":           "size or precision",
	civitai + "/api/download/models/1?modelVersionId=1":     `"modelVersionId"`,
}

func TestParseRefused(t *testing.T) {
	t.Parallel()
	s := newSources(t, "http://127.0.0.1:1", source.Options{})
	for text, says := range refused {
		_, err := s.Parse(text)
		checkRefusal(t, text, err)
		if err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q) = %v; want an error that says %q", text, err, says)
		}
	}
}

func checkRefusal(t *testing.T, text string, err error) {
	t.Helper()
	var e *atelier.Error
	if !errors.As(err, &e) || e.Code != atelier.CodeInvalidRequest || e.Field != "url" || !strings.HasPrefix(e.Message, "url ") {
		t.Errorf("Parse(%q) = %v; want a refusal of the field url", text, err)
	} else if strings.Contains(e.Message, "secret") || len(e.Message) > 500 || !utf8.ValidString(e.Message) {
		t.Errorf("Parse(%q): the error is %q", text, e.Message)
	}
}

// Characters count, not bytes, and the operator's host names are read in any case.
func TestParseLimits(t *testing.T) {
	t.Parallel()
	s, err := source.New([]source.Site{{Kind: source.Civitai, Host: "Models.Example", BaseURL: "https://models.example/mirror/"}}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	link := "https://MODELS.example/models/1/"
	for n, fits := range map[int]bool{2048: true, 2049: false} {
		if _, err := s.Parse(link + strings.Repeat("é", n-len(link))); (err == nil) != fits {
			t.Errorf("%d characters: %v", n, err)
		}
	}
	none, err := source.New(nil, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = none.Parse(link + "a")
	checkRefusal(t, link, err)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := source.Site{Kind: source.HuggingFace, Host: "hub.example", BaseURL: "http://127.0.0.1:9/mirror"}
	if _, err := source.New([]source.Site{good}, source.Options{}); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*source.Site){
		"its kind":     func(s *source.Site) { s.Kind = "github" },
		"its host":     func(s *source.Site) { s.Host = "hub.example:443" },
		"not a host":   func(s *source.Site) { s.Host = "https://hub.example" },
		"host name":    func(s *source.Site) { s.Host = "hub.example." },
		"as in a link": func(s *source.Site) { s.Host = "" },
		"its base_url": func(s *source.Site) { s.BaseURL = "" },
		"http or":      func(s *source.Site) { s.BaseURL = "ftp://hub.example" },
		"https URL":    func(s *source.Site) { s.BaseURL = "https://user:secret@hub.example" },
		"query":        func(s *source.Site) { s.BaseURL = "https://hub.example?a=b" },
		"fragment":     func(s *source.Site) { s.BaseURL = "https://hub.example/#a" },
	} {
		bad := good
		change(&bad)
		if _, err := source.New([]source.Site{bad}, source.Options{}); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("New(%+v) = %v; want an error that says %q", bad, err, says)
		}
	}
	twice := good
	twice.Host = "HUB.example"
	if _, err := source.New([]source.Site{good, twice}, source.Options{}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("New of one host twice = %v", err)
	}
}

// Whatever is accepted is normalised once and for all, and leads to a path that stays where
// the grammar puts it.
func FuzzParse(f *testing.F) {
	for text := range accepted {
		f.Add(text)
	}
	for text := range refused {
		f.Add(text)
	}
	s := newSources(f, "http://127.0.0.1:1", source.Options{})
	f.Fuzz(func(t *testing.T, text string) {
		var l source.Link
		var err error
		worktest.Limit(t, len(text), worktest.Bound{Base: 64 << 10, PerByte: 64}, func() { l, err = s.Parse(text) })
		if err != nil {
			var e *atelier.Error
			if !errors.As(err, &e) || e.Code != atelier.CodeInvalidRequest || e.Field != "url" || len(e.Message) > 500 || !utf8.ValidString(e.Message) {
				t.Fatalf("Parse(%q) = %v", text, err)
			}
			return
		}
		again, err := s.Parse(l.String())
		if err != nil || !reflect.DeepEqual(again, l) {
			t.Fatalf("Parse(%q) = %q, then %q, %v", text, l, again, err)
		}
		u, err := url.Parse(l.String())
		if err != nil || u.Scheme != "https" || u.Host != l.Host || u.User != nil || u.Fragment != "" || path.Clean(u.Path) != u.Path || len(l.String()) > 2048 {
			t.Fatalf("Parse(%q) = %q", text, l)
		}
		switch {
		case l.Provider == source.HuggingFace && l.Host == "huggingface.co" && strings.HasSuffix(u.Path, ".safetensors") && u.RawQuery == "":
		case l.Provider == source.Civitai && l.Host == "civitai.com" && (strings.HasPrefix(u.Path, "/models/") || strings.HasPrefix(u.Path, "/api/download/models/")):
		default:
			t.Fatalf("Parse(%q) = %q", text, l)
		}
	})
}
