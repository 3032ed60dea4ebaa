// SPDX-License-Identifier: Apache-2.0
#include "arrow_stream.hpp"

#include <cerrno>
#include <memory>
#include <vector>

namespace py = pybind11;

// The layouts of https://arrow.apache.org/docs/format/CDataInterface.html.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace copse::python {

namespace {

const char* format_of(const Column& column) {
  if (std::holds_alternative<Texts>(column.values())) return "U";  // 64-bit offsets
  return std::holds_alternative<std::vector<double>>(column.values()) ? "g" : "l";
}

// Owns the memory of a struct of the interface; freed by its release callback. Consumers may move
// children out, so each child has its own callback.
template <class Struct>
struct Owned {
  std::vector<std::unique_ptr<Struct>> children;
  std::vector<Struct*> pointers;
  std::vector<const void*> buffers;
  std::shared_ptr<Column> column;
  std::string name;
};

template <class Struct>
void release(Struct* what) {
  const std::unique_ptr<Owned<Struct>> owned(static_cast<Owned<Struct>*>(what->private_data));
  for (const auto& child : owned->children) {
    if (child->release != nullptr) child->release(child.get());
  }
  what->release = nullptr;
}

template <class Struct>
void own(Struct& out, std::unique_ptr<Owned<Struct>> owned) {
  for (const auto& child : owned->children) owned->pointers.push_back(child.get());
  out.n_children = static_cast<std::int64_t>(owned->children.size());
  out.children = owned->pointers.data();
  out.release = release<Struct>;
  out.private_data = owned.release();
}

void describe(const Table& table, ArrowSchema& out) {
  auto owned = std::make_unique<Owned<ArrowSchema>>();
  for (const auto& [name, column] : table.columns()) {
    auto of = std::make_unique<Owned<ArrowSchema>>();
    of->name = name;
    auto child = std::make_unique<ArrowSchema>();
    child->format = format_of(*column);
    child->name = of->name.c_str();
    own(*child, std::move(of));
    owned->children.push_back(std::move(child));
  }
  out = {};
  out.format = "+s";
  out.name = "";
  own(out, std::move(owned));
}

std::unique_ptr<ArrowArray> array_of(const std::shared_ptr<Column>& column) {
  auto of = std::make_unique<Owned<ArrowArray>>();
  of->column = column;
  of->buffers.push_back(nullptr);  // no validity bitmap: nothing is null
  std::visit(
      [&](const auto& values) {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, Texts>) {
          of->buffers.push_back(values.offsets.data());
          of->buffers.push_back(values.bytes.data());
        } else {
          of->buffers.push_back(values.data());
        }
      },
      column->values());
  auto out = std::make_unique<ArrowArray>();
  out->length = static_cast<std::int64_t>(column->size());
  out->n_buffers = static_cast<std::int64_t>(of->buffers.size());
  out->buffers = of->buffers.data();
  own(*out, std::move(of));
  return out;
}

struct Stream {
  Table table;
  bool given = false;
};

void give(Stream& stream, ArrowArray& out) {
  out = {};
  if (stream.given) return;  // end of the stream
  stream.given = true;
  auto owned = std::make_unique<Owned<ArrowArray>>();
  for (const auto& [name, column] : stream.table.columns()) {
    owned->children.push_back(array_of(column));
  }
  owned->buffers.push_back(nullptr);
  out.length = static_cast<std::int64_t>(stream.table.rows());
  out.n_buffers = 1;
  out.buffers = owned->buffers.data();
  own(out, std::move(owned));
}

// Exceptions must not leave C callbacks.
template <class Body>
int guarded(ArrowArrayStream* stream, Body body) noexcept {
  try {
    body(*static_cast<Stream*>(stream->private_data));
    return 0;
  } catch (const std::exception&) {
    return ENOMEM;
  }
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<Stream*>(stream->private_data);
  stream->release = nullptr;
}

void release_capsule(PyObject* capsule) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

}  // namespace

py::capsule arrow_stream(const Table& table, const py::object&) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    return guarded(self, [&](Stream& of) { describe(of.table, *out); });
  };
  stream->get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    return guarded(self, [&](Stream& of) { give(of, *out); });
  };
  stream->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream->release = release_stream;
  stream->private_data = new Stream{table};
  PyObject* const capsule = PyCapsule_New(stream.get(), "arrow_array_stream", release_capsule);
  if (capsule == nullptr) {
    release_stream(stream.get());
    throw py::error_already_set();
  }
  stream.release();
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace copse::python
