// SPDX-License-Identifier: Apache-2.0
#include "journal/state/log_check.hpp"

#include <string>
#include <string_view>

namespace copse::journal {

namespace {

constexpr std::size_t kHeaderBytes = 32, kFrameHeaderBytes = 24;
constexpr std::uint32_t kMagic = 0x377f0682;  // its lowest bit: sums of big-endian words

std::uint32_t word_at(std::string_view bytes, std::size_t at, bool big_endian = true) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[at + (big_endian ? i : 3 - i)]);
    out = out << 8 | byte;
  }
  return out;
}

// The cumulative sum of all bytes up to some place.
struct LogSum {
  std::uint32_t first = 0, second = 0;

  void add(std::string_view bytes, bool big_endian) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += word_at(bytes, at, big_endian) + second;
      second += word_at(bytes, at + 4, big_endian) + first;
    }
  }
  [[nodiscard]] bool is_at(std::string_view bytes, std::size_t at) const {
    return word_at(bytes, at) == first && word_at(bytes, at + 4) == second;
  }
};

struct LogHeader {
  bool big_endian = false, valid = false;
  std::size_t page_bytes = 0;
  std::string salts{};
  LogSum sum{};
};

LogHeader read_header(std::string_view bytes) {
  LogHeader out;
  if (bytes.size() < kHeaderBytes) return out;
  out.big_endian = (word_at(bytes, 0) & 1) != 0;
  out.page_bytes = word_at(bytes, 8);
  out.salts = bytes.substr(16, 8);
  out.sum.add(bytes.substr(0, 24), out.big_endian);
  const std::size_t page = out.page_bytes;
  out.valid = (word_at(bytes, 0) & ~1U) == kMagic && page >= 512 && page <= 65536 &&
              (page & (page - 1)) == 0 && out.sum.is_at(bytes, 24);
  return out;
}

// Whether frames of this log, from frame `from` on, continue after one that commits.
Result<bool> continues_after_commit(const VfsFile& file, const LogHeader& header,
                                    std::uint64_t from, std::uint64_t frames) {
  bool committed = false;
  for (std::uint64_t frame = from; frame < frames; ++frame) {
    const auto head = file.read(kHeaderBytes + frame * (kFrameHeaderBytes + header.page_bytes),
                                kFrameHeaderBytes);
    if (!head) return std::unexpected(head.error());
    if (head->size() < kFrameHeaderBytes || head->substr(8, 8) != header.salts) continue;
    if (committed) return true;
    committed = word_at(*head, 4) != 0;
  }
  return false;
}

}  // namespace

Result<LogCheck> check_log(const VfsFile& file) {
  const auto size = file.size();
  if (!size) return std::unexpected(size.error());
  const auto first = file.read(0, kHeaderBytes);
  if (!first) return std::unexpected(first.error());
  LogHeader header = read_header(*first);
  LogCheck out{.header_valid = header.valid};
  if (!header.valid) {
    // The size of its pages is unknown.
    out.frames = *size > kHeaderBytes ? 1 : 0;
    return out;
  }
  const std::size_t frame_bytes = kFrameHeaderBytes + header.page_bytes;
  out.frames = (*size - kHeaderBytes) / frame_bytes;
  for (; out.valid < out.frames; ++out.valid) {
    const auto frame = file.read(kHeaderBytes + out.valid * frame_bytes, frame_bytes);
    if (!frame) return std::unexpected(frame.error());
    if (frame->size() < frame_bytes || frame->substr(8, 8) != header.salts) break;
    header.sum.add(std::string_view(*frame).substr(0, 8), header.big_endian);
    header.sum.add(std::string_view(*frame).substr(kFrameHeaderBytes), header.big_endian);
    if (!header.sum.is_at(*frame, 16)) break;
  }
  const auto damaged = continues_after_commit(file, header, out.valid, out.frames);
  if (!damaged) return std::unexpected(damaged.error());
  out.damaged = *damaged;
  return out;
}

}  // namespace copse::journal
