package gateway_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/bench/gateway"
)

func TestParsePeers(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"":                            "",
		" , ":                         "",
		"portkey=/opt/portkey.js":     "Portkey /opt/portkey.js",
		"gomodel":                     "GoModel gomodel, GoModel with usage gomodel",
		"gomodel=/opt/g, bifrost":     "GoModel /opt/g, GoModel with usage /opt/g, Bifrost bifrost-http, Bifrost with logs bifrost-http",
		"http://k@127.0.0.1:80/v1#m3": "127.0.0.1:80 ",
	} {
		peers, err := gateway.ParsePeers(list)
		if err != nil {
			t.Errorf("%q: %v", list, err)
			continue
		}
		var got []string
		for _, p := range peers {
			got = append(got, p.Name+" "+p.Program)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: got %q, want %q", list, got, want)
		}
	}
	for _, list := range []string{"litellm", "gomodel;bifrost", "https://127.0.0.1/v1", "http://a b"} {
		if peers, err := gateway.ParsePeers(list); err == nil {
			t.Errorf("%q: got %v, want an error", list, peers)
		}
	}
}

func TestRunningPeer(t *testing.T) {
	t.Parallel()
	peers, err := gateway.ParsePeers("http://key@127.0.0.1:8080/base/v1#large")
	if err != nil {
		t.Fatal(err)
	}
	g, err := peers[0].Start(t.Context(), t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if g.Model != "large" || g.Path != "/base/v1/chat/completions" || g.Process != nil {
		t.Errorf("got %+v", g)
	}
}
