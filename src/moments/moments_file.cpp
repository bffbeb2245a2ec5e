// File form of Moments, version 1, little-endian:
//
//   "PLUMBMOM"  u32 version  u32 kind  u64 q  u64 p  q + p names as (u32 length, bytes)
//   i64 rows  W  μ  C from the diagonal down, column by column  the rest of the diagonal   each number as hi, lo
//   u64 checksum of all that precedes
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/checksum.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "io/files.h"
#include "plumbline/error.h"
#include "plumbline/moments.h"

namespace plumbline {
namespace {

static_assert(std::endian::native == std::endian::little, "the file form is little-endian");

constexpr std::string_view kMagic = "PLUMBMOM";
constexpr std::uint32_t kVersion = 1;

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_name(std::string& out, const std::string& name) {
  put(out, static_cast<std::uint32_t>(name.size()));
  out += name;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw Error("the moments file is cut short; write it again");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  double finite() {
    const auto value = number<double>();
    if (!std::isfinite(value)) throw Error("the moments file holds a number that is not finite");
    return value;
  }

  std::vector<std::string> names(std::uint64_t count) {
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) {
      names.emplace_back(take(number<std::uint32_t>()));
      if (valid_utf8_prefix(names.back()) != names.back().size())
        throw Error(fmt::format("the moments file has a name that is not UTF-8: '{}'", printable(names.back())));
    }
    return names;
  }

  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

}  // namespace

std::string Moments::to_bytes() const {
  std::string out(kMagic);
  put(out, kVersion);
  put(out, static_cast<std::uint32_t>(kind_));
  put(out, static_cast<std::uint64_t>(features()));
  put(out, static_cast<std::uint64_t>(sensitive()));
  for (const std::string& name : feature_names_) put_name(out, name);
  for (const std::string& name : sensitive_names_) put_name(out, name);
  put(out, rows_);
  for (const double part : weight_) put(out, part);
  for (Index j = 0; j < columns(); ++j)
    for (const double part : {mean_(j, 0), mean_(j, 1)}) put(out, part);
  for (Index j = 0; j < lead(); ++j)
    for (Index i = j; i < columns(); ++i)
      for (const double part : {scatter_hi_(i, j), scatter_lo_(i, j)}) put(out, part);
  for (Index j = lead(); j < columns(); ++j)
    for (const double part : {diagonal_(j, 0), diagonal_(j, 1)}) put(out, part);
  put(out, checksum(out));
  return out;
}

Moments Moments::from_bytes(std::string_view bytes) {
  Reader in(bytes);
  if (bytes.size() < kMagic.size() || in.take(kMagic.size()) != kMagic)
    throw Error("this is not a Plumbline moments file");
  const auto version = in.number<std::uint32_t>();
  if (version == 0 || version > kVersion)
    throw Error(
        fmt::format("the moments file is of version {}; this program reads up to version {}", version, kVersion));
  std::uint64_t stored = 0;
  if (bytes.size() < kMagic.size() + sizeof stored) throw Error("the moments file is cut short; write it again");
  std::memcpy(&stored, bytes.data() + bytes.size() - sizeof stored, sizeof stored);
  if (checksum(bytes.substr(0, bytes.size() - sizeof stored)) != stored)
    throw Error("the moments file is damaged or cut short: its checksum does not match; write it again");

  const auto kind = in.number<std::uint32_t>();
  if (kind > static_cast<std::uint32_t>(Kind::full))
    throw Error(fmt::format("the moments file is of unknown kind {}", kind));
  const auto q = in.number<std::uint64_t>();
  const auto p = in.number<std::uint64_t>();
  std::vector<std::string> features = in.names(q);
  std::vector<std::string> sensitive = in.names(p);
  const auto rows = in.number<std::int64_t>();

  Moments result;
  if (q + p > 0) {
    const std::uint64_t m = q + p;
    const std::uint64_t lead = kind == static_cast<std::uint32_t>(Kind::full) ? m : p;
    const std::uint64_t numbers = 1 + m + lead * m - lead * (lead - 1) / 2 + (m - lead);
    if (m > in.left() || in.left() / (2 * sizeof(double)) < numbers)
      throw Error("the moments file is cut short; write it again");
    result = Moments(std::move(features), std::move(sensitive), static_cast<Kind>(kind));
  }
  result.kind_ = static_cast<Kind>(kind);
  result.rows_ = rows;
  for (double& part : result.weight_) part = in.finite();
  for (Index j = 0; j < result.columns(); ++j)
    for (Index part = 0; part < 2; ++part) result.mean_(j, part) = in.finite();
  for (Index j = 0; j < result.lead(); ++j)
    for (Index i = j; i < result.columns(); ++i) {
      result.scatter_hi_(i, j) = in.finite();
      result.scatter_lo_(i, j) = in.finite();
    }
  for (Index j = result.lead(); j < result.columns(); ++j)
    for (Index part = 0; part < 2; ++part) result.diagonal_(j, part) = in.finite();
  if (in.left() != sizeof(std::uint64_t)) throw Error("the moments file has bytes after its end");
  bool is_possible = rows >= 0 && result.weight_[0] >= 0;
  for (Index j = 0; j < result.columns(); ++j)
    is_possible = is_possible && (j < result.lead() ? result.scatter_hi_(j, j) : result.diagonal_(j, 0)) >= 0;
  if (!is_possible) throw Error("the moments file has a number of rows, a weight or a variance below zero");
  return result;
}

void Moments::save(const std::filesystem::path& path) const { write_file(path, to_bytes()); }

Moments Moments::load(const std::filesystem::path& path) {
  try {
    return from_bytes(read_file(path));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace plumbline
