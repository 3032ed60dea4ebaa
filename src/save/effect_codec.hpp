// SPDX-License-Identifier: Apache-2.0
//
// A stream of effects as bytes: a header, then records, each with its length before and a checksum
// after it.
//
//   head      "COPSEFFX", version (4 bytes, the low one first), 4 bytes 0
//   record    length of the content (number), content, 4 bytes: the low half of the content's XXH3,
//             seeded with the record's index (0, 1, …), so that lost or moved records are detected
//   content   0 and a save (copse/save.hpp): the state from here on; or 1 + the number of the
//             effect's kind (copse/effect.hpp), and its members; then, if a grant has units of
//             divisible pools, a list of these for each of its grants
//
// A stream that includes its engine begins with a save. A truncated stream ends in the middle of a
// record; all records before that are valid.
//
// Cost: about 30 bytes and 30 ns for a grant of one core.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "copse/effect.hpp"
#include "copse/error.hpp"
#include "save/bytes.hpp"

namespace copse {

class EffectWriter {
 public:
  static void append_head(std::string& out);
  void append(const Effect& effect, std::string& out);
  void append_state(std::string_view save, std::string& out);
  // Appends a record with raw content.
  void append_record(std::string_view content, std::string& out);

 private:
  ByteWriter content_;
  std::uint64_t place_ = 0;
};

class EffectReader {
 public:
  // Errors: invalid (not a stream of effects), unsupported (a later version).
  [[nodiscard]] static Result<EffectReader> open(std::string_view bytes);
  // Reads the output of an EffectWriter without the header.
  [[nodiscard]] static EffectReader of_record(std::string_view bytes) {
    return EffectReader(bytes);
  }

  struct State {
    std::string_view save;
  };
  using Record = std::variant<Effect, State>;
  // The next record; nullopt at the end. Errors: invalid, with the record's index: truncated,
  // damaged, or not an effect.
  [[nodiscard]] Result<std::optional<Record>> next();
  [[nodiscard]] std::uint64_t place() const { return place_; }  // records that were read

 private:
  explicit EffectReader(std::string_view rest) : rest_(rest) {}

  std::string_view rest_;
  std::uint64_t place_ = 0;
};

}  // namespace copse
