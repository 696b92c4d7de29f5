package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// w3c reads and writes the traceparent and tracestate headers.
var w3c propagation.TraceContext

// ServerSpan begins the span of an incoming request, as a child of the caller's when the
// request has a traceparent. The route is the pattern that matched. end must be called
// once, with the status that was sent.
func ServerSpan(r *http.Request, route string) (ctx context.Context, end func(status int)) {
	t := tracer.Load()
	if t == nil {
		return r.Context(), endNoRequest
	}
	return t.serverSpan(r, route)
}

func (t *tracerBox) serverSpan(r *http.Request, route string) (context.Context, func(status int)) {
	ctx := w3c.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	// Names and attributes are those of OpenTelemetry's HTTP conventions.
	name, method := r.Method, r.Method
	if boundedMethod(method) == other {
		name, method = "HTTP", "_OTHER"
	}
	attrs := []attribute.KeyValue{attribute.String("http.request.method", method)}
	if route != "" {
		name += " " + route
		attrs = append(attrs, attribute.String("http.route", route))
	}
	ctx, span := t.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attrs...))
	return ctx, func(status int) {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Span begins a span around a piece of work. attrs are pairs of a string key
// and a value. end must be called once, with the error the work ended in or nil;
// its text goes to the collector, which, like the log, is for operators only.
func Span(ctx context.Context, name string, attrs ...any) (spanCtx context.Context, end func(error)) {
	t := tracer.Load()
	if t == nil {
		return ctx, endNoWork
	}
	return t.span(ctx, name, attributes(attrs))
}

func (t *tracerBox) span(ctx context.Context, name string, attrs []attribute.KeyValue) (context.Context, func(error)) {
	ctx, span := t.Start(ctx, name, trace.WithAttributes(attrs...))
	return ctx, func(err error) {
		if err != nil {
			span.RecordError(err)
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// TraceID is the id of the trace that ctx belongs to, for log lines; empty when
// it belongs to none.
func TraceID(ctx context.Context) string {
	if id := trace.SpanContextFromContext(ctx).TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}

// Propagate adds the trace of ctx to the headers of a request to one of our servers, such
// as a model server.
func Propagate(ctx context.Context, h http.Header) {
	if tracer.Load() != nil {
		w3c.Inject(ctx, propagation.HeaderCarrier(h))
	}
}

// The end functions of spans that were never begun.
func endNoRequest(int)  {}
func endNoWork(_ error) {}

// attributes turns pairs into attributes. What is not a pair with a string key is left
// out: tracing must not fail.
func attributes(pairs []any) []attribute.KeyValue {
	kvs := make([]attribute.KeyValue, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			continue
		}
		switch v := pairs[i+1].(type) {
		case string:
			kvs = append(kvs, attribute.String(key, v))
		case bool:
			kvs = append(kvs, attribute.Bool(key, v))
		case int:
			kvs = append(kvs, attribute.Int(key, v))
		case int64:
			kvs = append(kvs, attribute.Int64(key, v))
		case float64:
			kvs = append(kvs, attribute.Float64(key, v))
		case time.Duration:
			kvs = append(kvs, attribute.Float64(key, v.Seconds()))
		default:
			kvs = append(kvs, attribute.String(key, fmt.Sprint(v)))
		}
	}
	return kvs
}
