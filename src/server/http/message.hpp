// SPDX-License-Identifier: Apache-2.0
//
// A request and its answer, as HTTP has them (RFC 9110), without sockets and without a parser.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "journal/store.hpp"
#include "server/rights/rights.hpp"

namespace copse::server {

// Says something again and again, for a stream that never ends.
class PieceSource {
 public:
  virtual ~PieceSource() = default;
  // Appends what is new, if anything is. Returns which records must be on disk before it leaves: those
  // before that number.
  virtual journal::Sequence next(std::string& out) = 0;
};

struct HttpRequest {
  std::string_view method, target, body;
  // Fields of its header; "": not given.
  std::string_view if_none_match{}, if_match{}, last_event_id{}, idempotency_key{};
  std::string_view accept_encoding{};
  Who who{};
};

struct HttpResponse {
  unsigned status = 200;
  std::string type = "application/json";  // of the body
  std::string body{};
  std::vector<std::pair<std::string, std::string>> fields{};  // further ones of the header
  journal::Sequence needs = 0;  // records before it must be on disk before this leaves
  // It never ends: events from this one on follow.
  std::optional<journal::Sequence> events_from{};
  std::shared_ptr<PieceSource> pieces{};  // likewise: what this says follows, twice a second
};

}  // namespace copse::server
