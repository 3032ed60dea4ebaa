// SPDX-License-Identifier: Apache-2.0
//
// What a server tells of itself: its figures, and the answer to a client without a place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace copse::server {

struct ServerFigures {
  std::size_t connections = 0, buffered_bytes = 0;
  std::uint64_t disconnected = 0;
  std::size_t streams = 0;
  std::uint64_t replaced = 0;  // clients and streams that gave their place to others
  std::uint64_t handshakes_failed = 0;
  std::int64_t certificate_ends_s = -1;  // -1: no TLS
  std::size_t pending_bytes = 0;         // of records
  bool has_disk_space = true;
};

// In Prometheus' text format.
void append_server_figures(std::string& out, const ServerFigures& figures);

// What a client gets before it is disconnected: a line, or a response of HTTP.
[[nodiscard]] std::string no_place_text(std::size_t clients_max, bool http);

// Figures of this process, under the names that Prometheus gives them in all programs. From /proc; what
// that does not tell is left out.
void append_process_figures(std::string& out);

}  // namespace copse::server
