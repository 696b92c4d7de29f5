package main

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/config"
)

func configurationDocument() string {
	var b strings.Builder
	b.WriteString("# Configuration\n\n" + generated + `
atelier runs without any configuration. To change something, name a YAML file
with ` + "`--config FILE` or `ATELIER_CONFIG`" + `, or set the environment variable of a
key: ` + "`ATELIER_`" + ` and the path of the key in capitals, joined by underscores.
The environment wins over the file, flags win over both.

An unknown key or an invalid value stops the start with one line that
names it. Durations are written as ` + "`90s`, `5m`, `48h`" + `.

## Keys

| key | variable | default | meaning |
| --- | --- | --- | --- |
`)
	rows(&b, reflect.ValueOf(config.Default()).Elem(), "")
	b.WriteString("\n## Lists\n\nLists can be set in the file only.\n")
	lists(&b, reflect.TypeFor[config.Config](), "")
	return b.String()
}

func rows(b *strings.Builder, v reflect.Value, path string) {
	for i := range v.NumField() {
		f, key := v.Type().Field(i), path+v.Type().Field(i).Tag.Get("yaml")
		switch f.Type.Kind() {
		case reflect.Struct:
			rows(b, v.Field(i), key+".")
		case reflect.Slice:
			fmt.Fprintf(b, "| `%s` | | | %s |\n", key, f.Tag.Get("doc"))
		default:
			fmt.Fprintf(b, "| `%s` | `%s` | %s | %s |\n", key, config.Variable(key), value(v.Field(i)), f.Tag.Get("doc"))
		}
	}
}

func value(v reflect.Value) string {
	text := fmt.Sprint(v.Interface())
	if d, ok := v.Interface().(time.Duration); ok {
		text = formatDuration(d)
	}
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// formatDuration writes 48h0m0s as 48h.
func formatDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}

func lists(b *strings.Builder, t reflect.Type, path string) {
	for i := range t.NumField() {
		f, key := t.Field(i), path+t.Field(i).Tag.Get("yaml")
		switch {
		case f.Type.Kind() == reflect.Struct:
			lists(b, f.Type, key+".")
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct && f.Type.Elem() != reflect.TypeFor[config.Network]():
			fmt.Fprintf(b, "\n### `%s[]`\n\n| key | meaning |\n| --- | --- |\n", key)
			for j := range f.Type.Elem().NumField() {
				item := f.Type.Elem().Field(j)
				fmt.Fprintf(b, "| `%s` | %s |\n", item.Tag.Get("yaml"), item.Tag.Get("doc"))
			}
			lists(b, f.Type.Elem(), key+"[].")
		}
	}
}
