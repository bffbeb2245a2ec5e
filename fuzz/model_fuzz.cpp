// A model file is refused with an Error, or what is read from it is written and read again without a change. Bytes are
// tried as they are, and sealed anew, for behind a checksum nothing else would ever be reached.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"

namespace {

using namespace plumbline;

std::optional<std::string> sealed_anew(std::string_view text) {
  try {
    Json document = parse_json(text);
    const auto format = value_at<std::string>(document, "format");
    const int version = value_at<int>(document, "version");
    for (const char* key : {"format", "version", "checksum"}) document.erase(key);
    return seal(format, version, std::move(document));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check(std::string_view text) {
  std::string written;
  try {
    written = Fit::from_json(text).to_json();
  } catch (const Error&) {
    return;
  }
  if (Fit::from_json(written).to_json() != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text);
  if (const auto sealed = sealed_anew(text)) check(*sealed);
  return 0;
}
