#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <new>
#include <utility>

#include "io/compression.h"
#include "io/descriptor.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(std::string name) : name_(std::move(name)), stream_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!stream_) throw std::bad_alloc();
  }

  std::size_t decode(std::string_view& input, std::span<char> output) override {
    if (at_boundary_ && input.empty()) return 0;
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(status)) refuse(status);
    input.remove_prefix(in.pos);
    at_boundary_ = status == 0;
    frames_ += at_boundary_ ? 1 : 0;
    return out.pos;
  }

  bool at_boundary() const override { return at_boundary_; }

  void reset() override {
    ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only);
    at_boundary_ = true;
    frames_ = 0;
  }

 private:
  [[noreturn]] void refuse(std::size_t status) const {
    switch (ZSTD_getErrorCode(status)) {
      case ZSTD_error_memory_allocation:
        throw std::bad_alloc();
      case ZSTD_error_frameParameter_windowTooLarge:
        throw Error(
            fmt::format("{} was compressed with a window of more than 128 MB; compress it again with a smaller one",
                        in_quotes(name_)));
      case ZSTD_error_prefix_unknown:
        if (frames_ > 0) refuse_trailing(Compression::zstd, name_);
        break;
      default:
        break;
    }
    refuse_damaged(Compression::zstd, name_, ZSTD_getErrorName(status));
  }

  std::string name_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> stream_;
  bool at_boundary_ = true;
  std::size_t frames_ = 0;
};

class ZstdEncoder final : public Encoder {
 public:
  ZstdEncoder() : stream_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);
  }

  std::size_t encode(std::string_view& input, std::span<char> output) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    const std::size_t produced = run(in, output, ZSTD_e_continue);
    input.remove_prefix(in.pos);
    return produced;
  }

  std::size_t finish(std::span<char> output) override {
    if (finished_) return 0;  // to end a frame once more would write an empty one
    ZSTD_inBuffer none{nullptr, 0, 0};
    return run(none, output, ZSTD_e_end);
  }

 private:
  std::size_t run(ZSTD_inBuffer& in, std::span<char> output, ZSTD_EndDirective end) {
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t left = ZSTD_compressStream2(stream_.get(), &out, &in, end);
    if (ZSTD_isError(left)) throw Error(fmt::format("zstd cannot compress: {}", ZSTD_getErrorName(left)));
    finished_ = end == ZSTD_e_end && left == 0;
    return out.pos;
  }

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> stream_;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder(const std::string& name) { return std::make_unique<ZstdDecoder>(name); }
std::unique_ptr<Encoder> make_zstd_encoder() { return std::make_unique<ZstdEncoder>(); }

}  // namespace plumbline
