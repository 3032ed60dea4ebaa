// SPDX-License-Identifier: Apache-2.0
//
// Requests written down: as a shape, and as the YAML of a resources section.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/scan_text.hpp"
#include "request/count_text.hpp"
#include "request/jobspec/jobspec_stream.hpp"
#include "request/shape.hpp"
#include "text/tree/tree.hpp"

namespace copse {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words that every reader reads as a string: names. "4GB-node" or "2.5" are not examined further,
// so that they are quoted.
bool is_plain_name(std::string_view text) {
  constexpr std::array<std::string_view, 9> kOther = {"true", "false", "null", "yes", "no",
                                                      "on",   "off",   "y",    "n"};
  if (text.empty() || !(is_letter(text.front()) || text.front() == '_')) return false;
  const auto in_name = [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
  };
  if (!std::ranges::all_of(text, in_name)) return false;
  return std::ranges::none_of(kOther, [&](std::string_view word) {
    return std::ranges::equal(text, word, {}, [](char c) { return is_letter(c) ? c | 32 : c; });
  });
}

// In the quotes of JSON, with its escapes.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_word(std::string& out, std::string_view text) {
  if (is_plain_name(text)) {
    out += text;
  } else {
    append_quoted(out, text);
  }
}

void append_type(std::string& out, const Resource& resource) {
  // Without quotes, "Slot" is the slot too.
  const bool like_slot = std::ranges::equal(resource.type, std::string_view("slot"), {},
                                            [](char c) { return is_letter(c) ? c | 32 : c; });
  if (like_slot && !resource.is_slot()) {
    append_quoted(out, resource.type);
  } else {
    append_word(out, resource.type);
  }
}

std::uint64_t count_slots(const std::vector<Resource>& resources) {
  std::uint64_t slots = 0;
  for (const Resource& r : resources) slots += (r.is_slot() ? 1U : 0U) + count_slots(r.with);
  return slots;
}

class ShapeWriter {
 public:
  explicit ShapeWriter(bool one_slot) : one_slot_(one_slot) {}

  // Recursion is as deep as the request, which its parser bounds.
  void list(const std::vector<Resource>& resources) {
    if (resources.size() == 1) return vertex(resources.front());
    out_ += '[';
    for (const Resource& r : resources) {
      if (&r != &resources.front()) out_ += ';';
      vertex(r);
    }
    out_ += ']';
  }

  std::string take() { return std::move(out_); }

 private:
  void vertex(const Resource& r) {
    append_type(out_, r);
    if (r.count.min != 1 || r.count.moldable()) out_ += '=' + count_text(r.count);
    braces(r);
    if (r.with.empty()) return;
    out_ += '/';
    list(r.with);
  }

  void braces(const Resource& r) {
    const bool others =
        r.exclusive != Exclusivity::unset || !r.unit.empty() || !r.properties.empty();
    const bool label_known = r.is_slot() && one_slot_ && r.label == kShapeLabel && !others;
    separator_ = '{';
    if (!r.label.empty() && !label_known) {
      next_item();
      if (!r.is_slot()) out_ += "label:";
      append_word(out_, r.label);
    }
    if (r.exclusive != Exclusivity::unset) {
      next_item();
      out_ += r.exclusive == Exclusivity::yes ? "x" : "-x";
    }
    if (!r.unit.empty()) {
      next_item();
      out_ += "unit:";
      append_word(out_, r.unit);
    }
    if (!r.properties.empty()) {
      next_item();
      out_ += "properties:";
      append_word(out_, fmt::format("{}", fmt::join(r.properties, ",")));
    }
    if (separator_ == ',') out_ += '}';
  }

  void next_item() { out_ += std::exchange(separator_, ','); }

  std::string out_;
  bool one_slot_;
  char separator_ = '{';
};

// A resources section as the tree that the writer of jobspecs takes.
class SectionBuilder {
 public:
  Result<Tree> build(const Request& request) {
    open(TreeNode::Kind::mapping);
    text("resources");
    list(request.resources);
    close();
    if (!done_) return std::unexpected(std::move(done_.error()));
    return builder_.finish();
  }

 private:
  void list(const std::vector<Resource>& resources) {
    open(TreeNode::Kind::sequence);
    for (const Resource& r : resources) vertex(r);
    close();
  }

  void vertex(const Resource& r) {
    open(TreeNode::Kind::mapping);
    text("type");
    text(r.type);
    text("count");
    count(r.count);
    if (!r.label.empty()) {
      text("label");
      text(r.label);
    }
    if (r.exclusive != Exclusivity::unset) {
      text("exclusive");
      plain(r.exclusive == Exclusivity::yes ? "true" : "false");
    }
    if (!r.unit.empty()) {
      text("unit");
      text(r.unit);
    }
    if (!r.properties.empty()) {
      text("properties");
      open(TreeNode::Kind::sequence);
      for (const std::string& property : r.properties) text(property);
      close();
    }
    if (!r.with.empty()) {
      text("with");
      list(r.with);
    }
    close();
  }

  // A mapping of Fluxion's has "min" alone, or all four entries.
  void count(const Count& count) {
    if (!count.moldable()) return plain(std::to_string(count.min));
    if (needs_text(count)) return text(count_text(count));
    open(TreeNode::Kind::mapping);
    text("min");
    plain(std::to_string(count.min));
    if (count.max != Count::kUnlimited) {
      text("max");
      plain(std::to_string(count.max));
      text("operator");
      text(std::string_view(&count.op, 1));
      text("operand");
      plain(std::to_string(count.operand));
    }
    close();
  }

  // After an error the builder is asked nothing more.
  void open(TreeNode::Kind kind) {
    if (done_) done_ = builder_.open(kind, 0, 0);
  }
  void close() {
    if (done_) done_ = builder_.close();
  }
  void plain(std::string_view word) {
    if (done_) done_ = builder_.scalar(word, true, 0, 0);
  }
  void text(std::string_view string) {
    if (done_) done_ = builder_.scalar(string, is_plain_name(string), 0, 0);
  }

  static constexpr TreeLimits kAnySize{.depth_max = kTreeDepthMax, .events_max = UINT32_MAX};
  TreeBuilder builder_{{}, 0, kAnySize};
  Result<void> done_;
};

}  // namespace

std::string shape_text(const std::vector<Resource>& resources) {
  ShapeWriter writer(count_slots(resources) == 1);
  writer.list(resources);
  return writer.take();
}

std::string shape_text(const Request& request) { return shape_text(request.resources); }

Result<std::string> resources_yaml(const Request& request) {
  const auto tree = SectionBuilder().build(request);
  if (!tree) return std::unexpected(tree.error());
  auto yaml = to_yaml(*tree);
  constexpr std::string_view kStart = "---\n";  // a section is a part of a document
  if (yaml && yaml->starts_with(kStart)) yaml->erase(0, kStart.size());
  return yaml;
}

}  // namespace copse
