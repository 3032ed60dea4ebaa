// SPDX-License-Identifier: Apache-2.0
#include "copse/save.hpp"

#include <algorithm>

#include "save/bytes.hpp"
#include "save/engine_codec.hpp"
#include "save/seal.hpp"

namespace copse {

std::string save(const Engine& engine, std::string_view host) {
  ByteWriter out;
  write_engine(out, EngineImager::image_of(engine));
  out.text(host);
  return sealed(kSaveSeal, out.bytes());
}

namespace {

Result<Loaded> read(std::string_view bytes, std::span<const Policy> own, const SaveLimits& limits) {
  const auto content = unsealed(kSaveSeal, bytes, limits.bytes_max);
  if (!content) return std::unexpected(content.error());
  ByteReader in(content->content);
  auto image = read_engine(in, own, limits);
  if (!image) return std::unexpected(image.error());
  std::string host(in.text());
  if (!in.ok() || !in.at_end()) {
    return fail(ErrorCode::invalid, "the save is broken: something follows its end, or is missing");
  }
  auto engine = EngineImager::engine_of(std::move(*image));
  if (!engine) return std::unexpected(engine.error());
  return Loaded{std::move(*engine), std::move(host)};
}

}  // namespace

Result<Loaded> load(std::string_view bytes, std::span<const Policy> own, const SaveLimits& limits) {
  auto loaded = read(bytes, own, limits);
  if (!loaded) {  // names are untrusted
    std::ranges::replace_if(loaded.error().text, [](unsigned char c) { return c < ' '; }, '?');
  }
  return loaded;
}

}  // namespace copse
