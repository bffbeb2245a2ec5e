#include "published_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/json.h"
#include "base/names.h"
#include "paper_program.h"
#include "plumbline/error.h"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array kDatasets = {"adult", "compas", "crime"};
constexpr std::array kFiles = {"adult.data", "adult.test", "compas-scores-two-years.csv", "communities.data"};

template <class Names>
bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The name of the published file at a path, compressed or not; "" if there is none of that name.
std::string published_name(const std::string& path) {
  fs::path name = fs::path(path).filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  return has(kFiles, name.string()) ? name.string() : "";
}

class Catalogue {
 public:
  explicit Catalogue(std::string data_dir) : data_dir_(std::move(data_dir)) {}

  const Json& dataset(const std::string& name) {
    return entry(name, [&](const Json& dataset) { return value_at<std::string>(dataset, "name") == name; });
  }

  const Json& dataset_of(const std::string& file) {
    return entry(file, [&](const Json& dataset) { return dataset.contains("files") && find_file(dataset, file); });
  }

  static const Json& file(const Json& dataset, const std::string& name) { return *find_file(dataset, name); }

  static std::string path(const Json& file) {
    if (member(file, "path").is_null()) throw Error(value_at<std::string>(file, "problem"));
    return value_at<std::string>(file, "path");
  }

 private:
  static const Json* find_file(const Json& dataset, const std::string& name) {
    for (const Json& file : list_at(dataset, "files"))
      if (value_at<std::string>(file, "name") == name) return &file;
    return nullptr;
  }

  template <class Condition>
  const Json& entry(const std::string& name, const Condition& is_meant) {
    if (entries_.is_null()) {
      std::vector<std::string> call = {"data", "list", "--json"};
      if (!data_dir_.empty()) call.insert(call.end(), {"--data-dir", data_dir_});
      entries_ = parse_json(output_of_paper(name, call, "plumbline"));
    }
    for (const Json& dataset : entries_)
      if (is_meant(dataset)) return dataset;
    throw Error(fmt::format("plumbline-paper does not know '{}'; is it of another version?", name));
  }

  std::string data_dir_;
  Json entries_;
};

std::string found(const std::string& input, Catalogue& catalogue) {
  if (input == "-" || fs::exists(input)) return input;
  if (has(kDatasets, input)) return Catalogue::path(list_at(catalogue.dataset(input), "files").front());
  if (has(kFiles, input)) return Catalogue::path(Catalogue::file(catalogue.dataset_of(input), input));
  if (fs::path(input).has_extension() || fs::path(input).has_parent_path()) return input;
  throw Error(fmt::format("there is neither a file nor a data set '{}'{}", input,
                          did_you_mean(input, {kDatasets.begin(), kDatasets.end()})));
}

}  // namespace

std::optional<PublishedLayout> find_published(std::vector<std::string>& inputs, const std::string& data_dir,
                                              bool no_header) {
  Catalogue catalogue(data_dir);
  for (std::string& input : inputs) input = found(input, catalogue);
  const std::string first = published_name(inputs.front());
  if (no_header || first.empty()) return std::nullopt;
  const auto refuse = [&](const std::string& other) {
    throw Error(fmt::format("'{}' and '{}' do not start alike; give them one at a time", inputs.front(), other));
  };
  const Json& dataset = catalogue.dataset_of(first);
  const auto lines = [&](const std::string& name) {
    return value_at<int>(Catalogue::file(dataset, name), "lines_before_data");
  };
  for (const std::string& input : inputs) {
    const std::string name = published_name(input);
    if (name.empty() || &catalogue.dataset_of(name) != &dataset || lines(name) != lines(first)) refuse(input);
  }
  return PublishedLayout{.columns = strings_at(dataset, "columns"), .header = lines(first) > 0};
}

}  // namespace plumbline::app
