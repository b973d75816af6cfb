# The headless server:
#   docker build -t brain-server .
#   docker run --rm -p 127.0.0.1:27246:27246 -v ~/notes:/vault -v brain-config:/config brain-server
# The tokens are in /config: a volume with a name keeps them from one run to the next.
FROM node:22-alpine AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json esbuild.config.mjs main.ts manifest.json styles.css ./
COPY scripts scripts
COPY src src
RUN npm run build

FROM node:22-alpine
WORKDIR /app
COPY LICENSE ./
COPY --from=build /src/dist dist
RUN ln -s /app/dist/brain.mjs /usr/local/bin/brain && mkdir /vault /config && chown node:node /vault /config
# The port is published by whoever starts the container, so that the server listens on every address inside it; every route
# needs a token. A container has another host name each time, so the device has a name of its own.
ENV NODE_ENV=production \
    BRAIN_VAULT=/vault \
    BRAIN_CONFIG_DIR=/config \
    BRAIN_DEVICE=container \
    BRAIN_HOST=0.0.0.0 \
    BRAIN_PORT=27246 \
    BRAIN_AUTH=on
USER node
VOLUME ["/vault", "/config"]
EXPOSE 27246
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.BRAIN_PORT + '/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["brain"]
CMD ["serve"]
