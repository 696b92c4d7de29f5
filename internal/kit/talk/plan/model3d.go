package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planModel3D plans a 3D model of a picture, or of a picture that is made first.
func (r *Interpretation) planModel3D(c *token.Clause, n int) {
	h := slot.FindNounPhrase(c, c.Start+n)
	if r.ResolveLatest("image", c) == nil || r.wantsNew(c, n) && !r.usesPicture(c, h.NounAt) {
		r.planNewModel3D(c, h)
		return
	}
	t := r.newTask("image_to_3d", "model3d")
	if t == nil {
		return
	}
	fillMesh(c, t)
	refs := r.resolveMedia(c, "image")
	if len(refs) > 1 && len(refs) <= 4 && c.Contains("views", "sides", "angles") {
		for i, a := range []string{"sourceImageIndex", "leftViewImageIndex", "backViewImageIndex", "rightViewImageIndex"}[:len(refs)] {
			t.SetMedia(a, refs[i])
		}
		r.addTask(t)
		return
	}
	if url := c.TakeURL(); url != "" {
		t.Args["source_image_url"] = url
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// planNewModel3D plans a 3D model of a description: a picture of it first.
func (r *Interpretation) planNewModel3D(c *token.Clause, h slot.NounPhrase) {
	mesh := r.newTask("image_to_3d", "model3d")
	if mesh == nil {
		return
	}
	fillMesh(c, mesh)
	if h.Noun != nil && r.usesPicture(c, h.NounAt+h.Noun.Len) || h.Noun == nil && r.refersToMedia(c, h.Start) {
		r.addForMedia(mesh, "sourceImageIndex", "image", r.resolveMedia(c, "image"))
		return
	}
	t := r.newTask("generate_image", "make")
	if t == nil {
		return
	}
	r.FillArguments(c, t)
	d := slot.ReadDescription(c, h)
	what := token.Tidy(strings.TrimSuffix(strings.TrimSuffix(token.Tidy(d.Modifiers+" "+d.Rest), " in 3d"), " into 3d"))
	if what == "" {
		r.ask(mesh, "image", "What should the 3D model be of? Describe it, or send a picture of it.")
		return
	}
	t.Args["prompt"] = what + ", the whole object on a plain white background"
	t.Subject, mesh.Subject = what, what
	r.addTask(t)
	mesh.SetMedia("sourceImageIndex", MediaRef{Task: t})
	r.addTask(mesh)
}

// fillMesh reads the detail of a mesh: 50k faces, 2k textures, detailed.
func fillMesh(c *token.Clause, t *Task) {
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Kind != token.Number {
			continue
		}
		v, at := c.Tokens[i].Value, i+1
		if at < c.End && c.Tokens[at].Is("k", "thousand") {
			v, at = v*1000, at+1
		}
		switch {
		case at < c.End && c.Tokens[at].Is("faces", "polygons", "triangles", "polys"):
			t.Args["meshTargetFaces"] = t.clamp("meshTargetFaces", v, " faces")
		case at < c.End && c.Tokens[at].Is("texture", "textures"):
			if v <= 8000 && c.Tokens[i+1].Is("k") {
				v = c.Tokens[i].Value * 1024
			}
			t.Args["textureSize"] = t.clamp("textureSize", v, " pixels")
		default:
			continue
		}
		c.Use(i, at+1)
		c.UseBefore(i, "with", "and", "a", "of", "at")
	}
	if c.Contains("detailed", "fine", "finest") || c.Peek("quality", "best") != nil {
		t.Args["shapeResolution"] = 1536.0
	}
}
