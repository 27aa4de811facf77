"""Import files, wait until they can be searched, find passages, and ask a model about them.

    pip install requests
    SLUICE_API_KEY=sk-slu-… python examples/documents-python.py "How many days of leave are there?" handbook.pdf

SLUICE_URL and MODEL name the server and the model; the defaults suit a first start on this machine.
"""

import os
import sys
import time

import requests

url = os.environ.get("SLUICE_URL", "http://127.0.0.1:3001")
question, *paths = sys.argv[1:]
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['SLUICE_API_KEY']}"


def call(method, path, **arguments):
    """Returns the JSON of the answer; exits with the message of an error."""
    response = session.request(method, url + path, timeout=120, **arguments)
    if not response.ok:
        sys.exit(response.json()["error"]["message"])
    return response.json()


waiting = {}
for path in paths:
    with open(path, "rb") as file:
        # One request could hold several files; one file each shows the progress.
        answer = call(
            "POST",
            "/api/v1/documents",
            files={"files": (os.path.basename(path), file)},
            data={"category": "examples"},
        )
    for item in answer["invalid"]:
        print(f"{path}: {item['reason']['message']}", file=sys.stderr)
    # A duplicate has the id of the existing document.
    for item in answer["accepted"] + answer["duplicate"]:
        waiting[item["doc_id"]] = path

while waiting:
    # At most 200 ids in one request.
    some = list(waiting)[:200]
    for document in call("GET", "/api/v1/documents", params={"doc_id": ",".join(some), "limit": 200})["data"]:
        if document["state"] in ("completed", "failed", "cancelled"):
            path = waiting.pop(document["doc_id"])
            error = document["error"]
            print(f"{path}: {error['message'] if error else document['state']}")
    if waiting:
        time.sleep(0.5)

print("\nPassages")
for hit in call("POST", "/api/v1/search", json={"query": question, "category": "examples", "top_k": 3})["data"]:
    page = f", page {hit['page']}" if hit["page"] is not None else ""
    print(f"- {hit['name']}{page}: {' '.join(hit['text'].split())[:200]}")

answer = call(
    "POST",
    "/ai/v1/chat/completions",
    json={
        "model": os.environ.get("MODEL", "demo-chat"),
        "messages": [{"role": "user", "content": question}],
        "documents": {"category": "examples", "top_k": 4},
    },
)
print("\nAnswer")
print(answer["choices"][0]["message"]["content"])
for citation in answer["citations"]:
    print(f"[{citation['index']}] {citation['name']}")
