// SPDX-License-Identifier: Apache-2.0
//
// Precompiled for all tests, to save time: each file still includes what it uses. Only headers with
// guards: g++ includes one with `#pragma once` again if the compiler cache names it by another path.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
