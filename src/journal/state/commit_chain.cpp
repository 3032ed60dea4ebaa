// SPDX-License-Identifier: Apache-2.0
#include "journal/state/commit_chain.hpp"

#include <xxhash.h>

#include <initializer_list>

#include "save/bytes.hpp"

namespace copse::journal {

namespace {

std::uint64_t sum_of(std::initializer_list<std::uint64_t> numbers) {
  ByteWriter out;
  for (const std::uint64_t number : numbers) out.number(number);
  return XXH3_64bits(out.bytes().data(), out.bytes().size());
}

}  // namespace

ChainEnd chained(const ChainEnd& before, std::uint64_t count, std::string_view batch) {
  const std::uint64_t content = XXH3_64bits(batch.data(), batch.size());
  return {before.next + count, sum_of({before.value, before.next, count, content})};
}

std::uint64_t snapshot_sum(Sequence next, std::uint64_t part, std::uint64_t parts,
                           std::string_view bytes) {
  return sum_of({next, part, parts, XXH3_64bits(bytes.data(), bytes.size())});
}

}  // namespace copse::journal
