package store

import (
	"time"

	"github.com/atelier-project/atelier/internal/database"
)

// Graph is a row of the graph table. The engine of graphs writes and reads the facts.
type Graph struct {
	Name      string
	Title     string
	SID       int
	Facts     []byte
	Graph     string // empty where the files are not read, as are the next two
	Mapping   string
	Entry     string
	Revision  int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Graphs lists all graphs without their files, oldest first.
func (tx *Tx) Graphs() ([]Graph, error) {
	return tx.graphs(`SELECT name, title, sid, facts, '', '', '', revision, created_at, updated_at FROM graph ORDER BY created_at, name`)
}

// GraphsWithFiles lists all graphs, oldest first.
func (tx *Tx) GraphsWithFiles() ([]Graph, error) {
	return tx.graphs(`SELECT name, title, sid, facts, graph, mapping, entry, revision, created_at, updated_at FROM graph ORDER BY created_at, name`)
}

// Graph reads a graph with its files. ErrNotFound means that no graph has the name.
func (tx *Tx) Graph(name string) (Graph, error) {
	list, err := tx.graphs(`SELECT name, title, sid, facts, graph, mapping, entry, revision, created_at, updated_at FROM graph WHERE name = $1`, name)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Graph{}, err
	}
	return list[0], nil
}

func (tx *Tx) graphs(query string, args ...any) (list []Graph, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			g                Graph
			facts            string
			created, updated int64
		)
		if err := scan(&g.Name, &g.Title, &g.SID, &facts, &g.Graph, &g.Mapping, &g.Entry, &g.Revision, &created, &updated); err != nil {
			return err
		}
		g.Facts, g.CreatedAt, g.UpdatedAt = []byte(facts), database.FromMillis(created), database.FromMillis(updated)
		list = append(list, g)
		return nil
	}, query, args...)
	return list, err
}

// InsertGraph stores a new graph. ErrExists means that there is one of its name or number.
func (tx *Tx) InsertGraph(g Graph) error {
	_, err := tx.Exec(`INSERT INTO graph (name, title, sid, facts, graph, mapping, entry, revision, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8)`,
		g.Name, g.Title, g.SID, string(g.Facts), g.Graph, g.Mapping, g.Entry, database.Millis(g.CreatedAt))
	return err
}

// UpdateGraph stores the next revision of a graph. ErrNotFound means that it has changed since the row was read, or is
// gone; ErrExists, that another one has its number.
func (tx *Tx) UpdateGraph(g Graph) error {
	return tx.Must(`UPDATE graph SET title = $3, sid = $4, facts = $5, graph = $6, mapping = $7, entry = $8, revision = revision + 1, updated_at = $9
		WHERE name = $1 AND revision = $2`,
		g.Name, g.Revision, g.Title, g.SID, string(g.Facts), g.Graph, g.Mapping, g.Entry, database.Millis(g.UpdatedAt))
}

// DeleteGraph removes a graph. ErrNotFound means that it does not exist.
func (tx *Tx) DeleteGraph(name string) error {
	return tx.Must(`DELETE FROM graph WHERE name = $1`, name)
}

// CountGraphChange counts a change of the graphs. It comes first in the transaction of the change, so that changes come
// one after the other and each sees the one before.
func (tx *Tx) CountGraphChange() error {
	return tx.Must(`UPDATE graph_change SET number = number + 1 WHERE only_row = 1`)
}

// GraphChange is the number of the last change of the graphs.
func (tx *Tx) GraphChange() (n int64, err error) {
	err = tx.Row(`SELECT number FROM graph_change WHERE only_row = 1`).Scan(&n)
	return n, err
}
