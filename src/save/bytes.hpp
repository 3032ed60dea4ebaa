// SPDX-License-Identifier: Apache-2.0
//
// Bytes of a save: whole numbers of 1 to 10 bytes (7 bits each, the low ones first; signed ones as
// zigzag), texts with their length before them, columns.
//
// Input is untrusted. If a read exceeds the end or a bound, ByteReader fails: from then on it
// returns zeros and empty texts, and ok() is false. So a caller checks once, at the end of a part,
// and before it allocates memory (count).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace copse {

class ByteWriter {
 public:
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      out_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    out_ += static_cast<char>(value);
  }
  void integer(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view text) {
    number(text.size());
    out_ += text;
  }
  void append(std::string_view bytes) { out_ += bytes; }
  void clear() { out_.clear(); }
  [[nodiscard]] const std::string& bytes() const { return out_; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  std::int64_t integer() {
    const std::uint64_t z = number();
    return static_cast<std::int64_t>((z >> 1) ^ (~(z & 1) + 1));
  }
  // At most `max`.
  template <class T>
  T below(std::uint64_t max) {
    const std::uint64_t value = number();
    if (value <= max) return static_cast<T>(value);
    fail();
    return T{};
  }
  bool flag() { return below<unsigned>(1) == 1; }
  // The number of following elements, with at least `bytes_each` bytes each.
  std::size_t count(std::size_t bytes_each = 1) {
    const std::uint64_t value = number();
    if (value <= rest_.size() / bytes_each) return value;
    fail();
    return 0;
  }
  std::string_view text() { return bytes(count()); }
  // Raw bytes, without a length before them.
  std::string_view bytes(std::size_t size) {
    if (size > rest_.size()) fail();
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(out.size());
    return out;
  }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace copse
