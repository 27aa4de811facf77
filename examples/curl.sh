#!/bin/sh
# Lists the models of a key, asks one of them, and streams an answer.
#   SLUICE_API_KEY=sk-slu-… examples/curl.sh
# SLUICE_URL and MODEL name the server and the model; the defaults suit a first start on this machine.
set -eu
url="${SLUICE_URL:-http://127.0.0.1:3001}"
model="${MODEL:-demo-chat}"
: "${SLUICE_API_KEY:?Set SLUICE_API_KEY to an API key. The first start prints one; \"bin/sluice keys create\" makes another.}"

ask() {
  # --fail-with-body: an error answer is printed and ends the script.
  curl --silent --show-error --fail-with-body "$@" -H "Authorization: Bearer $SLUICE_API_KEY"
  echo
}

echo '== Models'
ask "$url/ai/v1/models"

echo '== One answer'
ask "$url/ai/v1/chat/completions" -H 'Content-Type: application/json' \
  -d "{\"model\": \"$model\", \"messages\": [{\"role\": \"user\", \"content\": \"Hello!\"}]}"

echo '== The same as a stream'
ask "$url/ai/v1/chat/completions" --no-buffer -H 'Content-Type: application/json' \
  -d "{\"model\": \"$model\", \"stream\": true, \"messages\": [{\"role\": \"user\", \"content\": \"Hello!\"}]}"
