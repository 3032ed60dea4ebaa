// SPDX-License-Identifier: Apache-2.0
#include "queue/config/limits_reader.hpp"

#ifdef COPSE_HAS_TOML

#include "base/duration.hpp"

namespace copse::queue {

namespace {

class PolicyReader {
 public:
  explicit PolicyReader(const std::string& file) : file_(file) {}

  Result<void> read(const toml::node& policy, JobLimits::Stated& to) const {
    return each(policy, "policy", kPolicyKeys,
                [&](std::string_view key, const toml::node& value) -> Result<void> {
                  if (key == "limits") return read_limits(value, to);
                  if (value.is_table()) return {};
                  return refuse(value, fmt::format("{} must be a table", key));
                });
  }

 private:
  std::unexpected<Error> refuse(const toml::node& node, std::string sentence) const {
    return fail(ErrorCode::invalid, std::move(sentence), place_of(node, file_));
  }

  // Calls `read` for every member of a table; unknown keys are errors.
  template <class Read>
  Result<void> each(const toml::node& node, std::string_view what, KnownKeys keys,
                    Read read) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) return refuse(node, fmt::format("{} must be a table", what));
    for (const auto& [key, value] : *table) {
      if (find_key(keys, key.str()) == nullptr) {
        return refuse(value, unknown_key("key", key.str(), keys));
      }
      if (Result<void> ok = read(key.str(), value); !ok) return ok;
    }
    return {};
  }

  Result<void> read_limits(const toml::node& limits, JobLimits::Stated& to) const {
    return each(limits, "limits", kLimitKeys, [&](std::string_view key, const toml::node& value) {
      if (key == "duration") return read_duration(value, to);
      auto read =
          each(value, key, kJobSizeKeys, [&](std::string_view bound, const toml::node& sizes) {
            return read_sizes(sizes, bound, bound == "max" ? to.most : to.least);
          });
      return read ? check_sizes(value, to) : read;
    });
  }

  // Refuses a minimum above the maximum, which no job could meet.
  Result<void> check_sizes(const toml::node& sizes, const JobLimits::Stated& stated) const {
    for (std::size_t i = 0; i < kSizeKeys.size(); ++i) {
      const auto least = stated.least.at(i), most = stated.most.at(i);
      if (!least || !most || *most == JobLimits::kUnlimited || *least <= *most) continue;
      return refuse(sizes,
                    fmt::format("min.{0} {1} is more than max.{0} {2}: no job could be submitted",
                                kSizeKeys.at(i).name, *least, *most));
    }
    return {};
  }

  Result<void> read_sizes(const toml::node& sizes, std::string_view bound,
                          decltype(JobLimits::Stated::most)& to) const {
    return each(sizes, bound, kSizeKeys,
                [&](std::string_view key, const toml::node& value) -> Result<void> {
                  const auto* number = value.as_integer();
                  if (number == nullptr || number->get() < JobLimits::kUnlimited) {
                    return refuse(value,
                                  fmt::format("{} must be a whole number of 0 or more, or -1 for "
                                              "unlimited",
                                              key));
                  }
                  to.at(static_cast<std::size_t>(find_key(kSizeKeys, key) - kSizeKeys.data())) =
                      number->get();
                  return {};
                });
  }

  Result<void> read_duration(const toml::node& value, JobLimits::Stated& to) const {
    const auto* number = value.as_integer();
    const auto* text = value.as_string();
    if (number == nullptr && text == nullptr) {
      return refuse(value, "duration must be a text, such as \"4h\", or a number of seconds");
    }
    const auto duration_s =
        parse_duration(text != nullptr ? text->get() : std::to_string(number->get()));
    if (!duration_s) return refuse(value, "duration: " + duration_s.error().text);
    to.duration_s = *duration_s;
    return {};
  }

  const std::string& file_;
};

}  // namespace

Result<void> read_policy(const toml::node& policy, const std::string& file, JobLimits::Stated& to) {
  return PolicyReader(file).read(policy, to);
}

}  // namespace copse::queue

#endif
