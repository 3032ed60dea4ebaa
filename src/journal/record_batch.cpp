// SPDX-License-Identifier: Apache-2.0
#include "journal/record_batch.hpp"

#include <xxhash.h>

#include <fmt/format.h>

#include "save/bytes.hpp"

namespace copse::journal {

namespace {

constexpr std::size_t kSumBytes = 4;

std::string sum_of_record(std::uint64_t number, std::string_view record) {
  auto sum = XXH3_64bits_withSeed(record.data(), record.size(), number);
  std::string out;
  for (std::size_t i = 0; i < kSumBytes; ++i, sum >>= 8) out += static_cast<char>(sum);
  return out;
}

}  // namespace

std::string batch_of(std::uint64_t first, std::span<const std::string> records) {
  ByteWriter out;
  for (const std::string& record : records) {
    out.text(record);
    out.append(sum_of_record(first++, record));
  }
  return out.take();
}

Result<std::uint64_t> read_batch(
    std::uint64_t first, std::string_view bytes,
    const std::function<Result<void>(std::uint64_t, std::string_view)>& take) {
  ByteReader in(bytes);
  std::uint64_t number = first;
  for (; !in.at_end(); ++number) {
    const std::string_view record = in.text();
    const std::string_view sum = in.bytes(kSumBytes);
    if (!in.ok() || sum != sum_of_record(number, record)) {
      return fail(ErrorCode::invalid, fmt::format("record {} is damaged", number));
    }
    if (auto ok = take(number, record); !ok) return std::unexpected(ok.error());
  }
  return number - first;
}

}  // namespace copse::journal
