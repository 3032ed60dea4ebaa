// SPDX-License-Identifier: Apache-2.0
#include "request/request_key.hpp"

#include <concepts>
#include <string_view>

namespace copse {

namespace {

// Each value says where it ends, so that no two sequences of values give the same text.
class KeyText {
 public:
  void add(std::integral auto number) { (out_ += std::to_string(number)) += ';'; }
  void add(std::string_view text) {
    add(text.size());
    out_ += text;
  }
  void add(const Count& count) {
    add(count.min);
    add(count.max);
    add(count.operand);
    out_ += count.op;
    if (!count.set) return;
    add(count.set->size());
    for (const auto& [first, last] : *count.set) {
      add(first);
      add(last);
    }
  }
  void add(const Resource& resource) {
    add(resource.type);
    add(resource.count);
    add(static_cast<int>(resource.exclusive));
    add(resource.label);
    add(resource.unit);
    add(resource.properties.size());
    for (const std::string& property : resource.properties) add(property);
    add(resource.channel_charges.size());
    for (const ChannelResource& charge : resource.channel_charges) {
      add(charge.type);
      add(charge.amount);
    }
    add(resource.with.size());
    for (const Resource& below : resource.with) add(below);
  }
  void add(const Constraint& constraint) {
    add(static_cast<int>(constraint.op));
    add(constraint.words.size());
    for (const std::string& word : constraint.words) add(word);
    add(constraint.ranks.size());
    for (const auto& [first, last] : constraint.ranks) {
      add(first);
      add(last);
    }
    add(constraint.operands.size());
    for (const Constraint& operand : constraint.operands) add(operand);
  }
  void add(const HresRequest& hres) {
    add(static_cast<int>(hres.either));
    add(hres.items.size());
    for (const HresItem& item : hres.items) {
      add(item.name);
      add(item.variable);
      add(item.count);
    }
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

std::string request_key(const Request& request) {
  KeyText key;
  key.add(request.resources.size());
  for (const Resource& resource : request.resources) key.add(resource);
  key.add(request.constraint);
  key.add(request.hres);
  key.add(static_cast<int>(request.slots_share));
  return key.take();
}

}  // namespace copse
