package openai

// List is a page of things.
type List[T any] struct {
	Object  string  `json:"object"`
	Data    []T     `json:"data"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
}

// NewList is a page of things with ids, and whether there are more.
func NewList[T any](data []T, more bool, id func(T) string) List[T] {
	out := List[T]{Object: "list", Data: data, HasMore: more}
	if len(data) > 0 {
		first, last := id(data[0]), id(data[len(data)-1])
		out.FirstID, out.LastID = &first, &last
	}
	return out
}

// Deleted is the answer to the deletion of a thing.
type Deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}
