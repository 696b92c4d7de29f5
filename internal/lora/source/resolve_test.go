package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/pipetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// resolve parses and resolves a link.
func resolve(t *testing.T, s *source.Sources, text string) (source.Pin, error) {
	t.Helper()
	l, err := s.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s.Resolve(t.Context(), l)
}

// wantError checks the reason of an error, its code and what it says.
func wantError(t *testing.T, err error, r source.Reason, says string) {
	t.Helper()
	var e *source.Error
	var verdict *atelier.Error
	if !errors.As(err, &e) || !errors.As(err, &verdict) || e.Reason != r || !strings.Contains(err.Error(), says) {
		t.Errorf("error = %v (%T); want %s that says %q", err, err, r, says)
		return
	}
	code, field := atelier.CodeInvalidRequest, "url"
	if r == source.Transient {
		code, field = atelier.CodeUnavailable, ""
	}
	if verdict.Code != code || verdict.Field != field {
		t.Errorf("error = %+v", verdict)
	}
	if source.IsTransient(err) != (r == source.Transient) || source.IsAccess(err) != (r == source.Access) || source.IsRejected(err) != (r == source.Rejected) {
		t.Errorf("%v: its reason is not one of the three", err)
	}
	for _, private := range []string{"secret", "signature", "127.0.0.1:", "/cdn/", "://1"} {
		if strings.Contains(err.Error(), private) {
			t.Errorf("the error contains %q: %v", private, err)
		}
	}
}

const (
	contentSize = 1_000_000
	contentSum  = "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025"
)

// content is a file. It is no LoRA, which does not matter here.
var content = make([]byte, contentSize)

func TestResolveHub(t *testing.T) {
	t.Parallel()
	sites := loratest.Serve(t)
	main, tagged := loratest.Commit("main"), loratest.Commit("tagged")
	sites.AddRepo(loratest.Repo{
		Name: "owner/repo", Branches: map[string]string{"main": main, "v1": tagged, "refs/pr/1": loratest.Commit("pr")},
		Files: map[string][]byte{"lora.safetensors": content, "a b/模型.safetensors": content[:10]},
	})
	sites.AddRepo(loratest.Repo{Name: "owner/mirrored", Files: map[string][]byte{"lora.safetensors": content}, Unsized: true})
	sites.AddRepo(loratest.Repo{Name: "owner/old", RenamedTo: "owner/repo"})
	s := newSources(t, sites.URL, source.Options{})
	whole := source.Pin{
		Provider: "huggingface", Source: hub + "/owner/repo/resolve/" + main + "/lora.safetensors", Version: main,
		Path: "/owner/repo/resolve/" + main + "/lora.safetensors", Bytes: contentSize, SHA256: contentSum, Creator: "owner", ModelName: "repo",
	}
	at := func(commit string) source.Pin {
		p := whole
		p.Source, p.Path, p.Version = strings.Replace(p.Source, main, commit, 1), strings.Replace(p.Path, main, commit, 1), commit
		return p
	}
	unsized := whole
	unsized.Source, unsized.Version, unsized.Bytes, unsized.SHA256, unsized.ModelName = "", "", 0, "", "mirrored"
	for text, want := range map[string]source.Pin{
		"/owner/repo/resolve/main/lora.safetensors":            whole,
		"/owner/repo/blob/main/lora.safetensors?download=true": whole,
		"/owner/repo/resolve/" + main + "/lora.safetensors":    whole,
		"/owner/old/resolve/main/lora.safetensors":             whole, // renamed
		"/owner/repo/resolve/v1/lora.safetensors":              at(tagged),
		"/owner/repo/resolve/refs%2Fpr%2F1/lora.safetensors":   at(loratest.Commit("pr")),
		"/owner/mirrored/resolve/main/lora.safetensors":        unsized,
		"/owner/repo/resolve/main/a%20b/模型.safetensors":        {},
	} {
		p, err := resolve(t, s, hub+text)
		switch {
		case err != nil:
			t.Errorf("%s: %v", text, err)
		case want.Provider == "": // another path
			if p.Bytes != 10 || p.Source != hub+"/owner/repo/resolve/"+main+"/a%20b/%E6%A8%A1%E5%9E%8B.safetensors" {
				t.Errorf("%s: pin = %+v", text, p)
			}
		case want.Source == "":
			if p.Bytes != 0 || p.SHA256 != "" || p.ModelName != "mirrored" {
				t.Errorf("%s: pin = %+v", text, p)
			}
		case p != want:
			t.Errorf("%s: pin = %+v\nwant %+v", text, p, want)
		}
	}
}

