// SPDX-License-Identifier: Apache-2.0
#include "files/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "files/descriptor.hpp"
#include "files/gunzip.hpp"
#include "text/json_padding.hpp"

namespace copse {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

std::unexpected<ReadFailure> failure(bool opened, std::string reason) {
  return std::unexpected(ReadFailure{opened, std::move(reason)});
}

// `expected_bytes` is a guess: a file may grow, or have no known size. `regular`: after the expected
// bytes, a read that leaves room is the end of the file, and no further read is made.
ReadText read_on(int descriptor, std::size_t expected_bytes, std::size_t bytes_most,
                 bool regular = false) {
  std::string text(std::min(expected_bytes, bytes_most) + kJsonPadding, '\0');
  std::size_t have = 0;
  while (have < bytes_most) {
    if (have == text.size()) text.resize(2 * have + kBlockBytes);
    const std::size_t room = std::min(text.size(), bytes_most) - have;
    const ssize_t got = ::read(descriptor, text.data() + have, room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(true, reason_of(errno));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    const bool short_of_room = static_cast<std::size_t>(got) < room;
    if (regular && short_of_room && have >= expected_bytes && expected_bytes > 0) break;
  }
  text.resize(have + kJsonPadding);
  text.resize(have);
  return text;
}

// Reads a pipe that was opened without waiting for a writer. Without a writer it is empty.
ReadText read_pipe(int descriptor, std::size_t bytes_most) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) < 0) {
    return failure(true, reason_of(errno));
  }
  auto text = read_on(descriptor, kBlockBytes, bytes_most);
  if (text && text->empty()) return failure(true, "the pipe is empty");
  return text;
}

// By its byte order mark, or because its first two characters are plain letters or signs.
bool is_utf16(std::string_view text) {
  const auto plain = [&](std::size_t at) { return text[at] >= '\t' && text[at] <= '~'; };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  if (text.size() < 4) return false;
  return (plain(0) && text[1] == '\0' && plain(2) && text[3] == '\0') ||
         (text[0] == '\0' && plain(1) && text[2] == '\0' && plain(3));
}

// The text without the byte order mark that some editors write before UTF-8.
Result<std::string> as_utf8(std::string text, const std::string& name) {
  if (is_utf16(text)) {
    return fail(ErrorCode::invalid, "the file is UTF-16: save it as UTF-8", {name});
  }
  text.erase(0, text.size() - without_byte_order_mark(text).size());
  return text;
}

// REQUIRES that the read had a limit of bytes_max + 1.
Result<std::string> checked(ReadText text, const std::string& name, std::size_t bytes_max) {
  if (!text) {
    return fail(ErrorCode::io, fmt::format("can't read {}: {}", name, text.error().reason));
  }
  if (text->size() > bytes_max) {
    return fail(ErrorCode::limit,
                fmt::format("can't read {}: it has more than {} bytes", name, bytes_max));
  }
  if (!is_gzip(*text)) return as_utf8(std::move(*text), name);
  auto plain = gunzip(*text, bytes_max);
  if (plain) return as_utf8(std::move(*plain), name);
  plain.error().text = fmt::format("can't read {}: {}", name, plain.error().text);
  return plain;
}

}  // namespace

std::string reason_of(int error) { return std::generic_category().message(error); }

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

ReadText read_descriptor(int descriptor, std::size_t bytes_most) {
  return read_on(descriptor, kBlockBytes, bytes_most);
}

ReadText try_read_file(const std::string& path, std::size_t bytes_most, FileKinds kinds) {
  // open() would stop at the NUL, and open another file.
  if (path.find('\0') != path.npos) return failure(false, reason_of(ENOENT));
  // Opening a pipe without a writer must not wait if such pipes are refused.
  const int wait = kinds == FileKinds::regular_or_pipe ? O_NONBLOCK : 0;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | wait));
  if (file.number() < 0) return failure(false, reason_of(errno));
  struct stat info{};
  if (::fstat(file.number(), &info) != 0) return failure(true, reason_of(errno));
  if (S_ISDIR(info.st_mode)) return failure(true, reason_of(EISDIR));
  const bool is_pipe = S_ISFIFO(info.st_mode);
  if (kinds == FileKinds::regular_or_pipe && !S_ISREG(info.st_mode) && !is_pipe) {
    return failure(true, "not a regular file");
  }
  if (wait != 0 && is_pipe) return read_pipe(file.number(), bytes_most);
  return read_on(file.number(), static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)),
                 bytes_most, S_ISREG(info.st_mode));
}

Result<std::string> read_file(const std::string& path) {
  return checked(try_read_file(path, kFileBytesMax + 1), path, kFileBytesMax);
}

Result<std::string> read_input(const std::string& path, std::size_t bytes_max) {
  if (path != "-") return checked(try_read_file(path, bytes_max + 1), path, bytes_max);
  return checked(read_descriptor(STDIN_FILENO, bytes_max + 1), input_name(path), bytes_max);
}

}  // namespace copse
