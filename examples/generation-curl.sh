#!/bin/sh
# Asks about an image: one whole answer, then several token by token.
#   SLUICE_API_KEY=sk-slu-… examples/generation-curl.sh photo.jpg
# SLUICE_URL and GROUP name the server and the consumer group; the defaults suit a first start on this machine.
set -eu
url="${SLUICE_URL:-http://127.0.0.1:3001}"
group="${GROUP:-demo-vision}"
image="${1:?Name an image file.}"
: "${SLUICE_API_KEY:?Set SLUICE_API_KEY to an API key. The first start prints one; \"bin/sluice keys create\" makes another.}"

ask() {
  curl --silent --show-error --fail-with-body "$@" -H "Authorization: Bearer $SLUICE_API_KEY"
  echo
}

echo '== One answer'
ask "$url/image_generate" -F "image_data=@$image" \
  -F "json_data={\"text\": \"What is in this picture?\", \"consumer_group\": \"$group\"};type=application/json"

echo '== Two answers, streamed'
ask "$url/image_generate_stream" --no-buffer -F "image_data=@$image" \
  -F "json_data={\"text\": [\"What is it?\", \"Which colours has it?\"], \"consumer_group\": \"$group\"};type=application/json"
