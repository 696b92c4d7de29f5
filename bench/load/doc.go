// Package load is the client of the benchmark and what many of it do at once. It shares the machine with what it
// measures, so it speaks no more HTTP than it must: requests are ready-made, and of an answer it reads the status,
// where it ends and, when asked, its body. What is measured lives elsewhere.
package load
