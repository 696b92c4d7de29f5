package catalog

import (
	"maps"
	"math/big"
	"slices"

	"github.com/atelier-project/atelier"
)

// parameters completes the published parameter metadata with what follows from the rest of
// the entry, so that no number is written twice. Values of the data win.
func (m *Model) parameters(sparkUSD atelier.Money) map[string]any {
	p := make(map[string]any, len(m.Parameters)+12)
	add := func(key string, value any, ok bool) {
		if ok {
			p[key] = value
		}
	}
	switch m.MediaType {
	case "image", "video", "audio":
		p["type"] = m.MediaType
	}
	p["outputMedia"] = m.MediaType
	p["id"] = m.TierID
	if d := m.Duration; d != nil {
		length := bounds(d.Min, d.Max, d.Default, 0)
		if d.Ceiling > 0 {
			length["ceiling"] = d.Ceiling
		}
		p["duration"] = length
		add("fps", map[string]any{"allowed": []any{float64(d.FPS)}, "default": float64(d.FPS)}, d.FPS > 0)
		if g := d.Frames; g != nil {
			last := g.Nearest(d.Max * float64(d.FPS))
			p["frames"] = bounds(float64(g.Base), float64(last), float64(g.Nearest(d.Default*float64(d.FPS))), float64(g.Step))
		}
	}
	m.sizeParameters(p)
	in := m.Takes
	add("requiresStartingImage", true, in.Images.Min > 0 && m.MediaType == "video")
	add("requiresContextImage", true, in.Images.Min > 0 && m.MediaType != "video")
	add("requiresReferenceVideo", true, in.Videos.Min > 0)
	add("requiresReferenceAudio", true, in.Audio.Min > 0)
	add("acceptInputImage", true, in.Images.Max > 0)
	add("acceptInputAudio", true, in.Audio.Max > 0)
	if in.Total.Max > 0 || in.Images.Max+in.Videos.Max+in.Audio.Max > 2 {
		limits := map[string]any{"images": float64(in.Images.Max), "videos": float64(in.Videos.Max), "audios": float64(in.Audio.Max)}
		if in.Total.Max > 0 {
			limits["total"] = float64(in.Total.Max)
		}
		p["referenceLimits"] = limits
	}
	if m.Vendor != "" {
		p["isExternalAPI"] = true
		p["vendor"] = m.Vendor
		add("vendorModelId", m.VendorModelID, m.VendorModelID != "")
		add("supports", map[string]any{
			"textToVideo":       in.Images.Min == 0,
			"imageToVideo":      in.Images.Max > 0,
			"imageAudioToVideo": in.Images.Max > 0 && in.Audio.Max > 0,
			"videoToVideo":      in.Videos.Max > 0,
			"lastFrameExport":   m.LastFrame,
		}, m.MediaType == "video")
	}
	add("premiumOnly", true, m.Premium)
	var aliases []any
	for _, tool := range slices.Sorted(maps.Keys(m.Selectors)) {
		for _, s := range m.Selectors[tool] {
			if s != m.ID && s != auto && !slices.Contains(aliases, any(s)) {
				aliases = append(aliases, s)
			}
		}
	}
	add("aliases", aliases, aliases != nil)
	if !m.Price.Free {
		usd := base(m)
		p["costPerBaseRenderInUSD"] = usd.String()
		if sparkUSD > 0 { // checked later
			p["costPerBaseRenderInSpark"] = money(new(big.Rat).Quo(rat(usd), rat(sparkUSD))).String()
		}
	}
	maps.Copy(p, m.Parameters)
	return p
}

func (m *Model) sizeParameters(p map[string]any) {
	s := m.Size
	if s == nil {
		return
	}
	if s.Default > 0 {
		p["defaultSize"] = float64(s.Default)
		p["width"] = bounds(float64(s.Min), float64(s.Max), float64(s.Default), float64(s.Multiple))
		p["height"] = p["width"]
	}
	if s.Exact {
		p["sizeConstraints"] = map[string]any{
			"maxEdge": float64(s.Max), "multiple": float64(s.Multiple), "maxAspectRatio": s.MaxAspect,
			"minPixels": float64(s.MinPixels), "maxPixels": float64(s.MaxPixels),
		}
	}
	if len(s.Ratios) > 0 {
		p["ratios"] = s.Ratios
	}
	if len(s.Resolutions) > 0 {
		var names []float64
		most := 0
		for _, r := range s.Resolutions {
			names = append(names, float64(r.Name))
			w, h := s.canvas(r, 16.0/9)
			most = max(most, w*h)
		}
		p["outputResolutions"] = names
		p["maxPixels"] = float64(most)
	}
}

// base is the price of one default render.
func base(m *Model) atelier.Money {
	q := quantity{outputs: 1, value: func(string) string { return "" }}
	if m.Duration != nil {
		if l, err := m.Duration.Render("", m.Duration.Default, m.ID); err == nil {
			q.length = l
		}
	}
	return money(m.Price.amount(q))
}

func bounds(lo, hi, def, step float64) map[string]any {
	b := map[string]any{"min": lo, "max": hi, "default": def}
	if step > 0 {
		b["step"] = step
	}
	return b
}
