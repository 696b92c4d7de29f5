package telemetry

import (
	"fmt"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The JSON form of OTLP: ids in hexadecimal, times and whole numbers as
// strings, names in camel case.

type otlpRequest struct {
	ResourceSpans []otlpResourceSpans `json:"resourceSpans"`
}

type otlpResourceSpans struct {
	Resource   otlpResource     `json:"resource"`
	ScopeSpans []otlpScopeSpans `json:"scopeSpans"`
	SchemaURL  string           `json:"schemaUrl,omitempty"`
}

type otlpResource struct {
	Attributes []otlpAttribute `json:"attributes"`
}

type otlpScopeSpans struct {
	Scope otlpScope  `json:"scope"`
	Spans []otlpSpan `json:"spans"`
}

type otlpScope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type otlpSpan struct {
	TraceID      string          `json:"traceId"`
	SpanID       string          `json:"spanId"`
	ParentSpanID string          `json:"parentSpanId,omitempty"`
	TraceState   string          `json:"traceState,omitempty"`
	Flags        uint32          `json:"flags"`
	Name         string          `json:"name"`
	Kind         int             `json:"kind"`
	Start        string          `json:"startTimeUnixNano"`
	End          string          `json:"endTimeUnixNano"`
	Attributes   []otlpAttribute `json:"attributes,omitempty"`
	Events       []otlpEvent     `json:"events,omitempty"`
	Status       otlpStatus      `json:"status"`
}

type otlpEvent struct {
	Time       string          `json:"timeUnixNano"`
	Name       string          `json:"name"`
	Attributes []otlpAttribute `json:"attributes,omitempty"`
}

type otlpStatus struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code,omitzero"`
}

type otlpAttribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// describeSpans groups spans by the resource and scope they come from.
func describeSpans(spans []sdktrace.ReadOnlySpan) otlpRequest {
	var request otlpRequest
	places := map[*resource.Resource]int{}
	scopes := map[*resource.Resource]map[instrumentation.Scope]int{}
	for _, s := range spans {
		r, scope := s.Resource(), s.InstrumentationScope()
		at, ok := places[r]
		if !ok {
			at = len(request.ResourceSpans)
			places[r], scopes[r] = at, map[instrumentation.Scope]int{}
			request.ResourceSpans = append(request.ResourceSpans, otlpResourceSpans{Resource: otlpResource{attributesOf(r.Attributes())}, SchemaURL: r.SchemaURL()})
		}
		group := &request.ResourceSpans[at]
		in, ok := scopes[r][scope]
		if !ok {
			in = len(group.ScopeSpans)
			scopes[r][scope] = in
			group.ScopeSpans = append(group.ScopeSpans, otlpScopeSpans{Scope: otlpScope{scope.Name, scope.Version}})
		}
		group.ScopeSpans[in].Spans = append(group.ScopeSpans[in].Spans, describeSpan(s))
	}
	return request
}

func describeSpan(s sdktrace.ReadOnlySpan) otlpSpan {
	ctx := s.SpanContext()
	out := otlpSpan{
		TraceID: ctx.TraceID().String(), SpanID: ctx.SpanID().String(), TraceState: ctx.TraceState().String(), Flags: uint32(ctx.TraceFlags()),
		Name: s.Name(), Kind: spanKind(s.SpanKind()), Start: nanos(s.StartTime()), End: nanos(s.EndTime()), Attributes: attributesOf(s.Attributes()),
		Status: otlpStatus{Message: s.Status().Description, Code: map[codes.Code]int{codes.Ok: 1, codes.Error: 2}[s.Status().Code]},
	}
	if s.Parent().SpanID().IsValid() {
		out.ParentSpanID = s.Parent().SpanID().String()
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, otlpEvent{nanos(e.Time), e.Name, attributesOf(e.Attributes)})
	}
	return out
}

func spanKind(k trace.SpanKind) int {
	return map[trace.SpanKind]int{trace.SpanKindInternal: 1, trace.SpanKindServer: 2, trace.SpanKindClient: 3, trace.SpanKindProducer: 4, trace.SpanKindConsumer: 5}[k]
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func attributesOf(list []attribute.KeyValue) (out []otlpAttribute) {
	for _, kv := range list {
		out = append(out, otlpAttribute{string(kv.Key), valueOf(kv.Value)})
	}
	return out
}

func valueOf(v attribute.Value) map[string]any {
	switch v.Type() {
	case attribute.BOOL:
		return map[string]any{"boolValue": v.AsBool()}
	case attribute.INT64:
		return map[string]any{"intValue": strconv.FormatInt(v.AsInt64(), 10)}
	case attribute.FLOAT64:
		return map[string]any{"doubleValue": v.AsFloat64()}
	case attribute.STRING:
		return map[string]any{"stringValue": v.AsString()}
	}
	var values []map[string]any // a list of one of them
	for _, item := range listOf(v) {
		values = append(values, map[string]any{"stringValue": fmt.Sprint(item)})
	}
	return map[string]any{"arrayValue": map[string]any{"values": values}}
}

func listOf(v attribute.Value) (out []any) {
	switch list := v.AsInterface().(type) {
	case []string:
		for _, s := range list {
			out = append(out, s)
		}
	case []int64:
		for _, n := range list {
			out = append(out, n)
		}
	case []float64:
		for _, f := range list {
			out = append(out, f)
		}
	case []bool:
		for _, b := range list {
			out = append(out, b)
		}
	}
	return out
}
