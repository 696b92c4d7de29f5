package config

import (
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// check refuses invalid values. Each message begins with the key.
func (c *Config) check() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf("listen: %q is not an address and port such as 127.0.0.1:8080", c.Listen)
	}
	if c.Metrics.LedgerInterval < time.Second {
		return fmt.Errorf("metrics.ledger_interval: must be at least 1s")
	}
	if _, _, err := net.SplitHostPort(c.Metrics.Listen); err != nil && c.Metrics.Listen != "" {
		return fmt.Errorf("metrics.listen: %q is not an address and port such as 127.0.0.1:9090", c.Metrics.Listen)
	}
	if c.DataDir == "" {
		return fmt.Errorf("data_dir: must not be empty")
	}
	for _, u := range []struct {
		key, value string
		schemes    []string
	}{
		{"public_url", c.PublicURL, []string{"http", "https"}},
		{"database_url", c.DatabaseURL, []string{"postgres", "postgresql"}},
		{"database_replica_url", c.DatabaseReplica, []string{"postgres", "postgresql"}},
		{"storage_url", c.StorageURL, []string{"s3"}},
		{"filter.moderation_url", c.Filter.ModerationURL, []string{"http", "https"}},
		{"chains.base.rpc_url", c.Chains.Base.RPCURL, []string{"http", "https"}},
		{"chains.etherlink.rpc_url", c.Chains.Etherlink.RPCURL, []string{"http", "https"}},
	} {
		if err := checkURL(u.key, u.value, u.schemes...); err != nil {
			return err
		}
	}
	if c.DatabaseReplica != "" && c.DatabaseURL == "" {
		return fmt.Errorf("database_replica_url: needs database_url, the PostgreSQL of which it is a standby")
	}
	for i, server := range strings.Split(c.NATSURL, ",") {
		if err := checkURL("nats_url", server, "nats", "tls"); err != nil && (c.NATSURL != "" || i > 0) {
			return err
		}
	}
	if c.NATSURL != "" && c.SessionSecret == "" {
		return fmt.Errorf("session_secret: must be set, and be the same on every node, when nats_url is")
	}
	for _, secret := range c.SessionSecrets() {
		if len(secret) < 16 {
			return fmt.Errorf("session_secret: must be at least 16 characters long")
		}
	}
	if err := oneOf("log_level", c.LogLevel, "debug", "info", "warn", "error"); err != nil {
		return err
	}
	if err := oneOf("log_format", c.LogFormat, "text", "json"); err != nil {
		return err
	}
	if err := c.SignIn.check(); err != nil {
		return err
	}
	if err := c.LLM.check(); err != nil {
		return err
	}
	if err := c.checkVendors(); err != nil {
		return err
	}
	if err := c.MCP.check(); err != nil {
		return err
	}
	for i, s := range c.Lora.Sources {
		if err := s.Check(); err != nil {
			return fmt.Errorf("lora.sources[%d]%w", i, err)
		}
	}
	if err := oneOf("workers.fallback", c.Workers.Fallback, FallbackAuto, FallbackNever); err != nil {
		return err
	}
	if err := oneOf("workers.spot_check_action", c.Workers.SpotCheckAction, SpotCheckReport, SpotCheckDrain); err != nil {
		return err
	}
	return c.checkTimes()
}

// Check refuses an invalid site. The message continues the key of the site.
func (s LoraSource) Check() error {
	if err := oneOf(".kind", s.Kind, "huggingface", "civitai"); err != nil {
		return err
	}
	if err := checkURL(".base_url", s.BaseURL, "http", "https"); err != nil || s.BaseURL == "" || s.Host == "" {
		return fmt.Errorf(": needs a host and an http(s) base_url")
	}
	return nil
}

