// The paper's tables and figures, one experiment each, under both protocols.
//
//   published   as the paper computed them, errors included (published_ob.h, notes.h)
//   sound       fitted on the training part only, groups as indicators, true labels, one rank for a table; features,
//               encoding and split are the published ones, so that only the errors differ; where b is a number, full
//               rank stands beside the paper's, and networks are trained otherwise too (regression_setting.h)
//
// Variants take the errors apart and are not sound: FTU[recentred] and OB[refitted], filed as published, are refitted
// on every batch; [code], filed as sound for its fit to the training part, has groups as numbers; [2000 epochs], filed
// so too, has its network trained as published.
//
// An experiment loads its data once and is then run for any number of seeds, from several threads at a time. What it
// measures is a function of the seed alone. To add one, write its file and list it in experiments.cpp. Where methods
// beside the printed cells are not what it has to show, it brings a table and figures of its own.
//
// Error: an unknown name lists the known ones and the nearest; what loading the data throws (published_table.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paper/datasets/published_table.h"
#include "paper/reproduction/records.h"
#include "paper/reproduction/training_cache.h"

namespace plumbline {

struct RunOptions {
  std::uint32_t seed = 0;
  int threads = 0;                     // 0: one a core
  bool intervals = false;              // resample the test rows
  std::function<void()> step = [] {};  // called after each step, from any thread
  std::shared_ptr<TrainingCaches> caches = std::make_shared<TrainingCaches>();  // shared by runs
};

// A point of a figure that is not of records.
struct CurvePoint {
  std::string curve;
  double x = 0, y = 0;
};

struct RunResult {
  std::vector<Measured> measured;
  std::vector<std::string> warnings;    // of the methods: a sentence each, beginning with which
  std::vector<CurvePoint> points = {};  // for a figure

  void append(RunResult other);
};

// "METHOD (protocol, k = 3): sentence"
std::string warning_of(std::string_view method, Protocol protocol, std::optional<Index> rank,
                       std::string_view sentence);

class LoadedExperiment {
 public:
  LoadedExperiment() = default;
  LoadedExperiment(const LoadedExperiment&) = delete;
  LoadedExperiment& operator=(const LoadedExperiment&) = delete;
  virtual ~LoadedExperiment() = default;

  virtual RunResult run(const RunOptions& options) const = 0;
  virtual int steps() const = 0;                                    // of one run
  virtual std::vector<std::string> warnings() const { return {}; }  // of the data: a sentence each
};

struct Experiment;
using RecordList = std::vector<const Record*>;

struct FigureData {
  const Experiment& experiment;
  RecordList records;
  std::vector<CurvePoint> points = {};  // of the first run
};

// One figure of an experiment and its data, in the files NAME.svg and NAME.csv of the experiment's name and a suffix.
struct FigureKind {
  std::string_view suffix;
  std::string (*csv)(const FigureData& data) = nullptr;
  std::string (*script)(const FigureData& data) = nullptr;  // for gnuplot
};

struct Experiment {
  std::string_view name;   // on the command line
  std::string_view title;  // of its table
  std::string_view text;   // what is done, for the page
  bool is_split = true;    // by the seed; if its parts are published ones, it is run once, whatever the repeats
  int repeats = 1;         // unless others are asked for
  std::unique_ptr<const LoadedExperiment> (*load)(const DataSource& source) = nullptr;
  std::string (*table)(const RecordList& records) = nullptr;  // in Markdown; null: that of results_page.h
  std::span<const FigureKind> figures = {};                   // none: that of figures.h
};

std::span<const Experiment* const> experiments();  // in the order of the page
const Experiment& find_experiment(std::string_view name);

void add_once(std::vector<std::string>& warnings, std::string warning);  // unless it is there

extern const Experiment kCompasExperiment, kAdultExperiment, kLoanExperiment, kSensitivityCompasExperiment;
extern const Experiment kCrimeExperiment, kSensitivityCrimeExperiment, kInsuranceExperiment, kDiscretisedExperiment,
    kTradeoffExperiment;
extern const Experiment kTheoryExperiment;

}  // namespace plumbline
