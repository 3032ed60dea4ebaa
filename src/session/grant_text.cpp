// SPDX-License-Identifier: Apache-2.0
#include "session/grant_text.hpp"

#include "text/json_writer.hpp"

namespace copse {

void GrantText::append_r(const Engine& engine, const AllocationView& got, std::string_view queue,
                         std::string& out) {
  const std::size_t before = out.size();
  writer_.write(engine.graph(),
                {.selection = got.selection,
                 .start = got.start,
                 .end = got.end >= engine.options().horizon ? 0 : got.end,
                 .queue = queue,
                 .nslots = got.nslots,
                 .scheduling = scheduling_},
                out);
  if (out.size() == before) out += "null";  // R cannot represent a grant without cores and gpus
  if (out.back() == '\n') out.pop_back();
}

void GrantText::append_granted(const Engine& engine, std::int64_t id, const AllocationView& got,
                               std::string_view queue, std::string& out,
                               std::span<const std::string> remarks) {
  JsonWriter json(out);
  json.object([&] {
    json.member("id", id);
    json.member("at", got.start);
    json.key("R");
    append_r(engine, got, queue, json.begin());
    if (!got.charges.empty()) json.member("hres", engine.charges_text(got.charges));
    if (!remarks.empty()) {
      json.array("remarks", remarks, [&](const std::string& remark) { json.value(remark); });
    }
  });
}

}  // namespace copse
