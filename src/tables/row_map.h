// A fitted map on the rows of a table: encoded, transformed and, if asked, measured.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/certificate.h"
#include "plumbline/fit.h"
#include "tables/chunk_source.h"
#include "tables/row_batches.h"
#include "tables/row_encoder.h"
#include "tables/row_sample.h"
#include "tables/table_probe.h"
#include "tables/table_target.h"

namespace plumbline {

struct Wanted {
  bool sensitive = true, weights = true;
  bool for_map = true;           // what sensitive columns are wanted for: the map, or else a certificate
  std::string predictions = {};  // the column of the predictions of the target, which is then wanted too; empty: none
};

// Where the columns of an encoding are, by name. Throws Error, listing them all, if the table lacks some.
Placement find_columns(const Encoding& encoding, const ChunkSource& source, const Wanted& wanted);

struct MapOptions {
  bool scores = false;  // the k scores of the model in place of the features
  bool check = false;   // measure a certificate on these rows; needs the sensitive columns
  ReadOptions read = {};
};

// Of a check: how many of the rows a probe is made on, none for 0, and how.
struct CheckProbe {
  Index rows = 0;
  TableProbeOptions options = {};
};

class RowMap {
 public:
  using Result = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // The placement says what there is. Throws Error if there are no scores.
  RowMap(const Fit& fit, const Placement& placement, const ChunkSource& source, const MapOptions& options);

  const RowEncoder& encoder() const { return encoder_; }
  const Encoding& encoding() const { return encoder_.encoding(); }
  const std::vector<CellPlan>& plan() const { return encoder_.plan(); }
  Index outputs() const;

  // Of encoded rows, one row of `out` each. Throws Error if the result leaves its range.
  void apply(const EncodedRows& rows, const MutableColumns& out) const;

 private:
  const Fit& fit_;
  bool scores_;
  RowEncoder encoder_;
};

// A certificate of rows as they come.
class RowCheck {
 public:
  RowCheck(const Fit& fit, const RowEncoder& encoder, const ReadOptions& options, CheckProbe probe = {});

  void set_narrow(bool is_narrow) { measurement_.set_narrow(is_narrow); }  // as of Measurement
  void add(const EncodedRows& rows) {
    batches_.add(rows);
    if (sample_) sample_->add(rows.features(), rows.sensitive(), rows.weights);
    if (!predictions_.empty()) add_predictions(rows);
  }

  // The column of the predictions, which the encoder reads; the fit has a price.
  void set_predictions(std::string column) { predictions_ = std::move(column); }

  // Throws Error if the rows of the table that is called so are too few, or its sensitive columns constant.
  Certificate finish(const std::string& called);

 private:
  void add_predictions(const EncodedRows& rows);

  const Fit& fit_;
  Measurement measurement_;
  std::int64_t rows_of_fit_;
  RowBatches batches_;
  std::int64_t rows_ = 0;
  CheckProbe probe_;
  std::optional<RowSample> sample_;
  std::string predictions_;
  PredictionErrors errors_;
};

}  // namespace plumbline
