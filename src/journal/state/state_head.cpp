// SPDX-License-Identifier: Apache-2.0
#include "journal/state/state_head.hpp"

#include <xxhash.h>

#include <random>

#include <fmt/format.h>

#include "save/bytes.hpp"

namespace copse::journal {

std::string new_incarnation() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", random());
  return out;
}

std::string head_bytes(const StateHead& head) {
  ByteWriter out;
  out.text(head.incarnation);
  out.number(head.in_use ? 1 : 0);
  out.number(head.end.next);
  out.number(head.end.value);
  out.number(head.chained_from);
  out.number(head.snapshot ? *head.snapshot + 1 : 0);
  out.number(XXH3_64bits(out.bytes().data(), out.bytes().size()));
  return out.take();
}

Result<StateHead> read_head(std::string_view bytes) {
  ByteReader in(bytes);
  StateHead out;
  out.incarnation = in.text();
  out.in_use = in.flag();
  out.end.next = in.number();
  out.end.value = in.number();
  out.chained_from = in.number();
  if (const std::uint64_t snapshot = in.number(); snapshot > 0) out.snapshot = snapshot - 1;
  const std::size_t content = bytes.size() - in.left();
  const std::uint64_t sum = in.number();
  if (!in.ok() || !in.at_end() || sum != XXH3_64bits(bytes.data(), content)) {
    return fail(ErrorCode::invalid, "the head of the state is damaged");
  }
  return out;
}

}  // namespace copse::journal
