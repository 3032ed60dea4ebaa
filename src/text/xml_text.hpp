// SPDX-License-Identifier: Apache-2.0
//
// What every reader of XML text needs around its parser: places of offsets, and a check of the
// bytes before a parser sees them; and what every writer needs: escaping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse::xml {

// A place in a text; both count from 1, columns count bytes. Line 0: not known.
struct Spot {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  [[nodiscard]] bool known() const { return line != 0; }
  bool operator==(const Spot&) const = default;
};

// Lines and columns of offsets into one text. One entry for each block of text, not for each line,
// so that a text of newlines alone costs no more than any other.
// REQUIRES text.size() < 2^32, and the text to outlive the index.
// Cost: 8 bytes for 512 of text; O(length) to make, O(512) to ask.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  [[nodiscard]] Spot spot(std::size_t offset) const;

 private:
  static constexpr std::size_t kBlock = 512;
  struct Block {
    std::uint32_t line;        // the line that the block begins in
    std::uint32_t line_start;  // the offset that this line begins at
  };
  void count(std::size_t begin, std::size_t end, Block& at) const;

  std::string_view text_;
  std::vector<Block> blocks_;
};

// The first byte that XML text cannot have, with a sentence about it; an empty sentence if there is
// none. `marks` becomes the number of '<' and '=': an upper bound of elements and attributes, known
// before a parser takes memory for them.
struct BadByte {
  std::size_t offset = 0;
  std::string sentence;
};
[[nodiscard]] BadByte check_bytes(std::string_view text, std::size_t& marks);

[[nodiscard]] constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
[[nodiscard]] constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}
[[nodiscard]] std::string_view trimmed(std::string_view text);  // without the blanks around it

// `text` in double quotes, control characters as '?', cut to a length that suits a sentence.
[[nodiscard]] std::string quoted(std::string_view text);

// Appends text for an element or an attribute in double quotes (XML 1.0, productions 2, 10 and 14).
// Bytes that are not UTF-8, and characters that XML does not allow, become U+FFFD; line ends and
// tabs are written as references: a parser would make a blank or another line end of them.
void append_text(std::string& out, std::string_view text);

}  // namespace copse::xml
