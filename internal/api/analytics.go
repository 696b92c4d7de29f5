package api

import (
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/wire"
)

// dayAnalyticsReply is the counters of a day.
type dayAnalyticsReply struct {
	Analytics analytics.Counters `json:"analytics"`
	Date      string             `json:"date"`
}

type dayAnalyticsRequest struct {
	Address string          `wire:"address" doc:"The wallet of an account. When omitted, the counters of the whole network."`
	Date    string          `wire:"date" doc:"The UTC day, as YYYY-MM-DD; today when omitted."`
	Network atelier.Network `wire:"network,enum=fast|relaxed" doc:"One network; both when omitted."`
	Keys    wire.List       `wire:"keys" doc:"Only these counters; all when omitted."`
}

func (s *Server) dayAnalytics(c *endpoint.Call, q dayAnalyticsRequest) (dayAnalyticsReply, error) {
	counters, day, err := s.analytics.Day(c, analytics.Subject{Address: q.Address, Network: q.Network}, q.Date, q.Keys)
	return dayAnalyticsReply{counters, day}, err
}

type lifetimeAnalyticsRequest struct {
	Address string          `wire:"address" doc:"The wallet of an account. Without it and nft, the counters of the whole network."`
	NFTs    wire.List       `wire:"nft,minlen=1,maxlen=40" doc:"The ids of NFTs, whose counters are summed. Not with address."`
	Network atelier.Network `wire:"network,enum=fast|relaxed" doc:"One network; both when omitted. Not with nft."`
	Keys    wire.List       `wire:"keys" doc:"Only these counters; all when omitted."`
}

func (s *Server) lifetimeAnalytics(c *endpoint.Call, q lifetimeAnalyticsRequest) (analytics.Counters, error) {
	nfts, err := tokenIDs("nft", q.NFTs...)
	if err != nil {
		return nil, err
	}
	return s.analytics.Lifetime(c, analytics.Subject{Address: q.Address, NFTs: nfts, Network: q.Network}, q.Keys)
}

type nftDayRequest struct {
	ID   string    `path:"nftTokenId" example:"7"`
	Date string    `wire:"date" doc:"The UTC day, as YYYY-MM-DD; today when omitted."`
	Keys wire.List `wire:"keys" doc:"Only these counters; all when omitted."`
}

func (s *Server) nftDayAnalytics(c *endpoint.Call, q nftDayRequest) (dayAnalyticsReply, error) {
	nfts, err := tokenIDs("nftTokenId", q.ID)
	if err != nil {
		return dayAnalyticsReply{}, err
	}
	counters, day, err := s.analytics.Day(c, analytics.Subject{NFTs: nfts}, q.Date, q.Keys)
	return dayAnalyticsReply{counters, day}, err
}

type nftLifetimeRequest struct {
	ID   string    `path:"nftTokenId" example:"7"`
	Keys wire.List `wire:"keys" doc:"Only these counters; all when omitted."`
}

func (s *Server) nftLifetimeAnalytics(c *endpoint.Call, q nftLifetimeRequest) (analytics.Counters, error) {
	nfts, err := tokenIDs("nftTokenId", q.ID)
	if err != nil {
		return nil, err
	}
	return s.analytics.Lifetime(c, analytics.Subject{NFTs: nfts}, q.Keys)
}

// nftsDayReply is the counters of NFTs on a day, by NFT id.
type nftsDayReply struct {
	Analytics map[string]analytics.Counters `json:"analytics"`
	Date      string                        `json:"date"`
}

type nftsDayRequest struct {
	TokenIDs wire.List `wire:"tokenIds,required,minlen=1,maxlen=50" doc:"The ids of NFTs." example:"7,8"`
	Date     string    `wire:"date" doc:"The UTC day, as YYYY-MM-DD; today when omitted."`
	Keys     wire.List `wire:"keys" doc:"Only these counters; all when omitted."`
}

func (s *Server) nftsDayAnalytics(c *endpoint.Call, q nftsDayRequest) (nftsDayReply, error) {
	nfts, err := tokenIDs("tokenIds", q.TokenIDs...)
	if err != nil {
		return nftsDayReply{}, err
	}
	counters, day, err := s.analytics.DayOfNFTs(c, nfts, q.Date, q.Keys)
	return nftsDayReply{counters, day}, err
}

// tokenIDs checks the ids of NFTs. No ids are none.
func tokenIDs(field string, ids ...string) ([]string, error) {
	for _, id := range ids {
		if err := atelier.CheckNFTTokenID(id); err != nil {
			return nil, atelier.Refuse(field, "is wrong: %v.", err)
		}
	}
	return ids, nil
}

// optionalID is the list of an id that may be absent.
func optionalID(field, id string) ([]string, error) {
	if id == "" {
		return nil, nil
	}
	return tokenIDs(field, id)
}

