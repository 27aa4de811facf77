"""The official OpenAI SDK against Sluice: only the base URL and the key are ours.

    pip install openai
    SLUICE_API_KEY=sk-slu-… python examples/openai-python.py

SLUICE_URL and MODEL name the server and the model; the defaults suit a first start on this machine.
"""

import os

from openai import APIStatusError, OpenAI

base_url = os.environ.get("SLUICE_URL", "http://127.0.0.1:3001") + "/ai/v1"
model = os.environ.get("MODEL", "demo-chat")
client = OpenAI(base_url=base_url, api_key=os.environ["SLUICE_API_KEY"])

for listed in client.models.list():
    print(f"model {listed.id}, by {listed.owned_by}")

answer = client.chat.completions.create(
    model=model,
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)
if answer.usage is not None:
    print(f"{answer.usage.prompt_tokens} tokens in, {answer.usage.completion_tokens} out")

stream = client.chat.completions.create(
    model=model,
    stream=True,
    messages=[{"role": "user", "content": "Hello again!"}],
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
print()

try:
    client.chat.completions.create(model="no-such-model", messages=[{"role": "user", "content": "Hello?"}])
except APIStatusError as error:
    # Decide by code: docs/errors.md lists all codes.
    print(f"refused as it should be: {error.status_code} {error.code}")
