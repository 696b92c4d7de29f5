package filter_test

import (
	"strings"
	"testing"
)

// The filter recognises disguised words that a reader recognises.
func TestDisguises(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"case":              {"NUDE", "NuDe woman", "pOrN"},
		"accents":           {"nüdé", "ñude", "pörn", "n̈ǔd̂ẽ", "ńäḱéď"},
		"combining marks":   {"n\u0336u\u0336d\u0336e\u0336", "p\u0301o\u0302r\u0303n\u0308", "s\u20dde\u20ddx\u20dd"},
		"zero width":        {"nu\u200bde", "p\u200co\u200dr\u2060n", "n\u00adu\u00adde", "\ufeffporn", "na\u202eked", "po\u034frn"},
		"full width":        {"ｎｕｄｅ", "ＰＯＲＮ", "ｎａｋｅｄ　woman"},
		"mathematics":       {"𝓷𝓾𝓭𝓮", "𝐩𝐨𝐫𝐧", "𝕟𝕒𝕜𝕖𝕕", "𝚗𝚜𝚏𝚠"},
		"circles, squares":  {"ⓝⓤⓓⓔ", "🅝🅤🅓🅔", "🄿🄾🅁🄽", "🅿🅾🆁🅽"},
		"small capitals":    {"ɴᴜᴅᴇ", "ᴘᴏʀɴ"},
		"superscripts":      {"ⁿᵘᵈᵉ"},
		"Cyrillic in Latin": {"nudе", "pоrn", "nаkеd", "рorn", "ѕех", "пude", "роrп"},
		"Greek in Latin":    {"nυdε", "ροrn", "nαkεd", "pοrn"},
		"Latin in Cyrillic": {"пopно", "гoлая женщина", "п0рно"},
		"digits":            {"n4k3d", "p0rn", "s3x", "nud3", "h3nt41", "b00bs", "d1ldo", "p3n1s", "nsfw18", "18porn", "5ex", "pr0n", "p0rn0"},
		"signs":             {"n@ked", "$ex", "p€nis", "d!ldo", "n@k3d", "vag!na", "di|do", "@nal", "nude!!!", "nude@home"},
		"separators":        {"p.o.r.n", "n-u-d-e", "n u d e", "n_u_d_e", "p/o/r/n", "n·u·d·e", "po.rn", "por-n", "nak-ed", "n.ude", "p~o~r~n", "n\tu\td\te", "n🔥u🔥d🔥e", "n - u - d - e", "p, o, r, n", "(n)(u)(d)(e)", "n…u…d…e"},
		"spelled in a text": {"a n u d e woman", "draw a p o r n star", "n u d e g i r l", "photo of n.a.k.e.d people", "3 n u d e girls"},
		"repeated letters":  {"nuuude", "nuude", "nudeeee", "nnnude", "pooorn", "seeex", "sexxx", "naaaaked", "boooobs", "pussssy", "ヌーーード"},
		"hidden letters":    {"p*rn", "n*de", "s*x", "n*ked", "p**n star", "pu**y"},
		"compounds":         {"nudegirls", "#nakedwoman", "NakedWoman", "hotsexvideo", "pornpics", "realnudemodel", "nude_girl", "1girl_nude", "sexvideo"},
		"several at once":   {"N.4.K.3.D", "nüüüde", "P-0-R-N", "ｐ０ｒｎ", "рⓞrn", "n\u200b4\u200bk\u200be\u200bd", "s\u0336 3\u0336 x\u0336"},
		"ideographs apart":  {"裸 体", "色.情", "裸\u200b体", "做*爱", "섹 스", "누-드", "裸_體"},
		"decomposed":        {"\u1109\u1166\u11a8\u1109\u1173", "ヌート\u3099", "erótica desnuda"},
		"markup":            {"**nude**", "<b>nude</b>", "[porn](x)", "(((nude:1.4)))", "nude,naked", "masterpiece,nude,8k", "\"nude\""},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			for _, text := range texts {
				if got := categories(t, text); got != "sexual" {
					t.Errorf("%q: got %q, want sexual", text, got)
				}
			}
		})
	}
}

// Texts that only look like disguised words.
func TestNoDisguise(t *testing.T) {
	t.Parallel()
	clean(t,
		"he rapped all night", "rapping over a beat", "the annals of history", "seeks the truth", "Niger and Nigeria", "a Maine Coon cat",
		"S U S S E X", "C O C K T A I L  B A R", "S C U N T H O R P E", "A N A L Y S I S", "D I C K E N S", "v a p o r w a v e", "a e s t h e t i c",
		"A B C D E F G", "J. K. Rowling", "U.S.A. and U.K.", "F-A-C-E on a stave",
		"Samsung A55", "455 Main Street", "Mazda MX5, 1988", "4K, 8K, 1080p", "H264 at 60fps", "C4D render", "53x zoom", "$100 bill", "T-1000",
		"The pen.Is it yours?", "user@example.com", "2*x + 3*y", "5* hotel", "the therapist",
		"методы анализа", "сосок", "Οι άνθρωποι χορεύουν", "mountains in Poland: góry", "phở nữa", "sanat göre")
}