func TestResolveHubRefused(t *testing.T) {
	t.Parallel()
	sites := loratest.Serve(t)
	files := map[string][]byte{"lora.safetensors": content}
	for _, r := range []loratest.Repo{
		{Name: "o/public"}, {Name: "o/private", Private: true}, {Name: "o/gated", Gated: "auto"}, {Name: "o/manual", Gated: "manual"}, {Name: "o/disabled", Disabled: true},
		{Name: "o/strange", Branches: map[string]string{"main": "1234"}}, {Name: "o/loop", RenamedTo: "o/loop"},
	} {
		r.Files = files
		sites.AddRepo(r)
	}
	s := newSources(t, sites.URL, source.Options{MaxBytes: contentSize - 1})
	for text, want := range map[string]struct {
		source.Reason
		says string
	}{
		"/o/public/resolve/main/lora.safetensors":   {source.Access, "larger than 999999 bytes"},
		"/o/public/resolve/main/other.safetensors":  {source.Access, "no such file at this revision"},
		"/o/public/resolve/gone/lora.safetensors":   {source.Access, "no such model or file"},
		"/o/absent/resolve/main/lora.safetensors":   {source.Access, "private or gated"},
		"/o/private/resolve/main/lora.safetensors":  {source.Access, "is private"},
		"/o/gated/resolve/main/lora.safetensors":    {source.Access, "is gated"},
		"/o/manual/resolve/main/lora.safetensors":   {source.Access, "is gated"},
		"/o/disabled/resolve/main/lora.safetensors": {source.Access, "is disabled"},
		"/o/strange/resolve/main/lora.safetensors":  {source.Transient, "cannot be read"},
		"/o/loop/resolve/main/lora.safetensors":     {source.Rejected, "redirects more than 5 times"},
	} {
		p, err := resolve(t, s, hub+text)
		wantError(t, err, want.Reason, want.says)
		if p != (source.Pin{}) {
			t.Errorf("%s: pin = %+v", text, p)
		}
	}
	if n := sites.Count(loratest.StageFile) + sites.Count(loratest.StageCDN); n > 0 {
		t.Errorf("%d requests for files were made", n)
	}
}

