package api_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// actual is what a sample gets in place of what it makes up.
type actual struct {
	key     string            // the credential; an artist's when empty
	params  map[string]string // parameters by name
	body    map[string]any    // members of the body
	request *http.Request     // the whole request, where a signature says what it is
	status  int               // the documented status that is expected; any 2xx when 0
	waits   bool              // it is answered when the worker has rendered what it asks for
}

const runs = "/v1/chat/runs"

// runView is what tests read of a run.
type runView struct {
	RunID   string
	Status  atelier.Status
	Waiting *struct {
		Reason  string
		Details struct {
			ToolCallID          string
			CostApprovalPreview map[string]any
		}
	}
}

func byID(id string) actual { return actual{params: map[string]string{"id": id}} }

// actuals says, for the samples that make something up, what there is instead.
var actuals = map[string]func(h studio) actual{
	"POST /v1/assets/{id}/finalize": func(h studio) actual { return byID(h.asset().ID) },
	"POST /v1/assets/{id}/bind":     func(h studio) actual { return byID(h.savedAsset()) },
	"DELETE /v1/assets/{id}":        func(h studio) actual { return byID(h.savedAsset()) },

	"GET " + workflows + "/{id}":                        func(h studio) actual { id, _ := h.workflow("a fox"); return byID(id) },
	"GET " + workflows + "/{id}/events":                 func(h studio) actual { id, _ := h.workflow("a fox"); return byID(id) },
	"POST " + workflows + "/{id}/cancel":                func(h studio) actual { id, _ := h.workflow("a fox"); return byID(id) },
	"POST " + workflows + "/{id}/reseed":                func(h studio) actual { return byID(h.finished()) },
	"POST " + workflows + "/{id}/steps/{stepId}/remake": func(h studio) actual { return byID(h.finished()).answered(409) }, // no fallback worker has made it
	"POST " + workflows + "/{id}/resume":                func(h studio) actual { id, _ := h.workflow("a nude woman"); return byID(id) },
	"GET " + workflows + "/{id}/events/stream": func(h studio) actual {
		id, _ := h.workflow("a fox")
		h.do("POST", workflows+"/"+id+"/cancel", "", 200, nil)
		return byID(id)
	},
	"POST " + workflows + "/{id}/confirm-cost": func(h studio) actual {
		var started struct {
			Workflow apitype.Workflow
			Preview  map[string]any
		}
		h.do("POST", workflows, fmt.Sprintf(`{"workflow_id": %q}`, h.template()), 202, &started)
		a := byID(started.Workflow.WorkflowID)
		a.body = map[string]any{"acceptedCostPreview": started.Preview}
		return a
	},

	"PATCH /v1/assets/{id}":          func(h studio) actual { return byID(h.savedAsset()) },
	"PATCH /v1/artifacts/{id}":       func(h studio) actual { return byID(h.artifact().ArtifactID) },
	"PATCH /v1/library/boards/{id}":  func(h studio) actual { return byID(h.board("Foxes 1")) },
	"DELETE /v1/library/boards/{id}": func(h studio) actual { return byID(h.board("Foxes 2")) },
	"PUT /v1/library/boards/{id}/workflows/{workflowId}": func(h studio) actual {
		id, _ := h.workflow("a fox")
		return actual{params: map[string]string{"id": h.board("Foxes 3"), "workflowId": id}}
	},

	"DELETE /v1/presets/{kind}/{name}": func(h studio) actual {
		h.do("PUT", "/v1/presets/style/Oil", `{"value": "oil on canvas"}`, 200, nil)
		return actual{}
	},

	"GET /v1/webhooks/{id}":                                    func(h studio) actual { return byID(h.webhook("https://example.com/")) },
	"PATCH /v1/webhooks/{id}":                                  func(h studio) actual { return byID(h.webhook("https://example.com/")) },
	"DELETE /v1/webhooks/{id}":                                 func(h studio) actual { return byID(h.webhook("https://example.com/")) },
	"POST /v1/webhooks/{id}/rotate-secret":                     func(h studio) actual { return byID(h.webhook("https://example.com/")) },
	"POST /v1/webhooks/{id}/test":                              func(h studio) actual { return byID(h.webhook("https://example.com/")) },
	"GET /v1/webhooks/{id}/deliveries":                         func(h studio) actual { return byID(h.webhook("https://example.com/")) },
	"POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": studio.undelivered,

	"GET /v1/artifacts/{id}":    func(h studio) actual { return byID(h.artifact().ArtifactID) },
	"DELETE /v1/artifacts/{id}": func(h studio) actual { return byID(h.artifact().ArtifactID) },
	"GET /v1/artifacts/{id}/thumbnail": func(h studio) actual {
		return actual{request: newRequest(h.t, "GET", h.artifact().ThumbnailURL, nil)}
	},
	"GET /v1/events/stream": func(h studio) actual { // it does not end by itself
		req := newRequest(h.t, "HEAD", h.s.URL+"/v1/events/stream", nil)
		req.Header.Set("Authorization", "Bearer "+h.key)
		return actual{request: req}
	},

	"GET " + runs + "/{id}":         func(h studio) actual { return byID(h.pausedRun().RunID) },
	"GET " + runs + "/{id}/events":  func(h studio) actual { return byID(h.pausedRun().RunID) },
	"POST " + runs + "/{id}/cancel": func(h studio) actual { return byID(h.pausedRun().RunID) },
	"GET " + runs + "/{id}/events/stream": func(h studio) actual {
		id := h.pausedRun().RunID
		h.do("POST", runs+"/"+id+"/cancel", "{}", 200, nil)
		return byID(id)
	},
	"POST " + runs + "/{id}/confirm-cost": func(h studio) actual {
		r := h.pausedRun()
		a := byID(r.RunID)
		a.body = map[string]any{"tool_call_id": r.Waiting.Details.ToolCallID, "acceptedCostPreview": r.Waiting.Details.CostApprovalPreview}
		return a
	},

	"GET /v1/chat/conversations/{sessionId}":    studio.conversation,
	"PATCH /v1/chat/conversations/{sessionId}":  studio.conversation,
	"DELETE /v1/chat/conversations/{sessionId}": studio.conversation,

	"GET " + workflows + "/templates/{id}":       func(h studio) actual { return byID(h.template()) },
	"PATCH " + workflows + "/templates/{id}":     func(h studio) actual { return byID(h.template()) },
	"DELETE " + workflows + "/templates/{id}":    func(h studio) actual { return byID(h.template()) },
	"POST " + workflows + "/templates/{id}/fork": func(h studio) actual { return byID(h.template()) },

	"POST /v1/loras/personal":            func(h studio) actual { return actual{body: map[string]any{"url": h.lora}} },
	"POST /v1/loras/personal/upload":     studio.uploadsLora,
	"POST /mcp":                          studio.asksMCP,
	"POST /v1/audio/transcriptions":      func(h studio) actual { return h.sendsPicture("/v1/audio/transcriptions", "file").answered(400) }, // no model is named
	"POST /v1/audio/translations":        func(h studio) actual { return h.sendsPicture("/v1/audio/translations", "file").answered(400) },
	"POST /v1/audio/speech":              func(studio) actual { return actual{waits: true} },
	"POST /sdapi/v1/txt2img":             func(studio) actual { return actual{waits: true} },
	"POST /sdapi/v1/img2img":             func(studio) actual { return actual{waits: true} },
	"POST /v1/images/generations":        func(studio) actual { return actual{waits: true} },
	"POST /v1/images/edits":              func(h studio) actual { return h.sendsPicture("/v1/images/edits", "image") },
	"POST /v1/images/variations":         func(h studio) actual { return h.sendsPicture("/v1/images/variations", "image") },
	"GET /v1/responses/{id}":             func(h studio) actual { return byID(h.response()) },
	"DELETE /v1/responses/{id}":          func(h studio) actual { return byID(h.response()) },
	"POST /v1/responses/{id}/cancel":     func(h studio) actual { return byID(h.response()) },
	"GET /v1/responses/{id}/input_items": func(h studio) actual { return byID(h.response()) },
	"POST /v1/embeddings":                func(studio) actual { return actual{status: 404} }, // no model server is connected
	"POST /v1/files":                     func(h studio) actual { return h.sendsPicture("/v1/files", "file") },
	"GET /v1/files/{id}":                 func(h studio) actual { return byID(h.savedAsset()) },
	"DELETE /v1/files/{id}":              func(h studio) actual { return byID(h.savedAsset()) },
	"GET /v1/files/{id}/content":         func(h studio) actual { return byID(h.savedAsset()) },
	"POST /v1/videos":                    func(h studio) actual { return h.sendsPicture("/v1/videos", "input_reference") },
	"GET /v1/videos/{id}":                func(h studio) actual { return byID(h.clip()) },
	"DELETE /v1/videos/{id}":             func(h studio) actual { return byID(h.clip()) },
	"GET /v1/videos/{id}/content":        func(h studio) actual { return byID(h.clip()) },
	"POST /v1/videos/{id}/remix":         func(h studio) actual { return byID(h.clip()) },

	"GET /replicate/v1/predictions/{id}":         func(h studio) actual { return byID(h.prediction().ID) },
	"POST /replicate/v1/predictions/{id}/cancel": func(h studio) actual { return byID(h.prediction().ID) },
	"GET /replicate/v1/predictions/{id}/stream": func(h studio) actual {
		p := h.prediction()
		h.do("POST", "/replicate/v1/predictions/"+p.ID+"/cancel", "", 200, nil)
		return actual{request: newRequest(h.t, "GET", p.URLs.Stream, nil)}
	},
	"GET /replicate/v1/models/{owner}/{name}/versions/{version}": func(h studio) actual {
		return actual{params: map[string]string{"version": h.prediction().Version}}
	},
	"POST /replicate/v1/files":        func(h studio) actual { return h.sendsPicture("/replicate/v1/files", "content") },
	"GET /replicate/v1/files/{id}":    func(h studio) actual { return byID(h.savedAsset()) },
	"DELETE /replicate/v1/files/{id}": func(h studio) actual { return byID(h.savedAsset()) },

	"GET /v1/loras/personal/{id}":    func(h studio) actual { return byID(h.importedLora()) },
	"DELETE /v1/loras/personal/{id}": func(h studio) actual { return byID(h.importedLora()) },

	"GET /v1/replay/records/{id}": func(h studio) actual { return byID(h.replay()) },

	"GET /v2/projects/{id}": func(h studio) actual { _, project := h.workflow("a fox"); return byID(project) },
	"GET /v2/image/downloadUrl": func(h studio) actual {
		return uploaded(h, "/v2/image/uploadUrl?type=startingImage", "image/png", picture(8, 8))
	},
	"GET /v2/media/downloadUrl": func(h studio) actual {
		file, err := ateliertest.Sample("video/mp4")
		if err != nil {
			h.t.Fatal(err)
		}
		return uploaded(h, "/v2/media/uploadUrl?type=referenceVideo", "video/mp4", file)
	},
	"GET /v2/image/uploadUrl": func(studio) actual { return actual{params: map[string]string{"jobId": mint.UUID()}} },
	"GET /v2/media/uploadUrl": func(studio) actual { return actual{params: map[string]string{"jobId": mint.UUID()}} },

	"POST /v1/worker/sessions": func(h studio) actual { return actual{key: h.wil} },
	"POST /v1/worker/sessions/{workerId}/claim": func(h studio) actual {
		return actual{key: h.wil, params: map[string]string{"workerId": string(h.worker.ID)}}
	},
	"POST /v1/worker/sessions/{workerId}/heartbeat": func(h studio) actual {
		return actual{key: h.wil, params: map[string]string{"workerId": string(h.worker.ID)}}
	},
	"POST /v1/worker/sessions/{workerId}/jobs/{jobId}/progress": studio.reported,
	"POST /v1/worker/sessions/{workerId}/jobs/{jobId}/fail":     studio.reported,
	"POST /v1/worker/sessions/{workerId}/jobs/{jobId}/complete": studio.leased,
	"DELETE /v1/worker/sessions/{workerId}": func(h studio) actual {
		var made struct{ Worker struct{ WorkerID string } }
		client{h.t, h.s, h.wil}.do("POST", "/v1/worker/sessions", `{"name": "b", "network": "relaxed", "models": ["z_image_turbo_bf16"]}`, 201, &made)
		return actual{key: h.wil, params: map[string]string{"workerId": made.Worker.WorkerID}}
	},

	"GET /storage/{key}": func(h studio) actual {
		a := uploaded(h, "/v2/image/uploadUrl?type=startingImage", "image/png", picture(8, 8))
		var d struct{ DownloadURL string }
		h.do("GET", "/v2/image/downloadUrl?type=startingImage&jobId="+a.params["jobId"], "", 200, &d)
		return actual{request: newRequest(h.t, "GET", d.DownloadURL, nil)}
	},
	"PUT /storage/{key}": func(h studio) actual {
		file := picture(8, 8)
		p := h.prepare(file, "image/png")
		req := newRequest(h.t, "PUT", p.UploadURL, file)
		for name, value := range p.UploadHeaders {
			req.Header.Set(name, value)
		}
		return actual{request: req}
	},
	"POST /storage": func(h studio) actual {
		var f form
		h.do("GET", "/v2/image/uploadUrl?type=startingImage&jobId="+mint.UUID(), "", 200, &f)
		body, kind := f.encode(h.t, "image/png", picture(8, 8))
		req := newRequest(h.t, "POST", f.URL, body)
		req.Header.Set("Content-Type", kind)
		return actual{request: req}
	},

	"POST /v1/console/sessions":                     func(h studio) actual { return actual{body: map[string]any{"apiKey": h.key}} },
	"GET /v1/console/session":                       func(h studio) actual { return actual{request: h.fromConsole("GET", "/v1/console/session")} },
	"DELETE /v1/console/session":                    func(h studio) actual { return actual{request: h.fromConsole("DELETE", "/v1/console/session")} },
	"PATCH /v1/console/session":                     func(studio) actual { return actual{status: 403} }, // a session of a key, which is no member's
	"GET /v1/console/providers/{provider}/begin":    func(studio) actual { return actual{status: 404} }, // no provider is configured
	"GET /v1/console/providers/{provider}/callback": func(studio) actual { return actual{status: 404} },
	"PATCH /v1/account/members/{id}":                func(h studio) actual { return byID(string(h.member().Member.Person.ID)) },
	"DELETE /v1/account/members/{id}":               func(h studio) actual { return byID(string(h.member().Member.Person.ID)) },
	"DELETE /v1/account/invitations/{id}":           func(h studio) actual { _, id := h.invitation(); return byID(id) },
	"DELETE /v1/account/sessions/{id}":              func(h studio) actual { return byID(h.ownSession()) },
	"POST /v1/invitations/accept": func(h studio) actual {
		code, _ := h.invitation()
		return actual{body: map[string]any{"code": code}}
	},
	"GET /v1/operator/accounts/{wallet}/members":         studio.operateAccount,
	"POST /v1/operator/accounts/{wallet}/members":        studio.operateAccount,
	"PATCH /v1/operator/accounts/{wallet}/members/{id}":  studio.operateMember,
	"DELETE /v1/operator/accounts/{wallet}/members/{id}": studio.operateMember,

	"PATCH /v1/account/keys/{id}":  func(h studio) actual { return byID(h.ownKey()) },
	"DELETE /v1/account/keys/{id}": func(h studio) actual { return byID(h.ownKey()) },

	"GET /v1/operator/accounts":                           studio.operate,
	"POST /v1/operator/accounts":                          studio.operate,
	"GET /v1/operator/accounts/{wallet}":                  studio.operateAccount,
	"POST /v1/operator/accounts/{wallet}/credit":          studio.operateAccount,
	"PUT /v1/operator/accounts/{wallet}/plan":             studio.operateAccount,
	"PUT /v1/operator/accounts/{wallet}/operator":         studio.operateAccount,
	"POST /v1/operator/accounts/{wallet}/suspend":         studio.operateAccount,
	"POST /v1/operator/accounts/{wallet}/reinstate":       studio.operateAccount,
	"GET /v1/operator/accounts/{wallet}/keys":             studio.operateAccount,
	"POST /v1/operator/accounts/{wallet}/keys":            studio.operateAccount,
	"DELETE /v1/operator/accounts/{wallet}/keys":          studio.operateAccount,
	"PUT /v1/operator/accounts/{wallet}/keys/{id}/limits": studio.operateAccount,
	"DELETE /v1/operator/accounts/{wallet}/keys/{id}":     studio.operateAccount,
	"POST /v1/operator/accounts/{wallet}/tokens":          studio.operateAccount,
	"POST /v1/operator/accounts/{wallet}/claim":           studio.operateAccount,
	"GET /v1/operator/claims":                             studio.operate,
	"GET /v1/operator/spot-checks":                        studio.operate,
	"POST /v1/operator/claims/{claimId}":                  studio.noClaim,
	"GET /v1/operator/search":                             studio.operate,
	"GET /v1/operator/workers":                            studio.operate,
	"GET /v1/operator/jobs":                               studio.operate,
	"GET /v1/operator/failures":                           studio.operate,
	"GET /v1/operator/unresolved":                         studio.operate,
	"GET /v1/operator/loras":                              studio.operate,
	"GET /v1/operator/filter-reviews":                     studio.operate,
	"GET /v1/operator/actions":                            studio.operate,
	"GET /v1/operator/health":                             studio.operate,
	"GET /v1/operator/history":                            studio.operate,
	"POST /v1/operator/keys/revoke":                       func(h studio) actual { return h.operating(nil, map[string]any{"apiKey": h.key}) },
	"POST /v1/operator/workers/{id}/drain":                func(h studio) actual { return h.operating(map[string]string{"id": h.spareWorker()}, nil) },
	"GET /v1/operator/workers/{id}":                       func(h studio) actual { return h.operating(map[string]string{"id": h.spareWorker()}, nil) },
	"GET /v1/operator/workers/{id}/history":               func(h studio) actual { return h.operating(map[string]string{"id": h.spareWorker()}, nil) },
	"GET /v1/operator/jobs/{id}": func(h studio) actual {
		j := h.leased()
		return h.operating(map[string]string{"id": j.params["jobId"]}, nil)
	},
	"GET /v1/operator/loras/{id}":                  func(h studio) actual { return h.operating(map[string]string{"id": h.importedLora()}, nil) },
	"POST /v1/operator/loras/{id}/revoke":          func(h studio) actual { return h.operating(map[string]string{"id": h.importedLora()}, nil) },
	"POST /v1/operator/loras/{id}/review":          studio.reviewable,
	"POST /v1/operator/filter-reviews/{id}":        studio.refusal,
	"POST /v1/operator/unresolved/{jobId}/resolve": func(h studio) actual { return h.operating(map[string]string{"jobId": h.lostJob()}, nil) },

	"GET /v1/operator/connections":            studio.operate,
	"POST /v1/operator/connections":           studio.operate,
	"POST /v1/operator/connections/test":      studio.operate,
	"POST /v1/operator/connections/discover":  studio.operate,
	"GET /v1/operator/connections/{id}":       studio.connected,
	"PATCH /v1/operator/connections/{id}":     studio.connected,
	"DELETE /v1/operator/connections/{id}":    studio.connected,
	"POST /v1/operator/connections/{id}/test": studio.connected,

	"GET /v1/operator/models/{name}/pull":    studio.pullable,
	"POST /v1/operator/models/{name}/pull":   studio.pullable,
	"DELETE /v1/operator/models/{name}/pull": studio.pulled,
	"GET /v1/operator/graphs":                studio.operate,
	"POST /v1/operator/graphs":               studio.operate,
	"POST /v1/operator/graphs/inspect":       studio.operate,
	"GET /v1/operator/graphs/{name}":         studio.graphed,
	"PUT /v1/operator/graphs/{name}":         studio.graphed,
	"DELETE /v1/operator/graphs/{name}":      studio.graphed,

	"POST /v1/operator/templates":        studio.operate,
	"DELETE /v1/operator/templates/{id}": studio.published,

	"GET /v2/wallet/balance": func(studio) actual { return actual{status: 503} }, // no chain is configured

	"PUT /v1/operator/accounts/{wallet}/nfts/{nftTokenId}":    studio.ownNFT,
	"DELETE /v1/operator/accounts/{wallet}/nfts/{nftTokenId}": studio.ownNFT,
}