// eventChartReply is counters by day. The days are Unix seconds at midnight UTC.
type eventChartReply struct {
	First     int64                  `json:"first"`
	Last      int64                  `json:"last"`
	Count     int                    `json:"count"`
	Fields    []string               `json:"fields"`
	Analytics map[string]eventValues `json:"analytics"`
}

// eventValues are the values of a day: the value of one event, or those of several, in the
// order of the fields.
type eventValues []string

// MarshalJSON implements json.Marshaler.
func (v eventValues) MarshalJSON() ([]byte, error) {
	if len(v) == 1 {
		return wire.Marshal(v[0])
	}
	return wire.Marshal([]string(v))
}

// WireSchema implements wire.Described.
func (eventValues) WireSchema() wire.Schema {
	value := wire.Schema{"type": "string"}
	return wire.Schema{"oneOf": []any{value, wire.Schema{"type": "array", "items": value}}}
}

type eventChartRequest struct {
	Query      wire.List       `wire:"query,required,minlen=1" doc:"The events. An event of the whole network makes the query ignore address, nftTokenId and network." example:"jobCompleteWorker,jobErrorWorker"`
	Address    string          `wire:"address" doc:"The wallet of an account. Without it and nftTokenId, the counters of the whole network."`
	NFTTokenID string          `wire:"nftTokenId" doc:"The id of an NFT. Not with address."`
	Network    atelier.Network `wire:"network,enum=fast|relaxed" doc:"One network; both when omitted. Not with nftTokenId."`
	Count      int             `wire:"count,min=1,max=120" doc:"How many days. When omitted, 7, or with startDate those through today."`
	StartDate  string          `wire:"startDate" doc:"The first UTC day, as YYYY-MM-DD. When omitted, the days end with today."`
}

func (s *Server) eventChart(c *endpoint.Call, q eventChartRequest) (eventChartReply, error) {
	nfts, err := optionalID("nftTokenId", q.NFTTokenID)
	if err != nil {
		return eventChartReply{}, err
	}
	subject := analytics.Subject{Address: q.Address, NFTs: nfts, Network: q.Network}
	chart, err := s.analytics.Events(c, q.Query, subject, analytics.Span{Start: q.StartDate, Count: q.Count})
	if err != nil {
		return eventChartReply{}, err
	}
	out := eventChartReply{
		First: chart.Days[0].At.Unix(), Last: chart.Days[len(chart.Days)-1].At.Unix(), Count: len(chart.Days),
		Fields: chart.Fields, Analytics: map[string]eventValues{},
	}
	for _, d := range chart.Days {
		out.Analytics[dayKey(d.At)] = d.Values
	}
	return out, nil
}

// dayKey is how charts name a day.
func dayKey(midnight time.Time) string { return strconv.FormatInt(midnight.Unix(), 10) }

// modelChartReply is renders of models by day, and what they cost.
type modelChartReply struct {
	Analytics      map[string]map[string]string `json:"analytics"`
	SparkAnalytics map[string]map[string]string `json:"sparkAnalytics,omitzero"`
	about          modelChartMetadata
}

func (r modelChartReply) Metadata() any { return r.about }

// modelChartMetadata says what a chart shows.
type modelChartMetadata struct {
	Role      analytics.Role  `json:"role"`
	Network   atelier.Network `json:"network,omitzero"` // absent: both
	StartDate string          `json:"startDate"`
	EndDate   string          `json:"endDate"`
	Count     int             `json:"count"`
	Models    []string        `json:"models"` // that the chart may show: those that were asked for, or all that were used
}

type modelChartRequest struct {
	Address      string          `wire:"address" doc:"The wallet of an account. One of address and nftTokenId is required."`
	NFTTokenID   string          `wire:"nftTokenId" doc:"The id of an NFT, with the network fast." example:"7"`
	Role         analytics.Role  `wire:"role,enum=worker|artist" doc:"Renders by the account's workers, or renders that it asked for. Required with address."`
	Network      atelier.Network `wire:"network,enum=fast|relaxed" doc:"One network; both when omitted. Required with includeSpark." example:"fast"`
	Models       wire.List       `wire:"models,minlen=1,maxlen=200" doc:"Only these models; all when omitted."`
	Count        int             `wire:"count,min=1,max=90" doc:"How many days. When omitted, 7, or with startDate those through today."`
	StartDate    string          `wire:"startDate" doc:"The first UTC day, as YYYY-MM-DD. When omitted, the days end with today."`
	IncludeSpark bool            `wire:"includeSpark" doc:"Add what the renders cost, in Spark."`
}

