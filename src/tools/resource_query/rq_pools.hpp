// SPDX-License-Identifier: Apache-2.0
//
// The commands about pools as they are: find, their properties and their status.
#pragma once

#include "tools/resource_query/rq_context.hpp"

namespace copse::query {

void find(Context& context, Words words);
void set_property(Context& context, Words words);
void get_property(Context& context, Words words);
void set_status(Context& context, Words words);
void get_status(Context& context, Words words);

}  // namespace copse::query
