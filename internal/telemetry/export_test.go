package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// TraceID is the id of the trace that ctx belongs to; empty when it belongs to none.
func TraceID(ctx context.Context) string {
	if id := trace.SpanContextFromContext(ctx).TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}
