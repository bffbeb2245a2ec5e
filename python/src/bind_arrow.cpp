// The Arrow PyCapsule interface: tables of any library that speaks it, chunk by chunk, without a link to Arrow.
#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "base/utf8.h"
#include "bindings.h"
#include "plumbline/error.h"
#include "tables/arrow_columns.h"

namespace plumbline::python {
namespace {

template <class T>
struct Released {
  T value = {};

  Released() = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (value.release != nullptr) value.release(&value);
  }

  // Takes over what a capsule holds.
  void take(const nb::object& capsule, const char* name) {
    auto* from = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (from == nullptr) throw nb::python_error();
    if (from->release == nullptr) throw Error("the table was handed over before, and can be read once only");
    value = std::exchange(*from, T{});
  }
};

struct Chunk {
  std::shared_ptr<const Released<ArrowSchema>> schema;
  std::shared_ptr<const Released<ArrowArray>> array;

  bool is_column = false;  // an array by itself, not a table of arrays

  const ArrowSchema& field(std::int64_t j) const { return is_column ? schema->value : *schema->value.children[j]; }

  // The rows of the table are those of its parent, which may be a slice of the children.
  ArrowArray column(std::int64_t j) const {
    const ArrowArray& rows = array->value;
    if (is_column) return rows;
    ArrowArray out = *rows.children[j];
    out.offset += rows.offset;
    out.length = rows.length;
    return out;
  }

  nb::object numbers(std::int64_t j) const {
    const void* cells = nullptr;
    std::vector<double> made;
    {
      const Unlocked unlocked;
      cells = plain_cells(field(j), column(j));
      if (cells == nullptr) made = numbers_of(field(j), column(j));
    }
    if (cells == nullptr) {
      const nb::object numbers = nb::cast(array_of(std::move(made)));
      return is_float32(field(j)) ? nb::object(numbers.attr("astype")("float32")) : numbers;
    }
    auto* const held = new std::shared_ptr<const Released<ArrowArray>>(array);
    const nb::capsule owner(
        held, [](void* p) noexcept { delete static_cast<std::shared_ptr<const Released<ArrowArray>>*>(p); });
    const auto rows = static_cast<std::size_t>(array->value.length);
    if (is_float32(field(j)))
      return nb::cast(nb::ndarray<nb::numpy, const float>(static_cast<const float*>(cells), {rows}, owner));
    return nb::cast(nb::ndarray<nb::numpy, const double>(static_cast<const double*>(cells), {rows}, owner));
  }

  std::pair<nb::object, std::vector<std::string>> category(std::int64_t j) const {
    auto* const coded = new Coded();
    const nb::capsule owner(coded, [](void* p) noexcept { delete static_cast<Coded*>(p); });
    {
      const Unlocked unlocked;
      *coded = codes_of(field(j), column(j));
    }
    const nb::ndarray<nb::numpy, std::int32_t> codes(coded->codes.data(), {coded->codes.size()}, owner);
    return {nb::cast(codes), coded->levels};
  }
};

class Stream {
 public:
  // column: values that are no table are one column of it, without a name.
  Stream(const nb::object& capsule, bool column) {
    stream_.take(capsule, "arrow_array_stream");
    auto schema = std::make_shared<Released<ArrowSchema>>();
    expect(stream_.value.get_schema(&stream_.value, &schema->value));
    accept(std::move(schema), column);
  }

  // Of a single batch, which comes as two capsules.
  Stream(const nb::object& schema_capsule, const nb::object& array_capsule, bool column) {
    auto schema = std::make_shared<Released<ArrowSchema>>();
    schema->take(schema_capsule, "arrow_schema");
    single_ = std::make_shared<Released<ArrowArray>>();
    single_->take(array_capsule, "arrow_array");
    accept(std::move(schema), column);
  }

  bool is_column() const { return is_column_; }

  std::vector<std::string> names() const {
    if (is_column_) return {""};
    std::vector<std::string> out;
    const ArrowSchema& fields = schema_->value;
    for (std::int64_t j = 0; j < fields.n_children; ++j) {
      out.emplace_back(fields.children[j]->name == nullptr ? "" : fields.children[j]->name);
      if (valid_utf8_prefix(out.back()) != out.back().size())
        throw Error(fmt::format("the name of column {}, '{}', is not UTF-8 text", j + 1, out.back()));
    }
    return out;
  }

