# Listway as a container: built with the Swift toolchain, run on Debian 12 with the shared libraries that it needs.
#
#   docker build --tag listway .
#   docker run --read-only --publish 8080:8080 --volume ./listway.yaml:/etc/listway/listway.yaml:ro listway
#
# Without an engine, Tests/Container/run builds and tries it.

FROM swift:6.3-bookworm AS build
WORKDIR /source
COPY config/install config/packages config/
RUN config/install build && rm -rf /var/lib/apt/lists/*
COPY Package.swift ./
COPY Sources Sources
# Only their places: the package names its test targets, and none is built.
COPY Tests Tests
RUN swift build --configuration release --static-swift-stdlib --product listway -Xlinker --strip-all

FROM debian:bookworm-slim
RUN --mount=type=bind,source=config,target=/config \
  /config/install run && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
COPY --from=build /source/.build/release/listway /usr/local/bin/listway

# Nothing is written but known pages, to a volume; a configuration that says `store:` may have them elsewhere. The root file
# system may be read-only. The user has a number and no name, no home and no shell.
RUN install --directory --owner 10001 --group 10001 --mode 0700 /var/lib/listway
VOLUME /var/lib/listway
USER 10001:10001
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["listway", "healthcheck"]
ENTRYPOINT ["listway"]
CMD ["serve", "--store", "/var/lib/listway/pages.db", "/etc/listway/listway.yaml"]

ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Listway" \
  org.opencontainers.image.description="An HTTP gateway for lists: any upstream paging becomes one cursor" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