// checkTimes refuses invalid durations and limits.
func (c *Config) checkTimes() error {
	switch {
	case c.ShutdownGrace <= 0:
		return fmt.Errorf("shutdown_grace: must be longer than 0s")
	case c.Filter.ModerationTimeout <= 0:
		return fmt.Errorf("filter.moderation_timeout: must be longer than 0s")
	case c.ShutdownDelay < 0:
		return fmt.Errorf("shutdown_delay: must not be negative")
	case c.ShutdownDelay >= c.ShutdownGrace:
		return fmt.Errorf("shutdown_delay: must be shorter than shutdown_grace, which includes it")
	case c.ReplicaLag < time.Second:
		return fmt.Errorf("database_replica_lag: must be at least 1s")
	case c.Workers.Lease < time.Second:
		return fmt.Errorf("workers.lease: must be at least 1s")
	case c.Workers.FallbackAfter < 0:
		return fmt.Errorf("workers.fallback_after: must not be negative; 0s means never")
	case c.Workers.NoWorkerTimeout < 0:
		return fmt.Errorf("workers.no_worker_timeout: must not be negative; 0s means no timeout")
	case c.Workers.RenderTimeout < time.Second:
		return fmt.Errorf("workers.render_timeout: must be at least 1s")
	case c.Workers.EmbeddedPace < 0:
		return fmt.Errorf("workers.embedded_pace: must not be negative")
	case !(c.Workers.SpotCheckPercent >= 0 && c.Workers.SpotCheckPercent <= 100): // nor not a number
		return fmt.Errorf("workers.spot_check_percent: must be from 0 to 100")
	case c.Workers.SpotCheckPercent > 0 && len(c.Workers.SpotCheckBy) == 0:
		return fmt.Errorf("workers.spot_check_by: name the accounts that you trust to make pictures again, or set workers.spot_check_percent to 0")
	case c.Earnings.ReviewAboveUSD < 0:
		return fmt.Errorf("earnings.review_above_usd: must not be negative; 0 means no limit")
	case c.Earnings.ReviewOddFromUSD < 0:
		return fmt.Errorf("earnings.review_odd_from_usd: must not be negative")
	case c.Earnings.ReviewRequesterPercent < 0 || c.Earnings.ReviewRequesterPercent > 100:
		return fmt.Errorf("earnings.review_requester_percent: must be from 0 to 100")
	case c.Earnings.ReviewSpeed < 0:
		return fmt.Errorf("earnings.review_speed: must not be negative; 0 means no limit")
	}
	if err := c.Retention.check(); err != nil {
		return err
	}
	return c.Limits.check()
}

// How long anything is kept at least. What idempotency keys have started is kept for as long as they are remembered, so
// that no retry starts, and pays for, again what was removed.
const (
	leastRetention      = 24 * time.Hour
	leastKeyedRetention = 30 * 24 * time.Hour
)

// check refuses times that are too short.
func (r *Retention) check() error {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if age := time.Duration(v.Field(i).Int()); age < 0 || age > 0 && age < leastRetention {
			return fmt.Errorf("retention.%s: must be at least 24h, or 0s to keep without a limit of time", v.Type().Field(i).Tag.Get("yaml"))
		}
	}
	const keyed = "retention.%s: must be at least 720h, for which idempotency keys are remembered, or 0s to keep without a limit of time"
	if r.Workflows > 0 && r.Workflows < leastKeyedRetention {
		return fmt.Errorf(keyed, "workflows")
	}
	if r.ChatRuns > 0 && r.ChatRuns < leastKeyedRetention {
		return fmt.Errorf(keyed, "chat_runs")
	}
	if r.Uploads > 0 && (r.Workflows == 0 || r.Uploads < r.Workflows) {
		return fmt.Errorf("retention.uploads: must be at least retention.workflows, and 0s where that is 0s, so that workflows that are kept can be made again")
	}
	return nil
}

// check refuses a limit of zero or less.
func (l *Limits) check() error {
	v := reflect.ValueOf(l).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if v.Field(i).CanInt() && v.Field(i).Int() < 1 {
			return fmt.Errorf("limits.%s: must be more than 0", name)
		}
	}
	return nil
}

func (l *LLM) check() error {
	at := func(i int) string { return fmt.Sprintf("llm.upstreams[%d]", i) }
	for i, u := range l.Upstreams {
		if err := u.Check(); err != nil {
			return fmt.Errorf("%s.%w", at(i), err)
		}
	}
	return CheckModels(l.Upstreams, func(i, j int) string { return fmt.Sprintf("%s.models[%d]", at(i), j) })
}

