package voice

import (
	"strconv"
	"strings"
)

var (
	ones   = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens   = strings.Fields("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
	powers = []struct {
		value uint64
		name  string
	}{{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}, {100, "hundred"}}
	ordinals = map[string]string{
		"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
	}
)

// cardinal returns the words of a whole number.
func cardinal(n uint64) []string {
	if n < 20 {
		return []string{ones[n]}
	}
	for _, p := range powers {
		if n >= p.value {
			out := append(cardinal(n/p.value), p.name)
			if n%p.value != 0 {
				out = append(out, cardinal(n%p.value)...)
			}
			return out
		}
	}
	out := []string{tens[n/10]}
	if n%10 != 0 {
		out = append(out, ones[n%10])
	}
	return out
}

// ordinal returns the words of an ordinal number.
func ordinal(n uint64) []string {
	out := cardinal(n)
	last := out[len(out)-1]
	switch {
	case ordinals[last] != "":
		last = ordinals[last]
	case strings.HasSuffix(last, "y"):
		last = last[:len(last)-1] + "ieth"
	default:
		last += "th"
	}
	out[len(out)-1] = last
	return out
}

// digits returns the word of each digit, as for a telephone number.
func digits(s string) []string {
	var out []string
	for _, r := range s {
		if r >= '0' && r <= '9' {
			out = append(out, ones[r-'0'])
		}
	}
	return out
}

// year returns the words of a year as two numbers.
func year(n uint64) []string {
	high, low := n/100, n%100
	switch {
	case n >= 2000 && n < 2010 || high%10 == 0 && low == 0:
		return cardinal(n)
	case low == 0:
		return append(cardinal(high), "hundred")
	case low < 10:
		return append(cardinal(high), "oh", ones[low])
	}
	return append(cardinal(high), cardinal(low)...)
}

// number returns the words of a number with commas, a decimal point or a suffix
// such as the th of 4th.
func number(s string) []string {
	grouped := strings.Contains(s, ",")
	s = strings.ReplaceAll(s, ",", "")
	if hour, minute, ok := strings.Cut(s, ":"); ok {
		out := number(hour)
		if minute == "00" || minute == "" {
			return out
		}
		if strings.HasPrefix(minute, "0") {
			out = append(out, "oh")
		}
		return append(out, number(strings.TrimLeft(minute, "0"))...)
	}
	whole, part, point := strings.Cut(s, ".")
	n, err := strconv.ParseUint(whole, 10, 64)
	var out []string
	switch {
	case whole == "":
	case err != nil || n >= 1e15 || len(whole) > 1 && whole[0] == '0':
		out = digits(whole)
	case !point && !grouped && len(whole) == 4 && n >= 1100 && n < 2100:
		out = year(n)
	default:
		out = cardinal(n)
	}
	if point && part != "" {
		out = append(append(out, "point"), digits(part)...)
	}
	return out
}
