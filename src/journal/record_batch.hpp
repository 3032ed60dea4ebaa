// SPDX-License-Identifier: Apache-2.0
//
// A batch: the records of one commit as one byte string, each with its length and a checksum.
//
//   record    length (number, save/bytes.hpp), content, 4 bytes: the low half of the content's
//             XXH3, seeded with the record's number, so that none is lost, moved or repeated
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::journal {

[[nodiscard]] std::string batch_of(std::uint64_t first, std::span<const std::string> records);

// Calls `take` with each record of `bytes`; `first` is the number of the first one. Returns the
// number of records. Errors: invalid (damaged, with the record's number); those of `take`.
[[nodiscard]] Result<std::uint64_t> read_batch(
    std::uint64_t first, std::string_view bytes,
    const std::function<Result<void>(std::uint64_t number, std::string_view record)>& take);

}  // namespace copse::journal
