// SPDX-License-Identifier: Apache-2.0
#include "session/host_text.hpp"

#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "save/bytes.hpp"
#include "text/json_writer.hpp"

namespace copse {

std::string host_text(const SessionOptions& options) {
  std::string scheduling;
  if (options.scheduling) {
    JsonWriter json(scheduling);
    write_scheduling(json, *options.scheduling);
  }
  ByteWriter out;
  out.number(static_cast<unsigned>(options.format));
  out.text(scheduling);
  return out.take();
}

Result<void> read_host_text(std::string_view text, SessionOptions& options) {
  if (text.empty()) return {};
  auto broken = [] {
    return fail(ErrorCode::invalid, "the save is of another program than copse session");
  };
  ByteReader in(text);
  const auto format = in.below<unsigned>(static_cast<unsigned>(Format::rv1_shorthand));
  const std::string_view key = in.text();
  if (!in.ok() || !in.at_end()) return broken();
  std::optional<RScheduling> scheduling;
  if (!key.empty()) {
    auto read = read_scheduling(key, "save");
    if (!read) return std::unexpected(read.error());
    if (!read->treepool) return broken();
    scheduling = std::move(*read);
  }
  options.format = static_cast<Format>(format);
  options.scheduling = std::move(scheduling);
  return {};
}

}  // namespace copse
