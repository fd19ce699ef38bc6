# Moot with what servers and workers need: docs/how-to/run-it-for-real.md. The embedded model is not in it.
#
#   docker build -t moot .
#   docker run -e MOOT_TOKEN=... -e OPENAI_API_KEY=... -p 127.0.0.1:8420:8420 -v moot:/var/lib/moot moot

FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build

# Everything from the locks, by hash. The locks name all that is needed: pip need not look for more.
COPY requirements/build.txt requirements/workers.txt requirements/providers.txt requirements/tracing.txt requirements/
RUN python -m venv /opt/moot \
 && /opt/moot/bin/pip install --require-hashes --no-deps \
      -r requirements/workers.txt -r requirements/providers.txt -r requirements/tracing.txt \
 && pip install --require-hashes --no-deps -r requirements/build.txt

COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
# Where the project lives, for the package's metadata; it may be left out.
ARG MOOT_PROJECT_URL=
RUN pip wheel --no-build-isolation --no-deps -w wheel . \
 && /opt/moot/bin/pip install --no-deps --no-index wheel/*.whl \
 && /opt/moot/bin/pip check \
 && /opt/moot/bin/pip uninstall -y pip

FROM python:3.13-slim
RUN useradd --system --uid 8420 --home-dir /var/lib/moot --shell /usr/sbin/nologin moot \
 && install -d -o moot -g moot -m 700 /var/lib/moot
COPY --from=build /opt/moot /opt/moot
ENV PATH=/opt/moot/bin:$PATH MOOT_HOME=/var/lib/moot
USER moot
WORKDIR /var/lib/moot
VOLUME /var/lib/moot
EXPOSE 8420
# Asks for nothing but a sign of life, and needs no token. Workers have no port: compose.yaml turns it off for them.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8420/healthz', timeout=4)"]
# Refuses to start without MOOT_TOKEN, because others can reach it.
CMD ["moot", "serve", "--host", "0.0.0.0", "--port", "8420"]
