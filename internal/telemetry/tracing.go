package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// tracer makes spans, and is nil while tracing is off.
var tracer atomic.Pointer[tracerBox]

// tracerBox exists because an interface cannot be stored atomically.
type tracerBox struct{ trace.Tracer }

// StartTracing sends spans to an OTLP/HTTP collector when the standard
// environment variables name one (OTEL_EXPORTER_OTLP_ENDPOINT or
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) and do not turn it off
// (OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER=none). Headers, certificates,
// sampling, batching and resource attributes follow the other OTEL_* variables.
// The collector need not be up. shutdown sends what is waiting; it is never
// nil.
func StartTracing(ctx context.Context, version string) (shutdown func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	on, err := tracingWanted()
	if err != nil || !on {
		return nothing, err
	}
	exporter, err := newExporter()
	if err != nil {
		return nothing, err
	}
	// Later entries win, so the environment can rename the service.
	what, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(
			attribute.String("service.name", "atelier"),
			attribute.String("service.version", version),
		),
		resource.WithFromEnv(),
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) && !errors.Is(err, resource.ErrSchemaURLConflict) {
		return nothing, fmt.Errorf("telemetry: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		slog.Warn("telemetry: tracing failed", "error", err)
	}))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(what))
	box := &tracerBox{provider.Tracer("github.com/atelier-project/atelier", trace.WithInstrumentationVersion(version))}
	tracer.Store(box)
	return func(ctx context.Context) error {
		tracer.CompareAndSwap(box, nil)
		if err := provider.Shutdown(ctx); err != nil {
			return fmt.Errorf("telemetry: last spans: %w", err)
		}
		return nil
	}, nil
}

// tracingWanted reads the variables that turn tracing on and off, and refuses unsupported
// ones: the library would silently fall back to a collector on localhost.
func tracingWanted() (bool, error) {
	name := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	endpoint := os.Getenv(name)
	if endpoint == "" {
		name = "OTEL_EXPORTER_OTLP_ENDPOINT"
		endpoint = os.Getenv(name)
	}
	if endpoint == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "", "otlp":
	case "none":
		return false, nil
	default:
		return false, fmt.Errorf("telemetry: OTEL_TRACES_EXPORTER is %q; use otlp or none", exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		// A collector accepts JSON on the port of protobuf, so both settings work; gRPC
		// needs another port.
		if p := os.Getenv(name); p == "http/protobuf" || p == "http/json" {
			break
		} else if p != "" {
			return false, fmt.Errorf("telemetry: %s is %q; only OTLP over HTTP is supported, usually on port 4318", name, p)
		}
	}
	// The endpoint may hold a password, so it is not repeated.
	if u, err := url.Parse(endpoint); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return false, fmt.Errorf("telemetry: %s is not a URL such as http://127.0.0.1:4318", name)
	}
	return true, nil
}
