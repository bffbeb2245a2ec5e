#include "paper/datasets/datasets.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <vector>

#include "paper/datasets/dataset_columns.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRaceAndSex[] = {"race", "sex"};
constexpr std::string_view kRaceShare[] = {"racepctblack"};

// adult.data ends with an empty line; adult.test starts with a comment, ends with an empty line, and its labels end in
// a dot. Cells of both have a space before them, and '?' where a value is missing.
constexpr DatasetFile kAdultFiles[] = {
    {.dataset = "adult",
     .name = "adult.data",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
     .sha256 = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
     .bytes = 3974305,
     .rows = 32561},
    {.dataset = "adult",
     .name = "adult.test",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.test",
     .sha256 = "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
     .bytes = 2003153,
     .rows = 16281,
     .lines_before_data = 1},
};

constexpr DatasetFile kCompasFiles[] = {
    {.dataset = "compas",
     .name = "compas-scores-two-years.csv",
     .url = "https://raw.githubusercontent.com/propublica/compas-analysis/master/compas-scores-two-years.csv",
     .sha256 = "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
     .bytes = 2546489,
     .rows = 7214,
     .lines_before_data = 1},
};

// The bytes with CRLF sum to 09e0b5c07eae24c1efab19b2edee05e160e7f5743b6f31e31eec3d73624da2ea.
constexpr DatasetFile kCrimeFiles[] = {
    {.dataset = "crime",
     .name = "communities.data",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/communities/communities.data",
     .sha256 = "d90d85bd66bad9a00fa0ed6c15ac017b5966d528e55ba2940ad028d071353f95",
     .line_ends = LineEnds::crlf_as_lf,
     .bytes = 1102815,
     .rows = 1994},
};

constexpr Dataset kDatasets[] = {
    {.name = "adult",
     .description = "Census Income: does a person earn over $50K a year (48,842 people, 15 columns)",
     .page = "https://archive.ics.uci.edu/dataset/2/adult",
     .files = kAdultFiles,
     .columns = kAdultColumns,
     .sensitive = kRaceAndSex,
     .target = "income"},
    {.name = "compas",
     .description = "COMPAS: is a defendant charged again within two years (7,214 people, 53 columns)",
     .page = "https://github.com/propublica/compas-analysis",
     .files = kCompasFiles,
     .columns = kCompasColumns,
     .sensitive = kRaceAndSex,
     .target = "two_year_recid"},
    {.name = "crime",
     .description = "Communities and Crime: violent crimes per head (1,994 communities, 128 columns)",
     .page = "https://archive.ics.uci.edu/dataset/183/communities+and+crime",
     .files = kCrimeFiles,
     .columns = kCrimeColumns,
     .sensitive = kRaceShare,
     .target = "ViolentCrimesPerPop"},
};

std::optional<fs::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

std::optional<fs::path> known_cache() {
  if (const auto cache = folder_in("XDG_CACHE_HOME"); cache && cache->is_absolute()) return *cache / "plumbline";
  if (const auto home = folder_in("HOME")) return *home / ".cache" / "plumbline";
  return std::nullopt;
}

}  // namespace

std::span<const Dataset> datasets() { return kDatasets; }

const Dataset& find_dataset(std::string_view name) {
  std::string known;
  for (const Dataset& dataset : kDatasets) {
    if (dataset.name == name) return dataset;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", dataset.name);
  }
  throw Error(fmt::format("there is no data set '{}'; the data sets are {}", name, known));
}

const DatasetFile& dataset_file(std::string_view file_name) {
  std::string known;
  for (const Dataset& dataset : kDatasets)
    for (const DatasetFile& file : dataset.files) {
      if (file.name == file_name) return file;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", file.name);
    }
  throw Error(fmt::format("no data set has a file '{}'; the files are {}", file_name, known));
}

fs::path cache_directory() {
  if (auto cache = known_cache()) return *std::move(cache);
  throw Error("there is no folder for the cache: neither XDG_CACHE_HOME nor HOME is set; set one of them");
}

fs::path find_dataset_file(std::string_view file_name, const fs::path& data_dir) {
  const DatasetFile& file = dataset_file(file_name);
  std::vector<fs::path> folders;
  if (!data_dir.empty()) folders.push_back(data_dir);
  if (auto folder = folder_in("PLUMBLINE_DATA_DIR")) folders.push_back(*std::move(folder));
  if (auto cache = known_cache()) folders.push_back(*std::move(cache));
  std::string places;
  for (const fs::path& folder : folders) {
    fs::path path = folder / file.name;
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
    places += fmt::format("{}'{}'", places.empty() ? "" : ", ", folder.string());
  }
  throw Error(
      fmt::format("'{}' is not in {}; get it with `plumbline data fetch {}`, or set PLUMBLINE_DATA_DIR to its folder",
                  file.name, places.empty() ? "any known folder" : places, file.dataset));
}

}  // namespace plumbline
