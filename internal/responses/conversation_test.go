package responses_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/responses"
	"github.com/atelier-project/atelier/internal/wire"
)

// A short request cannot make a long conversation by naming the same items again and again.
func TestReferencesCount(t *testing.T) {
	t.Parallel()
	reads := 0
	earlier := func(string) (*responses.Stored, error) {
		reads++
		call := llm.ToolCall{ID: "c1", Function: llm.FunctionCall{Name: "f", Arguments: strings.Repeat("x", 1<<20)}}
		return &responses.Stored{Run: apitype.Run{RunID: "run_1"}, Made: []llm.Message{llm.Text("assistant", strings.Repeat("x", 1<<20)), {Role: "assistant", ToolCalls: []llm.ToolCall{call}}}}, nil
	}
	for _, id := range []string{"msg_1_0", "fc_1_1"} {
		for n, want := range map[int]string{4: "", 5: "input[4]", 4096: "input[4]"} {
			reads = 0
			item := `{"type":"item_reference","id":"` + id + `"},`
			body := responses.Body{Input: wire.Raw("[" + strings.TrimSuffix(strings.Repeat(item, n), ",") + "]")}
			_, err := body.Request(atelier.Caller{}, atelier.PaymentTerms{}, nil, responses.Sources{Earlier: earlier})
			if want == "" && err != nil || want != "" && !atelier.HasCode(err, atelier.CodeInvalidRequest) || reads != 1 {
				t.Errorf("%d times %s: %v, after %d reads", n, id, err, reads)
			}
			if known := (*atelier.Error)(nil); errors.As(err, &known) && known.Field != want {
				t.Errorf("%d times %s: the error is about %q, want %q", n, id, known.Field, want)
			}
		}
	}
}
