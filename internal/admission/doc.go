// Package admission decides whether a request may run now: by its rate (Rate), by how
// many long requests its account has open (Open), and by the memory that it needs
// (Memory, Reservation); and whose work is next: by turns (Turns), within bounds
// (Places). A context says for which account it acts (AccountOf). Each is shared by all
// requests of a node, and fair between accounts.
package admission
