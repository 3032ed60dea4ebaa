// SPDX-License-Identifier: Apache-2.0
//
// A file that is open, closed at the end of its scope.
#pragma once

#include <unistd.h>

namespace copse {

class Descriptor {
 public:
  // Negative: open() has failed.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace copse
