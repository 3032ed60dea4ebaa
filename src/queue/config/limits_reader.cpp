// SPDX-License-Identifier: Apache-2.0
#include "queue/config/limits_reader.hpp"

#include <fmt/format.h>

#include "base/duration.hpp"

namespace copse::queue {

namespace {

// Calls `read` for every member of a table; unknown keys are errors.
template <class Read>
Result<void> for_each_key(TreeView node, std::string_view what, KnownKeys keys, Read read) {
  const auto table = node.read_table(what);
  if (!table) return std::unexpected(table.error());
  for (const auto& [key, value] : table->members()) {
    if (find_key(keys, key.text()) == nullptr) {
      return value.fail(unknown_key("key", key.text(), keys));
    }
    if (Result<void> ok = read(key.text(), value); !ok) return ok;
  }
  return {};
}

// Refuses a minimum above the maximum, which no job could meet.
Result<void> check_sizes(TreeView sizes, const JobLimits::Stated& stated) {
  for (std::size_t i = 0; i < kSizeKeys.size(); ++i) {
    const auto least = stated.least.at(i), most = stated.most.at(i);
    if (!least || !most || *most == JobLimits::kUnlimited || *least <= *most) continue;
    return sizes.fail(fmt::format("min.{0} {1} is more than max.{0} {2}: no job could be submitted",
                                  kSizeKeys.at(i).name, *least, *most));
  }
  return {};
}

Result<void> read_sizes(TreeView sizes, std::string_view bound,
                        decltype(JobLimits::Stated::most)& to) {
  return for_each_key(
      sizes, bound, kSizeKeys, [&](std::string_view key, TreeView value) -> Result<void> {
        const auto number = value.integer();
        if (!number || *number < JobLimits::kUnlimited) {
          return value.fail(
              fmt::format("{} must be a whole number of 0 or more, or -1 for unlimited", key));
        }
        to.at(static_cast<std::size_t>(find_key(kSizeKeys, key) - kSizeKeys.data())) = number;
        return {};
      });
}

Result<void> read_duration(TreeView value, JobLimits::Stated& to) {
  if (!value.is_quoted_string() && !value.integer()) {
    return value.fail("duration must be a text, such as \"4h\", or a number of seconds");
  }
  const auto duration_s = parse_duration(value.text());
  if (!duration_s) return value.fail("duration: " + duration_s.error().text);
  to.duration_s = *duration_s;
  return {};
}

Result<void> read_limits(TreeView limits, JobLimits::Stated& to) {
  return for_each_key(limits, "limits", kLimitKeys, [&](std::string_view key, TreeView value) {
    if (key == "duration") return read_duration(value, to);
    auto read = for_each_key(value, key, kJobSizeKeys, [&](std::string_view bound, TreeView sizes) {
      return read_sizes(sizes, bound, bound == "max" ? to.most : to.least);
    });
    return read ? check_sizes(value, to) : read;
  });
}

}  // namespace

Result<void> read_policy(TreeView policy, JobLimits::Stated& to) {
  return for_each_key(policy, "policy", kPolicyKeys,
                      [&](std::string_view key, TreeView value) -> Result<void> {
                        if (key == "limits") return read_limits(value, to);
                        if (value.is_mapping()) return {};
                        return value.fail(fmt::format("{} must be a table", key));
                      });
}

}  // namespace copse::queue