func TestResolveCivitai(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }
	file := []loratest.VersionFile{{Primary: true, Content: content}}
	sites := loratest.Serve(t)
	sites.AddModel(loratest.Model{ID: 1, Name: " A\x00 Lo\u202eRA\n", Creator: "someone", Versions: []loratest.Version{
		{ID: 12, PublishedAt: day(2), Files: file}, {ID: 13, PublishedAt: day(3), Files: file}, {ID: 11, PublishedAt: day(1), Files: file},
		{ID: 14, PublishedAt: time.Now().Add(time.Hour), Files: file}, {ID: 15, PublishedAt: day(5), Status: "Draft", Files: file},
	}})
	sites.AddModel(loratest.Model{ID: 2, Versions: []loratest.Version{{ID: 22, Files: file}, {ID: 21, Files: file}}}) // without dates
	sites.AddModel(loratest.Model{ID: 3, Versions: []loratest.Version{{ID: 31, Files: []loratest.VersionFile{
		{Name: "training.zip", Type: "Training Data", Format: "Other", Content: []byte("zip")},
		{Name: "model.ckpt", Format: "PickleTensor", Content: []byte("pickle")},
		{Name: "model.zip", Content: []byte("zip")},
		{Size: "full", FP: "fp32", Content: content[:32]},
		{Size: "pruned", FP: "fp16", Content: content[:16], Primary: true},
		{Size: "pruned", FP: "bf16", Content: content[:17], SHA256: "-", SizeKB: -1, DownloadURL: "https://elsewhere.example/file"},
	}}}})
	s := newSources(t, sites.URL, source.Options{})
	pin := func(model, version int) source.Pin {
		return source.Pin{
			Provider: "civitai", Source: fmt.Sprintf("%s/models/%d?modelVersionId=%d", civitai, model, version), Version: fmt.Sprint(version),
			Path: fmt.Sprintf("/api/download/models/%d", version), Bytes: contentSize, SHA256: contentSum, Creator: "someone", ModelName: "A LoRA",
		}
	}
	nameless := pin(2, 22)
	nameless.Creator, nameless.ModelName = "", ""
	anonymous := pin(1, 12)
	anonymous.Creator = "" // the API does not say who made a version
	for text, want := range map[string]source.Pin{
		"/models/1":                   pin(1, 13),
		"/models/1/a-lora":            pin(1, 13),
		"/models/1?modelVersionId=11": pin(1, 11),
		"/models/2":                   nameless,
		"/api/download/models/12":     anonymous,
	} {
		if p, err := resolve(t, s, civitai+text); err != nil || p != want {
			t.Errorf("%s: pin = %+v, %v\nwant %+v", text, p, err, want)
		}
	}
	for text, want := range map[string]struct {
		source, path string
		bytes        int64
	}{
		"/models/3":                                  {"/models/3?modelVersionId=31", "/api/download/models/31", 16},
		"/api/download/models/31":                    {"/models/3?modelVersionId=31", "/api/download/models/31", 16},
		"/api/download/models/31?fp=fp16":            {"/models/3?modelVersionId=31", "/api/download/models/31", 16},
		"/api/download/models/31?size=full":          {"/api/download/models/31?fp=fp32&size=full", "/api/download/models/31?format=SafeTensor&fp=fp32&size=full&type=Model", 32},
		"/api/download/models/31?fp=bf16&type=Model": {"/api/download/models/31?fp=bf16&size=pruned", "/api/download/models/31?format=SafeTensor&fp=bf16&size=pruned&type=Model", 0},
	} {
		p, err := resolve(t, s, civitai+text)
		if err != nil || p.Source != civitai+want.source || p.Path != want.path || p.Bytes != want.bytes || (p.SHA256 == "") != (want.bytes == 0) {
			t.Errorf("%s: pin = %+v, %v; want %+v", text, p, err, want)
		}
	}
}

