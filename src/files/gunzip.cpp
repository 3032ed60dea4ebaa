// SPDX-License-Identifier: Apache-2.0
#include "files/gunzip.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include "text/json_padding.hpp"

namespace copse {

namespace {

class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : left_(bytes) {}
  ~Inflater() {
    if (begun_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool begin() {
    constexpr int kGzipOnly = 16;  // zlib.h, inflateInit2
    begun_ = inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK;
    return begun_;
  }
  // Fills the room, or stops where a member ends. Returns how many bytes it wrote.
  std::size_t more(char* to, std::size_t room) {
    constexpr std::size_t kPieceMax = std::numeric_limits<uInt>::max();
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(
        const_cast<char*>(left_.data()));  // NOLINT(*-const-cast,*-reinterpret-cast)
    stream_.avail_in = static_cast<uInt>(std::min(left_.size(), kPieceMax));
    stream_.next_out = reinterpret_cast<Bytef*>(to);  // NOLINT(*-reinterpret-cast)
    stream_.avail_out = static_cast<uInt>(std::min(room, kPieceMax));
    const uInt in_before = stream_.avail_in, out_before = stream_.avail_out;
    status_ = inflate(&stream_, Z_NO_FLUSH);
    left_.remove_prefix(in_before - stream_.avail_in);
    return out_before - stream_.avail_out;
  }
  [[nodiscard]] bool member_ended() const { return status_ == Z_STREAM_END; }
  [[nodiscard]] bool failed() const { return status_ != Z_OK && status_ != Z_STREAM_END; }
  [[nodiscard]] bool cut_short() const { return left_.empty() && !member_ended(); }
  // Another member may follow.
  bool next() { return is_gzip(left_) && inflateReset(&stream_) == Z_OK; }

 private:
  std::string_view left_;
  z_stream stream_{};
  int status_ = Z_OK;
  bool begun_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> gunzip(std::string_view bytes, std::size_t bytes_max) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
  Inflater inflater(bytes);
  if (!inflater.begin()) return fail(ErrorCode::limit, "not enough memory to uncompress it");
  std::string text;
  std::size_t have = 0;
  for (;;) {
    if (have == text.size()) text.resize(std::min(2 * have + kBlockBytes, bytes_max + 1));
    have += inflater.more(text.data() + have, text.size() - have);
    if (have > bytes_max) {
      return fail(ErrorCode::limit,
                  fmt::format("it has more than {} bytes when it is uncompressed", bytes_max));
    }
    if (inflater.member_ended() && !inflater.next()) break;
    if (inflater.failed() || (inflater.cut_short() && have < text.size())) {
      return fail(ErrorCode::invalid, "it is compressed by gzip, and is damaged or truncated");
    }
  }
  text.resize(have + kJsonPadding);
  text.resize(have);
  return text;
}

}  // namespace copse