// Check refuses invalid settings of a server by itself. Each message begins with the key
// below the server's.
func (u Upstream) Check() error {
	if u.Name == "" {
		return fmt.Errorf("name: must not be empty")
	}
	if err := checkURL("base_url", u.BaseURL, "http", "https"); err != nil || u.BaseURL == "" {
		return fmt.Errorf("base_url: must be an http or https URL")
	}
	switch {
	case u.Kind != "" && u.Kind != "openai" && u.Kind != "anthropic":
		return fmt.Errorf("kind: must be openai or anthropic")
	case u.Kind == "anthropic" && len(u.ExtraParams) > 0:
		return fmt.Errorf("extra_params: are passed on to servers of the kind openai alone")
	}
	if err := checkExtraParams("extra_params", u.ExtraParams); err != nil {
		return err
	}
	for j, m := range u.Models {
		at := fmt.Sprintf("models[%d]", j)
		switch {
		case m.ID == "":
			return fmt.Errorf("%s.id: must not be empty", at)
		case m.ContextLength < 0:
			return fmt.Errorf("%s.context_length: must not be negative", at)
		case !slices.Contains([]string{"", "auto", "full", "compact", "none"}, m.Tools):
			return fmt.Errorf("%s.tools: must be auto, full, compact or none", at)
		case m.PricePerMInput < 0 || m.PricePerMOut < 0:
			return fmt.Errorf("%s: prices must not be negative", at)
		}
	}
	return nil
}

// CheckModels refuses servers whose models cannot be offered together: two that have an id
// in common, unless they can take turns in serving the model. The function names the place of
// model j of server i in messages.
func CheckModels(list []Upstream, at func(i, j int) string) error {
	type place struct{ i, j int }
	ids, models := map[string]place{}, map[string]place{}
	for i, u := range list {
		for j, m := range u.Models {
			if first, ok := models[m.ID]; ok && first.i != i {
				if !m.sameAs(list[first.i].Models[first.j]) {
					return fmt.Errorf("%s: the servers of %s must have the same settings except upstream_id and context_length, as in %s",
						at(i, j), m.ID, at(first.i, first.j))
				}
				continue
			}
			models[m.ID] = place{i, j}
			for _, id := range append([]string{m.ID}, m.Replaces...) {
				if other, ok := ids[id]; ok {
					return fmt.Errorf("%s: the id %s is already used by %s", at(i, j), id, at(other.i, other.j))
				}
				ids[id] = place{i, j}
			}
		}
	}
	return nil
}

// sameAs reports whether two servers can take turns in serving a model.
func (m UpstreamModel) sameAs(o UpstreamModel) bool {
	m.UpstreamID, m.ContextLength = o.UpstreamID, o.ContextLength
	return reflect.DeepEqual(m, o)
}

// ownParams are the fields of a request to a language model that the service sets itself,
// and other names for them. They decide the length, number and model of answers, and so
// the price.
var ownParams = []string{
	"model", "messages", "prompt", "input", "tools", "tool_choice", "functions", "function_call", "stream", "stream_options",
	"max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "max_length", "n_predict", "num_predict",
	"n", "best_of", "n_completions", "num_return_sequences", "temperature", "top_p", "response_format", "chat_template_kwargs", "reasoning_effort",
}

// checkExtraParams refuses fields whose value callers must not choose, and invalid names.
func checkExtraParams(key string, names []string) error {
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", key, i)
		switch {
		case name == "" || len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != "":
			return fmt.Errorf("%s: %q is not the name of a request field", at, name)
		case slices.ContainsFunc(ownParams, func(own string) bool { return strings.EqualFold(own, name) }): // some servers ignore case
			return fmt.Errorf("%s: %s is set by the service; callers cannot set it", at, name)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("%s: %s is named twice", at, name)
		}
	}
	return nil
}

// SessionSecrets are the secrets of session tokens; the first one signs.
func (c *Config) SessionSecrets() []string {
	var out []string
	for secret := range strings.SplitSeq(c.SessionSecret, ",") {
		if secret = strings.TrimSpace(secret); secret != "" {
			out = append(out, secret)
		}
	}
	return out
}

func checkURL(key, value string, schemes ...string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || !slices.Contains(schemes, u.Scheme) || (u.Host == "" && u.RawQuery == "") {
		return fmt.Errorf("%s: must be a %s URL", key, strings.Join(schemes, " or "))
	}
	return nil
}

func oneOf(key, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%s: must be one of %s", key, strings.Join(allowed, ", "))
	}
	return nil
}
