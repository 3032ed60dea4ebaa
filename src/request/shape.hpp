// SPDX-License-Identifier: Apache-2.0
//
// Shapes: the resources section of a jobspec in one line, "slot=4/node=2{x}/[core=8;gpu]" (RFC 46).
//
// A shape becomes the same Request as the jobspec that it abbreviates; duration, queue and
// constraint are left as in an empty Request. Rules beyond the RFC's grammar:
// - keys are those that RFC 14 gives a vertex: exclusive (x), unit, label, id; each at most once.
//   Type and count come before the braces, `with` after the '/'.
// - a slot without a label, which there may be one of, has kShapeLabel. Labels are unique (RFC 14).
// - blanks, tabs and line ends are allowed between words, and do not belong to a word's ends.
// - in double quotes a string is JSON's, with its escapes; in single quotes it is literal.
// - `slot` is the slot in any case ("Slot"); in quotes only "slot" is.
// Absent values keep their default: an exclusivity that is unset is the engine's to decide
// (RFC 14: everything in a slot is exclusive, nothing outside of one).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/request.hpp"

namespace copse {

inline constexpr std::string_view kShapeLabel = "task";  // as flux-core labels it

// Parses a shape; `file` is only for messages. Every Resource has the place of its type. Bounds:
// those of `limits` that concern a text, its resources and its nesting, where a level of resources
// counts as two of YAML; so the jobspec of an accepted shape is not nested too deep.
// Errors: invalid and limit, with line and column. Cost: O(length of the text).
[[nodiscard]] Result<Request> parse_shape(std::string_view text, std::string_view file = {},
                                          const JobspecLimits& limits = {});

// The shortest shape of a request's resources. REQUIRES one that parse_shape() could have made:
// then it parses to the same resources. A jobspec can say what no shape can (no resources at all, a
// count of 0, an empty slot, a label twice); what is written for it is refused.
[[nodiscard]] std::string shape_text(const Request& request);
[[nodiscard]] std::string shape_text(const std::vector<Resource>& resources);

// The resources section, "resources:" and all below it, as YAML in block style. A jobspec with this
// section has the same resources. Counts are numbers or mappings as Fluxion reads them, and texts
// (RFC 14) where a mapping cannot say it: sets, and steps without end.
// Errors: limit (out of memory).
[[nodiscard]] Result<std::string> resources_yaml(const Request& request);

}  // namespace copse
