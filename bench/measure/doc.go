// Package measure is what the benchmark knows of numbers: measurements of one or two sides that took turns, their
// medians and spreads, the verdict on their aims, the results that are stored, how two results compare, and plots of
// them. It measures nothing itself.
package measure