  nb::object next() {
    if (single_) return chunk_of(std::exchange(single_, nullptr));
    if (stream_.value.release == nullptr) return nb::none();
    auto array = std::make_shared<Released<ArrowArray>>();
    {
      const nb::gil_scoped_release release;  // what makes the chunks may be Python code of its own
      expect(stream_.value.get_next(&stream_.value, &array->value));
    }
    if (array->value.release == nullptr) return nb::none();
    return chunk_of(std::move(array));
  }

 private:
  nb::object chunk_of(std::shared_ptr<Released<ArrowArray>> array) const {
    if (!is_column_ && has_nulls(array->value))
      throw Error("the Arrow array has rows that are null as a whole; leave them out, or make their cells null");
    check(array->value);
    return nb::cast(Chunk{schema_, std::move(array), is_column_});
  }

  void check(const ArrowArray& array) const {
    const ArrowSchema& fields = schema_->value;
    if (is_column_) return check_column(fields, array);
    if (array.n_children != fields.n_children)
      throw Error(
          fmt::format("the Arrow array has {} columns, and its schema {}", array.n_children, fields.n_children));
    if (array.length < 0 || array.offset < 0)
      throw Error(fmt::format("the Arrow array has {} rows from row {} on", array.length, array.offset));
    for (std::int64_t j = 0; j < fields.n_children; ++j) {
      const ArrowArray& column = *array.children[j];
      check_column(*fields.children[j], column);
      if (column.length < array.offset || column.length - array.offset < array.length)
        throw Error(fmt::format("column {} of the Arrow array has {} rows; the table has {}", j + 1, column.length,
                                array.offset + array.length));
    }
  }

  void accept(std::shared_ptr<Released<ArrowSchema>> schema, bool column) {
    schema_ = std::move(schema);
    const ArrowSchema& fields = schema_->value;
    is_column_ = std::string_view(fields.format) != "+s";
    if (is_column_ && !column) throw Error("the Arrow stream is not of a table, but of single values");
    if (is_column_) {
      kind_of(fields);
      return;
    }
    for (std::int64_t j = 0; j < fields.n_children; ++j) kind_of(*fields.children[j]);
  }

  void expect(int code) {
    if (code == 0) return;
    const char* words = stream_.value.get_last_error(&stream_.value);
    throw Error(fmt::format("the table could not be read: {}", words == nullptr ? "no reason is given" : words));
  }

  Released<ArrowArrayStream> stream_;
  std::shared_ptr<const Released<ArrowSchema>> schema_;
  std::shared_ptr<Released<ArrowArray>> single_;
  bool is_column_ = false;
};

}  // namespace

void bind_arrow(nb::module_& module) {
  nb::class_<Chunk>(module, "ArrowChunk")
      .def_prop_ro("n_rows", [](const Chunk& self) { return self.array->value.length; })
      .def("is_category",
           [](const Chunk& self, std::int64_t j) { return kind_of(self.field(j)) == ArrowKind::category; })
      .def("is_text", [](const Chunk& self, std::int64_t j) { return is_plain_text(self.field(j)); })
      .def("is_beyond_double",
           [](const Chunk& self, std::int64_t j) { return is_beyond_double(self.field(j), self.column(j)); })
      .def("is_boolean", [](const Chunk& self, std::int64_t j) { return kind_of(self.field(j)) == ArrowKind::boolean; })
      .def("numbers", &Chunk::numbers, nb::arg("column"),
           nb::sig("def numbers(self, column: int) -> numpy.typing.NDArray[numpy.float64 | numpy.float32]"))
      .def("category", &Chunk::category, nb::arg("column"),
           nb::sig("def category(self, column: int) -> tuple[numpy.typing.NDArray[numpy.int32], list[str]]"));

  nb::class_<Stream>(module, "ArrowStream", "A table that is handed over through the Arrow PyCapsule interface.")
      .def(nb::init<const nb::object&, bool>(), nb::arg("capsule"), nb::arg("column") = false)
      .def_static(
          "of_array",
          [](const nb::object& schema, const nb::object& array, bool column) {
            return std::make_unique<Stream>(schema, array, column);
          },
          nb::arg("schema"), nb::arg("array"), nb::arg("column") = false)
      .def_prop_ro("names", &Stream::names)
      .def_prop_ro("is_column", &Stream::is_column, "Whether this is an array by itself, taken for a column.")
      .def("next", &Stream::next, "The next chunk, or None at the end.",
           nb::sig("def next(self) -> ArrowChunk | None"));
}

}  // namespace plumbline::python
