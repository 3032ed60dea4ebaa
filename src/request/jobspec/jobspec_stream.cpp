// SPDX-License-Identifier: Apache-2.0
#include "request/jobspec/jobspec_stream.hpp"

#include <yaml.h>

#include <algorithm>
#include <utility>

namespace copse {

std::optional<Result<Request>> JobspecStream::next() {
  auto tree = trees_.next();
  if (!tree) return std::nullopt;
  if (!*tree) return std::unexpected(std::move(tree->error()));
  tree_ = std::move(**tree);
  return read_jobspec(TreeView(tree_), words_, limits_);
}

namespace {

// libyaml's emitter, which knows when a text needs quotes.
class YamlWriter {
 public:
  explicit YamlWriter(std::string& out) {
    ready_ = yaml_emitter_initialize(&emitter_) != 0;
    if (!ready_) return;
    yaml_emitter_set_output(&emitter_, append, &out);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_width(&emitter_, -1);  // long texts are not broken
  }
  YamlWriter(const YamlWriter&) = delete;
  YamlWriter& operator=(const YamlWriter&) = delete;
  ~YamlWriter() {
    if (ready_) yaml_emitter_delete(&emitter_);
  }

  bool write(const Tree& tree) {
    if (!ready_) return false;
    yaml_event_t event;
    return emit(yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), event) &&
           emit(yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 0),
                event) &&
           node(TreeView(tree)) && emit(yaml_document_end_event_initialize(&event, 1), event) &&
           emit(yaml_stream_end_event_initialize(&event), event);
  }

 private:
  static int append(void* out, unsigned char* bytes, std::size_t size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  // The emitter takes the event, also when it fails.
  bool emit(int made, yaml_event_t& event) {
    return made != 0 && yaml_emitter_emit(&emitter_, &event) != 0;
  }

  // Recursion is bounded by the depth of a tree.
  bool node(TreeView at) {
    yaml_event_t event;
    if (at.is_sequence()) {
      const auto style = at.size() == 0 ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
      return emit(yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, style),
                  event) &&
             children(at) && emit(yaml_sequence_end_event_initialize(&event), event);
    }
    if (at.is_mapping()) {
      const auto style = at.size() == 0 ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE;
      return emit(yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, style), event) &&
             children(at) && emit(yaml_mapping_end_event_initialize(&event), event);
    }
    if (at.is_null()) return scalar("null", YAML_PLAIN_SCALAR_STYLE);
    return scalar(at.text(), style_of(at));
  }

  bool children(TreeView at) {
    bool is_key = at.is_mapping();
    for (auto child = at.first_child(); child; child = child->next()) {
      if (is_key ? !scalar(child->text(), style_of(*child)) : !node(*child)) return false;
      is_key = at.is_mapping() && !is_key;
    }
    return true;
  }

  // What the emitter cannot write in the style asked for it writes in the next one of plain, single
  // and double quotes: whatever was written is written in the same way again. A script of several
  // lines is shown literally, if no rule of literal texts prevents it.
  static yaml_scalar_style_t style_of(TreeView at) {
    const std::string_view text = at.text();
    if (text.find('\n') == std::string_view::npos) {
      return at.is_quoted_string() ? YAML_SINGLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE;
    }
    const bool literal =
        text.front() != ' ' && text.front() != '\n' && !text.ends_with("\n\n") &&
        std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); });
    return literal ? YAML_LITERAL_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  }

  bool scalar(std::string_view text, yaml_scalar_style_t style) {
    yaml_event_t event;
    const auto* bytes = reinterpret_cast<const yaml_char_t*>(text.data());
    return emit(yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes,
                                             static_cast<int>(text.size()), 1, 1, style),
                event);
  }

  yaml_emitter_t emitter_;
  bool ready_ = false;
};

}  // namespace

Result<std::string> to_yaml(const Tree& tree) {
  std::string out;
  if (!YamlWriter(out).write(tree)) {
    return fail(ErrorCode::limit, "out of memory while writing YAML", {tree.file});
  }
  return out;
}

}  // namespace copse
