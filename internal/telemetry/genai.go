package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// GenAI measures requests to model servers. Its metrics and spans have the names of
// OpenTelemetry's conventions for generative models. Its zero value measures nothing.
type GenAI struct {
	duration, first, tokens *family
}

// Inference is a request to a model server that has ended. Server and model must come from
// the configuration, and the failure from a small set.
type Inference struct {
	Operation     string // such as chat
	Server, Model string
	Began         time.Time
	First         time.Duration // until the first piece of the answer; zero without one
	Took          time.Duration
	Input, Output int    // tokens; both zero where the server reports none
	Failure       string // empty when it succeeded
}

// The buckets are those of the conventions.
var (
	modelSeconds = exponential(0.01, 2, 14)
	modelTokens  = exponential(1, 4, 14)
)

// GenAI makes the metrics of model servers.
func (m *Metrics) GenAI() GenAI {
	if m == nil {
		return GenAI{}
	}
	vec := func(name, help string, buckets []float64, labels ...string) *family {
		labels = append([]string{"gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"}, labels...)
		return m.register(&family{name: "gen_ai_client_" + name, help: help, kind: histogram, labels: labels, buckets: buckets})
	}
	return GenAI{
		duration: vec("operation_duration_seconds", "How long requests to model servers took.", modelSeconds, "error_type"),
		first:    vec("operation_time_to_first_chunk_seconds", "How long model servers took to begin their answer.", modelSeconds),
		tokens:   vec("token_usage", "Tokens of requests and answers, as model servers report them.", modelTokens, "gen_ai_token_type"),
	}
}

// Record counts a request that has ended, and adds its span to the trace of ctx.
func (g GenAI) Record(ctx context.Context, i Inference) {
	if g.duration != nil {
		g.duration.at(i.Operation, i.Server, i.Model, i.Failure).observe(i.Took.Seconds())
		if i.First > 0 {
			g.first.at(i.Operation, i.Server, i.Model).observe(i.First.Seconds())
		}
		if i.Input+i.Output > 0 {
			g.tokens.at(i.Operation, i.Server, i.Model, "input").observe(float64(i.Input))
			g.tokens.at(i.Operation, i.Server, i.Model, "output").observe(float64(i.Output))
		}
	}
	t := tracer.Load()
	if t == nil {
		return
	}
	attributes := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", i.Operation), attribute.String("gen_ai.provider.name", i.Server), attribute.String("gen_ai.request.model", i.Model),
	}
	if i.Input+i.Output > 0 {
		attributes = append(attributes, attribute.Int("gen_ai.usage.input_tokens", i.Input), attribute.Int("gen_ai.usage.output_tokens", i.Output))
	}
	if i.Failure != "" {
		attributes = append(attributes, attribute.String("error.type", i.Failure))
	}
	_, span := t.Start(ctx, i.Operation+" "+i.Model, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(i.Began), trace.WithAttributes(attributes...))
	if i.Failure != "" {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(i.Began.Add(i.Took)))
}
