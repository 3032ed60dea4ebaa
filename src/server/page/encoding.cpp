// SPDX-License-Identifier: Apache-2.0
#include "server/page/encoding.hpp"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <cassert>

#include "text/split.hpp"

namespace copse::server {

namespace {

constexpr int kWindowOfGzip = 15 + 16;  // 16: gzip header instead of zlib's

std::string_view trimmed(std::string_view text) {
  const auto first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// The parameters of "gzip;q=0.5": whether their weight is zero.
bool refused(std::string_view parameters) {
  const auto at = parameters.find("q=");
  if (at == std::string_view::npos) return false;
  const std::string_view weight = trimmed(parameters.substr(at + 2));
  return weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

std::string gzip(std::string_view text, Effort effort) {
  z_stream stream{};
  // Fails only if memory is exhausted.
  [[maybe_unused]] int code = deflateInit2(&stream, static_cast<int>(effort), Z_DEFLATED,
                                           kWindowOfGzip, 8, Z_DEFAULT_STRATEGY);
  assert(code == Z_OK);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  // zlib does not write here.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());  // NOLINT
  stream.avail_out = static_cast<uInt>(out.size());
  code = deflate(&stream, Z_FINISH);
  assert(code == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

void append_base64(std::string& out, std::string_view bytes) {
  const std::size_t before = out.size();
  out.resize(before + (bytes.size() + 2) / 3 * 4 + 1);  // and a NUL, which OpenSSL writes
  (void)EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data() + before),  // NOLINT
                        reinterpret_cast<const unsigned char*>(bytes.data()),   // NOLINT
                        static_cast<int>(bytes.size()));
  out.pop_back();
}

bool accepts_gzip(std::string_view field) {
  bool any = false;
  while (!field.empty()) {
    const std::string_view one = trimmed(take_part(field, ','));
    const std::size_t mark = std::min(one.find(';'), one.size());
    const std::string_view name = trimmed(one.substr(0, mark));
    if (name == "gzip" || name == "x-gzip") return !refused(one.substr(mark));
    if (name == "*") any = !refused(one.substr(mark));
  }
  return any;
}

}  // namespace copse::server
