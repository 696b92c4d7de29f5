package replay

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/wire"
)

const (
	aJWT  = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIweGFubiJ9.c2lnbmF0dXJl-_x"
	aUUID = "3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"
	aPEM  = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq+/x==\n-----END RSA PRIVATE KEY-----"
)

func TestRedactText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		// Signed URLs keep scheme, host and path.
		{"https://s3.example.com/b/fox.png?X-Amz-Algorithm=AWS4&X-Amz-Credential=AK%2Fus&X-Amz-Signature=0a1b", "https://s3.example.com/b/fox.png?[redacted]"},
		{"http://127.0.0.1:8080/storage/results/a.png?name=a.png&signature=abc&until=17", "http://127.0.0.1:8080/storage/results/a.png?[redacted]"},
		{"![fox](https://h/p.png?sig=x1)![cat](https://h/q.png?Expires=17&Signature=y) end", "![fox](https://h/p.png?[redacted])![cat](https://h/q.png?[redacted]) end"},
		{`{"url":"https://h/p?x=1\u0026X-Amz-Signature=0a1b","n":1}`, `{"url":"https://h/p?[redacted]","n":1}`},
		{`{\"url\":\"https://h/p?a=1&token=0a1b\",\"n\":1}`, `{\"url\":\"https://h/p?[redacted]\",\"n\":1}`},
		{"https://proxy/?u=https%3A%2F%2Fs3%2Fx%3FX-Amz-Signature%3Dabc", "https://proxy/?[redacted]"},
		{"https://h/cb#access_token=abc&state=1", "https://h/cb#[redacted]"},
		{"https://h/p?a=(x)&sig=abc", "https://h/p?[redacted]"},
		{"https://h/p?page=2&sort=asc#top", "https://h/p?page=2&sort=asc#top"},

		// Bearer tokens.
		{"Authorization: Bearer " + aUUID, "Authorization: [redacted]"},
		{"curl -H 'authorization: bearer abcdef12' http://h/", "curl -H 'authorization: [redacted]' http://h/"},
		{"sent BEARER sk-proj_1.x/y+z==, then", "sent BEARER [redacted], then"},
		{"first line\\nBearer abcdef12", "first line\\nBearer [redacted]"},
		{"the ring bearer in the snow", "the ring bearer in the snow"},

		// JWTs.
		{"token is " + aJWT + ".", "token is [redacted]"},
		{"(" + aJWT + ")", "([redacted])"},
		{"eyJhbGciOiJIUzI1NiJ9 alone", "eyJhbGciOiJIUzI1NiJ9 alone"},

		// PEM blocks, whole and truncated.
		{"key:\n" + aPEM + "\nend", "key:\n[redacted]\nend"},
		{aPEM + aPEM, "[redacted][redacted]"},
		{aPEM[:60], "[redacted]"},
		{aPEM[40:], "[redacted]"},
		{strings.ReplaceAll(aPEM, "\n", `\n`) + `"}`, `[redacted]"}`},
		{"Bearer 1" + aPEM, "Bearer [redacted][redacted]"},
		{"-- BEGIN of the song -----", "-- BEGIN of the song -----"},

		// API keys of this service, and other values by name.
		{"api-key " + aUUID, "api-key [redacted]"},
		{"my API key is " + strings.ToUpper(aUUID) + ", keep it", "my API key is [redacted], keep it"},
		{"apiKey=" + aUUID + "&x=1", "apiKey=[redacted]&x=1"},
		{"job " + aUUID, "job " + aUUID},
		{`{"password": "hun\"ter2", "user": "ann"}`, `{"password": "[redacted]", "user": "ann"}`},
		{`{\"refresh_token\": \"r-1\", \"n\": 1}`, `{\"refresh_token\": \"[redacted]\", \"n\": 1}`},
		{`{"secret": ["a", "b"], "password": null, "access_token": "cut of`, `{"secret": [redacted], "password": null, "access_token": "[redacted]`},
		{"OPENAI_API_KEY=sk-1 atelier serve", "OPENAI_API_KEY=[redacted] atelier serve"},
		{`x\npassword: hunter2\nuser: ann`, `x\npassword: [redacted]\nuser: ann`},
		{`C:\token=abc \ntoken=abc`, `C:\token=[redacted] \ntoken=[redacted]`},
		{"password := hunter2; x-api-key: Bearer abc", "password := [redacted]; x-api-key: [redacted]"},
		{"max_tokens: 512, token_type: spark, time signature: 3/4", "max_tokens: 512, token_type: spark, time signature: 3/4"},
	} {
		got := redactText(c.text)
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
		if again := redactText(got); again != got {
			t.Errorf("%s: redacted again it becomes %s", got, again)
		}
	}
}

// redact is what a record of one member is stored as.
func redact(t testing.TB, value string) string {
	t.Helper()
	record, _, err := Fields{"run_id": wire.Raw(`"r"`), "x": wire.Raw(value)}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		X wire.Raw `json:"x"`
	}
	if err := json.Unmarshal(record, &stored); err != nil {
		t.Fatalf("%s: %v", record, err)
	}
	return string(stored.X)
}

