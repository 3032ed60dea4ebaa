// SPDX-License-Identifier: Apache-2.0
//
// Texts of R, in lines: what `execution` has is in line 2, what follows it in line 3.
#pragma once

#include <string>

#include "formats/rv1/rv1_read.hpp"

namespace copse {

inline const std::string kLite = R"("R_lite":[{"rank":"0-3","children":{"core":"0-1"}}])";
inline const std::string kWhole = kLite + R"(,"nodelist":["n[0-3]"])";

inline std::string r_of(const std::string& execution, const std::string& more = "") {
  return "{\"version\":1,\"execution\":\n{" + execution + "}\n" + more + "}";
}

// A rule in the words of its document, a text that breaks it, and the sentence of `copse r validate`.
struct Mutation {
  std::string rule, text, message;
};

// As `copse r validate` reads it.
inline std::string validated(const std::string& text) {
  const auto r = read_rs(text, "r", {.rules = RRules::strict, .layouts = TreepoolLimits{}});
  return r ? "accepted" : r.error().message();
}

}  // namespace copse
