#include "io/compression.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/descriptor.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

bool ends_with(std::string_view path, std::string_view ending) {
  if (path.size() < ending.size()) return false;
  const std::string_view tail = path.substr(path.size() - ending.size());
  return std::equal(tail.begin(), tail.end(), ending.begin(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

Compression compression_of_name(std::string_view path) {
  if (ends_with(path, ".gz")) return Compression::gzip;
  if (ends_with(path, ".zst")) return Compression::zstd;
  return Compression::none;
}

Compression compression_of_bytes(std::string_view head) {
  if (head.starts_with("\x1f\x8b\x08")) return Compression::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd")) return Compression::zstd;
  // A frame to be skipped, with which parallel compressors start.
  if (head.size() >= 4 && (head[0] & 0xf0) == 0x50 && head.substr(1).starts_with("\x2a\x4d\x18"))
    return Compression::zstd;
  return Compression::none;
}

const char* name_of(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return "gzip";
    case Compression::zstd:
      return "zstd";
    default:
      return "plain";
  }
}

std::unique_ptr<Decoder> make_decoder(Compression compression, const std::string& name) {
  switch (compression) {
    case Compression::gzip:
      return make_gzip_decoder(name);
    case Compression::zstd:
      return make_zstd_decoder(name);
    default:
      return nullptr;
  }
}

std::unique_ptr<Encoder> make_encoder(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return make_gzip_encoder();
    case Compression::zstd:
      return make_zstd_encoder();
    default:
      return nullptr;
  }
}

void refuse_damaged(Compression compression, const std::string& name, std::string_view reason) {
  throw Error(fmt::format("{} is damaged: its {} data cannot be decoded ({}); copy or download it again",
                          in_quotes(name), name_of(compression), reason));
}

void refuse_trailing(Compression compression, const std::string& name) {
  throw Error(
      fmt::format("{0} goes on after the end of its {1} data with bytes that are not {1}; copy or download it "
                  "again, or cut them off",
                  in_quotes(name), name_of(compression)));
}

}  // namespace plumbline
