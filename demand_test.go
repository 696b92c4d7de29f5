package atelier_test

import (
	"testing"

	"github.com/atelier-project/atelier"
)

func TestServedBy(t *testing.T) {
	t.Parallel()
	d := atelier.Demand{Models: map[string]map[atelier.Network]atelier.ModelDemand{"m": {
		atelier.NetworkFast: {ServedBy: atelier.ServedByPreview}, atelier.NetworkRelaxed: {ServedBy: atelier.ServedByVendor},
	}}}
	for _, c := range []struct {
		model    string
		networks []atelier.Network
		want     atelier.Server
	}{
		{"m", []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed}, atelier.ServedByVendor},
		{"m", []atelier.Network{atelier.NetworkFast}, atelier.ServedByPreview},
		{"m", nil, atelier.ServedByNobody},
		{"other", []atelier.Network{atelier.NetworkFast}, atelier.ServedByNobody},
	} {
		if got := d.ServedBy(c.model, c.networks...); got != c.want {
			t.Errorf("%s in %v: got %s, want %s", c.model, c.networks, got, c.want)
		}
	}
}
