package api

import (
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/replay"
	"github.com/atelier-project/atelier/internal/wire"
)

// replayBody bounds the body of a replay record.
var replayBody = wire.Bounds{Text: 1 << 20}

// replayRequest is the body of a replay record. The replay engine checks its fields.
type replayRequest struct {
	Fields replay.Fields `wire:",extra,maxbytes=2097152"`
}

func (s *Server) writeReplay(c *endpoint.Call, q replayRequest) (replay.WrittenRecord, error) {
	return s.replays.Write(c, c.Caller.Wallet, q.Fields)
}

type replaysReply struct {
	Records []replay.ListedRecord `json:"records"`
	Next    *int                  `json:"next"`
}

func (s *Server) listReplays(c *endpoint.Call, q pageRequest) (replaysReply, error) {
	if err := c.Reserve(int64(q.Limit) * listedCost); err != nil {
		return replaysReply{}, err
	}
	p, err := s.replays.List(c, c.Caller.Wallet, q.Offset, q.Limit)
	return replaysReply{p.Records, p.Next}, err
}

type replayID struct {
	ID string `path:"id" example:"run-7"`
}

type replayReply struct {
	Record     replay.Record `json:"record"`
	CreateTime int64         `json:"createTime" doc:"Unix milliseconds of the first write."`
}

// replayCost is the memory of the largest record while it is sent, with the two places that
// it has in the answer.
const replayCost = 8 << 20

func (s *Server) readReplay(c *endpoint.Call, q replayID) (replayReply, error) {
	if err := c.Reserve(replayCost); err != nil {
		return replayReply{}, err
	}
	record, created, err := s.replays.Record(c, c.Caller.Wallet, q.ID)
	return replayReply{record, created.UnixMilli()}, err
}
