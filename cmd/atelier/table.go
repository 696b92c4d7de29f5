package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table prints rows with aligned columns.
type table struct{ *tabwriter.Writer }

// newTable begins a table, with a row of titles if there are any.
func newTable(out io.Writer, titles ...any) table {
	t := table{columns(out)}
	if len(titles) > 0 {
		t.row(titles...)
	}
	return t
}

// columns aligns the columns of what is written, without the characters that control a terminal: users,
// workers and other servers have chosen names in it.
func columns(out io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(plainWriter{out}, 0, 0, 2, ' ', 0)
}

type plainWriter struct{ out io.Writer }

func (w plainWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.out, printable(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// row adds a row. Empty cells are shown as a dash, so that programs can count columns.
func (t table) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		if texts[i] = plainText(fmt.Sprint(c)); texts[i] == "" { // users, workers and models have written some
			texts[i] = "-"
		}
	}
	fmt.Fprintln(t, strings.Join(texts, "\t"))
}

// flush prints the table.
func (t table) flush() error { return t.Flush() }

// printable is a text without the characters that control a terminal: models write it.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && (c < ' ' || c >= 0x7f && c < 0xa0) {
			return -1
		}
		return c
	}, text)
}

// plainText is a text from elsewhere on one line.
func plainText(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// printJSON prints a value for programs, and for people who look at what they get.
func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false) // URLs have ampersands
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printing is the flag of commands that say in one line what they have done.
type printing struct {
	JSON bool `help:"Print JSON." name:"json"`
}

// result prints a value for programs, or a line about it.
func (p printing) result(out io.Writer, v any, line string) error {
	if p.JSON {
		return printJSON(out, v)
	}
	_, err := fmt.Fprintln(out, printable(line))
	return err
}

// printLine prints a value as one line of JSON.
func printLine(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// size writes a number of bytes for people.
func size(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
