// SPDX-License-Identifier: Apache-2.0
//
// copse.Column and copse.Table: many values at once. numpy and others read a column of numbers by
// the buffer protocol, without a copy; pandas, polars and others read a table by the Arrow
// PyCapsule interface (__arrow_c_stream__, arrow_stream.hpp).
//
// Columns are immutable, so that views and Arrow tables can share them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/pybind11.h>

namespace copse::python {

// Texts in Arrow's layout: text i is bytes[offsets[i]] to bytes[offsets[i + 1]].
struct Texts {
  std::vector<std::int64_t> offsets{0};
  std::string bytes;
  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
};

class Column {
 public:
  using Values = std::variant<std::vector<std::int64_t>, std::vector<double>, Texts>;
  explicit Column(Values values) : values_(std::move(values)) {}
  [[nodiscard]] const Values& values() const { return values_; }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] pybind11::object at(std::int64_t index) const;  // throws index_error

 private:
  Values values_;
};

class Table {
 public:
  using Named = std::pair<std::string, std::shared_ptr<Column>>;
  // REQUIRES the same length as earlier columns.
  void add(std::string name, Column::Values values) {
    columns_.emplace_back(std::move(name), std::make_shared<Column>(std::move(values)));
  }
  // A column of of(item) for each item: texts or numbers. REQUIRES the same.
  template <class Items, class Of>
  void add_each(std::string name, const Items& items, Of of) {
    if constexpr (std::is_convertible_v<decltype(std::invoke(of, *items.begin())),
                                        std::string_view>) {
      Texts texts;
      for (const auto& item : items) texts.add(std::invoke(of, item));
      add(std::move(name), std::move(texts));
    } else {
      std::vector<std::int64_t> numbers;
      numbers.reserve(items.size());
      for (const auto& item : items) numbers.push_back(std::invoke(of, item));
      add(std::move(name), std::move(numbers));
    }
  }
  [[nodiscard]] const std::vector<Named>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const {
    return columns_.empty() ? 0 : columns_.front().second->size();
  }
  [[nodiscard]] std::shared_ptr<Column> column(const std::string& name) const;  // throws key_error

 private:
  std::vector<Named> columns_;
};

void bind_table(pybind11::module_& module);

}  // namespace copse::python
