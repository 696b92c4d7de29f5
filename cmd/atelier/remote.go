package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	neturl "net/url"
	"regexp"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
)

// serviceURL is the address of a remote service.
type serviceURL string

// UnmarshalText reads the flag. A bare host is accepted only for this machine: elsewhere a
// guessed http:// could send the key unencrypted.
func (s *serviceURL) UnmarshalText(b []byte) error {
	given := strings.TrimRight(strings.TrimSpace(string(b)), "/")
	if given == "" {
		return errors.New("must not be empty")
	}
	if !strings.Contains(given, "://") {
		u, err := neturl.Parse("http://" + given)
		if err != nil || u.Hostname() == "" {
			return fmt.Errorf("%q is not an address such as http://127.0.0.1:8080", b)
		}
		if !isLoopback(u.Hostname()) {
			return fmt.Errorf("%q does not say how to connect: write https://%s, or http://%s if it serves without encryption", b, given, given)
		}
		given = "http://" + given
	}
	u, err := neturl.Parse(given)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q is not an address such as http://127.0.0.1:8080", b)
	}
	*s = serviceURL(given)
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}

// apiKey is a credential for a remote service.
type apiKey string

// UnmarshalText reads the flag.
func (k *apiKey) UnmarshalText(b []byte) error {
	given := strings.TrimSpace(string(b))
	switch {
	case given == "":
		return fmt.Errorf("must not be empty: %s", keyHint())
	case strings.ContainsFunc(given, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fmt.Errorf("is not an API key: %s", keyHint())
	}
	*k = apiKey(given)
	return nil
}

// keyHint says where to find an API key.
func keyHint() string {
	return fmt.Sprintf("give it as --api-key or ATELIER_API_KEY; the first start of the service prints one, and %[1]s key create local makes another; %[1]s login stores it", program())
}

// explain turns the error of a call into a message for the command line.
func (s serviceURL) explain(err error) error {
	var (
		refused   *client.Error
		transport *neturl.Error
		unknown   *net.DNSError
	)
	const where = "say where the service is with --url or ATELIER_URL"
	switch {
	case errors.As(err, &refused) && refused.Message == "":
		return fmt.Errorf("%s answered %d, but not in the form of this service: %s", s, refused.Status, where)
	case errors.As(err, &refused) && (refused.Code == atelier.CodeBadCredential.Number || refused.Code == atelier.CodeNoCredential.Number):
		return fmt.Errorf("%s says that the API key is unknown, revoked or expired: %s", s, keyHint())
	case errors.Is(err, client.ErrForeign):
		return fmt.Errorf("the server at %s is not this service, or one of another version: %s", s, where)
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%s does not serve HTTPS: try --url http://%s", s, strings.TrimPrefix(string(s), "https://"))
	case errors.As(err, &unknown):
		return fmt.Errorf("cannot connect to %s: the host %s is not known: %s", s, unknown.Name, where)
	case errors.As(err, &transport) && isDial(err):
		return fmt.Errorf("cannot connect to %s: nothing answers there: start the service with %s serve, or %s", s, program(), where)
	case errors.As(err, &transport):
		return fmt.Errorf("the connection to %s failed: %w", s, transport.Err)
	}
	return err
}

func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// explainFlags is explain for a request that was made of flags: it names those, and not the fields.
func (s serviceURL) explainFlags(err error) error {
	explained := s.explain(err)
	if text := argumentPath.ReplaceAllStringFunc(explained.Error(), flagName); text != explained.Error() {
		return errors.New(text)
	}
	return explained
}

// argumentPath is a field of the request that generate sends.
var argumentPath = regexp.MustCompile(`(input\.steps\[\d+\]\.|\b)arguments\.\w+(\[\d+\])?|media_references\[\d+\](\.\w+)?`)

// flagName is the flag that set a field of the request.
func flagName(field string) string {
	if strings.HasPrefix(field, "media_references") {
		return "--image"
	}
	name, _, _ := strings.Cut(field[strings.LastIndex(field, ".")+1:], "[")
	switch name {
	case "prompt":
		return "the prompt"
	case "videoModel":
		return "--model"
	case "outputFormat":
		return "-o"
	case "sourceImageIndex":
		return "--image"
	case "numberOfVariations":
		return "--count"
	case "loras", "loraStrengths":
		return "--lora"
	default:
		return "--" + name
	}
}
