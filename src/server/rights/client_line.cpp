// SPDX-License-Identifier: Apache-2.0
#include "server/rights/client_line.hpp"

#include <limits>

#include "text/json_walk.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;
constexpr std::uint32_t kLineDepthMax = 8;

class ClientLineReader {
 public:
  explicit ClientLineReader(std::string_view text)
      : walk_(text, 0, {}, {kLineBytesMax, kLineBytesMax, kLineDepthMax}) {}

  Result<ClientLine> read() {
    const bool ok = walk_.document([&](std::string_view key, JsonWalk::Value& value,
                                       const JsonWalk::Token& token) {
      return member(key, value, token);
    }) && (out_.grant || !out_.idempotency_key.empty() ||
           walk_.refuse(0, "it has neither a grant nor an idempotency key"));
    if (!ok) return std::unexpected(walk_.error());
    return std::move(out_);
  }

 private:
  bool number(const JsonWalk::Token& token, std::string_view key, std::int64_t& out) {
    return walk_.integer(token, key, 0, std::numeric_limits<std::int64_t>::max(), out);
  }
  bool text(JsonWalk::Value& value, const JsonWalk::Token& token, std::string_view key,
            std::string& out) {
    std::string_view word;
    if (!walk_.word(value, token, key, word)) return false;
    out = word;
    return true;
  }
  bool member(std::string_view key, JsonWalk::Value& value, const JsonWalk::Token& token) {
    if (key == "grant") return number(token, key, out_.grant.emplace());
    if (key == "at") return number(token, key, out_.at);
    if (key == "idempotency_key" || key == "once")
      return text(value, token, key, out_.idempotency_key);
    if (key == "owner") return text(value, token, key, out_.owner);
    if (key == "request_digest" || key == "asked")
      return text(value, token, key, out_.request_digest);
    if (key == "answer") return text(value, token, key, out_.answer);
    return walk_.skip(value, token);
  }

  JsonWalk walk_;
  ClientLine out_{};
};

}  // namespace

void append_line(std::string& out, const ClientLine& line) {
  JsonWriter json(out);
  json.object([&] {
    if (line.grant) json.member("grant", *line.grant);
    if (!line.idempotency_key.empty()) json.member("idempotency_key", line.idempotency_key);
    json.member("owner", line.owner);
    if (!line.request_digest.empty()) json.member("request_digest", line.request_digest);
    if (line.idempotency_key.empty()) return;
    json.member("at", line.at);
    json.member("answer", line.answer);
  });
  out += '\n';
}

Result<ClientLine> read_client_line(std::string_view text) { return ClientLineReader(text).read(); }

}  // namespace copse::server
