// SPDX-License-Identifier: Apache-2.0
//
// Messages about errors in an expression of find.
#pragma once

#include <string>
#include <string_view>

namespace copse {

// Why Engine::find() refuses a text: a sentence that names the word; "" if it does not.
[[nodiscard]] std::string criteria_error(std::string_view text);

}  // namespace copse
