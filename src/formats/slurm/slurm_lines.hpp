// SPDX-License-Identifier: Apache-2.0
//
// The lines of slurm.conf and its companions: settings "Key=Value" with blanks between them, keys
// in upper or lower case, values with blanks in double quotes; what stands behind '#' is a comment
// ("\#" is none), and a line that ends with '\' goes on in the next. "Include FILE" is replaced by
// the lines of that file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"

namespace copse {

struct SlurmSetting {
  std::string key;  // as written
  std::string value;
};

struct SlurmLine {
  SourceLocation place;
  std::vector<SlurmSetting> settings;

  // The value of a key in any case; nullptr if it is not there.
  [[nodiscard]] const std::string* find(std::string_view key) const;
};

// A file beside the one that is read; none if there is no such file.
using SlurmFiles = std::function<Result<std::optional<std::string>>(const std::string& name)>;

inline constexpr std::size_t kSlurmTextBytesMax = 64U << 20;  // with all that is included
inline constexpr std::uint32_t kSlurmIncludesMax = 1000;

[[nodiscard]] bool same_key(std::string_view a, std::string_view b);

// Errors, with file and line: invalid (no setting, UTF-8, a file that is not there), limit; those
// of `files`. Without `files` an Include is passed over. O(length of the text).
[[nodiscard]] Result<std::vector<SlurmLine>> read_slurm_lines(std::string_view text,
                                                              std::string_view file,
                                                              const SlurmFiles& files = nullptr);

}  // namespace copse
