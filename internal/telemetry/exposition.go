package telemetry

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// What Prometheus' text format, version 0.0.4, wants escaped.
var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// pairs are labels as they stand between braces, ordered by name.
func pairs(labels, values []string) string {
	list := make([]string, len(labels))
	for i, label := range labels {
		list[i] = label + `="` + escapeLabel.Replace(strings.ToValidUTF8(values[i], "\uFFFD")) + `"`
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// write adds the metric to b, and nothing when it has no series.
func (f *family) write(b *bytes.Buffer) {
	if f.read != nil {
		now := &family{name: f.name, help: f.help, kind: f.kind, labels: f.labels}
		f.read(func(v float64, labelValues ...string) { now.at(labelValues...).set(v) })
		now.write(b)
		return
	}
	f.mu.RLock()
	all := make([]*series, 0, len(f.series))
	for _, s := range f.series {
		all = append(all, s)
	}
	f.mu.RUnlock()
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(x, y *series) int { return cmp.Compare(x.labels, y.labels) })
	b.WriteString("# HELP " + f.name + " " + escapeHelp.Replace(f.help) + "\n# TYPE " + f.name + " " + string(f.kind) + "\n")
	for _, s := range all {
		if f.kind == histogram {
			s.writeHistogram(b, f.name)
		} else {
			writeSample(b, f.name, s.labels, "", s.value())
		}
	}
}

// writeHistogram counts from below, as the format does. The total is what the buckets have, so
// that an observation in between cannot make the two differ.
func (s *series) writeHistogram(b *bytes.Buffer, name string) {
	var total uint64
	for i := range s.counts {
		total += s.counts[i].Load()
		bound := "+Inf"
		if i < len(s.buckets) {
			bound = number(s.buckets[i])
		}
		writeSample(b, name+"_bucket", s.labels, `le="`+bound+`"`, float64(total))
	}
	writeSample(b, name+"_sum", s.labels, "", s.value())
	writeSample(b, name+"_count", s.labels, "", float64(total))
}

// writeSample writes a line. more is a label after the others.
func writeSample(b *bytes.Buffer, name, labels, more string, v float64) {
	b.WriteString(name)
	if labels != "" && more != "" {
		more = "," + more
	}
	if labels+more != "" {
		b.WriteString("{" + labels + more + "}")
	}
	b.WriteString(" " + number(v) + "\n")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
