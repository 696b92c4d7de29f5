package catalog

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
)

// checkAll refuses data that would only fail later, in use.
func (l *loader) checkAll(c *contents) error {
	if c.sparkUSD <= 0 {
		return fmt.Errorf("catalog: sparkUSD must be positive")
	}
	for network, pay := range c.workerPay {
		if network != string(atelier.NetworkFast) && network != string(atelier.NetworkRelaxed) {
			return fmt.Errorf("catalog: workerPay.%s is not a network: use fast or relaxed", network)
		}
		for name, bps := range map[string]int{"planBps": pay.PlanBps, "tokenBps": pay.TokenBps} {
			if bps < 0 || bps > 10_000 {
				return fmt.Errorf("catalog: workerPay.%s.%s must be from 0 to 10000, not %d", network, name, bps)
			}
		}
	}
	if bps := c.planPool.ShareBps; bps < 0 || bps > 10_000 {
		return fmt.Errorf("catalog: planPool.shareBps must be from 0 to 10000, not %d", bps)
	}
	sids := make(map[int]string)
	for _, m := range c.models {
		if other, ok := sids[m.SID]; ok || m.SID <= 0 {
			return l.fail(m, "sid", "must be a unique positive number, not %d%s", m.SID, sharedBy(other))
		}
		sids[m.SID] = m.ID
		if err := l.checkModel(c, m); err != nil {
			return err
		}
	}
	for _, t := range c.tools {
		if err := l.checkTool(c, t); err != nil {
			return err
		}
	}
	for _, row := range c.loras {
		if err := l.checkLora(c, row); err != nil {
			return err
		}
	}
	for _, m := range c.llms {
		if m.ContextLength <= 0 {
			return l.fail(m, "contextLength", "must be a positive number of tokens")
		}
	}
	for _, p := range c.plans {
		if p.PlanID == "" || p.Tier == "" || p.PriceUSD <= 0 {
			return l.fail(p, "", "must have planId, tier and a positive priceUsd")
		}
	}
	return nil
}

func sharedBy(other string) string {
	if other == "" {
		return ""
	}
	return ", which is " + other + "'s"
}

func (l *loader) checkModel(c *contents, m *Model) error {
	if m.Name == "" {
		return l.fail(m, "name", "must be given")
	}
	if !slices.Contains(MediaTypes(), m.MediaType) {
		return l.fail(m, "mediaType", "must be one of image, video, audio, text, model, not %q", m.MediaType)
	}
	if len(m.Selectors) == 0 {
		return l.fail(m, "selectors", "must name at least one tool that uses the model")
	}
	if err := l.checkPrice(m, m.Price); err != nil {
		return err
	}
	if _, ok := c.weights[m.CapacityClass]; m.CapacityClass != "" && !ok {
		return l.fail(m, "capacityClass", "%s is not a capacity class", m.CapacityClass)
	}
	if m.Premium && m.Vendor == "" {
		return l.fail(m, "vendor", "must be given for a premium model")
	}
	if d := m.Duration; d != nil {
		switch {
		case d.Frames != nil && (d.FPS <= 0 || d.Frames.Step <= 0 || d.Frames.Base <= 0):
			return l.fail(m, "duration.frames", "must have a positive base and step, and fps beside it")
		case d.Clamp && (d.Frames == nil || d.Frames.Max < d.Frames.Base):
			return l.fail(m, "duration.frames", "must have a max of at least base when clamp is set")
		case d.Min <= 0 || d.Max < d.Min:
			return l.fail(m, "duration", "must have a positive min and a max of at least min")
		case d.Default < d.Min || d.Default > d.Max:
			return l.fail(m, "duration.default", "must lie between min and max")
		}
	}
	if s := m.Size; s != nil {
		if err := l.checkSize(m, s); err != nil {
			return err
		}
	}
	if m.Price.Per == perSecond && m.Duration == nil {
		return l.fail(m, "duration", "must be given for a price per second")
	}
	return nil
}

func (l *loader) checkSize(m *Model, s *Size) error {
	if s.Min <= 0 || s.Max < s.Min {
		return l.fail(m, "size", "must have a positive min and a max of at least min")
	}
	if s.Default != 0 && (s.Default < s.Min || s.Default > s.Max) {
		return l.fail(m, "size.default", "must lie between min and max")
	}
	if s.Exact && s.Multiple <= 0 {
		return l.fail(m, "size.multiple", "must be given when exact is set")
	}
	defaults := 0
	for _, r := range s.Resolutions {
		if r.Default {
			defaults++
		}
		if r.Name <= 0 || r.Short <= 0 {
			return l.fail(m, "size.resolutions", "must each have a positive name and short edge")
		}
	}
	if len(s.Resolutions) > 0 && defaults != 1 {
		return l.fail(m, "size.resolutions", "must have exactly one default")
	}
	if len(s.Resolutions) == 0 && s.Default == 0 {
		return l.fail(m, "size", "must have a default edge or resolutions")
	}
	return nil
}

