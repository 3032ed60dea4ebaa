// SPDX-License-Identifier: Apache-2.0
#include "fluxion/option_words.hpp"

#include <cctype>

namespace copse::fluxion {

const std::vector<Matcher>& matchers() {
  static const std::vector<Matcher> all{
      {"CA", {"containment"}},
      {"IBA", {"ibnet"}},
      {"IBBA", {"ibnetbw"}},
      {"PA", {"power"}},
      {"PFS1BA", {"pfs1bw"}},
      {"VA", {"virtual1"}},
      {"C+IBA", {"containment", "ibnet"}},
      {"C+IBBA", {"containment", "ibnetbw"}},
      {"C+PA", {"containment", "power"}},
      {"C+PFS1BA", {"containment", "pfs1bw"}},
      {"IB+IBBA", {"ibnet", "ibnetbw"}},
      {"C+P+IBA", {"containment", "power", "ibnet"}},
      {"V+PFS1BA", {"virtual1", "pfs1bw"}},
      {"ALL", {"containment", "ibnet", "ibnetbw", "pfs1bw", "power"}},
  };
  return all;
}

std::vector<std::string> matcher_subsystems(const std::string& name) {
  for (const Matcher& m : matchers()) {
    std::string low = m.name;
    for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name == m.name || name == low) return m.subsystems;
  }
  return {};
}

}  // namespace copse::fluxion
