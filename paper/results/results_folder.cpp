#include "paper/results/results_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "paper/results/figures.h"
#include "paper/results/results_page.h"
#include "plumbline/error.h"

namespace plumbline {

namespace fs = std::filesystem;

ResultsFolder::ResultsFolder(fs::path folder, const std::vector<const Experiment*>& experiments, bool force)
    : folder_(folder.has_filename() ? std::move(folder) : folder.parent_path()), force_(force) {
  std::error_code problem;
  if (fs::exists(folder_, problem) && !fs::is_directory(folder_, problem))
    throw Error(fmt::format("'{}' is not a folder; the results are several files and need one", folder_.string()));
  for (fs::path path = folder_; !path.empty() && !fs::exists(path, problem); path = path.parent_path())
    made_.insert(made_.begin(), path);
  fs::create_directories(folder_, problem);
  if (problem) {
    leave();
    throw Error(fmt::format("the folder '{}' cannot be made: {}", folder_.string(), problem.message()));
  }
  try {
    json_ = open("results.json");
    page_ = open("results.md");
    for (const Experiment* experiment : experiments)
      for (const FigureKind& kind : figure_kinds(*experiment)) {
        data_.push_back(open(figure_name(*experiment, kind) + ".csv"));
        figures_.push_back(open(figure_name(*experiment, kind) + ".svg"));
      }
  } catch (...) {
    leave();
    throw;
  }
}

ResultsFolder::~ResultsFolder() { leave(); }

void ResultsFolder::leave() {
  json_.reset();
  page_.reset();
  data_.clear();
  figures_.clear();
  std::error_code ignored;
  for (auto path = made_.rbegin(); path != made_.rend(); ++path)
    fs::remove(*path, ignored);  // fails, as it should, if anything is in it
}

std::unique_ptr<OutputFile> ResultsFolder::open(const std::string& name) const {
  return std::make_unique<OutputFile>((folder_ / name).string(), OutputOptions{.force = force_});
}

ResultsFolder::Written ResultsFolder::write(const Reproduction& reproduction) {
  Written out;
  std::vector<OutputFile*> files = {json_.get(), page_.get()};
  std::vector<std::string> figures;
  std::size_t i = 0;
  for (const Experiment* experiment : reproduction.experiments) {
    const FigureData figure{*experiment, reproduction.of(experiment->name), reproduction.points_of(experiment->name)};
    for (const FigureKind& kind : figure_kinds(*experiment)) {
      data_[i]->write(kind.csv(figure));
      files.push_back(data_[i].get());
      if (const auto svg = out.problem.empty() ? draw_figure(kind.script(figure), out.problem) : std::nullopt) {
        figures_[i]->write(*svg);
        files.push_back(figures_[i].get());
        figures.push_back(figure_name(*experiment, kind) + ".svg");
      }
      ++i;
    }
  }
  json_->write(dump_json(records_json(reproduction.records), 1) + "\n");
  page_->write(results_page(reproduction, figures));
  commit_all(files);
  for (const auto& figure : figures_)
    if (force_ && std::find(files.begin(), files.end(), figure.get()) == files.end()) {
      std::error_code ignored;  // it may not be there
      fs::remove(figure->name(), ignored);
    }
  for (const OutputFile* file : files) out.files.push_back(file->name());
  return out;
}

}  // namespace plumbline