// uploaded is an upload of the artist's that came.
func uploaded(h studio, formURL, kind string, file []byte) actual {
	h.t.Helper()
	project := mint.UUID()
	var f form
	h.do("GET", formURL+"&jobId="+project, "", 200, &f)
	if status, text := h.post(f, kind, file); status != 204 {
		h.t.Fatalf("upload: %d %s", status, text)
	}
	return actual{params: map[string]string{"jobId": project}}
}

func newRequest(t *testing.T, method, url string, body []byte) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// sampleRequest is the request that the reference shows for an operation, with what
// is made up replaced.
func sampleRequest(t *testing.T, base string, op ateliertest.Operation, a actual) *http.Request {
	t.Helper()
	path, query := op.Path, url.Values{}
	for _, p := range op.Parameters {
		value, given := a.params[p.Name]
		if !given {
			value, given = p.Example, p.Example != ""
		}
		switch {
		case p.Required && !given:
			t.Fatalf("the parameter %s has no example: give its declaration one, or actuals an id of something real", p.Name)
		case p.In == "path":
			path = strings.Replace(path, "{"+p.Name+"}", value, 1)
		case p.In == "query" && given:
			query.Set(p.Name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if !op.TakesJSON {
		return newRequest(t, op.Method, base+path, nil)
	}
	if op.Example == nil {
		t.Fatal("the body has no example: give its request a WireExample")
	}
	example := maps.Clone(op.Example)
	for name, value := range a.body {
		if _, there := example[name]; !there {
			t.Errorf("the example has no %s", name)
		}
		example[name] = value
	}
	body, err := json.Marshal(example)
	if err != nil {
		t.Fatal(err)
	}
	req := newRequest(t, op.Method, base+path, body)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// Every sample of the reference is a valid request: with real ids it succeeds, in a
// way that the reference documents.
func TestSamplesOfTheReference(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		h := openStudio(t, o)
		known := maps.Clone(actuals)
		for _, op := range ateliertest.Operations(t, h.s) {
			find := known[op.Method+" "+op.Path]
			delete(known, op.Method+" "+op.Path)
			t.Run(op.Method+strings.ReplaceAll(op.Path, "/", " "), func(t *testing.T) {
				h := h.artist(t)
				var a actual
				if find != nil {
					a = find(h)
				}
				tryOperation(t, h, op, a)
			})
		}
		for name := range known {
			t.Errorf("%s is no operation of the reference", name)
		}
	})
}

func tryOperation(t *testing.T, h studio, op ateliertest.Operation, a actual) {
	for _, p := range op.Parameters {
		if real := a.params[p.Name]; p.In == "path" && real != "" {
			checkExampleID(t, p.Name, p.Example, real)
		}
	}
	req := a.request
	if req == nil {
		req = sampleRequest(t, h.s.URL, op, a)
		req.Header.Set("Authorization", "Bearer "+cmp.Or(a.key, h.key))
	}
	var (
		resp     *http.Response
		err      error
		answered = make(chan struct{})
	)
	go func() {
		defer close(answered)
		resp, err = http.DefaultClient.Do(req)
	}()
	if a.waits {
		h.renderAll()
	}
	if <-answered; err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != a.status && (a.status != 0 || resp.StatusCode >= 300) {
		t.Errorf("%s %s: got %d %.1000q", op.Method, req.URL, resp.StatusCode, text)
	}
	if !slices.Contains(op.Statuses, strconv.Itoa(resp.StatusCode)) {
		t.Errorf("%s %s: the status %d is not documented", op.Method, req.URL, resp.StatusCode)
	}
}

// A 404 says which parameter named what is not there.
func TestNotFoundNamesTheParameter(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		h := openStudio(t, o).artist(t)
		walked := 0
		for _, op := range ateliertest.Operations(t, h.s) {
			switch {
			case !strings.Contains(op.Path, "{"):
			case strings.HasPrefix(op.Path, "/storage"), strings.HasSuffix(op.Path, "/thumbnail"), strings.HasSuffix(op.Path, "/predictions/{id}/stream"): // a signature comes first there
			case strings.HasSuffix(op.Path, "/nft/{nftTokenId}"): // an NFT that no worker has had counts zero
			case op.Path == "/v1/model-gallery/{modelId}": // an unknown model has no samples, which is no error
			default:
				walked++
				t.Run(op.Method+strings.ReplaceAll(op.Path, "/", " "), func(t *testing.T) { missOperation(t, h, op) })
			}
		}
		if walked < 20 {
			t.Errorf("got %d operations with something in their path, want 20 or more", walked)
		}
	})
}