func TestResolveCivitaiRefused(t *testing.T) {
	t.Parallel()
	sites := loratest.Serve(t)
	file := loratest.VersionFile{Primary: true, Content: content}
	add := func(id int64, change func(*loratest.Model, *loratest.Version)) {
		m := loratest.Model{ID: id, Versions: []loratest.Version{{ID: id * 10, PublishedAt: time.Unix(1e9, 0), Files: []loratest.VersionFile{file}}}}
		change(&m, &m.Versions[0])
		sites.AddModel(m)
	}
	add(1, func(*loratest.Model, *loratest.Version) {})
	add(2, func(m *loratest.Model, _ *loratest.Version) { m.Type = "Checkpoint" })
	add(3, func(m *loratest.Model, _ *loratest.Version) { m.Type = "LoCon" })
	add(4, func(m *loratest.Model, _ *loratest.Version) { m.Type = "DoRA" })
	add(5, func(m *loratest.Model, _ *loratest.Version) { m.Mode = "TakenDown" })
	add(6, func(_ *loratest.Model, v *loratest.Version) { v.Status = "Draft" })
	add(7, func(_ *loratest.Model, v *loratest.Version) { v.Availability = "EarlyAccess" })
	add(8, func(_ *loratest.Model, v *loratest.Version) { v.EarlyAccessEndsAt = time.Now().Add(time.Hour) })
	add(9, func(_ *loratest.Model, v *loratest.Version) { v.Availability = "Private" })
	add(10, func(_ *loratest.Model, v *loratest.Version) { v.UsageControl = "Generation" })
	add(11, func(_ *loratest.Model, v *loratest.Version) { v.Files = nil })
	add(12, func(_ *loratest.Model, v *loratest.Version) { v.Files[0].Format = "PickleTensor" })
	add(13, func(_ *loratest.Model, v *loratest.Version) { v.Files[0].Name = "model.zip" })
	add(14, func(_ *loratest.Model, v *loratest.Version) { v.Files[0].VirusScan = "Danger" })
	add(15, func(_ *loratest.Model, v *loratest.Version) { v.Files[0].SizeKB = 1e300 })
	add(16, func(m *loratest.Model, _ *loratest.Version) { m.Versions = nil })
	add(17, func(_ *loratest.Model, v *loratest.Version) {
		v.Status = "Published"
		v.PublishedAt = time.Now().Add(time.Hour)
	})
	s := newSources(t, sites.URL, source.Options{})
	for text, says := range map[string]string{
		"/models/99":                     "no such model or file",
		"/api/download/models/99":        "no such model or file",
		"/models/1?modelVersionId=99":    "no published version 99",
		"/models/1?modelVersionId=20":    "no published version 20", // of another model
		"/models/2":                      `of type "Checkpoint"`,
		"/api/download/models/20":        `of type "Checkpoint"`,
		"/models/3":                      `of type "LoCon"`,
		"/models/4":                      `of type "DoRA"`,
		"/models/5":                      "taken down",
		"/api/download/models/50":        "taken down",
		"/models/6":                      "has no published version",
		"/models/6?modelVersionId=60":    "is not published",
		"/api/download/models/60":        "is not published",
		"/models/7":                      "early access",
		"/api/download/models/70":        "early access",
		"/models/8":                      "early access",
		"/models/9":                      "is private",
		"/models/10":                     "does not allow downloads",
		"/models/11":                     "no such .safetensors file",
		"/models/12":                     "no such .safetensors file",
		"/models/13":                     "no such .safetensors file",
		"/api/download/models/10?fp=fp8": "no such .safetensors file",
		"/models/14":                     "dangerous",
		"/models/15":                     "larger than 2147483648 bytes",
		"/models/16":                     "has no published version",
		"/models/17":                     "has no published version",
	} {
		p, err := resolve(t, s, civitai+text)
		t.Run(text, func(t *testing.T) { wantError(t, err, source.Access, says) })
		if p != (source.Pin{}) {
			t.Errorf("%s: pin = %+v", text, p)
		}
	}
}

