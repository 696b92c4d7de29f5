package ateliertest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// OpenID is a small OpenID provider that says what a test tells it to, wrong things too. The person who comes is
// signed in at once, as the person of its claims.
type OpenID struct {
	URL    string
	Client string // the id and the secret of the only client
	Secret string

	mu     sync.Mutex
	key    *rsa.PrivateKey
	kid    string
	claims map[string]any
	tamper func(header, claims map[string]any)
	forge  *rsa.PrivateKey
	down   bool
	codes  map[string]url.Values
	now    func() time.Time
}

// NewOpenID starts a provider with the time of a test.
func NewOpenID(t testing.TB, now func() time.Time) *OpenID {
	t.Helper()
	p := &OpenID{Client: "atelier", Secret: "a secret & more", codes: map[string]url.Values{}, now: now, claims: map[string]any{"sub": "ann"}}
	p.RotateKeys(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.describe)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /keys", p.keys)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.isDown() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// Says sets the claims about the next who sign in.
func (p *OpenID) Says(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}

// Tamper changes the tokens from now on before they are signed; nil for nothing.
func (p *OpenID) Tamper(with func(header, claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tamper = with
}

// Forge signs with a key that is not among those of the provider, from now on or no longer.
func (p *OpenID) Forge(t testing.TB, on bool) {
	t.Helper()
	key := newRSA(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.forge = nil; on {
		p.forge = key
	}
}

// Down makes the provider fail, or answer again.
func (p *OpenID) Down(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// RotateKeys replaces the key of the provider.
func (p *OpenID) RotateKeys(t testing.TB) {
	t.Helper()
	key := newRSA(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.kid = key, rand.Text()
}

func newRSA(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (p *OpenID) isDown() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (p *OpenID) describe(w http.ResponseWriter, _ *http.Request) {
	reply(w, 200, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"end_session_endpoint": p.URL + "/end", "id_token_signing_alg_values_supported": []string{"RS256"},
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
	})
}

func (p *OpenID) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = q
	p.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

// token answers a code once, to who knows its verifier and the secret of the client.
func (p *OpenID) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	id, secret, ok := r.BasicAuth()
	if ok {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.codes[r.PostForm.Get("code")]
	delete(p.codes, r.PostForm.Get("code"))
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	switch {
	case id != p.Client || secret != p.Secret:
		reply(w, 401, map[string]any{"error": "invalid_client"})
		return
	case asked == nil, asked.Get("code_challenge_method") != "S256", asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]),
		asked.Get("redirect_uri") != r.PostForm.Get("redirect_uri"):
		reply(w, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	now := p.now()
	claims := map[string]any{"iss": p.URL, "aud": p.Client, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(), "nonce": asked.Get("nonce")}
	for name, v := range p.claims {
		claims[name] = v
	}
	reply(w, 200, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "id_token": p.sign(claims)})
}

// sign makes a token of claims.
func (p *OpenID) sign(claims map[string]any) string {
	header := map[string]any{"alg": "RS256", "typ": "JWT", "kid": p.kid}
	if p.tamper != nil {
		p.tamper(header, claims)
	}
	encode := func(v any) string {
		data, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(data)
	}
	text := encode(header) + "." + encode(claims)
	if header["alg"] == "none" {
		return text + "."
	}
	key := p.key
	if p.forge != nil {
		key = p.forge
	}
	sum := sha256.Sum256([]byte(text))
	signature, _ := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (p *OpenID) keys(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	reply(w, 200, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": p.kid, "n": base64.RawURLEncoding.EncodeToString(p.key.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}
