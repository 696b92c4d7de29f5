package ateliertest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/operator"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/yamldoc"
)

// world is a running scenario: the service, its people and what was saved.
type world struct {
	t        *testing.T
	name     string // of the file
	options  store.Options
	settings []string
	service  *Service
	contract *contract
	people   map[string]account.Opened
	saved    map[string]string
	forms    map[string]client.Form // kept by name
	worker   *Worker                // the one that renders
	stream   *Stream                // the one that is read
	oracles  []*Oracle              // the models that are asked
	offered  []config.Upstream      // where they are
	sites    *loratest.Sites        // that LoRAs are imported from; nil when there are none
	hooks    map[string]*receiver   // by name
}

func newWorld(t *testing.T, o store.Options, file string) *world {
	return &world{t: t, name: file, options: o, people: map[string]account.Opened{}, saved: map[string]string{}, forms: map[string]client.Form{}, hooks: map[string]*receiver{}}
}

func (w *world) run(text string) {
	for _, p := range paragraphs(text) {
		verb, rest, _ := strings.Cut(p.lines[0], " ")
		switch verb {
		case "config":
			w.settings = append(w.settings, rest)
		case "account":
			w.account(p, strings.Fields(rest))
		case "plan":
			w.plan(p, strings.Fields(rest))
		case "credit":
			w.credit(p, strings.Fields(rest))
		case "usage":
			w.usage(p, rest)
		case "revoke":
			w.revoke(p, strings.Fields(rest))
		case "suspend":
			if _, err := w.operator().Suspend(w.t.Context(), string(w.person(p, rest).Account.Wallet), ""); err != nil {
				w.fail(p, "suspend: %v", err)
			}
		case "sample":
			n := w.start().Node
			if err := errors.Join(n.Fleet.RecordPresence(w.t.Context()), n.Operators.Sample(w.t.Context())); err != nil {
				w.fail(p, "sample: %v", err)
			}
		case "reinstate":
			w.reinstate(p, rest)
		case "code":
			w.saved[rest+".code"] = w.start().Node.Accounts.CreateCode(w.person(p, rest).Account.Wallet)
		case "advance":
			d, err := time.ParseDuration(rest)
			if err != nil {
				w.fail(p, "%v", err)
			}
			w.start().Clock.Advance(d)
		case "worker":
			w.connect(p, strings.Fields(rest))
		case "form":
			w.form(p, strings.Fields(w.expand(p, rest)))
		case "post":
			w.post(p, strings.Fields(w.expand(p, rest)))
		case "drain":
			w.drain(p, strings.Fields(w.expand(p, rest)))
		case "render":
			w.render(p, rest)
		case "model":
			w.model(p, strings.Fields(rest))
		case "hub":
			w.hub(p, strings.Fields(rest))
		case "civitai":
			w.civitai(p, strings.Fields(rest))
		case "site":
			w.site(p, strings.Fields(rest))
		case "lora":
			w.lora(p, strings.Fields(w.expand(p, rest)))
		case "comfyui":
			c := NewComfyUI(w.t)
			w.saved[rest], w.saved[rest+".dir"] = c.URL, c.Dir
		case "receiver":
			w.saved[rest] = w.receiver(rest).URL
		case "answers":
			w.answers(p, strings.Fields(rest))
		case "received":
			w.received(p, strings.Fields(w.expand(p, rest)))
		case "says":
			w.oracle(p, rest).Say(w.answer(p))
		case "go":
			w.oracle(p, rest).Go()
		case "asked":
			w.asked(p, rest)
		case "tools":
			w.tools(p, rest)
		case "logged":
			w.start().Logged(w.t, w.expand(p, rest))
		case "leave":
			if w.stream == nil {
				w.fail(p, "there is no stream")
			}
			w.stream.Leave()
		case "restart":
			w.start().Stop()
			w.service = nil
			w.start()
		case "stream":
			w.open(p)
		case "frames":
			w.frames(p, p.lines[1:])
		default:
			w.exchange(p)
		}
	}
}

func (w *world) fail(p paragraph, format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s:%d: "+format, append([]any{w.name, p.line}, args...)...)
}

