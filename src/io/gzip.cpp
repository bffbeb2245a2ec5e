#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "io/compression.h"

namespace plumbline {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window; + 16 stands for gzip's header and checksum

unsigned narrowed(std::size_t size) {
  return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

// Lends input and output to zlib for one call, and gives back what it moved.
template <class Call>
int lend(z_stream& stream, std::string_view& input, std::span<char> output, std::size_t& produced, const Call& call) {
  // zlib reads through a pointer to what is not const, unless ZLIB_CONST.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = narrowed(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = narrowed(output.size());
  const unsigned offered = stream.avail_in, room = stream.avail_out;
  const int status = call();
  input.remove_prefix(offered - stream.avail_in);
  produced = room - stream.avail_out;
  return status;
}

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(std::string name) : name_(std::move(name)) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  std::size_t decode(std::string_view& input, std::span<char> output) override {
    if (at_boundary_) {
      if (input.empty()) return 0;
      inflateReset(&stream_);
      at_boundary_ = false;
    }
    std::size_t produced = 0;
    const int status = lend(stream_, input, output, produced, [&] { return inflate(&stream_, Z_NO_FLUSH); });
    if (status == Z_STREAM_END) {
      at_boundary_ = true;
      ++members_;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      if (members_ > 0 && stream_.total_out == 0) refuse_trailing(Compression::gzip, name_);
      refuse_damaged(Compression::gzip, name_, stream_.msg == nullptr ? "no reason given" : stream_.msg);
    }
    return produced;
  }

  bool at_boundary() const override { return at_boundary_; }

  void reset() override {
    at_boundary_ = true;
    members_ = 0;
  }

 private:
  std::string name_;
  z_stream stream_{};
  bool at_boundary_ = true;
  std::size_t members_ = 0;
};

class GzipEncoder final : public Encoder {
 public:
  GzipEncoder() {
    constexpr int kMemory = 8;  // zlib's default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  std::size_t encode(std::string_view& input, std::span<char> output) override {
    std::size_t produced = 0;
    lend(stream_, input, output, produced, [&] { return deflate(&stream_, Z_NO_FLUSH); });
    return produced;
  }

  std::size_t finish(std::span<char> output) override {
    std::string_view none;
    std::size_t produced = 0;
    lend(stream_, none, output, produced, [&] { return deflate(&stream_, Z_FINISH); });
    return produced;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder(const std::string& name) { return std::make_unique<GzipDecoder>(name); }
std::unique_ptr<Encoder> make_gzip_encoder() { return std::make_unique<GzipEncoder>(); }

}  // namespace plumbline
