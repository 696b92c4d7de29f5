package api

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/webhook"
	"github.com/atelier-project/atelier/internal/wire"
)

// hookEvents are the events that a webhook wants.
type hookEvents []atelier.WebhookEvent

// maxHookEvents is how many events a webhook may name.
const maxHookEvents = 50

// ReadWire implements wire.Reader.
func (e *hookEvents) ReadWire(raw wire.Raw) error {
	if err := wire.Unmarshal(raw, (*[]atelier.WebhookEvent)(e)); err != nil {
		return atelier.Refuse("", "must be an array of strings.")
	}
	if len(*e) == 0 || len(*e) > maxHookEvents {
		return atelier.Refuse("", "must hold 1 to %d events.", maxHookEvents)
	}
	for i, event := range *e {
		if !slices.Contains(atelier.WebhookEvents, event) {
			return atelier.Refuse(fmt.Sprintf("[%d]", i), "must be one of %s.", strings.Join(hookNames(), ", "))
		}
	}
	return nil
}

// hookNames are the events that a webhook may name.
func hookNames() (list []string) {
	for _, e := range atelier.WebhookEvents {
		list = append(list, string(e))
	}
	return list
}

// WireSchema implements wire.Described.
func (hookEvents) WireSchema() wire.Schema {
	return wire.Schema{"type": "array", "minItems": 1, "maxItems": maxHookEvents, "items": wire.Schema{"type": "string", "enum": hookNames()}}
}

// requestWebhook is the webhook that a request names for what it starts: an address, or one with events.
type requestWebhook struct {
	URL    string
	Events hookEvents
}

// requestWebhookBody is one with events.
type requestWebhookBody struct {
	URL    string      `wire:"url,required,minlen=1" doc:"The address."`
	Events *hookEvents `wire:"events" doc:"The events that it gets; all when omitted."`
}

var requestWebhookShape = wire.ShapeOf(reflect.TypeFor[requestWebhookBody](), wire.Strict)

// ReadWire implements wire.Reader.
func (w *requestWebhook) ReadWire(raw wire.Raw) error {
	w.Events = hookEvents{atelier.HookAll}
	if wire.Unmarshal(raw, &w.URL) == nil {
		if w.URL == "" {
			return atelier.Refuse("", "must not be empty.")
		}
		return nil
	}
	if raw.Kind() != '{' {
		return atelier.Refuse("", "must be a URL, or an object with url and events.")
	}
	var body requestWebhookBody
	if err := requestWebhookShape.Body(raw, nil, &body); err != nil {
		return err
	}
	if w.URL = body.URL; body.Events != nil {
		w.Events = *body.Events
	}
	return nil
}

// WireSchema implements wire.Described.
func (requestWebhook) WireSchema() wire.Schema {
	return wire.Schema{"oneOf": []wire.Schema{{"type": "string", "format": "uri"}, {
		"type": "object", "required": []string{"url"}, "additionalProperties": false,
		"properties": wire.Schema{"url": wire.Schema{"type": "string", "format": "uri"}, "events": hookEvents{}.WireSchema()},
	}}}
}

// named is the webhook as engines take it; nil when the request names none.
func (w requestWebhook) named() *atelier.RequestWebhook {
	if w.URL == "" {
		return nil
	}
	return &atelier.RequestWebhook{URL: w.URL, Events: w.Events}
}

func (s *Server) listWebhooks(c *endpoint.Call, _ endpoint.Empty) (apitype.Webhooks, error) {
	return s.webhooks.List(c, c.Caller.Wallet)
}

type newWebhookRequest struct {
	URL    string     `wire:"url,required,minlen=1" doc:"The http or https address that gets the events. It must be on the public Internet."`
	Events hookEvents `wire:"events,required" doc:"The events that it gets; * stands for all, also later ones."`
}

func (s *Server) createWebhook(c *endpoint.Call, q newWebhookRequest) (apitype.WebhookReply, error) {
	w, err := s.webhooks.Create(c, c.Caller.Wallet, q.URL, q.Events)
	return apitype.WebhookReply{Webhook: w}, err
}

type webhookID struct {
	ID string `path:"id" example:"wh_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
}

func (s *Server) readWebhook(c *endpoint.Call, q webhookID) (apitype.WebhookReply, error) {
	w, err := s.webhooks.Read(c, c.Caller.Wallet, q.ID)
	return apitype.WebhookReply{Webhook: w}, err
}

type webhookPatch struct {
	ID     string                 `path:"id" example:"wh_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	URL    *string                `wire:"url,minlen=1" doc:"The address that gets the events from now on, also those that wait."`
	Events *hookEvents            `wire:"events" doc:"The events that it gets from now on."`
	Status *atelier.WebhookStatus `wire:"status,enum=enabled|disabled" doc:"enabled sends again; disabled ends the deliveries that wait."`
}

func (s *Server) patchWebhook(c *endpoint.Call, q webhookPatch) (apitype.WebhookReply, error) {
	w, err := s.webhooks.Update(c, c.Caller.Wallet, q.ID, webhook.Change{URL: q.URL, Events: (*[]atelier.WebhookEvent)(q.Events), Status: q.Status})
	return apitype.WebhookReply{Webhook: w}, err
}

func (s *Server) deleteWebhook(c *endpoint.Call, q webhookID) (apitype.DeletedWebhook, error) {
	return apitype.DeletedWebhook{Deleted: true, WebhookID: q.ID}, s.webhooks.Delete(c, c.Caller.Wallet, q.ID)
}

func (s *Server) rotateWebhook(c *endpoint.Call, q webhookID) (apitype.WebhookReply, error) {
	w, err := s.webhooks.Rotate(c, c.Caller.Wallet, q.ID)
	return apitype.WebhookReply{Webhook: w}, err
}

func (s *Server) testWebhook(c *endpoint.Call, q webhookID) (apitype.WebhookDeliveryReply, error) {
	d, err := s.webhooks.Test(c, c.Caller.Wallet, q.ID)
	return apitype.WebhookDeliveryReply{Delivery: d}, err
}

type deliveriesRequest struct {
	ID     string                 `path:"id" example:"wh_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Status atelier.DeliveryStatus `wire:"status,enum=waiting|sending|delivered|failed" doc:"Only those in this status."`
	Cursor string                 `wire:"cursor,maxlen=400" doc:"From nextCursor of the page before."`
	Limit  int                    `wire:"limit,default=20,min=1,max=50" doc:"How many to list."`
}

// deliveryCost is the approximate memory of a delivery while a list is made.
const deliveryCost = 32 << 10

func (s *Server) listDeliveries(c *endpoint.Call, q deliveriesRequest) (apitype.WebhookDeliveries, error) {
	if err := c.Reserve(int64(q.Limit) * deliveryCost); err != nil {
		return apitype.WebhookDeliveries{}, err
	}
	return s.webhooks.Deliveries(c, c.Caller.Wallet, q.ID, webhook.Query{Status: q.Status, Cursor: q.Cursor, Limit: q.Limit})
}

type deliveryID struct {
	ID         string `path:"id" example:"wh_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	DeliveryID string `path:"deliveryId" example:"msg_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
}

func (s *Server) redeliver(c *endpoint.Call, q deliveryID) (apitype.WebhookDeliveryReply, error) {
	d, err := s.webhooks.Redeliver(c, c.Caller.Wallet, q.ID, q.DeliveryID)
	return apitype.WebhookDeliveryReply{Delivery: d}, err
}
