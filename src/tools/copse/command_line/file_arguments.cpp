// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line/file_arguments.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

namespace copse {

namespace {

bool is_stream(const FileArgument& file) { return file.path == "-"; }

// The identity of a file under any name: its inode, or its path if it does not exist yet.
using FileIdentity = std::tuple<dev_t, ino_t, std::string>;

// Nothing: a device, a pipe or a folder.
std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) == 0) {
    if (!S_ISREG(about.st_mode)) return std::nullopt;
    return FileIdentity{about.st_dev, about.st_ino, {}};
  }
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return FileIdentity{0, 0, error ? path : whole.string()};
}

bool are_one(const FileArgument& a, const FileArgument& b) {
  if (is_stream(a) || is_stream(b)) return is_stream(a) && is_stream(b);
  const auto identity = identity_of(a.path);
  return identity && identity == identity_of(b.path);
}

// Of an output and another file.
std::string why_not(const FileArgument& out, const FileArgument& other) {
  if (!other.is_written) {
    if (is_stream(out) || other.name == out.may_replace || !are_one(out, other)) return {};
    return fmt::format("{} would overwrite {:.256}, which is read ({})", out.name, out.path,
                       other.name);
  }
  if (!are_one(out, other)) return {};
  return is_stream(out)
             ? fmt::format("{} and {} would both go to standard output", other.name, out.name)
             : fmt::format("{} and {} would both write {:.256}", other.name, out.name, out.path);
}

}  // namespace

std::string why_not_together(std::span<const FileArgument> files) {
  const FileArgument* input = nullptr;  // that is standard input
  for (const FileArgument& file : files) {
    if (file.is_written || !is_stream(file)) continue;
    if (input != nullptr && input->name == file.name) {
      return fmt::format("{} names standard input more than once", file.name);
    }
    if (input != nullptr) {
      return fmt::format("{} and {} would both read standard input", input->name, file.name);
    }
    input = &file;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].is_written) continue;
    for (std::size_t other = 0; other < files.size(); ++other) {
      // Of two outputs, the later one is compared with the earlier one.
      if (other == i || (files[other].is_written && other > i)) continue;
      if (std::string why = why_not(files[i], files[other]); !why.empty()) return why;
    }
  }
  return {};
}

}  // namespace copse
