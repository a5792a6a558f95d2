# The service and its crews, for compose.yaml. No image can be built where Crewdeck's tests run: a test runs these steps in a folder.
# Needs beside it: crewdeck-<version>.tgz, which `npm run package:service` writes, and crews/ with a folder for each crew project,
# which has the uv.lock that `uv lock` writes.

# Only the files that say what is installed: a change of another file doesn't install it again.
FROM node:24-slim AS locks
COPY crews /crews
RUN find /crews -type f ! -name pyproject.toml ! -name uv.lock -delete && find /crews -type d -empty -delete

FROM node:24-slim

# The newest, if there are several.
COPY crewdeck-*.tgz /tmp/
RUN npm install --global --offline "$(ls -v /tmp/crewdeck-*.tgz | tail -n 1)" && rm /tmp/crewdeck-*.tgz

# uv installs crewAI and its Python for each project. Keys of models don't belong into an image: .dockerignore leaves out .env files.
COPY --from=ghcr.io/astral-sh/uv:0.13 /uv /usr/local/bin/

# A new volume has the owner of the folder that it is mounted on.
RUN install --directory --owner node --group node /srv/data
USER node
COPY --chown=node:node --from=locks /crews /srv/crews
RUN for project in /srv/crews/*/; do uv sync --no-cache --frozen --no-install-project --project "$project" || exit 1; done
COPY --chown=node:node crews /srv/crews
RUN for project in /srv/crews/*/; do uv sync --no-cache --frozen --project "$project" || exit 1; done

EXPOSE 8000
# Not /healthz, which doesn't ask the database.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD node -e "fetch('http://127.0.0.1:8000/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
ENTRYPOINT ["crewdeck"]
CMD ["--help"]
