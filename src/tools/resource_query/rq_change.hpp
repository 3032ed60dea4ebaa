// SPDX-License-Identifier: Apache-2.0
//
// The commands that change jobs and the machine: update, cancel, partial-cancel, attach and remove.
#pragma once

#include "tools/resource_query/rq_context.hpp"

namespace copse::query {

void update(Context& context, Words words);
void cancel(Context& context, Words words);
void partial_cancel(Context& context, Words words);
void attach(Context& context, Words words);
void remove(Context& context, Words words);

}  // namespace copse::query
