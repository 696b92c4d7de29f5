package catalog_test

import (
	"strings"
	"testing"
)

func TestAudioSteps(t *testing.T) {
	t.Parallel()
	runSteps(t, "generate_music", []stepCase{
		{`{}`, none(), "arguments.prompt is required for generate_music"},
		{`{"prompt":"a","duration":9}`, none(), "arguments.duration must be between 10 and 600 seconds"},
		{`{"prompt":"a","duration":601}`, none(), "arguments.duration must be between 10 and 600 seconds"},
		{`{"prompt":"a","bpm":20}`, none(), "arguments.bpm must be between 30 and 300"},
		{`{"prompt":"a","keyscale":"H dur"}`, none(), "arguments.keyscale must be a key such as A minor, F# major or Bbm"},
		{`{"prompt":"a","keyscale":"sad","timesig":5}`, none(), "arguments.keyscale must be a key such as A minor, F# major or Bbm"},
		{`{"prompt":"a","keyscale":"B flat min"}`, none(), "minimax_music3 30s 1 audio/wav audio.standard 3 units 9 Spark for 30 second"},
		{`{"prompt":"a","timesig":5}`, none(), "arguments.timesig must be one of 2, 3, 4, 6"},
		{`{"prompt":"a","model":"bark"}`, none(), "arguments.model must be one of music3, turbo, sft, or the catalog id of a model that generate_music can use"},
		{`{"prompt":"a","numberOfVariations":17}`, none(), "arguments.numberOfVariations must be between 1 and 16"},
		{`{"prompt":"a","lyrics":["la"]}`, none(), "arguments.lyrics must be a string"},
		{`{"prompt":"a","loraStrengths":[1]}`, none(), "arguments.loraStrengths needs loras beside it"},
		{`{"prompt":"a"}`, none(), "minimax_music3 30s 1 audio/wav audio.standard 3 units 9 Spark for 30 second"},
		{`{"prompt":"a","duration":600}`, none(), "minimax_music3 300s 1 audio/wav audio.standard 3 units 90 Spark for 300 second"},
		{`{"prompt":"a","model":"turbo","duration":600,"timesig":"3"}`, none(), "ace_step_1.5_turbo 600s 1 audio/wav audio.standard 3 units 72 Spark for 600 second"},
		{`{"prompt":"a","model":"sft","duration":10,"numberOfVariations":2}`, none(), "ace_step_1.5_sft 10s 2 audio/wav audio.standard 6 units 4.8 Spark for 20 second"},
	})
	runSteps(t, "generate_speech", []stepCase{
		{`{}`, none(), "arguments.prompt is required for generate_speech"},
		{`{"prompt":"` + strings.Repeat("x", 4097) + `"}`, none(), "arguments.prompt must be at most 4096 characters, not 4097"},
		{`{"prompt":"a","model":"robot"}`, none(), "arguments.model must be one of voice, clone, design, or the catalog id of a model that generate_speech can use"},
		{`{"prompt":"a","voice":"bob"}`, none(), "arguments.voice must be one of serena, vivian, uncle_fu, ryan, aiden, ono_anna, sohee, eric, dylan"},
		{`{"prompt":"a","model":"design"}`, none(), "arguments.voiceDescription is required for model design"},
		{`{"prompt":"a","model":"clone"}`, none(), "arguments.voiceSourceIndex is required for model clone: pass the recording to clone, or its address as voice_source_url"},
		{`{"prompt":"a","model":"voice","voiceSourceIndex":-1}`, up(0, 0, 1), "arguments.voiceSourceIndex is not taken by voice; leave it out or choose another model"},
		{`{"prompt":"a","model":"clone","voiceSourceIndex":-1,"voice_source_url":"https://x.example/v.wav"}`, up(0, 0, 1), "arguments.voice_source_url cannot be combined with voiceSourceIndex; send only one of the two"},
		{`{"prompt":"a","voiceDescription":"` + strings.Repeat("x", 513) + `"}`, none(), "arguments.voiceDescription must be at most 512 characters, not 513"},
		{`{"prompt":"a","voiceDescription":"deep"}`, none(), "qwen3_tts_1.7b_design_bf16 1 audio/wav audio.speech 1 units 2.5 Spark for 1 operation"},
		{`{"prompt":"a","voiceSourceIndex":-1}`, up(0, 0, 1), "qwen3_tts_1.7b_clone_bf16 1 audio/wav audio.speech 1 units 3 Spark for 1 operation"},
		{`{"prompt":"a","voiceTranscript":"` + strings.Repeat("x", 1025) + `"}`, none(), "arguments.voiceTranscript must be at most 1024 characters, not 1025"},
		{`{"prompt":"a","language":"latin"}`, none(), "arguments.language must be one of auto, english, chinese, japanese, korean, german, french, russian, portuguese, spanish, italian"},
		{`{"prompt":"a","creativity":0}`, none(), "arguments.creativity must be between 0.1 and 2"},
		{`{"prompt":"a","outputFormat":"ogg"}`, none(), "arguments.outputFormat must be one of wav, mp3, flac"},
		{`{"prompt":"a","seed":-1}`, none(), "arguments.seed must be between 0 and 4294967295"},
		{`{"prompt":"a"}`, none(), "qwen3_tts_1.7b_voice_bf16 1 audio/wav audio.speech 1 units 2 Spark for 1 operation"},
		{`{"prompt":"a","model":"design","voiceDescription":"deep","outputFormat":"mp3","numberOfVariations":3}`, none(), "qwen3_tts_1.7b_design_bf16 3 audio/mpeg audio.speech 3 units 7.5 Spark for 3 operation"},
		{`{"prompt":"a","model":"clone","outputFormat":"flac"}`, bound("voiceSourceIndex"), "qwen3_tts_1.7b_clone_bf16 1 audio/flac audio.speech 1 units 3 Spark for 1 operation"},
		{`{"prompt":"a","model":"clone","voice_source_url":"https://x.example/v.wav"}`, none(), "qwen3_tts_1.7b_clone_bf16 1 audio/wav audio.speech 1 units 3 Spark for 1 operation"},
	})
}