// A bad answer of a site's API becomes an error for users.
func TestResolveBadAnswers(t *testing.T) {
	t.Parallel()
	sites := loratest.Serve(t)
	links := []string{sites.AddHubFile("owner/repo", "lora.safetensors", content), sites.AddCivitaiFile(1, 10, content)}
	s := newSources(t, sites.URL, source.Options{})
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a private server was reached") }))
	defer inside.Close()
	for name, test := range map[string]struct {
		loratest.Behaviour
		source.Reason
		says string
	}{
		"not found":        {loratest.Status(404), source.Access, "no such model or file"},
		"login":            {loratest.Status(401), source.Access, "needs a login"},
		"forbidden":        {loratest.Status(403), source.Access, "needs a login"},
		"legal reasons":    {loratest.Status(451), source.Access, "status 451"},
		"too many":         {loratest.Status(429), source.Transient, "status 429"},
		"failed":           {loratest.Status(500), source.Transient, "status 500"},
		"overloaded":       {loratest.Status(503), source.Transient, "status 503"},
		"no content":       {loratest.Status(204), source.Rejected, "status 204"},
		"a page":           {loratest.Send("text/html", []byte("<html></html>")), source.Transient, "cannot be read"},
		"nothing":          {loratest.Send("application/json", nil), source.Transient, "cannot be read"},
		"half":             {loratest.Break(20), source.Transient, "the connection failed"},
		"a list":           {loratest.Send("application/json", []byte("[]")), source.Transient, "cannot be read"},
		"an object":        {loratest.Send("application/json", []byte("{}")), source.Transient, "cannot be read"},
		"other types":      {loratest.Send("application/json", []byte(`{"id":{},"sha":7,"modelVersions":1}`)), source.Transient, "cannot be read"},
		"an odd list":      {loratest.Send("application/json", []byte(`{"id":1,"type":"LORA","sha":"`+loratest.Commit("")+`","siblings":{},"modelVersions":{}}`)), source.Transient, "cannot be read"},
		"endless":          {loratest.Endless(), source.Access, "lists too much"},
		"compressed":       {loratest.Gzip([]byte("{}")), source.Rejected, "compressed"},
		"to another host":  {loratest.Redirect("https://evil.example/secret"), source.Rejected, `"evil.example" is not one that is read from`},
		"to a private one": {loratest.Redirect(inside.URL + "/secret"), source.Rejected, `"127.0.0.1" is not one that is read from`},
		"to plain HTTP":    {loratest.Redirect("http://huggingface.co/secret"), source.Rejected, "is not one that is read from"},
		"to metadata":      {loratest.Redirect("http://169.254.169.254/secret"), source.Rejected, "is not one that is read from"},
		"to a file":        {loratest.Redirect("file:///etc/secret"), source.Rejected, "must begin with https"},
		"with a password":  {loratest.Redirect("https://user:secret@hf.co/"), source.Rejected, "user or password"},
	} {
		sites.Behave(loratest.StageAPI, test.Behaviour)
		for _, link := range links {
			t.Run(name, func(t *testing.T) {
				_, err := resolve(t, s, link)
				wantError(t, err, test.Reason, test.says)
				var e *atelier.Error
				if errors.As(err, &e) && strings.Contains(test.says, "status") && source.IsTransient(err) != (e.RetryAfter == 7*time.Second) {
					t.Errorf("%v: RetryAfter = %v", err, e.RetryAfter)
				}
			})
		}
	}
}

