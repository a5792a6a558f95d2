# The service and its crews, for compose.yaml. Not tested: no image can be built where Crewdeck's tests run.
# Needs beside it: crewdeck-<version>.tgz, which `npm run package:service` writes, and crews/ with a folder for each crew project.
FROM node:24-slim

COPY crewdeck-*.tgz /tmp/crewdeck.tgz
RUN npm install --global --offline /tmp/crewdeck.tgz && rm /tmp/crewdeck.tgz

# uv installs crewAI and its Python for each project. Keys of models don't belong into an image: .dockerignore leaves out .env files.
COPY --from=ghcr.io/astral-sh/uv:0.9 /uv /usr/local/bin/

# A new volume has the owner of the folder that it is mounted on.
RUN install --directory --owner node --group node /srv/data
USER node
COPY --chown=node:node crews /srv/crews
RUN for project in /srv/crews/*/; do uv sync --no-cache --project "$project" || exit 1; done

EXPOSE 8000
HEALTHCHECK --interval=10s --start-period=30s \
  CMD node -e "fetch('http://127.0.0.1:8000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
ENTRYPOINT ["crewdeck"]
CMD ["--help"]
