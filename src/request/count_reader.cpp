// SPDX-License-Identifier: Apache-2.0
#include "request/count_reader.hpp"

#include <fmt/format.h>

#include "request/count_text.hpp"
#include "request/jobspec/jobspec_keys.hpp"
#include "request/jobspec/jobspec_values.hpp"

namespace copse {

namespace {

Result<void> check_operand(const Count& count, TreeView min, TreeView operand, TreeView op) {
  switch (count.op) {
    case '+':
      if (count.operand >= 1) return {};
      return operand.fail("\"operand\" must be greater than zero for addition '+'");
    case '*':
      if (count.operand >= 2) return {};
      return operand.fail("\"operand\" must be greater than one for multiplication '*'");
    case '^':
      if (count.operand < 2) {
        return operand.fail("\"operand\" must be greater than one for exponentiation '^'");
      }
      if (count.min >= 2) return {};
      return min.fail("\"min\" must be greater than one for exponentiation '^'");
    default: return op.fail("Invalid count operator");
  }
}

}  // namespace

std::unexpected<Error> CountReader::refuse(TreeView node) const {
  if (words_ == JobspecWords::fluxion) return node.fail("count is out of range", ErrorCode::limit);
  if (parse_integer(node.text())) {
    return node.fail(fmt::format("count is {}, not from 0 to {}", node.text(), kCountMax),
                     ErrorCode::limit);
  }
  return node.fail(fmt::format("count is \"{:.64}\", not a whole number", node.text()));
}

// A scalar of a count. A negative integer is read as -1, for the rules on lower bounds to refuse.
Result<std::int64_t> CountReader::read_number(TreeView node) const {
  const auto number = parse_integer(node.text());
  if (!number || *number > kCountMax) return refuse(node);
  return *number;
}

Result<std::int64_t> CountReader::read_entry(TreeView node, std::string_view key) const {
  if (!node.is_scalar()) return node.fail(fmt::format("Value of \"{}\" must be a scalar", key));
  return read_number(node);
}

// The entries of a count other than "min".
Result<void> CountReader::read_range(TreeView node, TreeView min, Count& count) const {
  const auto max = node.find("max");
  const auto op = node.find("operator");
  const auto operand = node.find("operand");
  if (!max || !op || !operand) {
    return node.fail("All or none of \"max\", \"operator\", and \"operand\" must be specified");
  }
  const auto max_read = read_entry(*max, "max");
  if (!max_read) return std::unexpected(max_read.error());
  if (!op->is_scalar()) return op->fail("Value of \"operator\" must be a scalar");
  const auto operand_read = read_entry(*operand, "operand");
  if (!operand_read) return std::unexpected(operand_read.error());
  if (*max_read < count.min) {
    return max->fail("\"max\" must be greater than or equal to \"min\"");
  }
  count.max = *max_read;
  count.op = op->text().size() == 1 ? op->text().front() : '\0';
  count.operand = *operand_read;
  if (auto checked = check_operand(count, min, *operand, *op); !checked) return checked;
  if (const auto key = first_other_key(node, kJobspecCountKeys)) {
    return refuse_key(*key, kJobspecCountKeys, words_, "Unrecognized key in count mapping");
  }
  return {};
}

Result<Count> CountReader::read(TreeView node) const {
  Count count;
  if (node.is_scalar()) {
    const auto number = parse_integer(node.text());
    // Fluxion reads integers only; in its words a text of RFC 14 is read if no mapping can express
    // it.
    if (!number) {
      auto range = parse_count(node.text());
      if (range && (words_ == JobspecWords::own || needs_text(*range))) return range;
      const bool range_meant = node.text().find_first_of("-+,:[") != std::string_view::npos;
      if (words_ == JobspecWords::own && range_meant) {
        return node.fail(fmt::format("count is \"{:.32}\": {}", node.text(), range.error().text),
                         range.error().code);
      }
    }
    if (!number || *number < 0 || *number > kCountMax) return refuse(node);
    count.min = count.max = *number;
    return count;
  }
  if (!node.is_mapping()) return node.fail("count is not a mapping");
  const auto min = node.find("min");
  if (!min) return node.fail("Key \"min\" missing from count");
  const auto number = read_entry(*min, "min");
  if (!number) return std::unexpected(number.error());
  if (*number < 1) return min->fail("\"min\" must be greater than zero");
  count.min = *number;
  count.max = Count::kUnlimited;
  if (node.size() > 1) {
    if (auto read = read_range(node, *min, count); !read) return std::unexpected(read.error());
  }
  return count;
}

}  // namespace copse
