"""Asks several questions about one image and streams the answers.

    pip install requests
    SLUICE_API_KEY=sk-slu-… python examples/generation-python.py photo.jpg

SLUICE_URL and GROUP name the server and the consumer group; the defaults suit a first start on this machine.
"""

import json
import os
import sys

import requests

url = os.environ.get("SLUICE_URL", "http://127.0.0.1:3001")
questions = ["What is it?", "Which colours has it?"]
payload = {"text": questions, "consumer_group": os.environ.get("GROUP", "demo-vision"), "max_new_tokens": 200}

with open(sys.argv[1], "rb") as image:
    response = requests.post(
        f"{url}/image_generate_stream",
        headers={"Authorization": f"Bearer {os.environ['SLUICE_API_KEY']}"},
        files={
            "image_data": (os.path.basename(sys.argv[1]), image, "image/*"),
            "json_data": (None, json.dumps(payload), "application/json"),
        },
        stream=True,
        # Ten seconds to connect; no limit for the answer.
        timeout=(10, None),
    )

if response.status_code != 200:
    sys.exit(response.json()["error"]["message"])

answers = ["" for _ in questions]
failed = False
for line in response.iter_lines():
    if not line.startswith(b"data:"):
        continue
    event = json.loads(line[5:])
    if "error" in event:
        # The other questions continue.
        failed = True
        print(f"[{event['batch_id']}] {event['error']['message']}", file=sys.stderr)
    else:
        answers[event["batch_id"]] += event["text"]
        print(f"\r{sum(map(len, answers))} characters", end="", file=sys.stderr)
print(file=sys.stderr)

for question, answer in zip(questions, answers):
    print(f"{question}\n{answer}\n")
sys.exit(1 if failed else 0)
