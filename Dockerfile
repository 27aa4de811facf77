# syntax=docker/dockerfile:1
# The one-file binary on a base without a shell. Build and run:
#   docker build -t sluice .
#   docker run -p 3001:3001 -v sluice:/data sluice

FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
ARG TARGETARCH
RUN npm run build:ui \
  && npm run build:binary -- --target "linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)" --out /out/sluice \
  && mkdir -m 0700 /out/data

FROM gcr.io/distroless/cc-debian12:nonroot
LABEL org.opencontainers.image.title="Sluice" org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/sluice /usr/local/bin/sluice
COPY --from=build --chown=65532:65532 /out/data /data
# All that is written lies in /data: the root file system can be read-only.
ENV SLUICE_DATA_DIR=/data SLUICE_SERVER_HOST=0.0.0.0 BUN_CONFIG_MAX_HTTP_REQUESTS=65535 BUN_JSC_heapGrowthMaxIncrease=1
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 3001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["/usr/local/bin/sluice", "health"]
ENTRYPOINT ["/usr/local/bin/sluice"]
CMD ["start"]
