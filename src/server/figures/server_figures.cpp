// SPDX-License-Identifier: Apache-2.0
#include "server/figures/server_figures.hpp"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "server/http/handlers/metrics_text.hpp"

namespace copse::server {

namespace {

std::optional<std::uint64_t> resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                             &std::fclose);
  unsigned long long all = 0, resident = 0;
  if (file == nullptr || std::fscanf(file.get(), "%llu %llu", &all, &resident) != 2) return {};
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<std::uint64_t> open_files() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), &::closedir);
  if (folder == nullptr) return {};
  std::uint64_t out = 0;
  while (const dirent* const entry = ::readdir(folder.get()))
    out += entry->d_name[0] != '.' ? 1 : 0;
  return out > 0 ? out - 1 : 0;  // without the folder itself
}

}  // namespace

void append_server_figures(std::string& out, const ServerFigures& figures) {
  MetricsText text(out);
  text.gauge("copse_connections", "Connected clients.", figures.connections);
  text.gauge("copse_client_buffer_bytes",
             "Bytes buffered for clients: partial lines, unsent answers.", figures.buffered_bytes);
  text.counter("copse_clients_disconnected_total",
               "Clients disconnected because the buffers of all clients exceeded their limit.",
               figures.disconnected);
  text.gauge("copse_event_streams", "Open event streams.", figures.streams);
  text.counter("copse_clients_replaced_total",
               "Clients and streams that gave their place to another account.", figures.replaced);
  if (figures.certificate_ends_s >= 0) {
    text.counter("copse_tls_handshake_failures_total", "TLS handshakes that failed.",
                 figures.handshakes_failed);
    text.gauge("copse_tls_certificate_expiry_timestamp_seconds",
               "When the certificate of the service expires, in seconds since 1970.",
               static_cast<std::uint64_t>(figures.certificate_ends_s));
  }
  text.gauge("copse_journal_pending_bytes", "Bytes of records that are not on disk yet.",
             figures.pending_bytes);
  text.gauge(
      "copse_disk_space_available",
      "1: the disk has space for changes; 0: only requests that release resources are accepted.",
      figures.has_disk_space ? 1 : 0);
}

std::string no_place_text(std::size_t clients_max, bool http) {
  std::string line = fmt::format(
      "{{\"error\": \"invalid\", \"message\": \"the limit of {} clients is reached: try again "
      "later\"}}\n",
      clients_max);
  if (!http) return line;
  return fmt::format(
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: "
      "1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
      line.size(), line);
}

void append_process_figures(std::string& out) {
  MetricsText text(out);
  if (const auto bytes = resident_bytes()) {
    text.gauge("process_resident_memory_bytes", "Memory of the service.", *bytes);
  }
  if (const auto files = open_files()) {
    text.gauge("process_open_fds", "Open files and sockets of the service.", *files);
  }
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return;
  constexpr double kMillion = 1e6;
  const double cpu_s =
      static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
      static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / kMillion;
  text.head("process_cpu_seconds_total", "counter", "Time of processors that the service used.");
  out += fmt::format("process_cpu_seconds_total {:.3f}\n", cpu_s);
}

}  // namespace copse::server
