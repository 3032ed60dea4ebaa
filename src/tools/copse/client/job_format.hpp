// SPDX-License-Identifier: Apache-2.0
//
// Lists of jobs: columns with names, laid out by formats like those of Python and Flux.
//
//   {id:>7} {name:<14.14+} {state}      width 14, cut to 14 with a "+" at the end
//   id,name,nodelist                    each with its own width, and blanks between
//
// `kJobColumns` of the source has all columns; many also have their names in `flux jobs` and `squeue`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "request/tree/yaml_tree.hpp"

namespace copse {

// What columns show in addition to the job itself.
struct JobSurroundings {
  std::int64_t now_s = 0;
  std::map<std::int64_t, std::string> nodelists{};  // by job
  std::map<std::int64_t, std::int64_t> node_counts{};
  std::map<std::int64_t, std::string> reasons{};
};

struct JobColumn {
  std::string_view name, header;
  int width;  // below 0: to the left
  std::string (*text)(TreeView job, const JobSurroundings& around);
  std::vector<std::string_view> also{};  // other names
};
[[nodiscard]] const std::vector<JobColumn>& job_columns();

class JobFormat {
 public:
  // Errors: invalid (an unknown column; a brace that does not close); limit (a width).
  [[nodiscard]] static Result<JobFormat> parse(std::string_view text);
  // Whether it has this column.
  [[nodiscard]] bool has(std::string_view column) const;
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string row(TreeView job, const JobSurroundings& around) const;

 private:
  struct Piece {
    std::string text{};  // literal, or
    const JobColumn* column = nullptr;
    char side = '<';
    std::size_t width = 0, most = SIZE_MAX;
    bool mark = false;  // a "+" where it was cut
  };
  [[nodiscard]] static Result<Piece> parse_field(std::string_view field);
  [[nodiscard]] std::string line(const std::function<std::string(const JobColumn&)>& text) const;

  std::vector<Piece> pieces_;
};

}  // namespace copse
