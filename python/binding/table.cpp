// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "arrow_stream.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

template <class T>
py::buffer_info buffer_of(const std::vector<T>& values) {
  return {const_cast<T*>(values.data()),
          sizeof(T),
          py::format_descriptor<T>::format(),
          1,
          {static_cast<py::ssize_t>(values.size())},
          {static_cast<py::ssize_t>(sizeof(T))},
          true};
}

struct BufferOf {
  py::buffer_info operator()(const Texts&) const {
    return {};
  }  // column_buffer() refuses texts before
  template <class T>
  py::buffer_info operator()(const std::vector<T>& values) const {
    return buffer_of(values);
  }
};

// Before pybind11 2.12, an exception in a buffer function ends the process: columns without a
// buffer are refused earlier.
extern "C" int column_buffer(PyObject* self, Py_buffer* view, int flags) {
  if (std::holds_alternative<Texts>(py::handle(self).cast<Column&>().values())) {
    if (view != nullptr) view->obj = nullptr;
    PyErr_SetString(PyExc_BufferError, "a column of texts has no buffer; use to_list()");
    return -1;
  }
  return py::detail::pybind11_getbuffer(self, view, flags);
}

py::object value_at(const Texts& texts, std::size_t index) {
  const auto first = static_cast<std::size_t>(texts.offsets[index]);
  const auto last = static_cast<std::size_t>(texts.offsets[index + 1]);
  return py::str(texts.bytes.data() + first, last - first);
}
template <class T>
py::object value_at(const std::vector<T>& values, std::size_t index) {
  return py::cast(values[index]);
}

py::list to_list(const Column& column) {
  py::list out(column.size());
  for (std::size_t i = 0; i < column.size(); ++i) {
    out[i] = column.at(static_cast<std::int64_t>(i));
  }
  return out;
}

py::list names_of(const Table& table) {
  py::list out;
  for (const auto& [name, column] : table.columns()) out.append(name);
  return out;
}

}  // namespace

std::size_t Column::size() const {
  if (const auto* texts = std::get_if<Texts>(&values_)) return texts->offsets.size() - 1;
  if (const auto* numbers = std::get_if<std::vector<double>>(&values_)) return numbers->size();
  return std::get<std::vector<std::int64_t>>(values_).size();
}

py::object Column::at(std::int64_t index) const {
  const auto size_now = static_cast<std::int64_t>(size());
  const std::int64_t place = index < 0 ? index + size_now : index;
  if (place < 0 || place >= size_now) throw py::index_error("beyond the column's end");
  return std::visit(
      [&](const auto& values) { return value_at(values, static_cast<std::size_t>(place)); },
      values_);
}

std::shared_ptr<Column> Table::column(const std::string& name) const {
  for (const auto& [is, column] : columns_) {
    if (is == name) return column;
  }
  throw py::key_error(name);
}

void bind_table(py::module_& module) {
  py::class_<Column, std::shared_ptr<Column>> column(
      module, "Column", py::buffer_protocol(),
      "Values of one kind. numpy.asarray(column) shares its memory.\n"
      "\n"
      "Units: those that the table's maker names; times are whole seconds.\n"
      "Shapes: one dimension; int64 or float64 by the buffer protocol, read-only. Texts have no "
      "buffer.\n"
      "Raises: IndexError (beyond its end), BufferError (a buffer of texts).\n"
      "Cost: O(1) for a buffer, without a copy; to_list() O(values).\n"
      "Source: PEP 3118.");
  column.def_buffer([](Column& self) { return std::visit(BufferOf(), self.values()); })
      .def("to_list", &to_list, "The values as a list, copied.")
      .def("__getitem__", &Column::at)
      .def("__len__", &Column::size)
      .def("__repr__", [](const Column& self) {
        return "<copse.Column of " + std::to_string(self.size()) + ">";
      });
  reinterpret_cast<PyTypeObject*>(column.ptr())->tp_as_buffer->bf_getbuffer = &column_buffer;
  py::class_<Table>(
      module, "Table",
      "Columns of one length, by name.\n"
      "\n"
      "Units: those that the table's maker names; times are whole seconds.\n"
      "Shapes: len() rows; table[name] is a Column of as many values.\n"
      "Raises: KeyError (no such column).\n"
      "Cost: O(columns), without copies; texts are copied by to_numpy() and to_pandas().\n"
      "Source: the Arrow PyCapsule interface, of which __arrow_c_stream__ gives one batch.")
      .def("__getitem__", &Table::column, py::arg("name"))
      .def("__len__", &Table::rows, "Rows.")
      .def_property_readonly("columns", &names_of, "Names, in order.")
      .def("__arrow_c_stream__", &arrow_stream, py::arg("requested_schema") = py::none(),
           "The table in Arrow's C stream interface.")
      .def("__repr__", [](const Table& self) {
        return "<copse.Table of " + std::to_string(self.rows()) +
               " rows: " + py::str(", ").attr("join")(names_of(self)).cast<std::string>() + ">";
      });
}

}  // namespace copse::python
