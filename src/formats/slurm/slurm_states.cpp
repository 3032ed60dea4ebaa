// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_states.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest_word.hpp"
#include "text/split.hpp"

namespace copse {

namespace {

using Now = SlurmNodeState::Now;
using Later = SlurmNodeState::Later;

constexpr std::array<SlurmNodeState, 43> kStates{{
    {"UNKNOWN", Now::down},
    {"DOWN", Now::down},
    {"IDLE"},
    {"ALLOCATED"},
    {"ALLOC"},
    {"ERROR", Now::down},
    {"MIXED"},
    {"MIX"},
    {"COMPLETING"},
    {"FUTURE", Now::left_out},
    {"CLOUD"},
    {"EXTERNAL"},
    {"DRAIN", Now::down},
    {"DRAINED", Now::down},
    {"DRAINING", Now::down},
    {"UNDRAIN"},
    {"FAIL", Now::down},
    {"FAILING", Now::down},
    {"INVALID", Now::down},
    {"INVALID_REG", Now::down, Later::up},
    {"PERFCTRS", Now::down, Later::up},
    {"NET", Now::down, Later::up},
    {"MAINTENANCE", Now::down, Later::up},
    {"MAINT", Now::down, Later::up},
    {"NOT_RESPONDING", Now::down, Later::up},
    {"POWERED_DOWN"},
    {"POWERED_UP"},
    {"POWERING_DOWN", Now::down, Later::up},
    {"POWERING_UP"},
    {"POWER_DOWN", Now::down, Later::up},
    {"POWER_UP"},
    {"POWER_SAVE"},
    {"POWER_DRAIN", Now::down, Later::up},
    {"REBOOT"},
    {"REBOOT_REQUESTED"},
    {"REBOOT_ISSUED", Now::down, Later::up},
    {"REBOOT_CANCELED"},
    {"RESERVED", Now::down, Later::up},
    {"PLANNED"},
    {"RESUME"},
    {"BLOCKED", Now::down, Later::up},
    {"DYNAMIC_FUTURE"},
    {"DYNAMIC_NORM"},
}};

// Signs after a state, sinfo(1), *NODE STATE CODES*.
constexpr std::array<std::pair<char, std::string_view>, 9> kSigns{{{'*', "NOT_RESPONDING"},
                                                                   {'~', "POWERED_DOWN"},
                                                                   {'#', "POWERING_UP"},
                                                                   {'!', "POWER_DOWN"},
                                                                   {'%', "POWERING_DOWN"},
                                                                   {'$', "MAINTENANCE"},
                                                                   {'@', "REBOOT_REQUESTED"},
                                                                   {'^', "REBOOT_ISSUED"},
                                                                   {'-', "PLANNED"}}};

}  // namespace

std::vector<std::string> slurm_state_words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::string_view word = take_part(text, '+');
    const auto* const sign = std::ranges::find_if(
        kSigns, [&](const auto& each) { return word.size() > 1 && word.back() == each.first; });
    if (sign != kSigns.end()) word.remove_suffix(1);
    if (!word.empty()) out.emplace_back(word);
    if (sign != kSigns.end()) out.emplace_back(sign->second);
  }
  return out;
}

std::span<const SlurmNodeState> slurm_node_states() { return kStates; }

const SlurmNodeState* find_slurm_node_state(std::string_view word) {
  const auto* const at = std::ranges::find_if(
      kStates, [&](const SlurmNodeState& known) { return same_word(word, known.word); });
  return at == kStates.end() ? nullptr : at;
}

std::string unknown_slurm_state(std::string_view word) {
  std::vector<std::string_view> words;
  words.reserve(kStates.size());
  for (const SlurmNodeState& known : kStates) words.push_back(known.word);
  return unknown_word("state", word, words);
}

}  // namespace copse