func (l *loader) checkPrice(entry any, p Price) error {
	if p.Free {
		return nil
	}
	if p.USD <= 0 {
		return l.fail(entry, "price", "must have a positive usd, or be the word free")
	}
	if !slices.Contains([]string{perOutput, perSecond, perMegapixel, perOperation}, p.Per) {
		return l.fail(entry, "price", "must have per as one of output, second, megapixel, operation, not %q", p.Per)
	}
	for _, s := range p.Surcharges {
		if s.USD <= 0 {
			return l.fail(entry, "price", "must have positive surcharges")
		}
	}
	for _, f := range p.Factors {
		for value, by := range f.By {
			if by <= 0 {
				return l.fail(entry, "price", "must have a positive factor for %s %s", f.Argument, value)
			}
		}
	}
	return nil
}

func (l *loader) checkTool(c *contents, t *Tool) error {
	if !slices.Contains([]string{"worker", "service", "session", "sync"}, t.Runs) {
		return l.fail(t, "runs", "must be one of worker, service, session, sync, not %q", t.Runs)
	}
	if t.Family != CreativeTools && t.Family != CreativeAgent {
		return l.fail(t, "family", "must be %s or %s, not %q", CreativeTools, CreativeAgent, t.Family)
	}
	if t.Description == "" {
		return l.fail(t, "description", "must be given: chat models choose tools by it")
	}
	if _, ok := c.weights[t.CapacityClass]; !ok {
		return l.fail(t, "capacityClass", "%q is not a capacity class", t.CapacityClass)
	}
	if t.Price != nil {
		if err := l.checkPrice(t, *t.Price); err != nil {
			return err
		}
	} else if len(t.Models.Defaults) == 0 || t.Models.Unless != "" {
		return l.fail(t, "price", "must be given, or be the word free, for a tool that can run without a model")
	}
	if t.Produces != nil && contentTypes[t.Produces.Format] == "" {
		return l.fail(t, "produces", "%q is not a format", t.Produces.Format)
	}
	if t.Produces != nil && slices.ContainsFunc(t.Produces.Ordered, func(what string) bool { return what != orderedSize && what != orderedLength }) {
		return l.fail(t, "produces", "ordered must list size, length or both, not %q", t.Produces.Ordered)
	}
	if t.Asks != "" && (!t.Immediate() || !slices.ContainsFunc(t.Arguments, func(a *Argument) bool { return a.Name == t.Asks && a.Type == "string" })) {
		return l.fail(t, "asks", "must name a string argument of a session tool that produces nothing, not %q", t.Asks)
	}
	for i, a := range t.Arguments {
		if err := l.checkArgument(t, a, fmt.Sprintf("arguments[%d]", i)); err != nil {
			return err
		}
	}
	if err := l.checkNames(t); err != nil {
		return err
	}
	if l.overlaid() {
		if _, err := t.compiled(); err != nil {
			return l.fail(t, "arguments", "do not make a schema: %v", err)
		}
	}
	return nil
}

// overlaid reports whether an operator changed anything. The tests compile every schema
// and pattern of the program's own data, so a start does it only for an overlay.
func (l *loader) overlaid() bool { return l.checked < len(l.docs) }

func (l *loader) checkArgument(t *Tool, a *Argument, at string) error {
	switch a.Type {
	case "string", "integer", "number", "boolean":
	case "array":
		if a.Items == nil {
			return l.fail(t, at+".items", "must be given for a list")
		}
		return l.checkArgument(t, a.Items, at+".items")
	case "object":
		for i, f := range a.Fields {
			if err := l.checkArgument(t, f, fmt.Sprintf("%s.fields[%d]", at, i)); err != nil {
				return err
			}
		}
	default:
		return l.fail(t, at+".type", "must be a JSON type, not %q", a.Type)
	}
	if a.Min != nil && a.Max != nil && *a.Min > *a.Max {
		return l.fail(t, at+".min", "of %s must not be above max", a.Name)
	}
	if a.Default != nil && a.Enum != nil && !slices.Contains(a.Enum, a.Default) {
		return l.fail(t, at+".default", "of %s must be one of its enum", a.Name)
	}
	if f, ok := a.Default.(float64); ok && (a.Min != nil && f < *a.Min || a.Max != nil && f > *a.Max) {
		return l.fail(t, at+".default", "of %s must lie between min and max", a.Name)
	}
	if a.Format != "" && (formats[a.Format].has == nil || a.Type != "string") {
		return l.fail(t, at+".format", "of %s must be %s, of a string", a.Name, strings.Join(slices.Sorted(maps.Keys(formats)), " or "))
	}
	if a.Pattern != "" && a.Hint == "" {
		return l.fail(t, at+".hint", "of %s must say what the pattern wants", a.Name)
	}
	if a.Pattern != "" && l.overlaid() {
		if _, err := regexp.Compile(a.Pattern); err != nil {
			return l.fail(t, at+".pattern", "of %s: %v", a.Name, err)
		}
	}
	return nil
}

