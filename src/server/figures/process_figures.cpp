// SPDX-License-Identifier: Apache-2.0
#include "server/figures/process_figures.hpp"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
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
