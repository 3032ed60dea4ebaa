// SPDX-License-Identifier: Apache-2.0
//
// Lines: the queues over an engine, by name. A virtual queue (RFC 33) has no line of its own: its
// jobs stand in that of its parent.
//
// Cost: find() O(log queues).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "queue/line.hpp"

namespace copse::queue {

inline constexpr std::size_t kLinesMax = 1'000;

struct LineSpec {
  std::string name{};  // "": the default queue
  Discipline discipline{};
  std::size_t depth = SIZE_MAX;  // jobs looked at in a pass (Fluxion's queue-depth)
  Constraint constraint{};       // which nodes its jobs may have
  // A virtual queue: its jobs stand in the line of this one, whose discipline and depth are
  // theirs, in one order with the others. Without a constraint it has that of its parent.
  std::optional<std::string> parent{};
};

// Errors: invalid: none, or more than kLinesMax; two of one name; a parent that is not there, or
// is virtual itself.
[[nodiscard]] Result<void> check_lines(std::span<const LineSpec> lines);

class Lines {
 public:
  struct Named {
    std::string name;
    std::uint16_t number = 0;  // of the queue
    std::uint16_t line = 0;
    bool is_virtual = false;
    double weight = 0;  // that its jobs have in addition to their priority
  };

  // REQUIRES check_lines(specs). Queues are added to `shared.kinds`.
  Lines(std::vector<LineSpec> specs, const SharedParts& shared);

  Lines(const Lines& other, const SharedParts& shared);  // the same of another queue

  // Errors: not_found.
  [[nodiscard]] Result<const Named*> find(std::string_view name) const;
  [[nodiscard]] const std::vector<Named>& queues() const { return queues_; }

  // By name.
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] Line& operator[](std::size_t number) { return *lines_[number]; }
  [[nodiscard]] const Line& operator[](std::size_t number) const { return *lines_[number]; }
  [[nodiscard]] auto begin() const { return lines_.begin(); }
  [[nodiscard]] auto end() const { return lines_.end(); }

  [[nodiscard]] std::size_t waiting() const;

 private:
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Named> queues_;  // by name
};

}  // namespace copse::queue
