# The operator's image, for those who have an image engine; `npm run image` makes the same one without.
# BASE needs Node 20 or newer with npm, and glibc.
ARG BASE=node:24-bookworm-slim
FROM ${BASE} AS build
WORKDIR /src
COPY . .
RUN npm run --silent image -- --rootfs /rootfs

# Node, its C library, one bundled program and the list of what is inside: no shell, no package manager.
FROM scratch
COPY --from=build /rootfs /
ENV PATH=/nodejs/bin MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_TOP_PAD_=32768
USER 65532:65532
EXPOSE 8080 8082 9443
ENTRYPOINT ["/manager"]
