// SPDX-License-Identifier: Apache-2.0
//
// The keys of a jobspec (RFC 14), mapping by mapping.
#pragma once

#include <array>

#include "base/known_key.hpp"

namespace copse {

// A number may be in quotes, as in Fluxion.
inline constexpr unsigned kJobspecCount = KnownKey::kText | KnownKey::kNumber;
inline constexpr unsigned kJobspecName = KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth;

inline constexpr std::array<KnownKey, 4> kJobspecKeys{
    {{"version", kJobspecCount},
     {"resources", KnownKey::kList},
     {"tasks", KnownKey::kList},
     {"attributes", KnownKey::kMapping | KnownKey::kNull}}};
// `properties` is an addition of Copse.
inline constexpr std::array<KnownKey, 8> kJobspecResourceKeys{
    {{"type", kJobspecName},
     {"count", kJobspecCount | KnownKey::kMapping},
     {"unit", kJobspecName},
     {"exclusive", KnownKey::kTruth | KnownKey::kText},
     {"with", KnownKey::kList},
     {"label", kJobspecName},
     {"id", kJobspecName},
     {"properties", KnownKey::kList}}};
inline constexpr std::array<KnownKey, 4> kJobspecCountKeys{{{"min", kJobspecCount},
                                                            {"max", kJobspecCount},
                                                            {"operator", KnownKey::kText},
                                                            {"operand", kJobspecCount}}};
inline constexpr std::array<KnownKey, 5> kJobspecTaskKeys{{{"command", KnownKey::kList},
                                                           {"slot", kJobspecName},
                                                           {"count", KnownKey::kMapping},
                                                           {"distribution", kJobspecName},
                                                           {"attributes", KnownKey::kMapping}}};
inline constexpr std::array<KnownKey, 3> kJobspecTaskCountKeys{
    {{"per_slot", kJobspecCount}, {"per_resource", KnownKey::kMapping}, {"total", kJobspecCount}}};
inline constexpr std::array<KnownKey, 2> kJobspecPerResourceKeys{
    {{"type", KnownKey::kText}, {"count", kJobspecCount}}};
inline constexpr std::array<KnownKey, 2> kJobspecAttributesKeys{
    {{"user", KnownKey::kAny}, {"system", KnownKey::kMapping | KnownKey::kNull}}};
// Other programs have more of them.
inline constexpr std::array<KnownKey, 4> kJobspecSystemKeys{
    {{"duration", kJobspecCount},
     {"queue", kJobspecName | KnownKey::kNull},
     {"hres", KnownKey::kText | KnownKey::kNull},
     {"constraints", KnownKey::kMapping}}};

}  // namespace copse
