// SPDX-License-Identifier: Apache-2.0
#include "session/host_text.hpp"

#include <vector>

#include "base/idset_algebra.hpp"
#include "save/bytes.hpp"

namespace copse {

namespace {

std::string scheduling_text(const TreepoolKey& key, const Idset& ranks) {
  std::vector<std::int64_t> all;
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) all.push_back(rank);
  }
  std::string out = "{\"scheduling\": ";
  append_treepool(out, key, all);
  return out + '}';
}

}  // namespace

std::string host_text(const SessionOptions& options) {
  ByteWriter out;
  out.number(static_cast<unsigned>(options.format));
  out.number(options.key ? 1 : 0);
  if (options.key) {
    Idset ranks;
    for (const TreepoolKey::Child& child : options.key->children) ranks = unite(ranks, child.ranks);
    out.text(ranks.text());
    out.text(scheduling_text(*options.key, ranks));
  }
  return out.take();
}

Result<void> read_host_text(std::string_view text, SessionOptions& options) {
  if (text.empty()) return {};
  auto broken = [] {
    return fail(ErrorCode::invalid, "the save is of another program than copse session");
  };
  ByteReader in(text);
  const auto format = in.below<unsigned>(static_cast<unsigned>(Format::rv1_shorthand));
  const bool has_key = in.flag();
  const std::string ranks(has_key ? in.text() : std::string_view());
  const std::string scheduling(has_key ? in.text() : std::string_view());
  if (!in.ok() || !in.at_end()) return broken();
  std::optional<TreepoolKey> key;
  if (has_key) {
    const auto ids = Idset::parse(ranks);
    if (!ids) return broken();
    auto read = read_treepool(scheduling, *ids, "save");
    if (!read) return std::unexpected(read.error());
    key = std::move(*read);
    if (!key) return broken();
  }
  options.format = static_cast<Format>(format);
  options.key = std::move(key);
  return {};
}

}  // namespace copse
