#include "io/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/compression.h"
#include "io/descriptor.h"
#include "io/two_buffers.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr std::size_t kKeptBehind = std::size_t{16} << 20;  // blocks that other threads may still be at
constexpr std::size_t kDroppedAtOnce = std::size_t{4} << 20;
constexpr std::size_t kPage = std::size_t{64} << 10;  // a multiple of every size in use
constexpr std::size_t kCompressedBlock = std::size_t{256} << 10;
constexpr std::size_t kMagicBytes = 4;

// A source of bytes as they lie on disk.
class RawSource : public ByteSource {
 public:
  using ByteSource::ByteSource;
  virtual std::string_view peek(std::size_t size) = 0;  // the first bytes, before any block is read
};

class MappedSource final : public RawSource {
 public:
  // Takes `map` over; bytes before `start` do not belong to the input.
  MappedSource(std::string name, Descriptor file, void* map, std::size_t size, std::size_t start)
      : RawSource(std::move(name)),
        file_(std::move(file)),
        map_(static_cast<char*>(map)),
        size_(size),
        start_(start),
        position_(start) {}
  ~MappedSource() override { ::munmap(map_, size_); }

  std::string_view peek(std::size_t size) override { return view(start_, size); }

  std::string_view next_block(std::size_t size) override {
    drop_behind();
    const std::string_view block = view(position_, size);
    position_ += block.size();
    return block;
  }

  bool is_mapped() const override { return true; }

  bool rewind() override {
    ::madvise(map_, size_, MADV_DONTNEED);
    position_ = start_;
    dropped_ = 0;
    return true;
  }

  std::uint64_t bytes_consumed() const override { return position_ - start_; }
  std::optional<std::uint64_t> bytes_total() const override { return size_ - start_; }

 private:
  // The pages are read here and now: by one call for all, and a failing disk is then an error and not a signal.
  std::string_view view(std::size_t from, std::size_t size) const {
    check_size();
    const std::size_t count = std::min(size, size_ - from), page = from / kPage * kPage;
#ifdef MADV_POPULATE_READ
    if (::madvise(map_ + page, from + count - page, MADV_POPULATE_READ) != 0 && (errno == EFAULT || errno == EHWPOISON))
      fail_on("read", name(), EIO, "check the disk, or use a copy");
#endif
    return {map_ + from, count};
  }

  void check_size() const {
    struct stat now {};
    if (::fstat(file_.number(), &now) != 0) fail_on("read", name(), errno);
    if (static_cast<std::size_t>(now.st_size) < size_)
      throw Error(fmt::format("{} became shorter while it was read, from {} to {} bytes; wait until it is written",
                              in_quotes(name()), size_, now.st_size));
  }

  void drop_behind() {
    if (position_ < dropped_ + kKeptBehind + kDroppedAtOnce) return;
    const std::size_t end = (position_ - kKeptBehind) / kDroppedAtOnce * kDroppedAtOnce;
    ::madvise(map_ + dropped_, end - dropped_, MADV_DONTNEED);
    dropped_ = end;
  }

  Descriptor file_;
  char* map_;
  std::size_t size_, start_, position_;
  std::size_t dropped_ = 0;
};

class ReadSource final : public RawSource {
 public:
  // `start` is where the input starts in a file that can be rewound; none in a pipe.
  ReadSource(std::string name, Descriptor file, std::optional<off_t> start = {},
             std::optional<std::uint64_t> total = {})
      : RawSource(std::move(name)), file_(std::move(file)), start_(start), total_(total) {}

  std::string_view peek(std::size_t size) override {
    if (head_.size() < size) {
      const std::size_t before = head_.size();
      head_.resize(size);
      head_.resize(before + read(head_.data() + before, size - before));
    }
    return head_;
  }

  std::string_view next_block(std::size_t size) override {
    char* block = buffers_.next(size);
    const std::size_t kept = std::min(size, head_.size());
    std::memcpy(block, head_.data(), kept);
    head_.erase(0, kept);
    const std::size_t count = kept + read(block + kept, size - kept);
    consumed_ += count;
    return {block, count};
  }

  bool is_mapped() const override { return false; }

  bool rewind() override {
    if (!start_ || ::lseek(file_.number(), *start_, SEEK_SET) < 0) return false;
    head_.clear();
    at_end_ = false;
    consumed_ = 0;
    return true;
  }

  std::uint64_t bytes_consumed() const override { return consumed_; }
  std::optional<std::uint64_t> bytes_total() const override { return total_; }