func (s *Server) modelChart(c *endpoint.Call, q modelChartRequest) (modelChartReply, error) {
	nfts, err := optionalID("nftTokenId", q.NFTTokenID)
	if err == nil && q.IncludeSpark && q.Network == "" {
		err = atelier.Refuse("network", "is required with includeSpark.")
	}
	if err != nil {
		return modelChartReply{}, err
	}
	subject := analytics.Subject{Address: q.Address, NFTs: nfts, Network: q.Network}
	chart, err := s.analytics.ModelChart(c, subject, q.Role, q.Models, analytics.Span{Start: q.StartDate, Count: q.Count})
	if err != nil {
		return modelChartReply{}, err
	}
	out := modelChartReply{Analytics: map[string]map[string]string{}, about: modelChartMetadata{
		Role: chart.Role, Network: q.Network, Count: len(chart.Days), Models: chart.Models,
		StartDate: chart.Days[0].At.Format(time.DateOnly), EndDate: chart.Days[len(chart.Days)-1].At.Format(time.DateOnly),
	}}
	if q.IncludeSpark {
		out.SparkAnalytics = map[string]map[string]string{}
	}
	for _, d := range chart.Days {
		out.Analytics[dayKey(d.At)] = jobStrings(d.ModelUse)
		if q.IncludeSpark {
			out.SparkAnalytics[dayKey(d.At)] = sparkStrings(d.ModelUse)
		}
	}
	return out, nil
}

func jobStrings(u analytics.ModelUse) map[string]string {
	out := map[string]string{}
	for model, n := range u.Jobs {
		out[model] = strconv.FormatInt(n, 10)
	}
	return out
}

func sparkStrings(u analytics.ModelUse) map[string]string {
	out := map[string]string{}
	for model, spark := range u.Spark {
		out[model] = spark.String()
	}
	return out
}

// lifetimeModelsReply is all renders by model, and what they cost.
type lifetimeModelsReply struct {
	Analytics      map[string]string `json:"analytics"`
	SparkAnalytics map[string]string `json:"sparkAnalytics,omitzero"`
}

type lifetimeModelsRequest struct {
	Network      atelier.Network `wire:"network,enum=fast|relaxed" doc:"One network; both when omitted."`
	IncludeSpark bool            `wire:"includeSpark" doc:"Add what the renders cost, in Spark."`
}

func (s *Server) lifetimeModels(c *endpoint.Call, q lifetimeModelsRequest) (lifetimeModelsReply, error) {
	use, err := s.analytics.LifetimeModels(c, q.Network)
	out := lifetimeModelsReply{Analytics: jobStrings(use)}
	if q.IncludeSpark {
		out.SparkAnalytics = sparkStrings(use)
	}
	return out, err
}

// userStatsReply is a page of the models of an account or an NFT, the most used first.
type userStatsReply struct {
	ModelStats  []modelStats `json:"modelStats"`
	TotalModels int          `json:"totalModels"`
	TotalPages  int          `json:"totalPages"`
}

type modelStats struct {
	ModelID     string `json:"modelId"`
	RenderCount string `json:"renderCount"`
	SparkValue  string `json:"sparkValue,omitzero"` // of one network
	Rank        int    `json:"rank,omitzero"`
}

type userStatsRequest struct {
	Address     string          `wire:"address" doc:"The wallet of an account. One of address, username and nftTokenId is required."`
	Username    string          `wire:"username" doc:"The username of an account."`
	NFTTokenID  string          `wire:"nftTokenId" doc:"The id of an NFT, with the role worker and the network fast." example:"7"`
	Role        analytics.Role  `wire:"role,required,enum=worker|artist" doc:"Renders by the account's workers, or renders that it asked for." example:"worker"`
	Network     atelier.Network `wire:"network,enum=fast|relaxed" doc:"One network, which adds sparkValue; both when omitted." example:"fast"`
	Period      string          `wire:"period,enum=lifetime|day,default=lifetime" doc:"Over the lifetime, or on a day."`
	Date        string          `wire:"date" doc:"The UTC day of the period day, as YYYY-MM-DD; today when omitted."`
	Page        int             `wire:"page,default=1,min=1" doc:"The page, from 1."`
	Limit       int             `wire:"limit,default=50,min=1,max=1000" doc:"The models of a page."`
	IncludeRank bool            `wire:"includeRank" doc:"Add the rank by renders of the model: among accounts in the same role, or among NFTs."`
}

func (s *Server) userStats(c *endpoint.Call, q userStatsRequest) (userStatsReply, error) {
	nfts, err := optionalID("nftTokenId", q.NFTTokenID)
	if err != nil {
		return userStatsReply{}, err
	}
	list, total, err := s.analytics.UserStats(c, analytics.StatsQuery{
		Subject: analytics.Subject{Address: q.Address, Username: q.Username, NFTs: nfts, Network: q.Network}, Role: q.Role,
		Daily: q.Period == "day", Date: q.Date, Page: q.Page, Limit: q.Limit, Rank: q.IncludeRank,
	})
	out := userStatsReply{ModelStats: []modelStats{}, TotalModels: total, TotalPages: (total + q.Limit - 1) / q.Limit}
	for _, m := range list {
		item := modelStats{ModelID: m.ModelID, RenderCount: strconv.FormatInt(m.Jobs, 10), Rank: m.Rank}
		if q.Network != "" {
			item.SparkValue = m.Spark.String()
		}
		out.ModelStats = append(out.ModelStats, item)
	}
	return out, err
}
