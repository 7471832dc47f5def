# An image with nothing but fabc: docker build -t fabc . && docker run --rm -v "$PWD:/work" fabc build pod.fab
FROM rust:1.91-slim-trixie AS build
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY benches benches
COPY playground/Cargo.toml playground/Cargo.toml
COPY playground/engine playground/engine
COPY python python
COPY src src
RUN cargo build --profile dist --locked --bin fabc

FROM debian:trixie-slim
COPY --from=build /src/target/dist/fabc /usr/local/bin/fabc
WORKDIR /work
ENTRYPOINT ["fabc"]
