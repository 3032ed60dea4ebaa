// SPDX-License-Identifier: Apache-2.0
//
// Measurements that need a process of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace copse::bench {

// A line of /proc/self/status in kB, e.g. of "VmRSS". Ends the program if it is not there.
[[nodiscard]] std::int64_t status_kb(const std::string& key);

// Runs a step in a process of its own, so that it finds memory as it was. False if it failed.
[[nodiscard]] bool apart(const std::function<void()>& step);

}  // namespace copse::bench
