package llm

// callNumbers numbers the calls of an answer in the order in which they begin. Some servers have all of them under one
// index: then a piece with a name and another id begins the next call.
type callNumbers struct {
	ids   []string    // of the calls
	under map[int]int // the last call under each index of the server
}

// number replaces the indices of the server. The first id of a call counts: some servers send another with each piece.
func (n *callNumbers) number(pieces []ToolCallDelta) error {
	for i := range pieces {
		p := &pieces[i]
		at, known := n.under[p.Index]
		if isOther := p.Name != "" && p.ID != "" && known && p.ID != n.ids[at]; !known || isOther {
			if at = len(n.ids); at == MaxToolCalls {
				return invalidAnswer("it has too many tool calls")
			}
			if n.under == nil {
				n.under = map[int]int{}
			}
			n.under[p.Index] = at
			n.ids = append(n.ids, p.ID)
		} else if n.ids[at] == "" {
			n.ids[at] = p.ID
		} else {
			p.ID = ""
		}
		p.Index = at
	}
	return nil
}
