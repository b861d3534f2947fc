# One image for every process of the service: `hearts api`, `hearts worker`, and
# `hearts up` for all of it in one container.
#
# The base is named by its tag. Name it with its digest to build the same again:
#   docker build --build-arg PYTHON_IMAGE=python:3.13-slim@sha256:… .
# It is built in the image of the same Python that has a compiler, for the kernel of the bots'
# search; in one without (BUILD_IMAGE=python:3.13-slim) that stays as it is, and slow.
ARG PYTHON_IMAGE=python:3.13-slim
ARG BUILD_IMAGE=python:3.13

FROM ${BUILD_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src

# The tools of the build stay in an environment of their own, and in this stage.
COPY deploy/requirements-build.txt deploy/
RUN python -m venv /tools \
    && /tools/bin/pip install --require-hashes -r deploy/requirements-build.txt

# Wheels only: of others nothing is compiled. `--build-arg OTEL=1` adds what traces need, some
# 13 MB; without it the image cannot trace.
ARG OTEL=
COPY deploy/requirements.txt deploy/requirements-otel.txt deploy/
RUN python -m venv --without-pip /opt/hearts \
    && pip --python /opt/hearts install --only-binary :all: --require-hashes \
        -r deploy/requirements.txt ${OTEL:+-r deploy/requirements-otel.txt}

COPY pyproject.toml README.md LICENSE openapi.yaml ./
COPY deploy/wheel_hook.py deploy/
COPY engine engine
COPY service service
RUN /tools/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && pip --python /opt/hearts install --no-deps --no-index /wheels/*.whl

COPY deploy/requirements-kernel.txt deploy/build_kernel.py deploy/
RUN if command -v cc; then \
        /tools/bin/pip install --only-binary :all: --require-hashes \
            -r deploy/requirements-kernel.txt; \
    fi \
    && /tools/bin/python deploy/build_kernel.py --if-possible \
        "$(/opt/hearts/bin/python -c 'import engine.playouts; print(*engine.playouts.__path__)')"


FROM ${PYTHON_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="hearts-api" \
      org.opencontainers.image.description="The card game Hearts as an HTTP service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Nothing is written but to /data, and there only by `hearts up` and by what makes a secret.
RUN groupadd --gid 10001 hearts \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data \
        --shell /usr/sbin/nologin hearts \
    && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /opt/hearts /opt/hearts
ENV PATH=/opt/hearts/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HEARTS_DATA_DIR=/data \
    HEARTS_HOST=0.0.0.0 \
    HEARTS_PORT=8000

USER 10001:10001
WORKDIR /data
EXPOSE 8000
STOPSIGNAL SIGTERM
# For the processes that serve; a worker has no port, and is run without this check.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['HEARTS_PORT']), timeout=4); c.request('GET', '/health/live'); sys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["hearts"]
CMD ["api"]