// start boots the service at the first paragraph that needs it.
func (w *world) start() *Service {
	if w.service == nil {
		w.service = Start(w.t, w.options, w.upstreams, w.useSites, func(c *config.Config) {
			for _, setting := range w.settings {
				if err := yamldoc.Decode("config", []byte(nested(setting)), c); err != nil {
					w.t.Fatal(err)
				}
			}
		})
		w.contract = readContract(w.t, w.service)
	}
	return w.service
}

// nested turns "limits.account_reads_per_minute: 3" into YAML.
func nested(setting string) string {
	key, value, _ := strings.Cut(setting, ":")
	var b strings.Builder
	for i, part := range strings.Split(key, ".") {
		b.WriteString("\n" + strings.Repeat("  ", i) + part + ":")
	}
	return b.String() + value + "\n"
}

func (w *world) person(p paragraph, name string) account.Opened {
	who, ok := w.people[name]
	if !ok {
		w.fail(p, "there is no account %q", name)
	}
	return who
}

func (w *world) account(p paragraph, words []string) {
	name, flags := words[0], words[1:]
	n := account.NewAccount{Username: name}
	var c billing.Credits
	for i := 0; i < len(flags); i++ {
		switch flags[i] {
		case "--worker":
			n.Worker = true
			continue
		case "--unfiltered":
			n.Unfiltered = true
			continue
		case "--operator":
			n.Operator = true
			continue
		case "--service":
			own, err := w.start().ServiceAccount(w.t.Context())
			if err != nil {
				w.fail(p, "%v", err)
			}
			w.people[name] = own
			return
		}
		if i++; i >= len(flags) {
			w.fail(p, "%s needs a value", flags[i-1])
		}
		switch flags[i-1] {
		case "--wallet":
			n.Wallet = flags[i]
		case "--username":
			n.Username = flags[i]
		case "--plan":
			n.Tier = atelier.PlanTier(strings.ReplaceAll(flags[i], "-", "_"))
		default:
			w.amount(p, &c, flags[i-1], flags[i])
		}
	}
	w.people[name] = w.start().Account(w.t, n, c)
}

func (w *world) amount(p paragraph, c *billing.Credits, flag, value string) {
	m, err := atelier.ParseMoney(value)
	if err != nil {
		w.fail(p, "%v", err)
	}
	switch flag {
	case "--spark":
		c.Spark = m
	case "--premium-spark":
		c.PremiumSpark = m
	case "--svc":
		c.Svc = m
	default:
		w.fail(p, "there is no flag %s", flag)
	}
}

func (w *world) credit(p paragraph, words []string) {
	var c billing.Credits
	for i := 1; i+1 < len(words); i += 2 {
		w.amount(p, &c, words[i], words[i+1])
	}
	if err := w.start().Node.Billing.Credit(w.t.Context(), w.person(p, words[0]).Account.Wallet, c); err != nil {
		w.fail(p, "credit: %v", err)
	}
}

func (w *world) plan(p paragraph, words []string) {
	tier := atelier.PlanTier(strings.ReplaceAll(words[1], "-", "_"))
	if tier == "none" {
		tier = atelier.TierNone
	}
	var end time.Time
	if len(words) > 3 {
		if d, err := time.ParseDuration(words[3]); err == nil {
			end = w.start().Clock.Now().Add(d)
		} else if end, err = time.Parse(time.RFC3339, words[3]); err != nil {
			w.fail(p, "%v", err)
		}
	}
	err := w.start().Node.Accounts.SetPlan(w.t.Context(), w.person(p, words[0]).Account, tier, atelier.SubscriptionStatus(words[2]), end.UTC())
	if err != nil {
		w.fail(p, "plan: %v", err)
	}
}

// revoke revokes the key of an account, or everything it can show.
func (w *world) revoke(p paragraph, words []string) {
	who, err := w.person(p, words[0]), error(nil)
	if len(words) == 2 && words[1] == "all" {
		_, _, err = w.start().Node.Accounts.RevokeAll(w.t.Context(), who.Account)
	} else {
		err = w.start().Node.Accounts.RevokeKey(w.t.Context(), who.Key)
	}
	if err != nil {
		w.fail(p, "revoke: %v", err)
	}
}

// operator does what the commands of operators do.
func (w *world) operator() operator.Operator {
	return w.start().Node.Operators.As(operator.CommandLine)
}

