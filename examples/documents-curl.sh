#!/bin/sh
# Imports a file, waits until it can be searched, finds passages in it, and asks a model about it.
#   SLUICE_API_KEY=sk-slu-… examples/documents-curl.sh handbook.pdf "How many days of leave are there?"
# SLUICE_URL and MODEL name the server and the model; the defaults suit a first start on this machine.
set -eu
url="${SLUICE_URL:-http://127.0.0.1:3001}"
model="${MODEL:-demo-chat}"
file="${1:?Name a file.}"
question="${2:?Ask a question about it.}"
: "${SLUICE_API_KEY:?Set SLUICE_API_KEY to an API key. The first start prints one; \"bin/sluice keys create\" makes another.}"

ask() {
  # --fail-with-body: an error answer is printed and ends the script.
  curl --silent --show-error --fail-with-body "$@" -H "Authorization: Bearer $SLUICE_API_KEY"
  echo
}

# The question as a JSON string.
quoted="\"$(printf '%s' "$question" | sed 's/\\/\\\\/g; s/"/\\"/g' | tr '\n\t' '  ')\""

echo '== Import'
# 207 with "duplicate" when the server has the file already; "invalid" says why it cannot be imported.
ask "$url/api/v1/documents" -F "files=@$file" -F category=examples -F wait_for_completion=true

echo '== Passages'
ask "$url/api/v1/search" -H 'Content-Type: application/json' \
  -d "{\"query\": $quoted, \"category\": \"examples\", \"top_k\": 3}"

echo '== Answer, with its sources in "citations"'
ask "$url/ai/v1/chat/completions" -H 'Content-Type: application/json' \
  -d "{\"model\": \"$model\", \"documents\": {\"category\": \"examples\"},
       \"messages\": [{\"role\": \"user\", \"content\": $quoted}]}"
