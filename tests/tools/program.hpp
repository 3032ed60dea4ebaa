// SPDX-License-Identifier: Apache-2.0
//
// Runs a program of the build as a user would: its own folder, its own standard streams, a limit of
// time, and a bound on its memory.
//
// Streams are files in memory, so that neither side waits for the other. If the time
// limit or a signal ends the program, `ended_by` has which: its exit status is then -1.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

// Sanitizers reserve terabytes of addresses, and take several times the time.
#if defined(COPSE_SANITIZED)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

struct Command {
  std::vector<std::string> words;      // the program first
  std::string_view input;              // its standard input
  std::filesystem::path folder;        // where it runs
  int limit_s = 600;                   // for a program that hangs, also on a busy machine
  std::uint64_t memory_bytes_max = 0;  // of addresses; 0: no bound; ignored under sanitizers
};

struct Outcome {
  int status = -1;
  std::string output, errors;
  std::string ended_by;  // "" or "its time limit" or "signal 11"
};

[[nodiscard]] Outcome run(const Command& command);

// A program of the build under test.
[[nodiscard]] std::string program(std::string_view name);

// A temporary folder, removed with the object. In it are the links `machines`, `jobspecs`,
// `data` and `sessions`: examples/machines, examples/jobspecs, tests/data and tests/data/sessions.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(std::string_view name, std::string_view text) const;
  [[nodiscard]] std::string read(std::string_view name) const;  // "" if there is none

 private:
  std::filesystem::path path_;
};

}  // namespace copse
