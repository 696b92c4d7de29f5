package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/atelier-project/atelier/internal/wire"
)

// exporter sends spans to an OTLP/HTTP collector, as JSON. The library's own
// exporter needs a gRPC stack for protobuf that took a third of the program's
// compile time; every collector accepts JSON at the same address.
type exporter struct {
	url     string
	headers http.Header
	gzip    bool
	client  *http.Client
}

var _ sdktrace.SpanExporter = (*exporter)(nil)

// setting reads a standard variable: the one for traces, else the one for all
// signals.
func setting(name string) string {
	if v := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_" + name); v != "" {
		return v
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_" + name)
}

// newExporter reads the standard variables: ENDPOINT, HEADERS, TIMEOUT,
// COMPRESSION and CERTIFICATE.
func newExporter() (*exporter, error) {
	e := &exporter{headers: http.Header{"Content-Type": {"application/json"}}, client: &http.Client{Timeout: 10 * time.Second}}
	e.url = os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if e.url == "" {
		e.url = strings.TrimRight(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "/") + "/v1/traces"
	}
	for pair := range strings.SplitSeq(setting("HEADERS"), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil {
			return nil, errors.New("telemetry: OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value")
		}
		e.headers.Set(strings.TrimSpace(name), plain)
	}
	if text := setting("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 1 {
			return nil, errors.New("telemetry: OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds")
		}
		e.client.Timeout = time.Duration(ms) * time.Millisecond
	}
	switch c := setting("COMPRESSION"); c {
	case "", "none":
	case "gzip":
		e.gzip = true
		e.headers.Set("Content-Encoding", "gzip")
	default:
		return nil, fmt.Errorf("telemetry: OTEL_EXPORTER_OTLP_COMPRESSION is %q; use gzip or none", c)
	}
	return e, e.trust(setting("CERTIFICATE"))
}

// trust adds the certificate authorities of a file.
func (e *exporter) trust(file string) error {
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("telemetry: OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return fmt.Errorf("telemetry: OTEL_EXPORTER_OTLP_CERTIFICATE: %s holds no certificate", file)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	e.client.Transport = transport
	return nil
}

// attempts is how often one batch is sent before it is dropped.
const attempts = 4

// ExportSpans implements sdktrace.SpanExporter. It retries when the collector is
// unavailable for a moment.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	body, err := wire.Marshal(describeSpans(spans))
	if err != nil {
		return err
	}
	if e.gzip {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(body); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	for attempt, wait := 1, 200*time.Millisecond; ; attempt, wait = attempt+1, 2*wait {
		again, err := e.send(ctx, body)
		if err == nil || !again || attempt == attempts {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// send posts one batch. It reports whether a retry may help.
func (e *exporter) send(ctx context.Context, body []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	req.Header = e.headers.Clone()
	resp, err := e.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the address, which may hold a password
		}
		return true, fmt.Errorf("telemetry: the collector does not answer: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	if resp.StatusCode >= 300 {
		err = fmt.Errorf("telemetry: the collector answered %s", resp.Status)
	}
	return again, err
}

// Shutdown implements sdktrace.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}