// reinstate ends the suspension of an account.
func (w *world) reinstate(p paragraph, name string) {
	if _, err := w.operator().Reinstate(w.t.Context(), string(w.person(p, name).Account.Wallet), ""); err != nil {
		w.fail(p, "reinstate: %v", err)
	}
}

// connect connects the worker that renders from now on.
func (w *world) connect(p paragraph, words []string) {
	if len(words) == 0 {
		w.fail(p, "want worker ACCOUNT")
	}
	owner, flags := w.person(p, words[0]), words[1:]
	w.worker = w.start().Worker(w.t, owner, func(spec *apitype.WorkerSpec) {
		for i := 0; i < len(flags); i++ {
			switch {
			case flags[i] == "--fallback":
				spec.Fallback = true
			case flags[i] == "--models" && i+1 < len(flags):
				i++
				spec.Models = strings.Split(flags[i], ",")
			case flags[i] == "--network" && i+1 < len(flags):
				i++
				spec.Network = atelier.Network(flags[i])
			case flags[i] == "--nft" && i+1 < len(flags):
				i++
				spec.NFTTokenID = flags[i]
			default:
				w.fail(p, "what is %s?", flags[i])
			}
		}
	})
	w.saved[words[0]+".worker"] = string(w.worker.ID)
}

// drain has a worker take no more jobs, or take them again.
func (w *world) drain(p paragraph, words []string) {
	if len(words) == 0 || len(words) > 2 || (len(words) == 2 && words[1] != "no") {
		w.fail(p, "want drain WORKER or drain WORKER no")
	}
	if _, err := w.operator().DrainWorker(w.t.Context(), atelier.WorkerID(words[0]), len(words) == 1, ""); err != nil {
		w.fail(p, "drain: %v", err)
	}
}

// picture draws a picture such as png 64 32.
func (w *world) picture(p paragraph, size string) string {
	var kind string
	var width, height int
	_, err := fmt.Sscanf(size, "%s %d %d", &kind, &width, &height)
	if err == nil {
		size, err = Picture(kind, width, height)
	}
	if err != nil {
		w.fail(p, "a picture %s: %v", size, err)
	}
	return size
}

var (
	variable = regexp.MustCompile(`\$\{([^}]+)\}`)
	objects  = regexp.MustCompile(`\$\{(\{.*?\})\*([0-9]+)\}`)
)

// expand puts in what ${…} stands for.
func (w *world) expand(p paragraph, text string) string {
	text = objects.ReplaceAllStringFunc(text, func(m string) string {
		parts := objects.FindStringSubmatch(m)
		n, err := strconv.Atoi(parts[2])
		if err != nil || n == 0 {
			w.fail(p, "what is %s?", m)
		}
		return strings.Repeat(parts[1]+",", n-1) + parts[1]
	})
	return variable.ReplaceAllStringFunc(text, func(m string) string {
		name := m[2 : len(m)-1]
		if value, ok := w.saved[name]; ok {
			return value
		}
		who, part, _ := strings.Cut(name, ".")
		if name == "url" {
			return w.start().URL
		}
		if size, ok := strings.CutPrefix(name, "picture "); ok {
			return w.picture(p, size)
		}
		if size, ok := strings.CutPrefix(name, "base64 "); ok {
			_, content, _ := strings.Cut(w.picture(p, size), ",")
			return content
		}
		if contentType, ok := strings.CutPrefix(name, "sample "); ok {
			content, err := Sample(contentType)
			if err != nil {
				w.fail(p, "%v", err)
			}
			return base64.StdEncoding.EncodeToString(content)
		}
		if of, length, ok := strings.Cut(name, ":"); ok { // its first characters
			n, err := strconv.Atoi(length)
			value := w.saved[of]
			if err != nil || n > len(value) {
				w.fail(p, "what is %s?", m)
			}
			return value[:n]
		}
		if text, times, ok := strings.Cut(name, "*"); ok {
			n, err := strconv.Atoi(times)
			if err != nil {
				w.fail(p, "what is %s?", m)
			}
			return strings.Repeat(text, n)
		}
		switch person := w.person(p, who); part {
		case "wallet":
			return string(person.Account.Wallet)
		case "key":
			return person.Key
		case "token":
			return w.start().Token(w.t, person.Account, time.Hour)
		}
		w.fail(p, "what is %s?", m)
		return ""
	})
}
