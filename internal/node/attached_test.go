package node_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// imageServer has the OpenAI images API. It paints when it is let, and says which keys it saw.
type imageServer struct {
	*httptest.Server
	asked chan string   // the key of each request for a picture
	paint chan struct{} // an element for each picture
}

func newImageServer(t *testing.T, key string) *imageServer {
	t.Helper()
	picture, err := os.ReadFile("../ateliertest/media/image.png")
	if err != nil {
		t.Fatal(err)
	}
	s := &imageServer{asked: make(chan string, 10), paint: make(chan struct{}, 10)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		switch {
		case key != "" && auth != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			fmt.Fprint(w, `{"data": [{"id": "gpt-image-2"}]}`)
		case r.URL.Path == "/v1/images/generations":
			s.asked <- auth
			select {
			case <-s.paint:
			case <-r.Context().Done():
				return
			}
			fmt.Fprintf(w, `{"data":[{"b64_json":%q}]}`, base64.StdEncoding.EncodeToString(picture))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func submitPicture(t *testing.T, s *ateliertest.Service, artist account.Opened, model string) atelier.Job {
	t.Helper()
	j, err := s.Submit(t.Context(), fleet.Submission{
		Wallet: artist.Account.Wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: model, Arguments: map[string]any{"prompt": "a red fox", "width": 512, "height": 512},
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10 * atelier.MoneyUnit, Premium: model == "gpt-image-2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A vendor and an image server are connected, render, and are removed while the service runs. What
// they have begun ends.
func TestConnectImageServers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model    string
		settings func(url string) apitype.ConnectionSettings
	}{
		"vendor": {"gpt-image-2", func(url string) apitype.ConnectionSettings {
			return apitype.ConnectionSettings{Vendor: &apitype.VendorConnection{Protocol: "openai-images", BaseURL: url + "/v1", Models: []apitype.RenderedModel{{ID: "gpt-image-2"}}}}
		}},
		"images": {"z_image_turbo_bf16", func(url string) apitype.ConnectionSettings {
			return apitype.ConnectionSettings{Images: &apitype.ImagesConnection{Protocol: "openai-images", BaseURL: url, Models: []apitype.RenderedModel{{ID: "z_image_turbo_bf16"}}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ateliertest.Start(t, storetest.SQLite(t))
			op := newOperator(t, s).Operator()
			artist := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100 * atelier.MoneyUnit, PremiumSpark: 100 * atelier.MoneyUnit})
			server := newImageServer(t, "sk-images")

			test, err := op.TestConnectionDraft(t.Context(), apitype.ConnectionDraft{APIKey: "wrong", ConnectionSettings: c.settings(server.URL)})
			if err != nil || !strings.Contains(test.Health.Message, "refuses the API key") {
				t.Errorf("a wrong key: %+v, %v", test, err)
			}
			made, err := op.CreateConnection(t.Context(), apitype.NewConnection{Name: "painter", APIKey: "sk-images", ConnectionSettings: c.settings(server.URL)})
			if err != nil || made.Health == nil || made.Health.State != apitype.ConnectionHealthy {
				t.Fatalf("connected: %+v, %v", made, err)
			}
			server.paint <- struct{}{}
			if p := s.FinishedProject(t, submitPicture(t, s, artist, c.model).ProjectID, artist.Key); p.Status != "completed" {
				t.Fatalf("the project: %+v", p)
			}
			if key := <-server.asked; key != "Bearer sk-images" {
				t.Errorf("the server got the key %q", key)
			}

			j := submitPicture(t, s, artist, c.model)
			<-server.asked
			if _, err := op.RemoveConnection(t.Context(), made.ConnectionID, ""); err != nil {
				t.Fatal(err)
			}
			server.paint <- struct{}{}
			if p := s.FinishedProject(t, j.ProjectID, artist.Key); p.Status != "completed" {
				t.Errorf("the render that had begun: %+v", p)
			}
			s.Logged(t, "connection no longer in use")
		})
	}
}

// A hosting site of LoRAs is connected with a token, which goes to it alone; links of its host can
// then be imported.
func TestConnectALoraSource(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t))
	c := client.New(s.URL, s.Account(t, account.NewAccount{Operator: true, Tier: atelier.TierUnlimited}, billing.Credits{}).Key)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer hf_token":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/api/whoami-v2":
			fmt.Fprint(w, `{"name": "ann"}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(site.Close)
	imported := func() error {
		return c.Call(t.Context(), http.MethodPost, "/v1/loras/personal", map[string]any{"url": "https://hub.example/ann/fox/resolve/main/fox.safetensors", "modelId": "krea2_turbo_fp8_scaled", "name": "Fox", "rightsConfirmed": true}, nil)
	}
	if err := imported(); !client.Is(err, http.StatusBadRequest) || !strings.Contains(err.Error(), "must be a link to civitai.com or huggingface.co") {
		t.Errorf("before: %v", err)
	}
	settings := apitype.ConnectionSettings{LoraSource: &apitype.LoraSourceConnection{Site: "huggingface", Host: "hub.example", BaseURL: site.URL}}
	made, err := c.Operator().CreateConnection(t.Context(), apitype.NewConnection{APIKey: "hf_token", ConnectionSettings: settings})
	if err != nil || made.Name != "hub.example" || made.Health == nil || made.Health.Message != "The site answers and accepts the API key." {
		t.Fatalf("connected: %+v, %v", made, err)
	}
	if err := imported(); err == nil || !strings.Contains(err.Error(), "has no such model or file") {
		t.Errorf("after: %v", err)
	}
	if _, err := c.Operator().RemoveConnection(t.Context(), made.ConnectionID, ""); err != nil {
		t.Fatal(err)
	}
	if err := imported(); err == nil || strings.Contains(err.Error(), "has no such model or file") {
		t.Errorf("after the removal: %v", err)
	}
}
