#include "paper/datasets/fetch.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "plumbline/error.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMirror = "PLUMBLINE_DATA_URL";
constexpr long kStallBytesPerSecond = 1000;
constexpr long kMostRedirects = 10;

[[noreturn]] void fail(const char* action, const fs::path& path, int reason) {
  throw Error(fmt::format("cannot {} '{}': {}", action, path.string(), std::strerror(reason)));
}

void make_private_folder(const fs::path& folder) {
  std::error_code ignored;
  if (folder.empty() || fs::is_directory(folder, ignored)) return;
  make_private_folder(folder.parent_path());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail("create the folder", folder, errno);
}

// Bytes on their way to a file, which is gone again unless it is kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& path)
      : path_(path), temporary_((path.parent_path() / fmt::format(".{}.XXXXXX", path.filename().string())).string()) {
    file_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (file_ < 0) fail("write", path_, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_ >= 0) ::close(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("write", path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void keep() {
    if (::fsync(file_) != 0) fail("write", path_, errno);
    const int closed = ::close(std::exchange(file_, -1));
    if (closed != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write", path_, errno);
    temporary_.clear();
  }

 private:
  fs::path path_;
  std::string temporary_;
  int file_ = -1;
};

struct CleanUp {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};

class Download {
 public:
  Download(const DatasetFile& file, const FetchOptions& options, std::string url, bool is_mirror);

  // To path, or throws and leaves path as it was.
  void run(const fs::path& path);

 private:
  static std::size_t on_bytes(char* bytes, std::size_t size, std::size_t count, void* self);
  template <class Value>
  void set(CURLoption option, Value value);
  void take(std::string_view bytes);
  std::int64_t announced() const;  // bytes, or −1
  [[noreturn]] void fail_for(CURLcode code) const;

  const DatasetFile& file_;
  const FetchOptions& options_;
  std::string url_;
  std::unique_ptr<CURL, CleanUp> curl_;
  std::array<char, CURL_ERROR_SIZE> detail_ = {};
  Sha256 sum_;
  TemporaryFile* out_ = nullptr;
  std::int64_t bytes_ = 0;
  std::exception_ptr thrown_;  // by take: an exception must not pass through libcurl
};

Download::Download(const DatasetFile& file, const FetchOptions& options, std::string url, bool is_mirror)
    : file_(file), options_(options), url_(std::move(url)), sum_(file.line_ends) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started == CURLE_OK) curl_.reset(curl_easy_init());
  if (!curl_) throw Error("libcurl cannot be started; nothing can be downloaded");
  const char* protocols = is_mirror ? "http,https" : "https";
  set(CURLOPT_URL, url_.c_str());
  set(CURLOPT_PROTOCOLS_STR, protocols);
  set(CURLOPT_REDIR_PROTOCOLS_STR, protocols);
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kMostRedirects);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, "plumbline");
  set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.connect_seconds));
  set(CURLOPT_LOW_SPEED_LIMIT, kStallBytesPerSecond);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_seconds));
  set(CURLOPT_ERRORBUFFER, detail_.data());
  set(CURLOPT_WRITEFUNCTION, &Download::on_bytes);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
}

template <class Value>
void Download::set(CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(curl_.get(), option, value);
  if (code != CURLE_OK) throw Error(fmt::format("libcurl cannot be set up: {}", curl_easy_strerror(code)));
}

std::size_t Download::on_bytes(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& download = *static_cast<Download*>(self);
  try {
    download.take({bytes, size * count});
    return size * count;
  } catch (...) {
    download.thrown_ = std::current_exception();
    return 0;
  }
}

void Download::take(std::string_view bytes) {
  bytes_ += static_cast<std::int64_t>(bytes.size());
  if (file_.bytes > 0 && bytes_ > file_.bytes)
    throw Error(fmt::format("'{}' is not the published {}: it has more than {} bytes; set {} to a mirror that has it",
                            url_, file_.name, file_.bytes, kMirror));
  out_->write(bytes);
  sum_.update(bytes);
  const std::int64_t total = announced();
  if (options_.progress) options_.progress(file_, bytes_, total < 0 ? file_.bytes : total);
}

std::int64_t Download::announced() const {
  curl_off_t length = -1;
  curl_easy_getinfo(curl_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  return length;
}

void Download::fail_for(CURLcode code) const {
  const std::string detail = detail_[0] != '\0' ? detail_.data() : curl_easy_strerror(code);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      throw Error(fmt::format("no connection to '{}' ({}); check the network and the proxy, or set {} to a mirror",
                              url_, detail, kMirror));
    case CURLE_OPERATION_TIMEDOUT:
      throw Error(
          fmt::format("no answer in time from '{}' ({}); try again, or set {} to a mirror", url_, detail, kMirror));
    case CURLE_HTTP_RETURNED_ERROR: {
      long status = 0;
      curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
      throw Error(fmt::format("'{}' is refused with HTTP status {}; try again later, or set {} to a mirror", url_,
                              status, kMirror));
    }
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
      throw Error(fmt::format("the connection to '{}' was cut after {} bytes{}; try again", url_, bytes_,
                              announced() < 0 ? "" : fmt::format(" of {}", announced())));
    default:
      throw Error(fmt::format("cannot download '{}': {}", url_, detail));
  }
}

void Download::run(const fs::path& path) {
  TemporaryFile out(path);
  out_ = &out;
  const CURLcode code = curl_easy_perform(curl_.get());
  if (thrown_) std::rethrow_exception(thrown_);
  if (code != CURLE_OK) fail_for(code);
  const std::string sum = sum_.finish();
  if (sum != file_.sha256)
    throw Error(
        fmt::format("'{}' is not the published {}: its SHA-256 is {} and should be {}; set {} to a mirror that "
                    "has it",
                    url_, file_.name, sum, file_.sha256, kMirror));
  out.keep();
}

void check_url(std::string_view name, std::string_view url) {
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    throw Error(fmt::format("{} is '{}'; it must start with http:// or https://", name, url));
}

std::string mirror_of(const FetchOptions& options) {
  if (!options.base_url.empty()) return options.base_url;
  const char* mirror = std::getenv(kMirror);
  if (mirror == nullptr || *mirror == '\0') return "";
  check_url(kMirror, mirror);
  return mirror;
}

}  // namespace

void FetchOptions::check() const {
  if (!base_url.empty()) check_url("base_url", base_url);
  if (connect_seconds < 1) throw Error(fmt::format("connect_seconds is {}; it must be at least 1", connect_seconds));
  if (stall_seconds < 1) throw Error(fmt::format("stall_seconds is {}; it must be at least 1", stall_seconds));
}

FetchedFile fetch_file(const DatasetFile& file, const FetchOptions& options) {
  options.check();
  const fs::path path = (options.folder.empty() ? cache_directory() : options.folder) / file.name;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && sha256_of_file(path, file.line_ends) == file.sha256) return {path, false};
  std::string mirror = mirror_of(options);
  const bool is_mirror = !mirror.empty();
  if (is_mirror && mirror.back() != '/') mirror += '/';
  make_private_folder(path.parent_path());
  Download(file, options, is_mirror ? mirror + std::string(file.name) : std::string(file.url), is_mirror).run(path);
  return {path, true};
}

std::vector<FetchedFile> fetch_dataset(const Dataset& dataset, const FetchOptions& options) {
  std::vector<FetchedFile> fetched;
  for (const DatasetFile& file : dataset.files) fetched.push_back(fetch_file(file, options));
  return fetched;
}

}  // namespace plumbline