// checkNames refuses a tool that refers to a missing argument or selector.
func (l *loader) checkNames(t *Tool) error {
	known := func(key string, list ...string) error {
		for _, n := range list {
			if _, ok := t.byName[n]; n != "" && !ok {
				return l.fail(t, key, "%s is not one of its arguments", n)
			}
		}
		return nil
	}
	if err := known("models", t.Models.Argument, t.Models.Unless); err != nil {
		return err
	}
	if err := known("main", t.Main...); err != nil {
		return err
	}
	if err := known("length", t.Length.Argument, t.Length.From, t.Length.To, t.Length.Source, t.Length.Each); err != nil {
		return err
	}
	if p := t.Produces; p != nil {
		if err := known("produces", p.Count, p.FormatArgument, p.Scale); err != nil {
			return err
		}
	}
	for alias, to := range t.Aliases {
		if err := known("aliases", to); err != nil || t.byName[alias] != nil {
			return l.fail(t, "aliases", "%s must be another name of an argument", alias)
		}
	}
	for _, n := range t.Needs {
		if err := known("needs", append([]string{n.Argument}, n.Unless...)...); err != nil {
			return err
		}
	}
	for i, r := range t.Rules {
		key := fmt.Sprintf("rules[%d]", i)
		if r.Message == "" || r.Field == "" {
			return l.fail(t, key, "must have a field and a message")
		}
		if r.In != "" {
			if err := known(key, r.In); err != nil {
				return err
			}
			continue
		}
		for _, list := range [][]string{{r.Field}, r.Given, r.Needs, r.AnyOf, r.Without, r.SameLength, r.Ascending} {
			if err := known(key, list...); err != nil {
				return err
			}
		}
	}
	for i, d := range t.Models.Defaults {
		key := fmt.Sprintf("models.defaults[%d]", i)
		if len(t.selectors[d.Selector]) == 0 {
			return l.fail(t, key, "%q is not a selector of any model for this tool", d.Selector)
		}
		if last := i == len(t.Models.Defaults)-1; last && len(d.When)+len(d.Given)+len(d.With) > 0 {
			return l.fail(t, key, "must have no condition: the last default is for every other case")
		}
		if d.Reason == "" {
			return l.fail(t, key, "must have a reason")
		}
	}
	for _, tier := range slices.Sorted(maps.Keys(t.Models.Tiers)) {
		if !slices.Contains(QualityTiers, tier) || t.Models.Argument == "" {
			return l.fail(t, "models.tiers."+tier, "must be one of %s, of a tool whose models have an argument", strings.Join(QualityTiers, ", "))
		}
	}
	maps.DeleteFunc(t.Models.Tiers, func(_, selector string) bool { return len(t.selectors[selector]) == 0 }) // its model was removed
	if len(t.serving) > 0 && len(t.Models.Defaults) == 0 {
		return l.fail(t, "models", "must have a default: models name this tool")
	}
	return nil
}

func (l *loader) checkLora(c *contents, row *Lora) error {
	if len(row.ModelIDs) == 0 {
		return l.fail(row, "modelIds", "must name at least one model")
	}
	for _, id := range row.ModelIDs {
		if !c.modelByID[id].LoadsLoras() {
			return l.fail(row, "modelIds", "%s loads no LoRAs", id)
		}
	}
	for _, id := range row.RestrictedModelIDs {
		if _, ok := c.modelByID[id]; !ok && !l.removed[id] {
			return l.fail(row, "restrictedModelIds", "%s is not a model", id)
		}
	}
	for _, id := range row.RelatedLoraIDs {
		if _, ok := c.loraByID[id]; !ok {
			return l.fail(row, "relatedLoraIds", "%s is not a LoRA", id)
		}
	}
	u := row.UI
	if u.Min > u.Default || u.Default > u.Max || u.RecommendedMin < u.Min || u.RecommendedMax > u.Max || u.RecommendedMin > u.RecommendedMax {
		return l.fail(row, "ui", "must have min, recommendedMin, recommendedMax and max in order, and default among them")
	}
	return nil
}
