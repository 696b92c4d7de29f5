"""The official package for Python against the service: a chat, a stream, a response, a picture and speech.

    pip install openai
    ATELIER_URL=http://127.0.0.1:8080 ATELIER_API_KEY=… python3 openai_example.py
"""

import os
from pathlib import Path

from openai import OpenAI

client = OpenAI(base_url=os.environ.get("ATELIER_URL", "http://127.0.0.1:8080") + "/v1", api_key=os.environ["ATELIER_API_KEY"])
model = "atelier-builtin"

completion = client.chat.completions.create(model=model, messages=[{"role": "user", "content": "What can you make?"}])
print(completion.choices[0].message.content)

for chunk in client.chat.completions.create(model=model, messages=[{"role": "user", "content": "Hello"}], stream=True):
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
print()

response = client.responses.create(model=model, input="Make a picture of a red fox", tools=[{"type": "image_generation"}])
print(response.status, [item.type for item in response.output])

picture = client.images.generate(prompt="a red fox in the snow", size="512x512", response_format="url")
print(picture.data[0].url)

with client.audio.speech.with_streaming_response.create(
    model="tts-1", voice="nova", input="The fox is in the snow.", response_format="wav"
) as speech:
    speech.stream_to_file(Path("fox.wav"))
