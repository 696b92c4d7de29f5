package lora_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestUnknownSize(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		rank int
		want atelier.LoraStatus
	}{"good": {16, atelier.LoraReady}, "bad": {200, atelier.LoraRejected}} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, storetest.SQLite(t))
			file := loratest.LoRA{Family: "krea-2", Rank: c.rank}.File()
			link := f.sites.AddCivitaiFile(7, 70, file)
			f.sites.Behave(loratest.StageCDN, loratest.Chunked(file))
			r := f.imports(link)
			got := f.settle(r.ID)
			if got.Status != c.want || got.Status == atelier.LoraReady && got.Bytes != int64(len(file)) || strings.Contains(got.Reason, "0 bytes") {
				t.Errorf("entry %+v, want %s", got, c.want)
			}
		})
	}
}

func digest(file []byte) string { return fmt.Sprintf("%x", sha256.Sum256(file)) }

func TestPublicDuplicates(t *testing.T) {
	t.Parallel()
	file := loratest.LoRA{Family: "krea-2"}.File()
	c := overlay(t, "loras:\n  - { loraId: rim-light, sha256: "+digest(file)+" }\n")
	f := newFixture(t, storetest.SQLite(t), func(s *settings) { s.catalog = c })
	_, err := f.e.Import(t.Context(), ann, request(f.put("fox", loratest.LoRA{})))
	if !atelier.HasCode(err, atelier.CodeLoraInCatalog) || !strings.Contains(err.Error(), "rim-light") {
		t.Errorf("import: %v", err)
	}
	f.sites.AddRepo(loratest.Repo{Name: "ann/mirror", Files: map[string][]byte{"fox.safetensors": file}, Unsized: true})
	r := f.imports("https://" + loratest.HubHost + "/ann/mirror/resolve/main/fox.safetensors")
	if got := f.settle(r.ID); got.Status != atelier.LoraRejected || got.FailureCode != atelier.LoraCatalogDuplicate || !strings.Contains(got.Reason, "rim-light") {
		t.Errorf("entry %+v", got)
	}
	if keys := f.objects(); len(keys) != 0 {
		t.Errorf("objects %v are left of a rejected import", keys)
	}
}

func TestFileChangesAfterItsHeaderWasRead(t *testing.T) {
	t.Parallel()
	for what, other := range map[string][]byte{
		"another rank":  loratest.LoRA{Family: "krea-2", Rank: 200}.File(),
		"another model": loratest.LoRA{Family: "qwen-edit-2511", Naming: loratest.Diffusers}.File(),
		"no tensors":    append(make([]byte, 8), "not a header at all"...),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, storetest.SQLite(t))
			f.sites.AddRepo(loratest.Repo{Name: "ann/fox", Files: map[string][]byte{"fox.safetensors": loratest.LoRA{Family: "krea-2"}.File()}, Unsized: true})
			f.sites.Behave(loratest.StageCDN, loratest.After(1, loratest.Replace(other)))
			r := f.imports("https://" + loratest.HubHost + "/ann/fox/resolve/main/fox.safetensors")
			if got := f.settle(r.ID); got.Status == atelier.LoraReady {
				t.Errorf("the entry is %s", got.Status)
			}
			if keys := f.objects(); len(keys) != 0 {
				t.Errorf("objects %v are left", keys)
			}
		})
	}
}

func TestTrainers(t *testing.T) {
	t.Parallel()
	models := map[string]string{"krea-2": model, "qwen-edit-2511": "qwen_image_edit_2511_fp8", "h3": "minimax-h3-fl2va-fp8_t2v", "h3-r2v": "minimax-h3-ref2va-fp8_r2v"}
	f := newFixture(t, storetest.SQLite(t), func(s *settings) { s.Entries, s.ImportsPerDay = 100, 100 })
	for _, family := range loratest.Families {
		for _, naming := range loratest.Namings {
			q := request(f.put(strings.ReplaceAll(family+string(naming), " ", ""), loratest.LoRA{Family: family, Naming: naming}))
			q.ModelID = models[family]
			r, err := f.e.Import(t.Context(), ann, q)
			if err != nil {
				t.Fatalf("%s with the names of %s: %v", family, naming, err)
			}
			if got := f.settle(r.ID); got.Status != atelier.LoraReady {
				t.Errorf("%s with the names of %s: %+v", family, naming, got)
			}
		}
	}
}

func TestHostileSources(t *testing.T) {
	t.Parallel()
	huge := append([]byte{0, 0, 0, 0, 1, 0, 0, 0}, `{"a":`...) // a header of 4 GiB
	good := loratest.LoRA{Family: "krea-2"}.File()
	for what, c := range map[string]struct {
		file []byte
		cdn  loratest.Behaviour
		want atelier.LoraStatus
	}{
		"huge header":           {file: huge, want: atelier.LoraRejected},
		"no header":             {file: []byte("PK\x03\x04an archive"), want: atelier.LoraRejected},
		"empty":                 {file: []byte{}, want: atelier.LoraRejected},
		"overlapping offsets":   {file: overlapping(), want: atelier.LoraRejected},
		"NaN sizes":             {file: table(`{"a":{"dtype":"F16","shape":[NaN],"data_offsets":[0,2]}}`), want: atelier.LoraRejected},
		"infinite sizes":        {file: table(`{"a":{"dtype":"F16","shape":[1e309],"data_offsets":[0,2]}}`), want: atelier.LoraRejected},
		"archive in its place":  {file: good, cdn: loratest.Send("application/zip", []byte("PK\x03\x04an archive")), want: atelier.LoraRejected},
		"page in its place":     {file: good, cdn: loratest.Send("text/html", []byte("<html>Sign in</html>")), want: atelier.LoraRejected},
		"compressed":            {file: good, cdn: loratest.Gzip(good), want: atelier.LoraRejected},
		"redirect elsewhere":    {file: good, cdn: loratest.Redirect("https://evil.example/x"), want: atelier.LoraRejected},
		"redirect to a private": {file: good, cdn: loratest.Redirect("http://169.254.169.254/latest/meta-data"), want: atelier.LoraRejected},
		"more than it declares": {file: good, cdn: loratest.Chunked(append(bytes.Clone(good), 1, 2, 3)), want: atelier.LoraRejected},
		"less than it declares": {file: good, cdn: loratest.SetHeader("Content-Length", ""), want: ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, storetest.SQLite(t))
			link := f.sites.AddHubFile("ann/fox", "fox.safetensors", c.file)
			if c.cdn != nil {
				f.sites.Behave(loratest.StageCDN, c.cdn)
			}
			r, err := f.e.Import(t.Context(), ann, request(link))
			if err != nil {
				if !atelier.HasCode(err, atelier.CodeInvalidRequest) {
					t.Errorf("import: %v", err)
				}
				return
			}
			got := f.settle(r.ID)
			if c.want != "" && got.Status != c.want || got.Status == atelier.LoraRejected && got.Reason == "" {
				t.Errorf("entry %+v", got)
			}
			if got.Status != atelier.LoraReady && len(f.objects()) != 0 {
				t.Errorf("objects %v are left", f.objects())
			}
		})
	}
}

func table(header string) []byte {
	b := make([]byte, 8, 10+len(header))
	b[0] = byte(len(header))
	return append(append(b, header...), 0, 0)
}

func overlapping() []byte {
	return table(`{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"b":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}`)
}
