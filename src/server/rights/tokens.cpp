// SPDX-License-Identifier: Apache-2.0
#include "server/rights/tokens.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include <fmt/format.h>

#include "files/descriptor.hpp"
#include "files/read_file.hpp"
#include "server/rights/digest.hpp"
#include "text/split.hpp"

namespace copse::server {

namespace {

constexpr std::string_view kTokenHead = "copse_";
constexpr std::size_t kRandomBytes = 32, kHashDigits = 64;
constexpr std::size_t kFileBytesMax = Tokens::kTokensMax * 256;

bool is_hash(std::string_view text) {
  return text.size() == kHashDigits && std::ranges::all_of(text, [](unsigned char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<Tokens::Entry> parse_entry(std::string_view line, const SourceLocation& place) {
  Tokens::Entry out;
  out.name = take_part(line, ' ');
  const auto role = parse_role(take_part(line, ' '));
  out.hash = take_part(line, ' ');
  const std::string_view made = take_part(line, ' ');
  const auto [end, error] = std::from_chars(made.data(), made.data() + made.size(), out.made_s);
  const bool whole = error == std::errc() && end == made.data() + made.size() && line.empty();
  if (!is_token_name(out.name) || !role || !is_hash(out.hash) || !whole) {
    return fail(ErrorCode::invalid, "this is not \"name role hash time\"", place);
  }
  out.role = *role;
  return out;
}

std::unexpected<Error> no_token_file(std::string_view what, const std::string& path, int error) {
  return fail(ErrorCode::io, fmt::format("can't {} {}: {}", what, path, reason_of(error)));
}

}  // namespace

bool is_token_name(std::string_view name) {
  return !name.empty() && name.size() <= Tokens::kNameBytesMax &&
         std::ranges::all_of(name, [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
         });
}

Result<Tokens> Tokens::parse(std::string_view text, std::string_view file) {
  Tokens out;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    auto entry = parse_entry(take_part(text, '\n'), {std::string(file), number, 0});
    if (!entry) return std::unexpected(entry.error());
    if (std::ranges::find(out.entries_, entry->name, &Entry::name) != out.entries_.end()) {
      return fail(ErrorCode::invalid, "the name already exists", {std::string(file), number, 0});
    }
    out.entries_.push_back(std::move(*entry));
    if (out.entries_.size() > kTokensMax) {
      return fail(ErrorCode::limit, fmt::format("there are more than {} tokens", kTokensMax),
                  {std::string(file), number, 0});
    }
  }
  return out;
}

Result<Tokens> Tokens::load(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.number() < 0) {
    if (errno == ENOENT) return Tokens();
    if (errno == ELOOP) return fail(ErrorCode::invalid, path + " is a link: put the file there");
    return no_token_file("read", path, errno);
  }
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0) return no_token_file("read", path, errno);
  if (!S_ISREG(facts.st_mode)) return fail(ErrorCode::invalid, path + " is not a file: remove it");
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0) {
    return fail(ErrorCode::invalid,
                fmt::format("{} belongs to uid {}: its tokens do not count; remove it", path,
                            facts.st_uid));
  }
  if ((facts.st_mode & 077) != 0) {
    return fail(ErrorCode::invalid,
                fmt::format("{} may be read or written by others: chmod 600 it, and revoke its "
                            "tokens if others have written it",
                            path));
  }
  const ReadText text = read_descriptor(file.number(), kFileBytesMax + 1);
  if (!text)
    return fail(ErrorCode::io, fmt::format("can't read {}: {}", path, text.error().reason));
  if (text->size() > kFileBytesMax) return fail(ErrorCode::limit, path + " is too long");
  return parse(*text, path);
}

std::string Tokens::text() const {
  std::string out;
  for (const Entry& entry : entries_) {
    out += fmt::format("{} {} {} {}\n", entry.name, word(entry.role), entry.hash, entry.made_s);
  }
  return out;
}

Result<void> Tokens::save(const std::string& path) const {
  const std::string made = path + ".new";
  (void)::unlink(made.c_str());  // of a call that was cut off; a link is removed, not followed
  {
    const Descriptor file(
        ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.number() < 0 || ::fchmod(file.number(), 0600) != 0) {
      return no_token_file("write", made, errno);
    }
    const std::string all = text();
    for (std::string_view rest = all; !rest.empty();) {
      const ssize_t put = ::write(file.number(), rest.data(), rest.size());
      if (put < 0) return no_token_file("write", made, errno);
      rest.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fsync(file.number()) != 0) return no_token_file("write", made, errno);
  }
  if (std::rename(made.c_str(), path.c_str()) != 0) return no_token_file("write", path, errno);
  // Sync the folder, too: a rename that is lost would restore a revoked token.
  const std::string parent = path.substr(0, path.rfind('/') + 1);
  const Descriptor folder(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0 || ::fsync(folder.number()) != 0) {
    return no_token_file("write", parent, errno);
  }
  return {};
}

Result<std::string> Tokens::add(std::string_view name, Role role, std::int64_t now_s) {
  if (!is_token_name(name)) {
    return fail(ErrorCode::invalid,
                fmt::format("the name of a token has 1 to {} letters, digits, '.', '_' and '-'",
                            kNameBytesMax));
  }
  if (std::ranges::find(entries_, name, &Entry::name) != entries_.end()) {
    return fail(ErrorCode::exists, fmt::format("token \"{}\" already exists", name));
  }
  if (entries_.size() >= kTokensMax) {
    return fail(ErrorCode::limit, fmt::format("the limit of {} tokens is reached", kTokensMax));
  }
  std::array<unsigned char, kRandomBytes> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return fail(ErrorCode::io, "the system cannot provide random bytes");
  }
  std::string token = std::string(kTokenHead) + hexadecimal(random);
  entries_.push_back({std::string(name), role, sha256_text(token), now_s});
  return token;
}

bool Tokens::revoke(std::string_view name) {
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.name == name; }) > 0;
}

Caller Tokens::authenticate(std::string_view token) const {
  const std::string hash = sha256_text(token);
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {  // compare with all: constant time
    const bool same = CRYPTO_memcmp(hash.data(), entry.hash.data(), kHashDigits) == 0;
    if (same) found = &entry;
  }
  if (found == nullptr) return {};
  return {found->role, found->name};
}

namespace {

// A file that was renamed into place has another inode.
bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mode == b.st_mode && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

void TokenFile::refresh() {
  struct stat now{};
  if (::stat(path_.c_str(), &now) != 0) now = {};
  if (same_file(now, seen_)) return;
  seen_ = now;
  auto read = Tokens::load(path_);
  if (!read) log_(read.error().message());
  tokens_ = read ? std::move(*read) : Tokens();
}

Caller TokenFile::authenticate(std::string_view token) {
  refresh();
  return tokens_.authenticate(token);
}

}  // namespace copse::server
