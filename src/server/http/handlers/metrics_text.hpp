// SPDX-License-Identifier: Apache-2.0
//
// MetricsText: appends metrics in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace copse::server {

// {name="value", …}; values are escaped.
inline std::string labels(
    std::initializer_list<std::pair<std::string_view, std::string_view>> named) {
  std::string out;
  for (const auto& [name, value] : named) {
    out += fmt::format("{}{}=\"", out.empty() ? "{" : ",", name);
    for (const char c : value) {
      if (c == '\\' || c == '"') out += '\\';
      c == '\n' ? out += "\\n" : out += c;
    }
    out += '"';
  }
  return out + '}';
}

class MetricsText {
 public:
  explicit MetricsText(std::string& out) : out_(out) {}

  // The head of a metric; its samples follow.
  void head(std::string_view name, std::string_view type, std::string_view help) {
    out_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  // `labels`: "" or {name="value", …}
  void sample(std::string_view name, std::string_view labels, std::uint64_t value) {
    out_ += fmt::format("{}{} {}\n", name, labels, value);
  }
  void ratio(std::string_view name, std::string_view labels, double value) {
    out_ += fmt::format("{}{} {:.4f}\n", name, labels, value);
  }
  void gauge(std::string_view name, std::string_view help, std::uint64_t value) {
    head(name, "gauge", help);
    sample(name, {}, value);
  }
  // Its name ends in _total.
  void counter(std::string_view name, std::string_view help, std::uint64_t value) {
    head(name, "counter", help);
    sample(name, {}, value);
  }

 private:
  std::string& out_;
};

}  // namespace copse::server
