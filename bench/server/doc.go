// Package server starts the servers that are measured, as processes of their own: the service by its command line, and
// any other program that says where it listens. It reads what the system knows of a process: its processor time and its
// memory.
package server
