package telemetry

import (
	"context"
	"net/http"

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

// endNoRequest ends a span that was never begun.
func endNoRequest(int) {}