 private:
  std::size_t read(char* out, std::size_t size) {
    if (at_end_ || size == 0) return 0;  // a terminal would go on after its end
    const std::ptrdiff_t count = read_fully(file_, out, size);
    if (count < 0) fail_on("read", name(), errno);
    at_end_ = static_cast<std::size_t>(count) < size;
    return static_cast<std::size_t>(count);
  }

  Descriptor file_;
  std::optional<off_t> start_;
  std::optional<std::uint64_t> total_;
  std::string head_;
  TwoBuffers buffers_;
  bool at_end_ = false;
  std::uint64_t consumed_ = 0;
};

class DecodedSource final : public ByteSource {
 public:
  DecodedSource(std::unique_ptr<ByteSource> raw, Compression compression)
      : ByteSource(raw->name()),
        raw_(std::move(raw)),
        compression_(compression),
        decoder_(make_decoder(compression, name())) {}

  std::string_view next_block(std::size_t size) override {
    char* block = buffers_.next(size);
    std::size_t done = 0;
    while (done < size) {
      const std::size_t before = input_.size();
      const std::size_t produced = decoder_->decode(input_, {block + done, size - done});
      done += produced;
      if (produced > 0 || input_.size() < before) continue;
      input_ = raw_->next_block(kCompressedBlock);
      if (input_.empty()) {
        check_end();
        break;
      }
    }
    return {block, done};
  }

  bool is_mapped() const override { return false; }

  bool rewind() override {
    if (!raw_->rewind()) return false;
    decoder_->reset();
    input_ = {};
    return true;
  }

  std::uint64_t bytes_consumed() const override { return raw_->bytes_consumed() - input_.size(); }
  std::optional<std::uint64_t> bytes_total() const override { return raw_->bytes_total(); }

 private:
  void check_end() const {
    if (!decoder_->at_boundary())
      throw Error(fmt::format("{} is cut short: it ends within its {} data; copy or download it again",
                              in_quotes(name()), name_of(compression_)));
  }

  std::unique_ptr<ByteSource> raw_;
  Compression compression_;
  std::unique_ptr<Decoder> decoder_;
  std::string_view input_;
  TwoBuffers buffers_;
};

Descriptor open_file(const std::string& path) {
  if (path == "-") {
    Descriptor file = Descriptor::copy_of(STDIN_FILENO);
    if (!file) fail_on("read", kStandardInput, errno, "give a file");
    return file;
  }
  if (path.empty()) throw Error("the name of an input is empty; give a file, or - for standard input");
  Descriptor file;
  do {  // to open a pipe waits for its writer, so a signal can interrupt it
    file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  } while (!file && errno == EINTR);
  if (!file) {
    const int reason = errno;
    fail_on("open", path, reason,
            reason == ENOENT   ? "check the name and the folder"
            : reason == EACCES ? "ask for the right to read it, or use a copy"
                               : "");
  }
  return file;
}

std::unique_ptr<RawSource> open_raw(const std::string& path) {
  const std::string name = path == "-" ? kStandardInput : path;
  Descriptor file = open_file(path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail_on("open", name, errno);
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{} is a directory; give a file in it", in_quotes(name)));
  if (!S_ISREG(status.st_mode)) return std::make_unique<ReadSource>(name, std::move(file));

  // Standard input may have been read from before us; what is past is not ours.
  const off_t start = std::clamp<off_t>(::lseek(file.number(), 0, SEEK_CUR), 0, status.st_size);
  // A size of zero may mean that the system makes up the content as it is read (/proc).
  if (status.st_size == 0) return std::make_unique<ReadSource>(name, std::move(file), 0);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (map == MAP_FAILED) return std::make_unique<ReadSource>(name, std::move(file), start, size - start);
  ::madvise(map, size, MADV_SEQUENTIAL);
  return std::make_unique<MappedSource>(name, std::move(file), map, size, start);
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  std::unique_ptr<RawSource> raw = open_raw(path);
  const std::string_view head = raw->peek(kMagicBytes);
  const Compression named = compression_of_name(path), found = compression_of_bytes(head);
  if (named != Compression::none && named != found)
    throw Error(fmt::format("{} is called {} but {}; {}", in_quotes(path), named == Compression::gzip ? ".gz" : ".zst",
                            head.empty()                 ? "is empty"
                            : found == Compression::none ? fmt::format("holds no {} data", name_of(named))
                                                         : fmt::format("holds {} data", name_of(found)),
                            head.empty() ? "write it again" : "rename it, or copy or download it again"));
  if (found == Compression::none) return raw;
  return std::make_unique<DecodedSource>(std::move(raw), found);
}

}  // namespace plumbline