// Whatever a site's API answers, it is refused or becomes a pin of the linked file.
func FuzzResolve(f *testing.F) {
	sites := loratest.NewSites()
	links := []string{
		sites.AddHubFile("owner/repo", "lora.safetensors", content), sites.AddCivitaiFile(1, 10, content), civitai + "/models/1?modelVersionId=10", civitai + "/api/download/models/10",
	}
	for _, path := range []string{"/api/models/owner/repo/revision/main?blobs=true", "/api/v1/models/1", "/api/v1/model-versions/10"} {
		w := httptest.NewRecorder()
		sites.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		f.Add(w.Body.Bytes())
	}
	f.Add([]byte(`{"id":1,"type":"LORA","modelVersions":[{"id":10,"files":[{"type":"Model","name":".safetensors","metadata":{"format":"SafeTensor"},"sizeKB":1e300}]}]}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		s := newSources(t, "http://127.0.0.1", source.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				_, _ = server.Read(make([]byte, 4096))
				_, _ = fmt.Fprintf(server, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
			}()
			return client, nil
		}})
		worktest.Limit(t, len(answer), worktest.Bound{Base: 1 << 20, PerByte: 400}, func() {
			for _, link := range links {
				p, err := resolve(t, s, link)
				var e *source.Error
				switch {
				case err != nil && !errors.As(err, &e):
					t.Fatalf("%s: %v", link, err)
				case err != nil:
				case p.Bytes < 0 || p.Bytes > 2<<30 || len(p.Creator) > 800 || len(p.ModelName) > 800 || p.Version == "":
					t.Fatalf("%s: %+v", link, p)
				case p.Provider == source.HuggingFace:
					if !strings.HasPrefix(p.Source, hub+"/") || !strings.HasSuffix(p.Source, "/resolve/"+p.Version+"/lora.safetensors") || hub+p.Path != p.Source {
						t.Fatalf("%s: %+v", link, p)
					}
				case !strings.HasPrefix(p.Source, civitai+"/models/") || !strings.HasSuffix(p.Source, "?modelVersionId="+p.Version) ||
					!strings.HasPrefix(p.Path+"?", "/api/download/models/"+p.Version+"?") || strings.ContainsAny(p.Path, " \r\n#"):
					t.Fatalf("%s: %+v", link, p)
				}
			}
		})
	})
}

// A pin is all that another process needs.
func TestPinSurvives(t *testing.T) {
	t.Parallel()
	sites := loratest.Serve(t)
	for _, link := range []string{sites.AddHubFile("owner/repo", "lora.safetensors", content), sites.AddCivitaiFile(1, 10, content)} {
		p, err := resolve(t, newSources(t, sites.URL, source.Options{}), link)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again source.Pin
		if err := json.Unmarshal(text, &again); err != nil || again != p {
			t.Errorf("%s = %+v, %v; want %+v", text, again, err, p)
		}
		var b strings.Builder
		if err := newSources(t, sites.URL, source.Options{}).Download(t.Context(), again, &b, nil); err != nil || b.Len() != contentSize {
			t.Errorf("%d bytes, %v", b.Len(), err)
		}
		// The operator may have removed the site since.
		none, err := source.New(nil, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, none.Download(t.Context(), again, &b, nil), source.Access, "are not imported here")
	}
}

// Only what the operator configured is read from private addresses. Names of the public sites
// are not, whatever the name service says.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	resolver := pipetest.Resolver(t, [4]byte{127, 0, 0, 1})
	s, err := source.New([]source.Site{
		{Kind: source.HuggingFace, Host: "huggingface.co", BaseURL: "https://huggingface.co"},
		{Kind: source.Civitai, Host: "civitai.com", BaseURL: "http://b2.civitai.com:8080/mirror"},
	}, source.Options{Resolver: resolver})
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{hub + "/o/r/resolve/main/x.safetensors", civitai + "/models/1"} {
		_, err := resolve(t, s, link)
		wantError(t, err, source.Rejected, "is not on the public Internet")
	}

	// A mirror may be private, and so may the other mirror that it redirects to.
	sites := loratest.Serve(t)
	link := sites.AddHubFile("owner/repo", "lora.safetensors", content)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, sites.URL+strings.TrimPrefix(r.URL.String(), "/mirror"), http.StatusFound)
	}))
	defer front.Close()
	mirror := "http://mirror.example" + front.URL[strings.LastIndexByte(front.URL, ':'):] + "/mirror/"
	both := []source.Site{{Kind: source.HuggingFace, Host: "huggingface.co", BaseURL: mirror}, {Kind: source.Civitai, Host: "civitai.com", BaseURL: sites.URL}}
	for n, says := range []string{1: "is not one that is read from", 2: ""} {
		if n == 0 {
			continue
		}
		s, err := source.New(both[:n], source.Options{Resolver: resolver})
		if err != nil {
			t.Fatal(err)
		}
		p, err := resolve(t, s, link)
		if says != "" {
			wantError(t, err, source.Rejected, says)
		} else if err != nil || p.Bytes != contentSize || !strings.HasPrefix(p.Source, hub) {
			t.Errorf("pin = %+v, %v", p, err)
		}
	}
}
