// Columns of Arrow's C interface whose parts contradict each other: they are refused with an Error, or read within
// their buffers, which the address sanitizer watches. Bytes choose the type, the lengths and all that is in the
// buffers, each of which is as long as its type says; offsets of texts stay within, for nobody can look behind that
// (arrow_columns.h).
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/error.h"
#include "tables/arrow_columns.h"

namespace {

using namespace plumbline;

class Bytes {
 public:
  explicit Bytes(std::string_view all) : left_(all) {}

  unsigned next() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }

  std::vector<char> take(std::size_t count) {
    std::vector<char> out(count, 0);
    const std::size_t there = std::min(count, left_.size());
    std::copy_n(left_.begin(), there, out.begin());
    left_.remove_prefix(there);
    return out;
  }

 private:
  std::string_view left_;
};

constexpr const char* kFormats[] = {"n", "b", "c", "C",  "s",      "S",       "i", "I",   "l",  "L",   "e", "f",
                                    "g", "u", "U", "vu", "d:10,2", "d:38,-3", "z", "tdD", "+l", "w:4", ""};

std::size_t width_of(std::string_view format) {
  if (format.starts_with("d:") || format == "vu") return 16;
  switch (format.empty() ? ' ' : format[0]) {
    case 'c':
    case 'C':
      return 1;
    case 's':
    case 'S':
    case 'e':
      return 2;
    case 'i':
    case 'I':
    case 'f':
    case 'u':
      return 4;
    default:
      return 8;
  }
}

// An array that owns exact buffers.
struct Made {
  ArrowSchema field{};
  ArrowArray array{};
  std::vector<std::vector<char>> buffers;
  std::vector<const void*> places;
  std::unique_ptr<Made> dictionary;
};

template <class Offset>
void keep_within(std::vector<char>& offsets, std::size_t size) {
  for (std::size_t at = 0; at + sizeof(Offset) <= offsets.size(); at += sizeof(Offset)) {
    Offset value = 0;
    std::memcpy(&value, offsets.data() + at, sizeof value);
    value =
        static_cast<Offset>(std::min<std::int64_t>(static_cast<std::int64_t>(value), static_cast<std::int64_t>(size)));
    std::memcpy(offsets.data() + at, &value, sizeof value);
  }
}

std::unique_ptr<Made> make(Bytes& bytes, bool may_have_dictionary) {
  auto made = std::make_unique<Made>();
  const char* format = kFormats[bytes.next() % std::size(kFormats)];
  const unsigned shape = bytes.next();
  made->field.format = format;
  made->field.name = shape % 2 == 0 ? "k" : nullptr;
  made->array.length = bytes.next() % 16;
  made->array.offset = bytes.next() % 4;
  made->array.null_count = static_cast<std::int64_t>(bytes.next() % 4) - 1;
  if (shape / 2 % 16 == 0) made->array.length = -1;
  if (shape / 2 % 16 == 1) made->array.offset = -1;
  const auto cells = static_cast<std::size_t>(std::max<std::int64_t>(0, made->array.length + made->array.offset));
  const std::string_view kind = format;
  const auto add = [&](std::vector<char> buffer) { made->buffers.push_back(std::move(buffer)); };
  add(bytes.take(cells / 8 + 1));
  if (kind == "u" || kind == "U") {
    std::vector<char> offsets = bytes.take((cells + 1) * width_of(kind));
    const std::size_t size = bytes.next();
    kind == "u" ? keep_within<std::int32_t>(offsets, size) : keep_within<std::int64_t>(offsets, size);
    add(std::move(offsets));
    add(bytes.take(size));
  } else if (kind == "vu") {
    add(bytes.take(cells * 16));
    std::vector<std::int64_t> sizes;
    for (unsigned i = bytes.next() % 3; i > 0; --i) {
      sizes.push_back(bytes.next());
      add(bytes.take(static_cast<std::size_t>(sizes.back())));
    }
    std::vector<char> last(sizes.size() * sizeof(std::int64_t));
    if (!sizes.empty()) std::memcpy(last.data(), sizes.data(), last.size());
    add(std::move(last));
  } else {
    add(bytes.take(kind == "b" ? cells / 8 + 1 : cells * width_of(kind)));
  }
  for (const auto& buffer : made->buffers) made->places.push_back(buffer.data());
  if (shape / 32 % 4 == 1) made->places[0] = nullptr;
  if (shape / 32 % 8 == 2) made->places[1] = nullptr;
  if (shape / 32 % 8 == 3)  // one too few; the last one of views is their sizes, whose number is all that tells its own
    made->places.erase(made->places.end() - (kind == "vu" && made->places.size() > 3 ? 2 : 1));
  made->array.buffers = made->places.data();
  made->array.n_buffers = static_cast<std::int64_t>(made->places.size());
  if (may_have_dictionary && bytes.next() % 2 == 0) {
    made->dictionary = make(bytes, false);
    made->field.dictionary = &made->dictionary->field;
    if (bytes.next() % 16 != 0) made->array.dictionary = &made->dictionary->array;
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes({reinterpret_cast<const char*>(data), size});
  const std::unique_ptr<Made> made = make(bytes, true);
  try {
    const ArrowKind kind = kind_of(made->field);
    check_column(made->field, made->array);
    has_nulls(made->array);
    if (kind == ArrowKind::category) {
      const Coded coded = codes_of(made->field, made->array);
      for (const std::int32_t code : coded.codes)
        if (code < -1 || code >= static_cast<std::int32_t>(coded.levels.size())) std::abort();
    } else if (plain_cells(made->field, made->array) == nullptr) {
      numbers_of(made->field, made->array);
    }
  } catch (const Error&) {
    return 0;  // what is wrong is said
  }
  return 0;
}