// checkExampleID checks that the example of an id has the form of a real one.
func checkExampleID(t *testing.T, name, example, real string) {
	t.Helper()
	if idForm(example) != idForm(real) {
		t.Errorf("the example of %s is %q, which has not the form of %q", name, example, real)
	}
}

var randomPart = regexp.MustCompile(`[0-9a-f]{4,}`)

// idForm is what ids of one kind have in common: all but their random parts, or the first
// letters of one that is made of words.
func idForm(id string) string {
	if form := randomPart.ReplaceAllString(id, "*"); form != id {
		return form
	}
	return id[:min(3, len(id))]
}

func missOperation(t *testing.T, h studio, op ateliertest.Operation) {
	const nowhere = "00000000-0000-4000-8000-00000000dead"
	params, first := map[string]string{}, ""
	for _, p := range op.Parameters {
		if p.In == "path" {
			params[p.Name] = nowhere
			if strings.HasPrefix(op.Path, "/v1/loras/personal/") { // others have another form
				params[p.Name] = "personal-" + nowhere
			}
			first = cmp.Or(first, p.Name)
		}
	}
	key := h.key
	if strings.HasPrefix(op.Path, "/v1/worker/") {
		key = h.wil
	}
	if strings.HasPrefix(op.Path, "/v1/operator/") {
		key = h.operate().key
	}
	req := sampleRequest(t, h.s.URL, op, actual{params: params})
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		Message string
		Details struct{ Field string }
		Error   struct{ Message, Param string }
		Detail  string
		Invalid []struct{ Field string } `json:"invalid_fields"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	message, field := got.Message, got.Details.Field
	if got.Error.Message != "" { // in OpenAI's envelope
		message, field = got.Error.Message, got.Error.Param
	}
	if len(got.Invalid) == 1 { // in Replicate's
		message, field = got.Detail, got.Invalid[0].Field
	}
	if strings.HasPrefix(op.Path, "/v1/models/") { // its param is named as OpenAI names it
		field = first
	}
	if resp.StatusCode != 404 || field != first || !strings.Contains(message, first) || !strings.Contains(message, nowhere) {
		t.Errorf("got %d, field %q, %q; want 404 about %s and what was looked for", resp.StatusCode, field, message, first)
	}
}
