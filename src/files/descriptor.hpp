// SPDX-License-Identifier: Apache-2.0
//
// An open file or socket, closed at the end of its scope unless it was moved or released.
#pragma once

#include <unistd.h>

#include <utility>

namespace copse {

class Descriptor {
 public:
  // A negative number: open() failed.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace copse
