// SPDX-License-Identifier: Apache-2.0
//
// Errors of the library as exceptions of Python (python/copse/errors.py). The only place where a
// Result becomes an exception.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include <pybind11/pybind11.h>

#include "copse/error.hpp"
#include "copse/explain.hpp"

namespace copse::python {

// What is to be raised; the translator of the module makes the exception.
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

// An object is used by a call in another thread.
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
