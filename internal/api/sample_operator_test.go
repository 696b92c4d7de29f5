package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/mint"
)

// operating is a request of an operator.
func (h studio) operating(params map[string]string, body map[string]any) actual {
	h.t.Helper()
	olga := h.s.Account(h.t, account.NewAccount{Operator: true}, billing.Credits{})
	return actual{key: olga.Key, params: params, body: body}
}

func (h studio) operate() actual { return h.operating(nil, nil) }

// operateAccount is a request of an operator about an account with a key.
func (h studio) operateAccount() actual {
	h.t.Helper()
	bob := h.s.Account(h.t, account.NewAccount{}, billing.Credits{})
	return h.operating(map[string]string{"wallet": string(bob.Account.Wallet), "id": bob.Key[:8]}, nil)
}

// noClaim is a decision about a claim that does not exist: none waits before a month has ended.
func (h studio) noClaim() actual {
	h.t.Helper()
	a := h.operating(map[string]string{"claimId": "7f8e0f0e-3b0a-4c52-9d55-0c2f3d1b9a10"}, nil)
	a.status = 404
	return a
}

// ownNFT is a request of an operator about an account and an NFT that it has.
func (h studio) ownNFT() actual {
	h.t.Helper()
	a := h.operateAccount()
	a.params["nftTokenId"] = "7"
	client{h.t, h.s, a.key}.do("PUT", "/v1/operator/accounts/"+a.params["wallet"]+"/nfts/7", `{}`, 200, nil)
	return a
}

// spareWorker is a worker that no other sample needs.
func (h studio) spareWorker() string {
	h.t.Helper()
	var made struct{ Worker struct{ WorkerID string } }
	client{h.t, h.s, h.wil}.do("POST", "/v1/worker/sessions", `{"name": "c", "network": "relaxed", "models": ["z_image_turbo_bf16"]}`, 201, &made)
	return made.Worker.WorkerID
}

// reviewable is a personal LoRA. It was not held back, so that it cannot be released,
// whether its import is over or not.
func (h studio) reviewable() actual {
	h.t.Helper()
	a := h.operating(map[string]string{"id": h.importedLora()}, map[string]any{"release": true})
	a.status = 409
	return a
}

// refusal is a refusal of the content filter.
func (h studio) refusal() actual {
	h.t.Helper()
	h.workflow("a nude woman")
	a := h.operate()
	var list struct{ FilterReviews []struct{ ID string } }
	client{h.t, h.s, a.key}.do("GET", "/v1/operator/filter-reviews", "", 200, &list)
	a.params = map[string]string{"id": list.FilterReviews[0].ID}
	return a
}

// lostJob is a job whose outcome at a vendor is unknown.
func (h studio) lostJob() string {
	h.t.Helper()
	own, err := h.s.ServiceAccount(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.s.Node.Billing.Credit(h.t.Context(), h.wallet(), billing.Credits{PremiumSpark: 1000 * atelier.MoneyUnit}); err != nil {
		h.t.Fatal(err)
	}
	vendor := client{h.t, h.s, own.Key}
	var made struct{ Worker struct{ WorkerID string } }
	vendor.do("POST", "/v1/worker/sessions", `{"name": "vendor", "network": "fast", "models": ["gpt-image-2"]}`, 201, &made)
	h.do("POST", workflows, `{"input": {"steps": [{"id": "a", "toolName": "generate_image", "arguments": {"prompt": "a hare", "model": "gpt-image-2"}}]}}`, 201, nil)
	var claimed struct{ Job struct{ JobID string } }
	session := "/v1/worker/sessions/" + made.Worker.WorkerID
	vendor.do("POST", session+"/claim", `{"waitSeconds": 20}`, 200, &claimed)
	vendor.do("POST", session+"/jobs/"+claimed.Job.JobID+"/progress", `{"progress": 0.1, "receipt": "task 7"}`, 200, nil)
	vendor.do("POST", session+"/jobs/"+claimed.Job.JobID+"/fail", `{"code": "unknown", "message": "The vendor does not answer."}`, 200, nil)
	vendor.do("DELETE", session, "", 200, nil)
	return claimed.Job.JobID
}

// published is a template that an operator has published.
func (h studio) published() actual {
	h.t.Helper()
	a := h.operating(map[string]string{"id": "wf_withdrawn"}, nil)
	client{h.t, h.s, a.key}.do("POST", "/v1/operator/templates", `{"template": {"id": "wf_withdrawn", "name": "Withdrawn"}}`, 201, nil)
	return a
}

// connected is a request of an operator about a server that is connected.
func (h studio) connected() actual {
	h.t.Helper()
	a := h.operate()
	var made struct{ Connection struct{ ConnectionID string } }
	body := fmt.Sprintf(`{"name": %q, "llm": {"baseUrl": "http://127.0.0.1:1", "models": [{"id": "sample"}]}}`, "sample-"+mint.UUID()[:8])
	client{h.t, h.s, a.key}.do("POST", "/v1/operator/connections", body, 201, &made)
	a.params = map[string]string{"id": made.Connection.ConnectionID}
	return a
}

// pullable is a request of an operator about the files of a model, for a ComfyUI whose folder is away
// since it was connected: nothing is fetched.
func (h studio) pullable() actual {
	h.t.Helper()
	a := h.operate()
	dir := h.t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "models"), 0o777); err != nil {
		h.t.Fatal(err)
	}
	var made struct{ Connection struct{ ConnectionID string } }
	body := fmt.Sprintf(`{"name": %q, "comfyui": {"baseUrl": "http://127.0.0.1:1", "modelsDir": %q}}`, "sample-"+mint.UUID()[:8], dir)
	client{h.t, h.s, a.key}.do("POST", "/v1/operator/connections", body, 201, &made)
	if err := os.RemoveAll(dir); err != nil {
		h.t.Fatal(err)
	}
	a.params = map[string]string{"name": "z_image_turbo_bf16"}
	a.body = map[string]any{"connectionId": made.Connection.ConnectionID}
	return a
}

// pulled is a request about files that are being fetched.
func (h studio) pulled() actual {
	h.t.Helper()
	a := h.pullable()
	text, err := json.Marshal(a.body)
	if err != nil {
		h.t.Fatal(err)
	}
	client{h.t, h.s, a.key}.do("POST", "/v1/operator/models/z_image_turbo_bf16/pull", string(text), 201, nil)
	a.params["connectionId"] = a.body["connectionId"].(string)
	a.body = nil
	return a
}

// graphed is an operator who has brought a graph.
func (h studio) graphed() actual {
	h.t.Helper()
	a := h.operate()
	name := "har" + strings.Map(func(r rune) rune { return r%16 + 'g' }, mint.UUID()[:8]) // like the example, harbour
	body := fmt.Sprintf(`{"name": %q, "workflow": {"1": {"class_type": "EmptyImage", "inputs": {"width": 64, "height": 64}}, "2": {"class_type": "SaveImage", "inputs": {"images": ["1", 0]}}}}`, name)
	client{h.t, h.s, a.key}.do("POST", "/v1/operator/graphs", body, 201, nil)
	a.params = map[string]string{"name": name}
	return a
}