func TestRedactByName(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"Authorization":"Basic YTpi","API-Key":1,"accessToken":{"v":["a"]},"token":["a"],"client_secret":"s"}`: `{"Authorization":"[redacted]","API-Key":"[redacted]","accessToken":"[redacted]","token":"[redacted]","client_secret":"[redacted]"}`,
		`{"password":null,"secret":false,"tokens":1,"max_token":2,"timesignature":"3/4","signature":"ab"}`:       `{"password":null,"secret":false,"tokens":1,"max_token":2,"timesignature":"3/4","signature":"[redacted]"}`,
		`{"properties":{"password":{"type":"string"},"token":"t"}}`:                                              `{"properties":{"password":{"type":"string"},"token":"[redacted]"}}`,
		`[[{"deep":["Bearer abcdef12"]}],1e400,0.10,12345678901234567890]`:                                       `[[{"deep":["Bearer [redacted]"]}],1e400,0.10,12345678901234567890]`,
		`{"Bearer aaaaa":1,"Bearer [redacted] 2":2,"Bearer bbbbb":3,"Bearer [redacted]":4}`:                      `{"Bearer [redacted]":1,"Bearer [redacted] 2":2,"Bearer [redacted] 3":3,"Bearer [redacted] 4":4}`,
		`"\u00e9\/\ud83e\udd8a"`: `"é/🦊"`,
	} {
		got := redact(t, value)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", value, got, want)
		}
		if again := redact(t, got); again != got {
			t.Errorf("%s: redacted again it becomes %s", got, again)
		}
	}
}

// Texts that make a careless rule read the rest of the text at every piece of it: this test
// would take minutes.
func TestRedactHostileText(t *testing.T) {
	t.Parallel()
	const size = 512 << 10
	for _, piece := range []string{
		"eyJ", "eyJ.", "eyJa.b ", "-----BEGIN ", "-----END ", "-----END A", "-----", "bearer ", "bearer", "?", "?a", "?a=", "?sig=1 ", "#[", "?)", `?\u0026`,
		"token=", "token=[", "token=[\n", "token=[redacted],", `token="`, `token=\"`, `token=\\"`, "token=:", "token ", "authorization:", "authorization:[redacted]\n",
		"apikey", "apikey-", "api key:", "api_key=" + aUUID[:35], "://", "=", ":", `\`, "[redacted]",
	} {
		text := strings.Repeat(piece, size/len(piece))
		got := redactText(text)
		if redactText(got) != got {
			t.Errorf("%q: redacted again it changes", piece)
		}
	}
}

// Pieces in any order: whatever is redacted next to what, redacting again changes nothing.
func TestRedactAnyOrder(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"eyJ", "a.b", ".", "-----BEGIN ", "-----END ", "-----", "X", "Bearer", "bearer ", "abcde", " ", "?", "#", "sig=", "&", "%26", "%3Dx", `\u0026`, `\`, `"`, "'", ")", "]", "[", mark, "{", "}",
		"token", "password", "=", ":", "authorization", "\n", `\n`, "api key", "apikey", aUUID, "://", "@", "basic", "null", ",", ";", "é", "Basic x", "api_key", "1", "/", "\t", "%20",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		got := redactText(b.String())
		if again := redactText(got); again != got {
			t.Fatalf("%q\n became %q\n and then %q", b.String(), got, again)
		}
	}
}

// FuzzRedact plants credentials into any text and any JSON.
func FuzzRedact(f *testing.F) {
	const secret = "S3cr3tS3cr3t"
	plants := []string{
		" https://h/p.png?X-Amz-Signature=%s ", " https://h/p?a=1&sig=%s\" ", " Bearer %s ", " bEARER\t%s\n", " eyJ%[1]s.eyJ%[1]s.%[1]s ",
		"\n-----BEGIN X-----\n%[1]s\n%[1]s\n-----END X-----\n", " password=%s ", ` "api_key": "%s" `, ` \"refresh_token\":\"%s\" `, "\nAuthorization: Basic %s\n",
	}
	for i := range plants {
		f.Add("a fox", `{"a":["b"]}`, i)
	}
	f.Add(`?[redacted]"x`, `[{"token":"x","Bearer aaaaa":1,"Bearer bbbbb":2}]`, 3)
	f.Add(`authorization: "`, `"-----BEGIN X"`, 5)
	f.Add("token=[redacted][redacted]", `{"?sig=1":{"?sig=2":"eyJa.b"},"?sig=3":0}`, 6)
	f.Fuzz(func(t *testing.T, text, value string, which int) {
		plant := fmt.Sprintf(plants[uint(which)%uint(len(plants))], secret)
		quoted, err := wire.Marshal(text + plant + text)
		if err != nil || !wire.Raw(value).IsValid() || wire.Weight([]byte(value)) > 1<<20 {
			t.Skip()
		}
		doc := fmt.Sprintf(`[%s,%s,{%[2]s:1},%s]`, value, quoted, value)
		got := redact(t, doc)
		if strings.Contains(got, secret) && !strings.Contains(text+value, "S3cr") {
			t.Fatalf("%s still holds the secret: %s", doc, got)
		}
		if !wire.Raw(got).IsValid() {
			t.Fatalf("%s became invalid: %s", doc, got)
		}
		if again := redact(t, got); again != got {
			t.Fatalf("%s\n became %s\n and then %s", doc, got, again)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	round := `{"round":1,"assistant_message":"I will paint a red fox in the snow, then a clip of it: first the picture, then the motion.","tool_calls":[{"name":"generate_image",` +
		`"arguments":{"prompt":"a red fox in the snow","model":"z-turbo"}}],"tool_results":[{"ok":true,"payload":{"url":"https://h/results/fox.png?until=17&signature=abc"}}]}`
	rounds := "[" + strings.TrimSuffix(strings.Repeat(round+",", 1<<20/len(round)), ",") + "]"
	b.SetBytes(int64(len(rounds)))
	for b.Loop() {
		redact(b, rounds)
	}
}
