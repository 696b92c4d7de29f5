package offline

import (
	"strings"
)

// solid plans a 3D model of a picture, or of a picture that is made first.
func (r *reading) solid(c *clause, n int) {
	h := c.head(c.start + n)
	if r.latest("image", c) == nil || r.fresh(c, n) && !r.pictured(c, h.at) {
		r.makeSolid(c, h)
		return
	}
	t := r.task("image_to_3d", "solid")
	if t == nil {
		return
	}
	fillMesh(c, t)
	refs := r.refs(c, "image")
	if len(refs) > 1 && len(refs) <= 4 && c.says("views", "sides", "angles") {
		for i, a := range []string{"sourceImageIndex", "leftViewImageIndex", "backViewImageIndex", "rightViewImageIndex"}[:len(refs)] {
			t.address(a, refs[i])
		}
		r.add(t)
		return
	}
	if url := c.takeLink(); url != "" {
		t.args["source_image_url"] = url
		r.add(t)
		return
	}
	r.on(t, "sourceImageIndex", "image", refs)
}

// makeSolid plans a 3D model of something described: a picture of it first.
func (r *reading) makeSolid(c *clause, h head) {
	mesh := r.task("image_to_3d", "solid")
	if mesh == nil {
		return
	}
	fillMesh(c, mesh)
	if h.noun != nil && r.pictured(c, h.at+h.noun.words) || h.noun == nil && r.refers(c, h.from) {
		r.on(mesh, "sourceImageIndex", "image", r.refs(c, "image"))
		return
	}
	t := r.task("generate_image", "make")
	if t == nil {
		return
	}
	r.fill(c, t)
	d := c.description(h)
	what := tidy(strings.TrimSuffix(strings.TrimSuffix(tidy(d.before+" "+d.rest), " in 3d"), " into 3d"))
	if what == "" {
		r.ask(mesh, "image", "What should the 3D model be of? Describe it, or send a picture of it.")
		return
	}
	t.args["prompt"] = what + ", the whole object on a plain white background"
	t.about, mesh.about = what, what
	r.add(t)
	mesh.address("sourceImageIndex", ref{of: t})
	r.add(mesh)
}

// fillMesh reads how fine a mesh is to be: 50k faces, 2k textures, detailed.
func fillMesh(c *clause, t *task) {
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].kind != number {
			continue
		}
		v, at := c.tokens[i].value, i+1
		if at < c.to && c.tokens[at].is("k", "thousand") {
			v, at = v*1000, at+1
		}
		switch {
		case at < c.to && c.tokens[at].is("faces", "polygons", "triangles", "polys"):
			t.args["meshTargetFaces"] = t.bounded("meshTargetFaces", v, " faces")
		case at < c.to && c.tokens[at].is("texture", "textures"):
			if v <= 8000 && c.tokens[i+1].is("k") {
				v = c.tokens[i].value * 1024
			}
			t.args["textureSize"] = t.bounded("textureSize", v, " pixels")
		default:
			continue
		}
		c.use(i, at+1)
		c.absorb(i, "with", "and", "a", "of", "at")
	}
	if c.says("detailed", "fine", "finest") || c.peek("quality", "best") != nil {
		t.args["shapeResolution"] = 1536.0
	}
}
