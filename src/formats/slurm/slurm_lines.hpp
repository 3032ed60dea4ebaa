// SPDX-License-Identifier: Apache-2.0
//
// The lines of slurm.conf and its companions, by the rules of Slurm's own parser:
//
//   line     = "Include" blank file  /  *( blank ) [ setting *( blank setting ) ]
//   setting  = key *( blank ) [ operator ] "=" *( blank ) value
//   key      = 1*( letter / digit / "_" / "." )              in upper or lower case
//   operator = "+" / "-" / "*" / "/"                         has no effect here
//   value    = DQUOTE *( any but DQUOTE ) DQUOTE  /  1*( any but a blank )
//
// In this order, before a line is taken apart:
//   1. A '#' with an even number of '\' before it begins a comment, up to the end of the line.
//   2. A line that ends with an odd number of '\', maybe with blanks after them, is joined with the
//      next one; nothing comes between them, and the last '\' is left out.
//   3. Each '\' is left out, and the character after it stays.
//
// Further: a setting may end without a value at the end of a line. Of a key that a line has twice, the
// last one counts. "Include FILE" is replaced by the lines of that file; "%c" in its name is the name
// of the cluster, in lower case.
// Sources: slurm.conf(5), and what Slurm 18 to 25 accept.
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

  // The last value of a key in any case; nullptr if it is not there.
  [[nodiscard]] const std::string* find(std::string_view key) const;
};

// What several lines of a kind have in common: lines of DEFAULT say what later ones leave out.
class SlurmDefaults {
 public:
  void add(const SlurmLine& line);
  // As SlurmLine::find(); else what was added.
  [[nodiscard]] const std::string* find(const SlurmLine& line, std::string_view key) const;

 private:
  std::vector<SlurmSetting> settings_;
};

// A file in the folder of the one that is read; none if it does not exist.
using SlurmFiles = std::function<Result<std::optional<std::string>>(const std::string& name)>;

inline constexpr std::size_t kSlurmTextBytesMax = 64U << 20;  // with all that is included
inline constexpr std::uint32_t kSlurmIncludesMax = 1000;

[[nodiscard]] bool same_key(std::string_view a, std::string_view b);

// Errors, with file and line: invalid (no setting, UTF-8, a file that is not there), limit; those
// of `files`. Without `files` an Include is skipped. O(length of the text).
[[nodiscard]] Result<std::vector<SlurmLine>> read_slurm_lines(std::string_view text,
                                                              std::string_view file,
                                                              const SlurmFiles& files = nullptr);

}  // namespace copse
