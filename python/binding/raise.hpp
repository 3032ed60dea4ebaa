// SPDX-License-Identifier: Apache-2.0
//
// Raises library errors as Python exceptions (python/copse/errors.py). Only this file turns a
// Result into an exception.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include <pybind11/pybind11.h>

#include "copse/error.hpp"
#include "copse/explain.hpp"

namespace copse::python {

// The error to raise; the module's translator makes the Python exception.
class Raised : public std::exception {
 public:
  explicit Raised(Error error, std::shared_ptr<const Explanation> why = nullptr)
      : error_(std::move(error)), why_(std::move(why)) {}
  [[nodiscard]] const char* what() const noexcept override { return error_.text.c_str(); }
  [[nodiscard]] const Error& error() const { return error_; }
  [[nodiscard]] const std::shared_ptr<const Explanation>& why() const { return why_; }

 private:
  Error error_;
  std::shared_ptr<const Explanation> why_;
};

// The object is in use by a call in another thread.
class InUse : public std::exception {};

template <class T>
[[nodiscard]] T value_of(Result<T> result) {
  if (!result) throw Raised(std::move(result.error()));
  return std::move(*result);
}
inline void check(const Result<void>& result) {
  if (!result) throw Raised(result.error());
}

void bind_errors(pybind11::module_& module);

}  // namespace copse::python
